# If the analysis fails, the program is terminated even if it records little and ignores SIGTERM.
status=0
timeout 50 "$REUSEDIST" record --to=lackey -o /dev/full -- "$PROGRAMS/deaf" 2>messages || status=$?
echo "status $status"
grep -o "cannot write.*" messages
