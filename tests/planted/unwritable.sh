"$REUSEDIST" verify -e planted --traces=10000 -o /nonexistent/file
