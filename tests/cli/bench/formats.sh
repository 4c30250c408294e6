# The command writes the trace in every writable format except u32, and reads each copy.
"$REUSEDIST" generate uniform:refs=5000,blocks=100 -o t
"$REUSEDIST" bench formats --refs=20000 --repeat=1 t
