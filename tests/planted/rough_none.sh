# Checks that verify reports no difference within the bound, or where an engine promises nothing.
"$REUSEDIST" verify -e rough -e guess -e guess:mistake=above --traces=300
