# `sharing` finds the false sharing that is planted in ten of twenty small programs (twelve with POSIX threads,
# four with C++ threads, four with OpenMP), names its line, data and padding, and finds none in the other ten.
# It finds none in the fixed programs.
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
