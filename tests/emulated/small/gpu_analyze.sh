# Checks that the command gives the same result with the emulated device as without it, and that -v names the
# device.
"$REUSEDIST" generate zipf:blocks=5K,refs=200K -o trace
"$REUSEDIST" analyze -v -e gpu:batch=30K --hist=full --out=csv trace >got
"$REUSEDIST" analyze -e stack --hist=full --out=csv trace >expected
cmp got expected
"$REUSEDIST" analyze -e gpu:batch=10K --bound=300 --hist=linear:7 --out=csv trace >got
"$REUSEDIST" analyze -e stack --bound=300 --hist=linear:7 --out=csv trace >expected
cmp got expected
