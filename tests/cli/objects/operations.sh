# Operations and lifetimes of a trace with the columns of Twitter's traces survive a profile, the native format
# and a merge. The third request comes after the lifetime of object a, and the last request after the delete of
# object b.
cat >twitter.csv <<'E'
1,a,1,9,0,set,10
2,a,1,9,0,get,0
13,a,1,9,0,get,0
14,b,2,0,0,touch,0
14,b,2,3,0,get,0
13,b,2,3,0,delete,0
15,b,2,3,0,get,0
E
$REUSEDIST analyze -v --weight=bytes -f csv:preset=twitter twitter.csv 2>&1 | grep -v ' memory'
$REUSEDIST analyze --weight=bytes -f csv:preset=twitter --out=json -o p.json twitter.csv
python3 "$DATA/../../scripts/check_profile.py" p.json
$REUSEDIST mrc --out=csv p.json
$REUSEDIST convert -f csv:preset=twitter twitter.csv -o t.trace
$REUSEDIST analyze --weight=bytes --out=json t.trace | grep -v '"path"\|"seconds"\|"bytes": [0-9]*,$' >again.json
$REUSEDIST mrc --weight=bytes --out=csv t.trace
$REUSEDIST mrc --weight=bytes --count=all --expiry=lazy --out=csv t.trace
$REUSEDIST merge p.json p.json -o sum.json
python3 "$DATA/../../scripts/check_profile.py" sum.json
$REUSEDIST mrc --out=csv sum.json
# In a trace with the columns of Meta's traces, a line stands for op_count requests.
printf 'op_time,key,key_size,op,op_count,size,cache_hits,ttl\n1,7,3,GET,3,50,0,0\n2,8,3,SET,1,50,0,0\n3,7,3,GET,1,50,0,0\n' >meta.csv
$REUSEDIST mrc --weight=bytes --sizes=64,128 -f csv:preset=meta --out=csv meta.csv
# This trace has the columns of MSR Cambridge's traces.
printf '128166372003061629,usr,0,Read,8192,4096,1\n128166372003061630,usr,0,Write,0,512,1\n128166372003061631,usr,0,Read,8192,4096,1\n' >msr.csv
$REUSEDIST mrc --weight=bytes --count=all --sizes=4096,8192 -f csv:preset=msr --out=csv msr.csv
# Binary records have time, id, size, lifetime and operation.
python3 -c '
import struct, sys
for r in ((1, 5, 10, 4, 1), (2, 5, 10, 0, 0), (9, 5, 10, 0, 0)):
    sys.stdout.buffer.write(struct.pack("<IQIIB", *r))' >r.bin
$REUSEDIST mrc --weight=bytes --sizes=16 -f 'binary:format=<IQIIB,time=1,id=2,size=3,ttl=4,op=5' --out=csv r.bin
# No cache hits half of the reads.
$REUSEDIST mrc --weight=bytes --hits=20%,50% -f csv:preset=twitter twitter.csv
