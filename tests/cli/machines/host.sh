# This host has a first-level cache, unless its system does not report caches.
"$REUSEDIST" machines host >host.conf 2>message || { cat message; echo "skipped: no caches reported"; exit 77; }
grep -c '^caches *= L1=' host.conf
"$REUSEDIST" machines ./host.conf | cmp - host.conf
