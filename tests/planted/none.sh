# Checks that the same engine passes without a mistake: verify reports no difference.
"$REUSEDIST" verify -e planted:mistake=none --traces=1000
