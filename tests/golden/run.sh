#!/usr/bin/env bash
# Compares the results of tests/golden/traces with the committed results. The comment at the
# beginning of a trace gives the reason for it.
#
# usage: tests/golden/run.sh [--update] TEST_GOLDEN
set -euo pipefail
update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi
program=$(realpath "$1")
cd "$(dirname "$0")"
if [ $update = yes ]; then
    "$program" traces/* >results.csv
else
    "$program" traces/* | diff -u results.csv -
fi
