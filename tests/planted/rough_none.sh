# Within the bound, or where nothing is promised, verify does not cry wolf.
"$REUSEDIST" verify -e rough -e guess -e guess:mistake=above --traces=300
