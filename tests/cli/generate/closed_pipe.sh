# The reader of a pipe exits before the trace is written.
$REUSEDIST generate uniform:refs=1M --to=u64 | true
