#!/usr/bin/env bash
# Checks that pip installs the package without a network and without other packages, and leaves nothing in the
# source tree.
#
# usage: tests/python/install.sh LIBRARY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, pip' 2>/dev/null; then break; fi
done
"$python" -c 'import numpy, pip' 2>/dev/null || { echo "skipped: no python3 has numpy and pip"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 REUSEDIST_LIBRARY=$1
cp -r "$here/../../python" "$work/source"
find "$work/source" -name __pycache__ -prune -exec rm -r {} +
before=$(find "$work/source" | sort)

# install [OPTIONS]: installs the package as in a new virtual environment. numpy is not in $work, so pip must not
# look for dependencies.
install() {
    "$python" -m pip --isolated --quiet --disable-pip-version-check --no-cache-dir install --no-index --no-deps \
        --target "$work/$1" "$work/source" "${@:2}" 2>&1
}
install target
[ "$(find "$work/source" | sort)" = "$before" ] || { find "$work/source" | sort | diff <(echo "$before") -; exit 1; }
cd "$work"
PYTHONPATH=$work/target "$python" - "$work/target" <<'EOF'
import importlib.metadata
import sys

import reusedist

installed = importlib.metadata.distribution("reusedist")
assert reusedist.__file__.startswith(sys.argv[1]), reusedist.__file__
assert installed.version == reusedist.__version__ == reusedist.version(), installed.version
assert "numpy>=1.21" in installed.requires, installed.requires
assert any(file.name == "py.typed" for file in installed.files), installed.files
assert reusedist.measure([1, 2, 1]).blocks == 2
EOF
"$python" - "$work/source" "$work" <<'EOF'
import os
import sys
import tarfile
import zipfile

sys.path.insert(0, sys.argv[1])
import build_backend

with tarfile.open(os.path.join(sys.argv[2], build_backend.build_sdist(sys.argv[2]))) as archive:
    assert any(name.endswith("/build_backend.py") for name in archive.getnames()), archive.getnames()
with zipfile.ZipFile(os.path.join(sys.argv[2], build_backend.build_editable(sys.argv[2]))) as wheel:
    assert wheel.read("reusedist.pth").decode().strip() == os.path.realpath(sys.argv[1])
EOF
