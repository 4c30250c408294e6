# If a file is cut inside a record, or its times decrease, the content does not prove that the format is oracleGeneral.
# Then only the name tells the format.
python3 -c "
import struct, sys
record = lambda time, key, size, after: struct.pack('<IQIq', time, key, size, after)
whole = record(1, 7, 10, 3) + record(2, 8, 20, -1) + record(3, 7, 10, -1)
open('cut.oracleGeneral', 'wb').write(whole + b'abc')
open('cut.bin', 'wb').write(whole + b'abc')
open('back.oracleGeneral', 'wb').write(record(9, 7, 10, 2) + record(2, 8, 20, -1) + record(3, 7, 10, -1))
open('whole.bin', 'wb').write(whole)"
for file in cut.oracleGeneral cut.bin back.oracleGeneral whole.bin; do
    $REUSEDIST mrc --weight=bytes --sizes=30 --out=csv $file || true
done
