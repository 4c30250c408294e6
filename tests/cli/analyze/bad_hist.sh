for h in nosuch linear linear:0 log:3; do $REUSEDIST analyze --hist=$h trace || echo "exit $?"; done
