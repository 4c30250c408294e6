# Functions that install packages and configure builds, for all scripts.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Prints the packages of the named groups, from the common list.
packages_of() {
    local group
    for group in "$@"; do
        awk -v group="$group" '$1 == group { print $2 }' "$root/scripts/packages.txt"
    done
}

# Prints the packages of the named groups that are not installed.
packages_missing() {
    local wanted
    wanted=$(packages_of "$@")
    # shellcheck disable=SC2086 # one word per package
    { dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true; } |
        awk -v wanted="$wanted" '
            $1 == "installed" { have[$2] = 1 }
            END {
                n = split(wanted, name, "\n")
                for (i = 1; i <= n; i++) if (!(name[i] in have)) print name[i]
            }'
}

# Runs a command as root, directly or with sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "root or sudo is needed to run: $*"
    fi
}

# Installs the missing packages of the named groups without asking; does nothing if none is missing.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "this is not a Debian system; make sure that these are installed: $(packages_of "$@" | xargs)"
        return 0
    fi
    local missing
    missing=$(packages_missing "$@" | xargs)
    [ -n "$missing" ] || return 0
    say "installing: $missing"
    as_root apt-get update -qq || die "cannot update the package lists"
    # shellcheck disable=SC2086 # one word per package
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
        die "cannot install: $missing"
}

# configure DIR [CMAKE OPTIONS]: prepares a build directory, quietly unless it fails.
configure() {
    local dir=$1 log
    shift
    mkdir -p "$dir"
    log=$dir/configure.log
    cmake -S "$root" -B "$dir" -G Ninja "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
}

# compile DIR [TARGETS]: builds, and prints only warnings and errors.
compile() {
    ninja -C "$@" --quiet |
        { grep -v '^ninja: \(no work to do\|Entering directory\)' || true; }
}
