# Traces long enough for thousands of batches, each with the stack of the one before.
"$REUSEDIST" verify -e gpu:batch=16 --traces=6 --longest=100000 --seed=42
