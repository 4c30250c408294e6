# A program with other rights than its caller ignores the channel that the caller names.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root can make a program of another user"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$DATA/../recorder/clang/secure.c" -o program
chown 65534 program
chmod 4755 program
[ "$(./program)" = "other rights than the caller" ] || { echo "setuid has no effect in this folder"; exit 77; }
REUSEDIST_CHANNEL=$PWD/channel ./program 2>&1 || echo "status $?"
