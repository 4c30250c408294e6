# analyze and report make pages about object caches, for one profile and for several.
printf 'id,size\n1,5\n2,7\n1,5\n' >t.csv
$REUSEDIST analyze --weight=bytes --out=json -o p.json --report=one.html t.csv
$REUSEDIST report p.json p.json -o two.html
$REUSEDIST merge p.json p.json -o sum.json
$REUSEDIST report sum.json -o sum.html
for page in one two sum; do
    grep -c '<h1>Object cache report</h1>' $page.html
    grep -c -i 'at_levels\|panels_machine\|attribution' $page.html || true
done
