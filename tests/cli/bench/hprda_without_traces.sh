"$REUSEDIST" bench hprda
