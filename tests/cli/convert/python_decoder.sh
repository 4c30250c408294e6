# An independent decoder, scripts/decode_trace.py, reads what the C code writes.
decode=$DATA/../../scripts/decode_trace.py
python3 - "$DATA/../../docs/trace-format.md" >example.trace <<'P'
import re, sys
example = re.search("```hex(.*?)```", open(sys.argv[1]).read(), re.S)
sys.stdout.buffer.write(bytes.fromhex(example[1]))
P
python3 "$decode" example.trace
# The trace has all columns, many frames and values of every size.
python3 - <<'P' >t.bin
import random, struct, sys
random.seed(4)
for i in range(5000):
    addr = random.choice((0, 2**64 - 1, random.getrandbits(64), 0x7ffc00000000 + i * 8, 4096 + i % 100))
    size = random.choice((1, 4, 8, 64, 4096, 12345, 2**32 - 1))
    sys.stdout.buffer.write(struct.pack("<QIBQI", addr, size, i % 3, 0x400000 + i % 1000 * 3, i // 1000 * 7))
P
$REUSEDIST convert -f 'binary:format=<QIBQI,addr=1,size=2,kind=3,pc=4,thread=5' t.bin --to=native:frame=700 -o t.trace
python3 "$decode" t.trace >decoded
python3 - <<'P' >expected
import struct
kinds = "load", "store", "fetch"
with open("t.bin", "rb") as f:
    for addr, size, kind, pc, thread in struct.iter_unpack("<QIBQI", f.read()):
        print(f"{addr:#x} {size} {kinds[kind]} {pc:#x} {thread}")
P
cmp decoded expected
wc -l <decoded
# The decoder also detects damage.
head -c 5000 t.trace >cut.trace
python3 "$decode" cut.trace >part 2>why || cat why
