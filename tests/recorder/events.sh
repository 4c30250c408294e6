# The recorder records events: modules, allocations with their source lines, and stacks. The programs are
# position-independent, at fixed addresses, or linked statically; they have libraries and children.
sources=$(realpath "$DATA/../recorder/events")
check() { # TRACE NAME...
    python3 "$sources/check.py" "$@"
}

cc -g -O1 "$sources/allocations.c" -o allocations -pthread
cc -g -O1 -shared -fPIC "$sources/library.c" -o library.so
"$REUSEDIST" record --attribute -o t.trace -- ./allocations ./library.so
check t.trace allocations library.so | tee pie.txt

cc -g -O1 -no-pie "$sources/allocations.c" -o allocations -pthread
"$REUSEDIST" record --attribute -o t.trace -- ./allocations ./library.so >/dev/null
check t.trace allocations library.so | diff pie.txt - && echo "the same at fixed addresses"
cc -g -O1 -static "$sources/allocations.c" -o allocations -pthread 2>/dev/null
"$REUSEDIST" record --attribute -o t.trace -- ./allocations >/dev/null
check t.trace allocations >static.txt
sed 's/bytes, .*/bytes/' static.txt | diff <(sed '/library/d; s/bytes, .*/bytes/' pie.txt) - &&
    echo "the same memory, linked statically"
# In a static program, the stores of the C library are also recorded, so the check shows that an allocation is
# recorded before its memory is cleared or copied.
awk -F'[ ,]+' '/^calloc:/ && $4 > 90 || /^realloc:/ && $4 > 0 {print $1, "was filled by the allocator"}' static.txt

echo "children:"
"$REUSEDIST" record --attribute --trace-children -o t.trace -- ./allocations fork >/dev/null
check t.trace allocations | grep process
"$REUSEDIST" record --attribute -o t.trace -- ./allocations fork >/dev/null
check t.trace allocations | grep process

echo "threads:"
cc -g -O1 "$sources/workers.c" -o workers -pthread
"$REUSEDIST" record --attribute -o t.trace -- ./workers
check t.trace workers | sed -n 's/: .*bytes,/:/p'

if command -v c++ >/dev/null; then
    # The program has DWARF 4, because Valgrind 3.19 prints a message about each form of clang's DWARF 5 that
    # it does not know.
    c++ -gdwarf-4 -O1 "$sources/operators.cc" -o operators
    "$REUSEDIST" record --attribute -o t.trace -- ./operators
    check t.trace operators | diff "$sources/operators.txt" -
fi

# Sampling leaves out references but no events.
cc -g -O1 "$sources/allocations.c" -o allocations -pthread
"$REUSEDIST" record --attribute --start=growing --stop=use_stack -o t.trace -- ./allocations >/dev/null
check t.trace allocations | grep -e owner -e realloc -e large -e thread:
"$REUSEDIST" record --attribute --burst=1K:100 -o t.trace -- ./allocations >/dev/null
check t.trace allocations | sed -n 's/bytes, .*/bytes/p' | diff - <(sed -n '/library/d; s/bytes, .*/bytes/p' pie.txt) &&
    echo "bursts tell of the same memory"
