# Events are processed even if no reference of the wanted kinds follows in their batch. The trace has 4095 stores
# to other memory, an allocation by the code at 0x777, a load, which ends the batch, and 1000 stores to the
# allocation.
for kinds in LS S; do
    "$REUSEDIST" analyze -q --attribute --caches=L1=32K --kinds=$kinds "$DATA/late_stores.trace" | sed -n '/^Data/,/^$/p'
done
