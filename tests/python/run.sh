#!/usr/bin/env bash
# Tests the Python package with the first interpreter that has numpy.
#
# usage: tests/python/run.sh LIBRARY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export REUSEDIST_LIBRARY=$1 PYTHONPATH=$here/../../python PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        exec "$python" -W error "$here/test_package.py"
    fi
done
echo "skipped: no python3 has numpy"
exit 77
