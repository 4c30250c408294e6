// Sums measurements of weather stations. docs/guide.md shows how to find out why the program is slow.
//
// usage: stations COUNT [numbers]
//
// The program sums COUNT readings in a map by the name of the station. With `numbers`, it sums them in a
// vector by the number of the station, which is faster. The results are the same.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct Reading {
    std::string station;
    size_t number; // number of the station, in the order of the list
    double degrees;
};

static const size_t stations = 4000;

static std::string station_name(size_t number) {
    return "weather station number " + std::to_string(100000 + number);
}

// Makes readings in the order in which they would arrive: from all stations in turn.
static std::vector<Reading> read_all(size_t n) {
    std::vector<Reading> readings;
    readings.reserve(n);
    for (size_t i = 0; i < n; i++) {
        size_t number = i * 2477 % stations;
        readings.push_back({station_name(number), number, double(i % 40)});
    }
    return readings;
}

class Totals {
  public:
    void add_by_name(const std::vector<Reading> &readings) {
        for (const Reading &reading : readings)
            by_name[reading.station] += reading.degrees;
    }
    void add_by_number(const std::vector<Reading> &readings) {
        std::vector<double> sums(stations);
        for (const Reading &reading : readings)
            sums[reading.number] += reading.degrees;
        for (size_t i = 0; i < sums.size(); i++)
            by_name[station_name(i)] += sums[i];
    }
    void print() const {
        for (const auto &[name, degrees] : by_name)
            printf("%s %.0f\n", name.c_str(), degrees);
    }

  private:
    std::map<std::string, double> by_name;
};

int main(int argc, char **argv) {
    std::vector<Reading> readings = read_all(argc > 1 ? strtoul(argv[1], nullptr, 10) : 40000);
    Totals totals;
    if (argc > 2)
        totals.add_by_number(readings);
    else
        totals.add_by_name(readings);
    totals.print();
}
