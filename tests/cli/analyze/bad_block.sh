for b in 0 48 x 64x; do $REUSEDIST analyze -b $b trace || echo "exit $?"; done
