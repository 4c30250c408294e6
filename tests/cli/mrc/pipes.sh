# Pipes can be read only once. A pipe can be given by its path, as a trace or as a profile, also beside another pipe.
printf '1\n2\n1\n3\n1\n' >t.txt
"$REUSEDIST" analyze -f text --out=json -o p.json t.txt
"$REUSEDIST" mrc --sizes=1,2 --out=csv -f text t.txt
"$REUSEDIST" mrc --sizes=1,2 --out=csv -f text <(cat t.txt)
"$REUSEDIST" mrc --sizes=1,2 --out=csv <(cat p.json)
"$REUSEDIST" mrc --sizes=1,2 --out=csv -f text t.txt - <(cat t.txt) <t.txt
"$REUSEDIST" mrc --sizes=1,2 --out=csv -f text - - <t.txt || echo "exit status $?"
mkfifo fifo
printf '0x1000,8,S,1\n0x1010,8,S,2\n0x1000,8,L,1\n' >fifo &
"$REUSEDIST" sharing -f csv:addr=1,size=2,kind=3,thread=4 --out=csv fifo | cut -d, -f1-5
