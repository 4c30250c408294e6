// Searches a sorted vector of strings for keys in random order.
#include <algorithm>
#include <string>
#include <vector>

static bool has(const std::vector<std::string> &names, const std::string &key) {
    return std::binary_search(names.begin(), names.end(), key); // planted
}

int main() {
    std::vector<std::string> names;
    for (int i = 0; i < 3000; i++)
        names.push_back("a rather long name of record " + std::to_string(1000000 + i));
    int found = 0;
    for (int i = 0; i < 9000; i++)
        found += has(names, names[i * 7919 % 3000]);
    return found != 9000;
}
