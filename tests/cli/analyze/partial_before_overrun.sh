# With --partial, the references before one that exceeds the address space are analyzed.
printf ' L 0,8\n L 40,8\n L 0,8\n L ffffffffffffffff,8\n' > t.lackey
"$REUSEDIST" analyze -q --partial --out=csv --hist=full t.lackey
