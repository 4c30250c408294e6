# Lockstep keeps the order in which the threads of a program use data, if synchronization determines this order,
# for every length of turns. A producer and a consumer that alternate are checked for turns of 1 to 1000
# references. Without synchronization, the order changes.
sources=$DATA/../recorder/order
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
check() { # TOOL LAST COMMAND...: records the command and checks the order of the data that it prints
    local tool=$1 last=$2 address bytes
    shift 2
    "$REUSEDIST" record -q --thread --tool="$tool" -o t.trace -- "$@" >place
    read -r address bytes <place
    echo "$tool, $*: $("$PROGRAMS/check_order" t.trace "$address" "$bytes" "$last")"
}
gcc -O1 "$sources/ordered.c" -o ordered -pthread
g++ -O1 "$sources/ordered.cpp" -o ordered_cxx -pthread
gcc -O1 -fopenmp "$sources/openmp.c" -o openmp
check valgrind 1000 ./ordered condition
check valgrind 20 ./ordered mutex rwlock barrier semaphore creation
check valgrind 20 ./ordered unordered
check valgrind 20 ./ordered_cxx
check valgrind 20 ./openmp
command -v clang >/dev/null || exit 0
"$tools/reusedist-cc" -O1 "$sources/ordered.c" -o ordered -pthread
check clang 1000 ./ordered condition
check clang 20 ./ordered mutex rwlock barrier semaphore creation
