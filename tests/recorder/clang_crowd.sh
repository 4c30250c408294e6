# The compiled-in recorder works with many threads and processes that wait for each other, and records
# threads to their end.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$(realpath "$DATA/../recorder/crowd.c")" -o crowd -pthread
timeout 60 "$REUSEDIST" run --tool=clang -o t.txt -- ./crowd threads 200
timeout 60 "$REUSEDIST" run --tool=clang --trace-children -o t.txt -- ./crowd processes 200
timeout 60 "$REUSEDIST" run --tool=clang -o t.txt -- ./crowd destructors 1200
