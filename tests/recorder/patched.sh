# Code that follows a block of code may be replaced: flags from before are right then, too.
timeout 60 "$REUSEDIST" run -q -o profile -- "$PROGRAMS/patched"
