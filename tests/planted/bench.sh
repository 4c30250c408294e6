# Checks that bench reports no speed for a wrong answer.
"$REUSEDIST" bench --refs=20000 --repeat=1 -e planted
