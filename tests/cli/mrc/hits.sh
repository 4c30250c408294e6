# The command finds the smallest cache with a hit ratio, or the best hit ratio and the reason why no cache has
# a better one. The trace is a loop over 300 blocks inside a pass over 3000 blocks, so 1/20 of the references
# are first touches.
awk 'BEGIN {
    for (pass = 0; pass < 4; pass++)
        for (i = 0; i < 10; i++)
            for (repeat = 0; repeat < 5; repeat++)
                for (k = 0; k < 300; k++) printf " L %x,8\n", (i * 300 + k) * 64
}' >trace
"$REUSEDIST" mrc --hits=50%,80%,95%,99.5% trace
"$REUSEDIST" mrc --hits=80%,80.1%,99.5% --out=csv trace
"$REUSEDIST" mrc --hits=80%,99.5% -b addr --out=csv trace
"$REUSEDIST" mrc --hits=80%,99.5% --out=json trace
"$REUSEDIST" mrc --hits=90% --bound=1000 trace
"$REUSEDIST" mrc --hits=90% -b addr trace
"$REUSEDIST" mrc --hits=95 trace || echo "status $?"
"$REUSEDIST" mrc --hits=105% trace || echo "status $?"
"$REUSEDIST" mrc --hits=95% --sizes=1M trace || echo "status $?"
