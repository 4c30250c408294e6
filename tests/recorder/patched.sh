# Processor flags are right even if the code after a block of code is replaced.
timeout 60 "$REUSEDIST" run -q -o profile -- "$PROGRAMS/patched"
