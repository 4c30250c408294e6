# In a file of a later release (docs/trace-format.md), unknown optional columns and events are skipped
# with a note.
decode=$DATA/../../scripts/decode_trace.py
python3 - "$DATA/../../docs/trace-format.md" >later.trace <<'P'
import re, sys
example = re.search("### With descriptions.*?```hex(.*?)```", open(sys.argv[1]).read(), re.S)
sys.stdout.buffer.write(bytes.fromhex(example[1]))
P
python3 "$decode" later.trace
$REUSEDIST convert later.trace -o copy.trace
python3 "$decode" copy.trace
$REUSEDIST analyze -b addr --out=csv later.trace
$REUSEDIST convert -q later.trace -o quiet.trace
cmp copy.trace quiet.trace
# An unknown required column is refused, and the message names it.
python3 - "$DATA/../../scripts" <<'P'
import struct, sys
sys.path.insert(0, sys.argv[1])
from decode_trace import xxh64
f = bytearray(open("later.trace", "rb").read())
f[33] = 1
f[40:48] = struct.pack("<Q", xxh64(bytes(f[24:40]), 0))
open("required.trace", "wb").write(f)
P
python3 "$decode" required.trace || $REUSEDIST convert required.trace -o copy.trace
