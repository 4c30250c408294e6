# The text report shows powers of two from the first hit to the last, Belady's bound, and the tokens that fit
# on a card.
cp "$EXAMPLES/conversations.jsonl" log
"$REUSEDIST" kv --opt --ascii log
"$REUSEDIST" kv --model=llama-3.1-8b --card=80G --sizes=32G --ascii log
