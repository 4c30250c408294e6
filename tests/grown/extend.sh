#!/usr/bin/env bash
# Checks that a new engine, format, command or profile section needs one file and one line. The script adds one
# of each, from this folder, to a copy of the source tree, builds the command there and uses them. The copy is
# built without optional dependencies and without warnings. The script also checks that the command then works,
# and that it names the dependencies that it lacks.
#
# usage: tests/grown/extend.sh CC GENERATOR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree"
# Copies all files that the build of the command and the checks read.
cp -r "$root"/{CMakeLists.txt,LICENSE,include,src,cli,cmake,recorder,bench,docs,examples} "$tree/"

# add FILE FOLDER LINE DEF: copies FILE from this folder to FOLDER of the copy, and appends LINE to DEF.
add() {
    cp "$here/$1" "$tree/$2/"
    echo "$3" >>"$tree/$4"
}
add front.c src/engine/classic 'RDI_ENGINE(front)' src/engine/engines.def
add fmt_marked.c src/trace 'RDI_FORMAT(marked)' src/trace/formats.def
add cmd_count.c cli 'COMMAND(count)' cli/commands.def
add section_fields.c src/profile 'RDI_SECTION(fields)' src/profile/sections.def

# The copy differs by four files and four lines.
changes=$(for part in "$tree"/*; do diff -r "$root/${part##*/}" "$part" || true; done)
if [ "$(grep -c '^Only in' <<<"$changes") $(grep -c '^[<>]' <<<"$changes")" != "4 4" ]; then
    echo "the copy differs by more than four files and four lines:"
    echo "$changes"
    exit 1
fi
"$root/scripts/check-registry" "$tree"
"$root/scripts/check-layers" "$tree"

# gcc needs -O1 to warn about uninitialized values.
log=$work/log
{
    cmake -S "$tree" -B "$work/build" -G "$2" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Release \
        '-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG' -DRD_WERROR=ON -DRD_TESTS=OFF -DRD_MPI=OFF -DRD_CUDA=OFF \
        -DRD_VALGRIND=OFF -DRD_LIBARCHIVE=OFF -DRD_ZLIB=OFF -DRD_LIBDW=OFF -DRD_CHARTS=OFF &&
        cmake --build "$work/build" --parallel 2 --target manual
} >"$log" 2>&1 || { cat "$log"; exit 1; }

cd "$work"
reusedist=build/reusedist
# expect_status STATUS TEXT COMMAND...: checks the exit status of the command, and that it prints TEXT.
expect_status() {
    local expected=$1 text=$2 said status=0
    shift 2
    said=$("$@" 2>&1) || status=$?
    if [ $status -ne "$expected" ] || [[ $said != *"$text"* ]]; then
        printf '%s\nexit status %s, expected: %s\n%s\n' "$*" $status "$text" "$said"
        exit 1
    fi
}
expect() { expect_status 0 "$@"; }

printf '@1000\n@2000\n@1000\n' >three.txt
expect 'front: an array of blocks' $reusedist engines front
expect 'front' $reusedist verify -e front --traces=20
expect '"name": "front"' $reusedist analyze -e front --out=json three.txt

expect 'marked: an at sign' $reusedist formats marked
expect '"format": "marked"' $reusedist analyze --out=json three.txt
expect '"format": "marked"' $reusedist analyze --out=json -f marked three.txt

expect 'the number of references in a trace' $reusedist help
expect 'reusedist count TRACE' $reusedist help count
expect '3 references' $reusedist count three.txt
expect 'the number of references in a trace' cat build/man/reusedist-count.1
for shell in bash zsh fish; do
    expect 'count' cat "build/completion/reusedist.$shell"
done

# `merge` reads, checks, sums and writes a profile with the section.
$reusedist analyze --out=json three.txt |
    sed 's/^  "histogram"/  "fields": {"touched": 2},\n&/; s|profile/1[.0-9]*"|profile/1.2"|' >one.json
cp one.json two.json
expect '"fields": {"touched": 4}' $reusedist merge one.json two.json
sed -i 's/"touched": 2/"touched": 9/' one.json
if $reusedist merge one.json two.json >said 2>&1; then
    echo "a section that contradicts the totals is accepted"
    exit 1
fi
grep -q 'more fields than references' said

# Without optional dependencies, the command works and says which of them it lacks.
expect 'no difference' $reusedist verify --traces=20
for part in zlib libarchive MPI CUDA libdw valgrind Chart.js; do
    expect "no $part: " $reusedist version
done
expect_status 1 'no libarchive' $reusedist analyze "$root/examples/gzip.trace.xz"
expect '<title>' $reusedist report "$root/tests/data/profiles/exact.json"
if $reusedist report "$root/tests/data/profiles/exact.json" | grep -q 'Chart.js v'; then
    echo "a page of a build without Chart.js has it"
    exit 1
fi
