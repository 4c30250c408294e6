# Checks traces that are long enough for thousands of rounds. Each round begins with the LRU stack of the
# previous round.
"$REUSEDIST" verify -e gpu:batch=16 --traces=6 --longest=100000 --seed=42
