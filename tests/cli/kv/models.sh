# --models lists the models with their bytes per token.
"$REUSEDIST" kv --models
