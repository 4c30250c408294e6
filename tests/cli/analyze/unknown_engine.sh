$REUSEDIST analyze -e nosuch trace
