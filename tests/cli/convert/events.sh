# Events, which this script writes as docs/trace-format.md describes, survive every conversion.
decode=$DATA/../../scripts/decode_trace.py
cat >make.py <<'P'
import random, struct, sys
sys.path.insert(0, sys.argv[1])
from decode_trace import xxh64

def number(x):
    out = b""
    while x >= 0x80:
        out, x = out + bytes([x & 0x7f | 0x80]), x >> 7
    return out + bytes([x])

def fold(x):
    return 2 * x if x >= 0 else -2 * x - 1

def event(kind, step, thread, address, size, pc, path=None):
    out = bytes([kind]) + b"".join(map(number, (step, thread, fold(address), size, fold(pc))))
    return out + (number(len(path)) + path if path else b"")

def frame(n, payload, seed):
    checked = struct.pack("<II", n, len(payload)) + payload
    return checked + struct.pack("<Q", xxh64(checked, seed))

# Three loads that are 4096 bytes apart use one slot and one symbol, with the addend 4096.
block = struct.pack("<BBHIQ", 1, 0, 1, 0, 0) + struct.pack("<BBBBIQ", 0, 0, 0, 1, 0, 4096) + bytes(4)
head = b"\x89RDT\r\n\x1a\n\1\2\4" + bytes(5)
head += struct.pack("<Q", xxh64(head, 0))
first = event(1, 0, 0, 0x401000, 4096, 0x400000, "/tmp/a b".encode()) + event(2, 1, 7, 4096, 64, 0x401020)
second = event(2, 0, 7, 8192, 100, 0x401030) + event(2, 1, 7, -8, 1 << 40, -(1 << 40)) + event(3, 0, 7, 4096, 0, 0)
last = event(5, 0, 0, 0x401000, 4096, 0)
e = 1 << 40
sys.stdout.buffer.write(head + frame(0, first, 0) + frame(0, second, 2 * e) + frame(3, block, 5 * e)
                        + frame(0, last, 3 + 5 * e) + frame(0, b"", 3 + 6 * e))
P
# This is the example of the specification.
python3 - "$DATA/../../docs/trace-format.md" >example.trace <<'P'
import re, sys
example = re.search("### With events.*?```hex(.*?)```", open(sys.argv[1]).read(), re.S)
sys.stdout.buffer.write(bytes.fromhex(example[1]))
P
python3 "$decode" example.trace | tee example.txt
$REUSEDIST convert example.trace -o copy.trace
python3 "$decode" copy.trace | cmp - example.txt
python3 make.py "$DATA/../../scripts" >hand.trace
python3 "$decode" hand.trace | tee hand.txt
for frame in 1 2 64K; do
    $REUSEDIST convert hand.trace --to="native:frame=$frame" -o copy.trace
    python3 "$decode" copy.trace | cmp - hand.txt
done
# The events of dropped references move to the next reference, or to the end.
$REUSEDIST convert hand.trace --kinds=S -o stores.trace
python3 "$decode" stores.trace | cut -d' ' -f2 | tr '\n' ' '
echo
# Further cases are two joined traces, formats without events, and traces with different columns.
$REUSEDIST convert hand.trace hand.trace -o twice.trace
python3 "$decode" twice.trace | cmp - <(cat hand.txt hand.txt)
$REUSEDIST convert hand.trace --to=din 2>&1
$REUSEDIST generate --to=native:processes=on cycle:refs=10 -o plain.trace
$REUSEDIST convert hand.trace plain.trace -o mixed.trace 2>&1 || echo "status $?"
$REUSEDIST analyze hand.trace --out=csv
