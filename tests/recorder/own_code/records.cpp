// Walks through a vector of large records with a large stride and reads one field of each.
#include <string>
#include <vector>

struct Record {
    std::string name;
    double value[6];
};

class Table {
  public:
    explicit Table(int n) : records(n) {}
    double scan(size_t step) const {
        double sum = 0;
        for (size_t start = 0; start < step; start++)
            for (size_t i = start; i < records.size(); i += step)
                sum += records.at(i).value[0]; // planted
        return sum;
    }

  private:
    std::vector<Record> records;
};

int main() {
    Table table(3000);
    double sum = 0;
    for (int round = 0; round < 12; round++)
        sum += table.scan(64);
    return sum != 0;
}
