# A time histogram may have lines of several forms. Each file has the time distances of the trace b x x x x b.
printf '1,3\n5,1\ninf,2\n' | $REUSEDIST convert --time-histogram - --hist=full >a.json
printf 'from to count mean\n1 1 3 1\n5 5 1\ninf inf 2\n' >bins
$REUSEDIST convert --time-histogram bins --hist=full >b.json
printf '# as others count\n0;3\n4;1\n' |
    $REUSEDIST convert --time-histogram --from-zero --blocks=2 - --hist=full >c.json
for f in a b c; do
    sed -n '/"histogram"/,/\]$/p' $f.json | tr -d ' \n'
    echo
done
