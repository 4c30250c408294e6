# The page is one file with data, style and scripts; it loads nothing else.
"$REUSEDIST" report --caches=L1=4K,L2=64K "$DATA/profiles/exact.json" "$DATA/profiles/better.json" -o page.html
head -1 page.html
grep -c '"name":"L2","bytes":65536' page.html
grep -c '^<title>' page.html
grep -ciE '(src|href)="?(https?:|//)' page.html || true
"$REUSEDIST" report --caches=L1=4K,L2=64K "$DATA/profiles/exact.json" "$DATA/profiles/better.json" | cmp - page.html
