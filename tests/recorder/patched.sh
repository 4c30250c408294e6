# Processor flags are right even if the code that follows a block is replaced.
timeout 60 "$REUSEDIST" run -q -o profile -- "$PROGRAMS/patched"
