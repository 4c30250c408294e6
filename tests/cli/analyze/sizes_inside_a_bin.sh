# Sizes that depend on how distances are spread inside a bin are marked: "~" for a working set, "at most" for a size
# at the end of a wide bin. A drop of the curve inside the first bin is no working set.
"$REUSEDIST" generate -q zipf:refs=20000,blocks=2000 -o zipf.trace
awk 'BEGIN { for (i = 0; i < 15000; i++) printf "0x%x\n", 64 * (i < 14000 ? i % 700 : i) }' >cycle
sizes() { "$REUSEDIST" analyze -q --ascii "$@" | sed -n '/^Cache sizes/,$p'; }
sizes --hist=linear:1000 zipf.trace
sizes --hist=log -f text -b 64 cycle
sizes --hist=full -f text -b 64 cycle
