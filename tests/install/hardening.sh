#!/usr/bin/env bash
# Checks that programs and the shared library are hardened (cmake/hardening.cmake), and that the recorders are
# not.
#
# usage: tests/install/hardening.sh BUILD_DIR
set -euo pipefail
build=$1
bad=0
complain() { echo "$*"; bad=1; }

# hardened FILE: checks that the file shows the effect of each option.
hardened() {
    local file=$1 elf symbols
    [ -e "$file" ] || return 0 # reusedist-mpi is not in every build
    elf=$(readelf -W --file-header --program-headers --dynamic "$file")
    symbols=$(readelf -W --dyn-syms "$file")
    grep -Eq 'Type: +DYN' <<<"$elf" || complain "$file is not position-independent"
    grep -q 'GNU_RELRO' <<<"$elf" || complain "$file has no read-only relocations"
    grep -Eq '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' <<<"$elf" || complain "$file resolves functions lazily"
    ! grep -E 'GNU_STACK.* RWE' <<<"$elf" || complain "$file has an executable stack"
    grep -q ' __stack_chk_fail' <<<"$symbols" || complain "$file has no stack protector"
    grep -Eq ' __[a-z]+_chk(@|$)' <<<"$symbols" || complain "$file has no checked functions of the C library"
}
hardened "$build/reusedist"
hardened "$build/reusedist-mpi"
hardened "$build/libreusedist.so"

# The recorders run without a C library, or inside programs that were compiled without hardening.
for file in "$build"/libexec/reusedist/{clang/*.a,valgrind/reusedist-amd64-linux}; do
    [ -e "$file" ] || continue
    found=$(nm "$file" 2>/dev/null | grep -E ' U (__stack_chk_fail|__[a-z]+_chk)$' || true)
    [ -z "$found" ] || complain "$file uses$found"
done
exit $bad
