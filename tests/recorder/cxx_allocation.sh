# An allocation in an inlined function of a header is named after the line of the program that called it.
if "$REUSEDIST" version | grep -q 'no libdw' || ! command -v c++ >/dev/null; then
    echo "needs libdw and a C++ compiler"
    exit 77
fi
cat >vectors.cc <<'PROGRAM'
#include <vector>

int main() {
    std::vector<double> first(20000);
    std::vector<double> second(30000);
    double sum = 0;
    for (int round = 0; round < 3; round++) {
        for (double value : first)
            sum += value;
        for (double value : second)
            sum += value;
    }
    return sum != 0;
}
PROGRAM
# The program has DWARF 4, because Valgrind 3.19 prints a message about each form of clang's DWARF 5 that it
# does not know.
c++ -gdwarf-4 -O2 vectors.cc -o vectors
"$REUSEDIST" run -q --attribute --caches=L1=32K --out=json -o profile.json -- ./vectors
python3 -c 'import json
for data in json.load(open("profile.json"))["attribution"]["data"]:
    if "vectors.cc" in data["name"]:
        print(data["kind"], data["name"].split()[-1], data["bytes"])'
