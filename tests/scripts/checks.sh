#!/usr/bin/env bash
# The checks of the source tree can fail: each mistake planted in a copy of it must be found. The tests named
# tree/ check the source tree itself.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# plant FILE LINE: adds LINE to FILE in the copy.
plant() {
    mkdir -p "$(dirname "$work/tree/$1")"
    echo "$2" >>"$work/tree/$1"
}

# complaint FILE LINE TEXT: plants a mistake for which the next check must print TEXT.
expected=()
complaint() {
    plant "$1" "$2"
    expected+=("$3")
}

# run_check CHECK: runs the check once, expects all complaints about the planted mistakes, and makes a new copy.
run_check() {
    local said text
    if said=$("$root/scripts/$1" "$work/tree"); then
        echo "$1 finds nothing"
        bad=1
    fi
    for text in "${expected[@]}"; do
        if [[ $said != *"$text"* ]]; then
            printf '%s does not say: %s\n%s\n' "$1" "$text" "$said"
            bad=1
        fi
    done
    expected=()
    copy_tree
}

copy_tree() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    cp -r "$root"/{CMakeLists.txt,CONTRIBUTING.md,README.md} "$work/tree/"
    (cd "$root" && find cmake python tests bench examples scripts -type d) | (cd "$work/tree" && xargs mkdir -p)
    cp -r "$root"/{include,src,cli,recorder,docs} "$work/tree/"
}
copy_tree

# includes FILE PATH WHY: check-layers must complain about a line that includes PATH.
includes() {
    complaint "$1" "#include $2" "$3: #include $2"
}
includes src/engine/classic/stack.c '"trace/format.h"' 'src/engine must not include this'
includes src/engine/classic/stack.c '"reusedist/trace.h"' 'src/engine must not include this'
includes src/engine/gpu/x.c '"trace/input.h"' 'src/engine must not include this'
includes src/trace/input.c '"profile/hist.h"' 'src/trace must not include this'
includes src/base/ctx.c '"reusedist/engine.h"' 'src/base must not include this'
includes cli/main.c '"base/common.h"' 'cli must not include this'
includes recorder/clang/hooks.c '"trace/format.h"' 'recorder must not include this'
includes src/trace/input.c '"live/channel.h"' 'src/trace must not include this'
includes src/order/x.c '"base/ctx.c"' 'includes a source file'
includes src/engine/classic/stack.c '<mpi.h>' 'vendor headers belong in src/engine/gpu and src/engine/mpi'
complaint src/misc/x.c '' 'src/misc/x.c:1: no rule'
run_check check-layers

complaint src/engine/engines.def 'RDI_ENGINE(nonesuch)' 'src/engine/engines.def: nonesuch is not defined'
complaint src/engine/lonely.c 'const rdi_engine_ops rdi_engine_lonely = {0};' '> lonely'
complaint src/trace/formats.def 'RDI_FORMAT(nonesuch)' 'src/trace/formats.def: nonesuch is not defined'
complaint cli/commands.def 'COMMAND(nonesuch)' 'cli/commands.def: nonesuch is not defined'
run_check check-registry

complaint src/misc/x.c '' 'not documented: src/misc'
complaint tests/misc/y.c '' 'not documented: tests/misc'
complaint CMakeLists.txt 'option(RD_NONESUCH "" ON)' 'not documented: RD_NONESUCH'
complaint CONTRIBUTING.md '| `RD_UNKNOWN` | ON | |' 'only documented: RD_UNKNOWN'
complaint CONTRIBUTING.md '| `tests/nonesuch` | |' 'only documented: tests/nonesuch'
complaint src/base/main.c '' 'several files are called main.c'
complaint src/base/x501.c "$(seq 501)" 'src/base/x501.c: 501 lines'
n=0
for line in 'x = strtod(text, NULL);' 'snprintf(text, room, "%s: 7 %% of %.*f", name, digits, x);' \
    'printf("a;" "%d" "%" PRIu64'$'\n'' "%g", i, x);' 'n = vsnprintf(text, room, format, args);'; do
    n=$((n + 1))
    complaint src/base/number$n.c "$line" "src/base/number$n.c: prints or parses"
done
complaint cli/locale.c 'setlocale(LC_ALL, "");' 'cli/locale.c: prints or parses'
complaint src/base/y.c '/* See nonesuch.h. */' 'src/base/y.c:1: there is no nonesuch.h'
run_check check-tree

# wording FILE LINE ADVICE: check-voice must print the line and the advice.
wording() {
    complaint "$1" "$2" "$2"$'\n'"    $3"
}
wording src/order/x.c '/* Of the blocks given last, the newest. */' 'begin with the subject'
wording scripts/x '# What a script does.' 'begin with the subject'
wording docs/x.md 'This mends the loop.' 'use: fix'
wording src/base/ctx.c 'static const char *text = "nothing to analyse";' 'use: analyze'
wording src/model/x.h '/* Misses of a cache of everything. */' 'use: an infinite cache'
run_check check-voice

