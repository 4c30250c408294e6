# We fail, and the program neither records enough to notice nor listens: it ends all the same.
status=0
timeout 50 "$REUSEDIST" record --to=lackey -o /dev/full -- "$PROGRAMS/deaf" 2>messages || status=$?
echo "status $status"
grep -o "cannot write.*" messages
