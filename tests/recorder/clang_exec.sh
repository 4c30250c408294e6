# exec() in a thread ends all threads of a program that records itself, and the program. A message says so, and does
# not count the threads as still running, unless exec() has failed.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 -fno-lto "$DATA/../recorder/clang/replaced.c" -o replaced -pthread
for how in execl execlp execle execv execvp execve execvpe fexecve; do
    "$REUSEDIST" record --tool=clang -o t.trace -- ./replaced "$how" /bin/sh 2>&1
done
"$REUSEDIST" record --tool=clang --trace-children -o t.trace -- ./replaced execl /bin/sh 2>&1
"$REUSEDIST" record --tool=clang -o t.trace -- ./replaced execl ./missing 2>&1
