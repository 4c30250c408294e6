# The C reader and scripts/decode_trace.py accept and refuse the same files: samples with valid checksums and
# one changed byte in the header, the descriptions or the first frame.
python3 - "$DATA/../.." <<'P'
import os, random, struct, subprocess, sys
root = sys.argv[1]
sys.path.insert(0, root + "/scripts")
sys.dont_write_bytecode = True
import decode_trace

def seal(f, start):
    f[16:24] = struct.pack("<Q", decode_trace.xxh64(bytes(f[:16]), 0))
    if start > 24:
        f[start - 8:start] = struct.pack("<Q", decode_trace.xxh64(bytes(f[24:start - 8]), 0))
    end = start + 8 + struct.unpack_from("<I", f, start + 4)[0]
    if end + 8 <= len(f):
        f[end:end + 8] = struct.pack("<Q", decode_trace.xxh64(bytes(f[start:end]), 0))

def decoder_accepts(f):
    try:
        for _ in decode_trace.references(f):
            pass
        return True
    except SystemExit:
        return False

def reader_accepts(f):
    with open("t.trace", "wb") as file:
        file.write(f)
    return subprocess.run([os.environ["REUSEDIST"], "convert", "-q", "-f", "native", "t.trace", "--to=text",
                           "-o", "/dev/null"], stderr=subprocess.DEVNULL).returncode == 0

random.seed(1)
accepted = refused = 0
for sample in ("addresses", "all_columns", "described", "events", "ids"):
    with open(f"{root}/tests/fuzz/corpus/format_native/{sample}", "rb") as file:
        original = file.read()
    start = 24 if original[8] == 1 else 24 + struct.unpack_from("<I", original, 12)[0] + 8
    places = [*range(8, 16), *range(24, start - 8), *range(start, min(start + 60, len(original) - 8))]
    cases = [(None, 0)] + [(place, random.choice((0, 1, 2, 3, 6, 16, 127, 255))) for place in places]
    for place, value in cases:
        f = bytearray(original)
        if place is not None:
            f[place] = value
        seal(f, start)
        ours, theirs = reader_accepts(f), decoder_accepts(bytes(f))
        accepted, refused = accepted + ours, refused + (not ours)
        if ours != theirs:
            print(f"{sample}, byte {place} = {value}: the reader {'accepts' if ours else 'refuses'} it")
print("enough of both" if accepted >= 50 and refused >= 100 else f"{accepted} accepted, {refused} refused")
P
