# Four threads count in one block. Both the trace in lockstep and the profile of a run name the variable, the
# line and the padding. If each counter has a block of its own, the array is no longer shared.
command -v cc >/dev/null || { echo "needs a C compiler"; exit 77; }
cc -g -O1 -pthread "$EXAMPLES"/counters.c -o counters
cc -g -O1 -pthread -DFIXED "$EXAMPLES"/counters.c -o fixed
"$REUSEDIST" record -q --attribute --thread -o counters.trace -- ./counters
"$REUSEDIST" sharing --out=csv counters.trace >sharing.csv
sed -n 2p sharing.csv |
    awk -F, '{ print $2, ($4 > 50000), ($6 > 50000), $7, ($12 ~ /^slots\[[0-3]\].count$/), ($13 ~ /^slots\[[0-3]\].count$/), $14, ($15 >= 0.95 * $6) }'
sed -n 2p sharing.csv | grep -o ',slots,counters.c:[0-9]*'
"$REUSEDIST" run -q --attribute --interleave=lockstep --out=json -o counters.json -- ./counters
"$DATA"/../../scripts/check_profile.py counters.json
"$REUSEDIST" sharing counters.json | grep -o 'separate slots.[0-3].[.]count and slots' | uniq | sed 's/[0-3]/N/'
"$REUSEDIST" run -q --attribute -- ./counters 2>&1 | grep -c '^  sharing'
"$REUSEDIST" record -q --attribute --thread -o fixed.trace -- ./fixed
"$REUSEDIST" sharing --out=csv fixed.trace | grep -c ',slots,' || true
# The compiled-in recorder names the same elements. By default, clang stores the addresses of variables in a table.
command -v clang >/dev/null || exit 0
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
"$tools/reusedist-cc" -g -O1 -pthread "$EXAMPLES"/counters.c -o instrumented
"$REUSEDIST" record -q --tool=clang --attribute --thread -o instrumented.trace -- ./instrumented
"$REUSEDIST" sharing instrumented.trace | grep -o 'separate slots.[0-3].[.]count and slots' | uniq | sed 's/[0-3]/N/'
