#!/usr/bin/env bash
# Installs the library and builds programs outside the project with it. CMake and pkg-config find the static and
# the shared library.
#
# usage: tests/install/run.sh BUILD_DIR CC GENERATOR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
cc=$2
generator=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

expect() {
    local said
    said=$(LD_LIBRARY_PATH=$libdir "$@")
    [ "$said" = "inf inf inf 1 2 0 " ] || { echo "$1 prints: $said"; exit 1; }
}

cmake --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name 'libreusedist.so')")
"$prefix/bin/reusedist" version >/dev/null
for file in share/man/man1/reusedist.1 share/man/man1/reusedist-compare.1 \
    share/bash-completion/completions/reusedist share/fish/vendor_completions.d/reusedist.fish; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
[ -n "$(find "$prefix/share/zsh" -name _reusedist -size +0)" ] # in the folder that was configured
[ -z "$(find "$prefix" -name base.h -path '*src*')" ] # internal headers are not installed

cmake -S "$here" -B "$work/cmake" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
expect "$work/cmake/consumer_STATIC"
expect "$work/cmake/consumer_SHARED"
expect "$work/cmake/consumer_reusedist"

export PKG_CONFIG_PATH=$libdir/pkgconfig
flags=$(pkg-config --cflags reusedist)
# shellcheck disable=SC2046,SC2086 # flags are words
$cc -std=c11 -Wall -Werror $flags "$here/consumer.c" $(pkg-config --libs reusedist) -o "$work/shared"
expect "$work/shared"
# shellcheck disable=SC2046,SC2086 # flags are words
$cc -std=c11 -Wall -Werror $flags "$here/consumer.c" "$libdir/libreusedist.a" \
    $(pkg-config --libs --static reusedist | sed 's/-lreusedist//') -o "$work/static"
expect "$work/static"
# Run the commands in the documents that compile examples, unchanged.
ln -s "$here/../../examples" "$work/examples"
(cd "$work" && grep -h '^cc ' "$here"/../../{README,docs/embedding}.md | bash -eu)
said=$(LD_LIBRARY_PATH=$libdir "$work/ten_lines")
[ "$said" = "misses: 50.0 %" ] || { echo "ten_lines prints: $said"; exit 1; }
said=$(LD_LIBRARY_PATH=$libdir "$work/measure")
[ "$said" = "$("$build/examples/measure")" ] || { echo "measure prints: $said"; exit 1; }
# shellcheck disable=SC2046,SC2086 # flags are words
$cc -std=c11 -Wall -Werror $flags "$here/../../examples/analyze_file.c" $(pkg-config --libs reusedist) -o "$work/analyze_file"
printf '1\n2\n1\n1\n' >"$work/ids"
said=$(LD_LIBRARY_PATH=$libdir "$work/analyze_file" "$work/ids")
[ "$said" = "misses: 50.00 %" ] || { echo "analyze_file prints: $said"; exit 1; }
[ "$(pkg-config --modversion reusedist)" = "$("$prefix/bin/reusedist" version | sed -n '1s/reusedist //p')" ]

# The headers also compile as C++, if there is a C++ compiler.
if command -v clang++ >/dev/null; then
    # shellcheck disable=SC2086 # flags are words
    clang++ -fsyntax-only -Wall -Wextra -Werror $flags -x c++ "$prefix/include/reusedist/reusedist.h"
fi

# The shared library exports only public names.
leaked=$(nm -D --defined-only "$libdir/libreusedist.so" | awk '{ print $3 }' | grep -v '^rd_' || true)
[ -z "$leaked" ] || { echo "exported by mistake: $leaked"; exit 1; }
