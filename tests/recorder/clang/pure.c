/* Functions for reader.c. look() and add() are declared to change no memory, although their hooks
 * write records. */
#include "pure.h"

static volatile long weight[2] = {1, 2};

long look(const long *entries, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += entries[(i * 5) % ENTRIES];
    return sum;
}

long add(long a, long b) {
    return a * weight[0] + b * weight[1];
}

long look_at(large copy, int n) {
    return look(copy.entry, n);
}

void use(large *entries) {
    entries->entry[0]++;
}
