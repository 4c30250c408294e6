#!/usr/bin/env bash
# Runs command-line tests.
#
# usage: tests/cli/run.sh [--update] REUSEDIST CASE.sh...
#
# A case is a shell script. It runs in an empty directory with `bash -eu -o pipefail`, with
#   $REUSEDIST   the command under test
#   $DATA        tests/data of the source tree
#   $EXAMPLES    examples of the source tree
# and is compared with the files beside it:
#   CASE.stdout.exact   the exact output         CASE.stderr.exact
#   CASE.stdout.glob    a shell pattern per line, where a line "..." matches any number of
#                       lines                    CASE.stderr.glob
#   CASE.stdout.ignore  ignored                  CASE.stderr.ignore
#   CASE.exit           the exit status
# A missing file means no output, or exit status 0. A case that cannot run here prints the reason and exits
# with status 77, and so does this script. --update writes the actual output to the .exact and .exit files,
# leaves .glob and .ignore files unchanged, and reports a .glob that does not match.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
update=no
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
[ $# -ge 2 ] || { sed -n 's/^# \?//; 4p' "$0" >&2; exit 2; }
REUSEDIST=$(realpath "$1")
DATA=$here/../data
EXAMPLES=$here/../../examples
export REUSEDIST DATA EXAMPLES LC_ALL=C.UTF-8 TZ=UTC
shift

# matches OUTPUT PATTERNS: compares the output with the patterns line by line; "..." matches as few lines as
# possible.
matches() {
    local -a lines patterns
    mapfile -t lines <"$1"
    mapfile -t patterns <"$2"
    local i=0 p=0 gap_i=-1 gap_p=-1
    while [ $i -lt ${#lines[@]} ]; do
        if [ $p -lt ${#patterns[@]} ] && [ "${patterns[p]}" = ... ]; then
            gap_p=$((++p))
            gap_i=$i
        # shellcheck disable=SC2053 # the right side is a pattern
        elif [ $p -lt ${#patterns[@]} ] && [[ ${lines[i]} == ${patterns[p]} ]]; then
            i=$((i + 1))
            p=$((p + 1))
        elif [ $gap_i -ge 0 ]; then
            i=$((++gap_i))
            p=$gap_p
        else
            return 1
        fi
    done
    while [ $p -lt ${#patterns[@]} ] && [ "${patterns[p]}" = ... ]; do p=$((p + 1)); done
    [ $p -eq ${#patterns[@]} ]
}

# check_stream CASE stdout|stderr FILE: compares one output stream of a case, which is in FILE, with the
# expected one.
check_stream() {
    local base=$1.$2 output=$3
    if [ -e "$base.ignore" ]; then
        return 0
    elif [ -e "$base.glob" ]; then
        matches "$output" "$base.glob" && return 0
        echo "$base.glob does not match:"
        cat "$output"
        return 1
    elif [ $update = yes ]; then
        rm -f "$base.exact"
        [ ! -s "$output" ] || cp "$output" "$base.exact"
    elif [ -e "$base.exact" ]; then
        diff -u --label "$(basename "$base.exact")" --label actual "$base.exact" "$output"
    elif [ -s "$output" ]; then
        echo "unexpected $2:"
        cat "$output"
        return 1
    fi
}

check_exit() {
    local file=$1.exit status=$2 expected=0
    if [ $update = yes ]; then
        rm -f "$file"
        [ "$status" -eq 0 ] || echo "$status" >"$file"
        return 0
    fi
    [ ! -e "$file" ] || read -r expected <"$file"
    [ "$status" -eq "$expected" ] && return 0
    echo "exit status $status, expected $expected"
    return 1
}

run_case() {
    local script=$1 base=${1%.sh} work status=0 good=0
    work=$(mktemp -d)
    mkdir "$work/cwd"
    (cd "$work/cwd" && exec bash -eu -o pipefail "$script") \
        </dev/null >"$work/stdout" 2>"$work/stderr" || status=$?
    if [ $status -eq 77 ]; then
        echo "skipped: $script: $(cat "$work/stdout")"
        rm -rf "$work"
        return 77
    fi
    check_exit "$base" $status || good=1
    check_stream "$base" stdout "$work/stdout" || good=1
    check_stream "$base" stderr "$work/stderr" || good=1
    if [ $good -ne 0 ]; then
        echo "FAILED: $script"
        [ ! -s "$work/stderr" ] || sed 's/^/stderr: /' "$work/stderr"
    fi
    rm -rf "$work"
    return $good
}

result=0
for case in "$@"; do
    run_case "$(realpath "$case")" || { status=$?; [ $result -eq 1 ] || result=$status; }
done
exit $result
