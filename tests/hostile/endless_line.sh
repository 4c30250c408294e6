#!/usr/bin/env bash
# Tests every format with a line of 500 MB from a pipe: the reader must read or refuse the line with little
# memory.
#
# usage: tests/hostile/endless_line.sh REUSEDIST
set -uo pipefail
reusedist=$1
bad=0
for format in auto $("$reusedist" formats | awk '{ print $1 }'); do
    status=0
    (
        ulimit -v 400000 # KiB; the line does not fit into this address space
        head -c 500M /dev/zero | tr '\0' 7 | "$reusedist" analyze -e null -q -f "$format" - 2>&1
    ) >/dev/null || status=$?
    # Status 141 means that the reader succeeded without reading the whole line, so the writer got SIGPIPE.
    case $status in
    0 | 1 | 2 | 141) ;;
    *)
        echo "-f $format: exit status $status"
        bad=1
        ;;
    esac
done
exit $bad
