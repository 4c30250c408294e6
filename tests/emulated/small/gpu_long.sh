# Traces long enough for thousands of batches, each with the stack of the one before.
"$REUSEDIST" verify -e gpu:batch=16 --traces=20 --longest=200000 --seed=42
