#!/usr/bin/env bash
# Runs commands in a locale with a decimal comma, which the script makes. Each command must succeed.
#
# usage: tests/locale/run.sh COMMA COMMAND...
#
# COMMA is the library made from comma.c. A COMMAND is run by the shell.
set -uo pipefail
comma=$1
shift
command -v localedef >/dev/null || { echo "skipped: localedef is missing"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/source" <<'LOCALE'
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
LOCALE
# localedef complains about all other categories, which stay undefined, and succeeds with -c.
said=$(localedef -c -i "$folder/source" "$folder/comma" 2>&1)
[ -e "$folder/comma/LC_NUMERIC" ] || { echo "localedef failed: $said"; exit 1; }
bad=0
for command; do
    said=$(LOCPATH=$folder LD_PRELOAD=$comma sh -c "$command" 2>&1) && continue
    echo "fails with a decimal comma: $command"
    echo "$said"
    bad=1
done
exit $bad
