#!/usr/bin/env bash
# Builds the Debian packages and checks their contents, then unpacks the command and runs it from there.
# scripts/check-package also installs the packages on a clean Debian.
#
# usage: tests/install/package.sh BUILD_DIR
set -euo pipefail
build=$1
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "$*"; exit 1; }

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/made" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# holds PACKAGE FILE...: checks that the package contains each file.
holds() {
    local package=$1 file
    shift
    dpkg-deb --fsys-tarfile "$work/made/$package"_*.deb | tar -tf - >"$work/files"
    for file; do
        grep -q "/$file\$" "$work/files" || wrong "$package has no $file"
    done
}
soversion=$("$build/reusedist" version | sed -n '1s/reusedist \(0\.[0-9]*\|[0-9]*\).*/\1/p')
holds reusedist bin/reusedist man1/reusedist.1.gz man1/reusedist-run.1.gz completions/reusedist \
    zsh/site-functions/_reusedist vendor_completions.d/reusedist.fish clang/reusedist-cc \
    examples/gzip.trace.xz docs/tutorial.md doc/reusedist/SECURITY.md
holds "libreusedist$soversion" "libreusedist.so.$soversion"
holds libreusedist-dev libreusedist.so libreusedist.a reusedist/reusedist.h pkgconfig/reusedist.pc \
    cmake/reusedist/reusedist-config.cmake
! grep 'libreusedist.so.' "$work/files" || wrong "libreusedist-dev contains the shared library"

# depends PACKAGE OTHER: checks that PACKAGE depends on OTHER.
depends() {
    [[ ", $(dpkg-deb -f "$work/made/$1"_*.deb Depends)," == *", $2"[\ ,]* ]] || wrong "$1 does not depend on $2"
}
depends reusedist libc6
depends "libreusedist$soversion" libc6
depends libreusedist-dev "libreusedist$soversion"

# Checks what Debian requires of every package. scripts/check-package runs lintian, which checks more.
for package in "$work"/made/*.deb; do
    name=$(basename "${package%%_*}")
    holds "$name" "doc/$name/copyright" "doc/$name/changelog.gz"
    ! grep 'man/.*[0-9]$' "$work/files" || wrong "$name has manual pages that are not compressed"
    [[ $(dpkg-deb -f "$package" Maintainer) == *[a-z]" <"*@*.*">" ]] || wrong "$name has no valid maintainer"
done
case $(dpkg-deb -f "$work"/made/reusedist_*.deb Package Version Architecture | tr '\n' ' ') in
"Package: reusedist Version: $("$build/reusedist" version | sed -n '1s/reusedist //p') Architecture: "*) ;;
*) wrong "fields: $(dpkg-deb -I "$work"/made/reusedist_*.deb)" ;;
esac

dpkg-deb -x "$work"/made/reusedist_*.deb "$work/system"
tool=$work/system/usr/bin/reusedist
said=$("$tool" analyze --out=csv "$root/examples/gzip.trace.xz" 2>&1 || true)
expected=$("$build/reusedist" analyze --out=csv "$root/examples/gzip.trace.xz" 2>&1 || true)
[ "$said" = "$expected" ] || wrong "the unpacked tool printed: $said"
if "$tool" version | grep -q 'valgrind.*records'; then
    said=$("$tool" run -q --out=json -o "$work/true.json" -- /bin/true 2>&1)
    [ -z "$said" ] || wrong "the unpacked recorder printed: $said"
    [[ $("$tool" mrc --sizes=32K --out=csv "$work/true.json") == *$'\n512,32768,0'* ]] || wrong "nothing was recorded"
fi
