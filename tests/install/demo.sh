#!/usr/bin/env bash
# Makes the build folder that scripts/demo leaves behind, from a complete one: everything except the files that
# only other targets make. README's commands must work in it, so other tests follow the documents there. This
# is much faster than a build and has the same result, because the two builds differ only in RD_WERROR.
#
# usage: tests/install/demo.sh BUILD_DIR FOLDER
set -euo pipefail
build=$1
folder=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

targets=$(sed -n 's/^compile build *//p' "$root/scripts/demo")
cd "$build"
# shellcheck disable=SC2086 # one word per target
ninja -t graph ${targets:-all} | sed -n 's/.*\[label="\([^"]*\)".*/\1/p' | sort -u >"$work/made"
ninja -t targets all | sed 's/: [^:]*$//' | sort -u | comm -23 - "$work/made" >"$work/not_made"
rm -rf "$folder"
mkdir "$folder"
find . -type d \( -name '*.dir' -o -name Testing -o -path "./${folder#"$build/"}" \) -prune -o -type f -printf '%P\n' \
    -o -type l -fprintf "$work/links" '%P\n' | sort | comm -23 - "$work/not_made" >"$work/files"
xargs -a <(cat "$work/files" "$work/links") cp -al --parents -t "$folder"
find "$folder" -xtype l -delete # links to files that were not copied
find "$folder" -name cmake_install.cmake -exec sed -i "s|$build\([/\"]\)|$folder\1|g" {} +
