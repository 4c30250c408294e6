"$REUSEDIST" "analyse" --help | sed -n 1p
"$REUSEDIST" help "analyse" | sed -n 1p
