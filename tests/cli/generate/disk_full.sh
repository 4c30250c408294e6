$REUSEDIST generate uniform:refs=1M --to=u64 -o /dev/full
