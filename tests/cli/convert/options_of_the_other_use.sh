# Options that do not apply to traces, or to time histograms, are refused, and no file is written.
$REUSEDIST generate cycle:blocks=4,refs=8 -o t.trace
printf '1,3\n5,1\ninf,2\n' >times
refused() { $REUSEDIST convert -o new "$@" || echo "$?: $(ls | paste -sd ' ')"; }
refused t.trace --blocks=4
refused t.trace --blocks=0
refused t.trace --from-zero
refused t.trace --hist=loglinear
refused --time-histogram times --format=text
refused --time-histogram times --kinds=L
refused --time-histogram times --to=din
refused --time-histogram times --blocks=0
$REUSEDIST convert -q --progress=never --time-histogram times -o new
ls