# expect_number TEXT FILE SED: after SED has changed FILE, check-numbers must fail and print TEXT.
expect_number() {
    local text=$1 file=$2 said
    sed -i "$3" "$work/tree/$file"
    ! cmp -s "$root/$file" "$work/tree/$file" || { echo "does nothing in $file: $3"; bad=1; }
    if said=$("$root/scripts/check-numbers" "$work/tree" 2>&1) || [[ $said != *"$text"* ]]; then
        echo "check-numbers does not find this in $file: $3"
        echo "$said"
        bad=1
    fi
    cp "$root/$file" "$work/tree/$file"
}

if command -v python3 >/dev/null; then
    cp -r "$root/bench/results" "$root/bench/README.md" "$work/tree/bench/"
    cp "$root"/bench/programs/{README.md,programs.txt} "$work/tree/bench/programs/"
    expect_number 'differs from docs/papers.md.in' docs/papers.md 's/H200 [0-9.]*, at most/H200 99.9, at most/'
    expect_number 'differs from docs/choosing.md.in' docs/choosing.md '/^| `bk` |/s/[0-9]/7/'
    expect_number 'differs from docs/choosing.md.in' bench/results/choosing.jsonl \
        '/"engine": "bk"/s/"mrefs_per_second": /&1/'
    expect_number 'differs from docs/papers.md.in' bench/results/prediction.md '/^| average /s/9[0-9]\.[0-9]/77.7/'
    expect_number 'differs from the result files' docs/statistical.md '/^| swim-140 /s/[0-9]/7/'
    expect_number 'differs from the result files' docs/statistical.md 's/plain model is [0-9.]* %/plain model is 77.7 %/'
    expect_number 'differs from the result files' docs/statistical.md 's/worst program, latex/worst program, gzip/'
    expect_number 'differs from the result files' docs/data-parallel.md 's/^`gpu` [0-9.]* to/`gpu` 7.7 to/'
    expect_number 'differs from the result files' docs/data-parallel.md '/^| gnugo, H200/s/[0-9]/7/'
    expect_number 'differs from the result files' docs/prediction.md 's/Table V instead of [0-9.]* %/Table V instead of 77.7 %/'
    expect_number 'differs from the result files' docs/gpu.md '/^| `sort`/s/[0-9]/7/'
    expect_number 'must be in the page once, but are there 0 times: The plain model' docs/statistical.md \
        '/^- \*\*Single/s/The plain/This/'
    expect_number ': 3.7 has no source' docs/papers.md.in '$a It is 3.7 times as fast.'
    expect_number ': eighty has no source' docs/choosing.md.in '$a It is eighty times as fast.'
    expect_number ': 12.5 has no source' bench/README.md '$a It takes 12.5 s.'
    expect_number 'must say: *not reached*' docs/papers.md.in '/^| Figure 8/s/, \*not reached\*//'
    expect_number 'must say: overlap' docs/papers.md.in '/^| Figure 9/d'
    expect_number 'must say: *more than the paper*' docs/papers.md.in 's/, \*more than the paper\*//'
    expect_number 'must say: too late' docs/papers.md.in 's/ too late to be useful / later /'
fi

# expect_document STATUS TEXT LINES...: check-docs must exit with STATUS and print TEXT for a
# document of these lines, where `reusedist` is a command that repeats its arguments.
expect_document() {
    local expected=$1 text=$2 said status=0
    shift 2
    rm -rf "$work/tree"
    mkdir -p "$work/tree/build" "$work/tree/examples"
    printf '#!/bin/sh\necho "$@"\n' >"$work/tree/build/reusedist"
    chmod +x "$work/tree/build/reusedist"
    echo content >"$work/tree/examples/file.txt"
    printf '%s\n' "$@" >"$work/tree/README.md"
    said=$("$root/scripts/check-docs" "$work/tree") || status=$?
    if [ $status -ne "$expected" ] || [[ $said != *"$text"* ]]; then
        echo "check-docs with the document '$*': status $status"
        echo "$said"
        bad=1
    fi
}

if command -v python3 >/dev/null; then
    expect_document 0 '' '```console' '$ build/reusedist a b' 'a b' '$ true' '$ reusedist c' c '```'
    expect_document 1 '+a b' '```console' '$ build/reusedist a b' 'a c' '```'
    expect_document 1 '-more' '```console' '$ reusedist a' a more '```'
    expect_document 0 '' '```text examples/file.txt' content '```'
    expect_document 1 '-else' '```text examples/file.txt' else '```'
    expect_document 0 '' '[a file](examples/file.txt), `examples/file.txt`, `examples/NAME.c`'
    expect_document 1 'no examples/missing.txt' '[a file](examples/missing.txt)'
    expect_document 1 'no examples/missing.txt' 'see `examples/missing.txt`'
fi

exit $bad
