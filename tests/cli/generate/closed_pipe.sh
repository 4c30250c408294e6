# If the reader of a pipe exits before the whole trace is written, the command fails with a message.
$REUSEDIST generate uniform:refs=1M --to=u64 | true
