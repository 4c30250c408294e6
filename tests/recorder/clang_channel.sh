# The compiled-in recorder checks that the memory of a channel has all the buffers that the channel names.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$DATA/../recorder/clang/secure.c" -o program
python3 - <<'END'
import struct
# A channel of one buffer that names 1024 buffers.
head = b"\0RDRING8" + struct.pack("<IIIIQIIII", 1, 1, 0, 0, 0, 0, 0, 0, 1024)
with open("channel", "wb") as file:
    file.write(head.ljust(40960 + 65536 * 8, b"\0"))
END
REUSEDIST_CHANNEL=$PWD/channel ./program 2>&1 || echo "status $?"
