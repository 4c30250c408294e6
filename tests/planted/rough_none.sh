# Checks that verify reports no difference within the error bound, or where an engine states none.
"$REUSEDIST" verify -e rough -e guess -e guess:mistake=above --traces=300
