#!/usr/bin/env bash
# Checks that a new engine, format, command or profile section needs one file and one line. The script adds one of
# each, from this folder, to a copy of the source tree, builds the command there and uses them.
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

# add FILE FOLDER LINE DEF
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

log=$work/log
{
    cmake -S "$tree" -B "$work/build" -G "$2" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DRD_WERROR=ON -DRD_TESTS=OFF -DRD_MPI=OFF -DRD_CUDA=OFF \
        -DRD_VALGRIND=OFF -DRD_LIBARCHIVE=OFF -DRD_LIBDW=OFF -DRD_CHARTS=OFF &&
        cmake --build "$work/build" --parallel 2 --target manual
} >"$log" 2>&1 || { cat "$log"; exit 1; }

cd "$work"
reusedist=build/reusedist
# expect TEXT COMMAND...: checks that the command succeeds and prints TEXT.
expect() {
    local text=$1 said status=0
    shift
    said=$("$@" 2>&1) || status=$?
    if [ $status -ne 0 ] || [[ $said != *"$text"* ]]; then
        printf '%s\nexit status %s, expected: %s\n%s\n' "$*" $status "$text" "$said"
        exit 1
    fi
}

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
