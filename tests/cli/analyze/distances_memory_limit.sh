# If there is too little memory for the file of distances, the analysis fails, and the old files stay.
$REUSEDIST generate zipf:blocks=1000,refs=5000 -o t
failed=0 written=0
for kib in 600 650 700 750 800 850 900 950 1000 1100 1200 4000; do
    echo old >d
    echo old >result
    if $REUSEDIST analyze --distances=d --out=json -o result --mem=${kib}K t 2>messages; then
        [ "$(wc -l <d)" = 5000 ] && grep -q '"references": 5000' result || echo "$kib KiB: success without a result"
        written=$((written + 1))
    else
        [ "$(cat d result | xargs)" = "old old" ] || echo "$kib KiB: an old file is lost"
        grep -q 'reusedist: out of memory: ' messages || cat messages
        failed=$((failed + 1))
    fi
done
[ $failed -gt 1 ] && [ $written -gt 1 ]
