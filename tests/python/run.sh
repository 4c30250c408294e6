#!/usr/bin/env bash
# Runs a test of the Python package with the first interpreter that has numpy.
#
# usage: [ASAN_RUNTIME=libasan.so] tests/python/run.sh LIBRARY TEST [ARGUMENTS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export REUSEDIST_LIBRARY=$1 PYTHONPATH=$here/../../python PYTHONDONTWRITEBYTECODE=1
export OPENBLAS_NUM_THREADS=1 # run_scripts.py forks, which threads would make unreliable
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        if [ -n "${ASAN_RUNTIME-}" ]; then # the interpreter does not free everything when it exits
            export LD_PRELOAD=$ASAN_RUNTIME ASAN_OPTIONS=detect_leaks=0:handle_abort=1
        fi
        exec "$python" "$here/$2" "${@:3}"
    fi
done
echo "skipped: no python3 has numpy"
exit 77
