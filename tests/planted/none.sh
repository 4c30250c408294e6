# Checks that verify reports no difference for the engine `planted` if it makes no mistake.
"$REUSEDIST" verify -e planted:mistake=none --traces=1000
