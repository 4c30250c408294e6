/* Allocates memory with all forms of operator new. */
#include <cstdlib>
#include <new>

static void fill(volatile long *words, int n) {
    for (int i = 0; i < n; i++)
        words[i] = i;
}

struct alignas(128) wide {
    long words[32];
};

int main() {
    long *one = new long;                        // site: new
    long *many = new long[100];                  // site: new[]
    long *quiet = new (std::nothrow) long[50];   // site: nothrow
    wide *aligned = new wide;                    // site: aligned new
    void *memory = std::malloc(sizeof(long[8])); // site: malloc
    long *placed = new (memory) long[8];
    fill(one, 1);
    fill(many, 100);
    fill(quiet, 50);
    fill(aligned->words, 32);
    fill(placed, 8);
    delete one;
    delete[] many;
    delete[] quiet;
    delete aligned;
    std::free(memory);
    try {
        volatile std::size_t too_much = static_cast<std::size_t>(1) << 60;
        many = new long[too_much]; // site: never
    } catch (const std::bad_alloc &) {
    }
    many = new long[10]; // site: after an exception
    fill(many, 10);
    delete[] many;
    return 0;
}
