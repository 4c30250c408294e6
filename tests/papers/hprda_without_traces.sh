"$REUSEDIST" hprda
