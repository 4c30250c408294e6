# If the program never starts, the outputs stay unchanged. Here it cannot start because there is no folder for
# temporary files, which Valgrind needs, or no such program.
for file in result distances page.html t.trace; do echo old >$file; done
try() { "$@" 2>messages && echo "accepted: $*" || echo "status $?"; }
for program in "env TMPDIR=/nonexistent" env; do
    case $program in env) command=/nonexistent/program ;; *) command=$PROGRAMS/walk ;; esac
    try $program "$REUSEDIST" run --out=json -o result --distances=distances --report=page.html -- $command
    try $program "$REUSEDIST" record -o t.trace -- $command
    case $program in env) ;; *) cat messages >&2 ;; esac
done
cat result distances page.html t.trace
# The program file is not overwritten either.
cp "$PROGRAMS/walk" walk
"$REUSEDIST" record -o walk -- ./walk || echo "record: $?"
"$REUSEDIST" run -o walk -- ./walk || echo "run: $?"
cmp walk "$PROGRAMS/walk"
cp "$PROGRAMS/walk" found
PATH=$PWD:$PATH "$REUSEDIST" record -o found -- found || echo "record: $?"
PATH=/nonexistent::$PATH "$REUSEDIST" run --report=found -- found || echo "run: $?"
cmp found "$PROGRAMS/walk"
