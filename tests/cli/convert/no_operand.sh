$REUSEDIST convert -o t
