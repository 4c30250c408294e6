# A wrong answer gets no speed.
"$REUSEDIST" bench --refs=20000 --repeat=1 -e planted
