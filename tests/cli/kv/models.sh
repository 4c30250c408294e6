# The models, with their bytes per token.
"$REUSEDIST" kv --models
