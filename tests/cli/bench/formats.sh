# Every format that can be written is measured, and reads back what was written.
"$REUSEDIST" generate uniform:refs=5000,blocks=100 -o t
"$REUSEDIST" bench formats --refs=20000 --repeat=1 t
