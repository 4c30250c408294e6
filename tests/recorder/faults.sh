# Fault handlers see the right address and the right registers, and programs continue.
timeout 60 "$REUSEDIST" run -q -o profile -- "$PROGRAMS/faults"
