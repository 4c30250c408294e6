# Merging by time gives the result of one file that is sorted by time. Equal times keep the order of the files;
# in a.csv, the time 2 after the time 3 counts as 3. A trace without times is refused, and the message names it.
printf 'time,id,size\n1,a,10\n3,b,20\n3,c,5\n2,d,7\n9,a,10\n' >a.csv
printf 'time,id,size\n0,x,1\n3,b,20\n5,a,10\n' >b.csv
printf 'time,id,size\n0,x,1\n1,a,10\n3,b,20\n3,c,5\n3,d,7\n3,b,20\n5,a,10\n9,a,10\n' >sorted.csv
$REUSEDIST mrc --weight=bytes --out=csv --merge=time a.csv b.csv >merged.txt
$REUSEDIST mrc --weight=bytes --out=csv sorted.csv | diff - merged.txt
cat merged.txt
$REUSEDIST analyze --weight=bytes -v --merge=time --out=csv a.csv b.csv 2>&1 | grep earlier
$REUSEDIST analyze -v --merge=time --out=csv a.csv b.csv 2>&1 >merged.csv | grep earlier
$REUSEDIST analyze -q --out=csv sorted.csv | diff - merged.csv
$REUSEDIST convert -q --merge=time b.csv a.csv -o m.trace
$REUSEDIST convert -q --to=text m.trace >ba.txt
printf 'time,id,size\n0,x,1\n1,a,10\n3,b,20\n3,b,20\n3,c,5\n3,d,7\n5,a,10\n9,a,10\n' >sorted.csv
$REUSEDIST convert -q --to=text sorted.csv | diff - ba.txt
cat b.csv | $REUSEDIST mrc --weight=bytes --out=csv --merge=time a.csv - | diff - merged.txt
printf 'id,size\n1,2\n' >c.csv
$REUSEDIST mrc --merge=time a.csv c.csv || true
$REUSEDIST convert --merge=time c.csv a.csv -o m2.trace || true
test ! -e m2.trace
$REUSEDIST mrc --merge=time a.csv missing.csv || true
$REUSEDIST analyze --merge=time --checkpoint=c.ckp a.csv b.csv || true
$REUSEDIST analyze --weight=bytes --out=json -o p.json a.csv
$REUSEDIST mrc p.json a.csv || true
$REUSEDIST mrc --merge=time p.json || true
$REUSEDIST convert --time-histogram --merge=time a.csv || true
# Messages name a missing column by the heading that it has in a table, such as 'op'.
printf 'time,id,size,op\n1,a,10,get\n' >op.csv
printf 'time,id\n1,a\n' >short.csv
$REUSEDIST analyze --weight=bytes --merge=time op.csv a.csv || true
$REUSEDIST analyze --merge=time op.csv a.csv || true
$REUSEDIST analyze --weight=bytes --merge=time a.csv short.csv || true
