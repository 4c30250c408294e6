"$REUSEDIST" "analyse" --help | head -n 1
"$REUSEDIST" help "analyse" | head -n 1
