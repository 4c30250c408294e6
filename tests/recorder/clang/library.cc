// Uses functions of the C++ library that are compiled with the program, and exceptions that leave
// these functions.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static int lookup(const std::map<std::string, int> &names, const std::string &name) {
    try {
        return names.at(name);
    } catch (const std::out_of_range &) {
        return -1;
    }
}

int main() {
    std::map<std::string, int> names;
    std::vector<std::string> words;
    for (int i = 0; i < 2000; i++)
        words.push_back("a word that is long enough for memory of its own: " +
                        std::to_string(i * 7919 % 2003));
    std::sort(words.begin(), words.end());
    for (const auto &word : words)
        names[word] = static_cast<int>(word.size());
    long sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += lookup(names, i % 10 ? words[static_cast<size_t>(i)] : "none");
    return sum == 0;
}
