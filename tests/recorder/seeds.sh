# Twenty small programs (twelve with POSIX threads, four with C++ threads, four with OpenMP): false sharing is found in
# ten of them, with line, data and padding, and in no other one. In the fixed programs, it is gone.
sources=$(realpath "$DATA/../recorder/sharing")
find_sharing() { # NAME TABLE
    "$REUSEDIST" record -q --thread --attribute -o t.trace -- "./$1"
    "$REUSEDIST" sharing -q --out=csv t.trace >"$2"
}
build() { # FLAG...
    gcc -g -O1 "$@" "$sources/posix.c" -o posix -pthread
    g++ -g -O1 "$@" "$sources/cxx.cpp" -o cxx -pthread
    gcc -g -O1 "$@" "$sources/openmp.c" -o openmp -fopenmp
}
build
for name in posix cxx openmp; do find_sharing $name $name.found; done
build -DFIXED
for name in posix cxx openmp; do
    find_sharing $name $name.fixed
    python3 "$sources/check_seeds.py" $name.found $name.fixed
done
