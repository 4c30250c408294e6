// Sums the values of a tree whose nodes were inserted in random order.
#include <map>

static long sum(const std::map<int, long> &values) {
    long total = 0;
    for (const auto &[key, value] : values) // planted
        total += value;
    return total;
}

int main() {
    std::map<int, long> values;
    for (int i = 0; i < 4000; i++)
        values[i * 7919 % 4001] = i;
    long total = 0;
    for (int round = 0; round < 12; round++)
        total += sum(values);
    return total == 0;
}
