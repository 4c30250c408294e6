# Approximate profiles keep their error bounds; a profile with a bound that is too small does not.
"$REUSEDIST" generate fft:rows=16,columns=16,refs=50K -o t
for engine in stack scale:error=0.2 absolute:b=30,c=10; do
    "$REUSEDIST" analyze -q -e $engine --hist=full --out=json -o ${engine%%:*}.json t
done
sed 's/"bound": 0.2}/"bound": 0.002}/' scale.json >claims.json
for p in scale absolute claims; do
    "$REUSEDIST" compare --fail-if=bound-broken stack.json $p.json | grep 'error bound'
done
exit "${PIPESTATUS[0]}"
