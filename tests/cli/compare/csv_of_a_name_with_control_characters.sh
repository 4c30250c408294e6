# CSV escapes control characters in names, and quotes names as RFC 4180 requires.
name=$(printf 'a\033[31m\n,"b".json')
cp "$DATA/profiles/exact.json" "$name"
"$REUSEDIST" compare --out=csv "$name" "$DATA/profiles/exact.json" | tail -1 | cut -d/ -f1
