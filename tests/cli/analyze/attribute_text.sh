# The report names the lines, pairs and data with the most misses, and explains them.
for ((i = 0; i < 64; i++)); do
    for ((k = 0; k < 64; k++)); do
        printf '0x401010: R 0x%x\n0x401018: R 0x%x\n' $((1048576 + 8 * (64 * i + k))) \
            $((2097152 + 8 * (64 * k + i)))
    done
done >walks
"$REUSEDIST" analyze --attribute --caches=L1=1K,L2=64K --ascii walks | sed -n '/^Lines/,$p'
"$REUSEDIST" analyze --attribute --caches=L1=1024 --ascii -b addr walks | sed -n '/^Lines/,$p'
# If caches are given, the report has no other caches. Caches of objects are not called L1.
"$REUSEDIST" analyze --attribute --caches=L1=1K,L2=64K --ascii walks | sed -n '/^Cache sizes/,/^$/p' | head -3
seq 1 1500 >ids
"$REUSEDIST" analyze -q --attribute --ascii ids ids | grep -n 'L[123]\|typical' || true
"$REUSEDIST" analyze -q --attribute --ascii ids ids | grep -A4 'Cache sizes\|^Data'
"$REUSEDIST" analyze -q --attribute --caches=1K ids || echo "status $?"
