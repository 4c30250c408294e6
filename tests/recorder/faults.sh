# Handlers of faults find the right place and the right registers, and programs go on with them.
timeout 60 "$REUSEDIST" run -q -o profile -- "$PROGRAMS/faults"
