#!/usr/bin/env bash
# The checks of the source tree can fail: each mistake planted in a copy of it must be found. The tests named
# tree/ check the source tree itself.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# expect_complaint CHECK TEXT FILE LINE: with LINE added to FILE, CHECK fails and says TEXT.
expect_complaint() {
    local check=$1 text=$2 file=$3 line=$4 said
    mkdir -p "$(dirname "$work/tree/$file")"
    echo "$line" >>"$work/tree/$file"
    if said=$("$root/scripts/$check" "$work/tree") || [[ $said != *"$text"* ]]; then
        echo "$check does not find this in $file: $line"
        echo "$said"
        bad=1
    fi
    rm "$work/tree/$file"
    rmdir "$(dirname "$work/tree/$file")" 2>/dev/null || true
    [ ! -e "$root/$file" ] || cp "$root/$file" "$work/tree/$file"
}

mkdir "$work/tree"
cp -r "$root"/{CMakeLists.txt,CONTRIBUTING.md,README.md} "$work/tree/"
(cd "$root" && find cmake python tests bench examples scripts -type d) | (cd "$work/tree" && xargs mkdir -p)
cp -r "$root"/{include,src,cli,recorder,docs} "$work/tree/"

expect_complaint check-layers 'src/engine must not' src/engine/classic/stack.c '#include "trace/format.h"'
expect_complaint check-layers 'src/engine must not' src/engine/classic/stack.c '#include "reusedist/trace.h"'
expect_complaint check-layers 'src/engine must not' src/engine/gpu/x.c '#include "trace/input.h"'
expect_complaint check-layers 'src/trace must not' src/trace/input.c '#include "profile/hist.h"'
expect_complaint check-layers 'src/base must not' src/base/ctx.c '#include "reusedist/engine.h"'
expect_complaint check-layers 'cli must not' cli/main.c '#include "base/common.h"'
expect_complaint check-layers 'recorder must not' recorder/clang/hooks.c '#include "trace/format.h"'
expect_complaint check-layers 'src/trace must not' src/trace/input.c '#include "live/channel.h"'
expect_complaint check-layers 'source file' src/order/x.c '#include "base/ctx.c"'
expect_complaint check-layers 'vendor' src/engine/classic/stack.c '#include <mpi.h>'
expect_complaint check-layers 'no rule' src/misc/x.c ''
expect_complaint check-registry 'nonesuch' src/engine/engines.def 'RDI_ENGINE(nonesuch)'
expect_complaint check-registry 'lonely' src/engine/lonely.c \
    'const rdi_engine_ops rdi_engine_lonely = {0};'
expect_complaint check-registry 'nonesuch' src/trace/formats.def 'RDI_FORMAT(nonesuch)'
expect_complaint check-registry 'nonesuch' cli/commands.def 'COMMAND(nonesuch)'

expect_complaint check-tree 'not documented: src/misc' src/misc/x.c ''
expect_complaint check-tree 'not documented: tests/misc' tests/misc/x.c ''
expect_complaint check-tree 'not documented: RD_NONESUCH' CMakeLists.txt 'option(RD_NONESUCH "" ON)'
expect_complaint check-tree 'only documented: RD_NONESUCH' CONTRIBUTING.md '| `RD_NONESUCH` | ON | |'
expect_complaint check-tree 'only documented: tests/nonesuch' CONTRIBUTING.md '| `tests/nonesuch` | |'
expect_complaint check-tree 'several files are called main.c' src/base/main.c ''
expect_complaint check-tree 'src/base/x.c: 501 lines' src/base/x.c "$(seq 501)"
for line in 'x = strtod(text, NULL);' 'snprintf(text, room, "%s: 7 %% of %.*f", name, digits, x);' \
    'printf("a;" "%d" "%" PRIu64'$'\n'' "%g", i, x);' 'n = vsnprintf(text, room, format, args);'; do
    expect_complaint check-tree 'src/base/x.c: prints or parses' src/base/x.c "$line"
done
expect_complaint check-tree 'cli/x.c: prints or parses' cli/x.c 'setlocale(LC_ALL, "");'
expect_complaint check-tree 'there is no nonesuch.h' src/base/x.c '/* See nonesuch.h. */'

expect_complaint check-voice 'begin with the subject' src/order/x.c '/* Of the blocks given last, the newest. */'
expect_complaint check-voice 'begin with the subject' scripts/x '# What a script does.'
expect_complaint check-voice 'use: fix' docs/x.md 'This mends the loop.'
expect_complaint check-voice 'use: analyze' src/base/ctx.c 'static const char *text = "nothing to analyse";'
expect_complaint check-voice 'use: an infinite cache' src/model/x.h '/* Misses of a cache of everything. */'

# expect_number TEXT FILE SED: with FILE changed so, check-numbers fails and says TEXT.
expect_number() {
    local text=$1 file=$2 said
    sed -i "$3" "$work/tree/$file"
    ! cmp -s "$root/$file" "$work/tree/$file" || { echo "does nothing in $file: $3"; bad=1; }
    if said=$("$root/scripts/check-numbers" "$work/tree") || [[ $said != *"$text"* ]]; then
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
    expect_number ': 3.7 has no source' docs/papers.md.in '$a It is 3.7 times as fast.'
    expect_number ': eighty has no source' docs/choosing.md.in '$a It is eighty times as fast.'
    expect_number ': 12.5 has no source' bench/README.md '$a It takes 12.5 s.'
    expect_number 'must say: *not reached*' docs/papers.md.in '/^| Figure 8/s/, \*not reached\*//'
    expect_number 'must say: overlap' docs/papers.md.in '/^| Figure 9/d'
    expect_number 'must say: *more than the paper*' docs/papers.md.in 's/, \*more than the paper\*//'
    expect_number 'must say: too late' docs/papers.md.in 's/ too late to be useful / later /'
fi

# expect_document STATUS TEXT LINES...: check-docs on a document of these lines, where `reusedist`
# is a command that repeats its arguments.
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
