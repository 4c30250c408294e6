/* Touches memory before and after three kinds of code that change the recorder's cursor, although
 * the compiler assumes that this code changes no memory: a function that only reads and that the
 * compiler analyzes before it inserts hooks, a function that is declared to change no memory, and
 * the copy of a structure, which becomes a call of the recorder. The program fills many buffers.
 */
#include "pure.h"

static large table, other;

static __attribute__((noinline)) long look_here(const long *entries, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += entries[(i * 3) % ENTRIES];
    return sum;
}

static __attribute__((noinline)) long copy(int i) {
    table.entry[i % ENTRIES]++;
    large local = table, empty = {{0}};
    table.entry[(i + 1) % ENTRIES]++;
    use(&local);
    use(&empty);
    table.entry[(i + 2) % ENTRIES]++;
    other = local;
    return other.entry[i % ENTRIES] + empty.entry[0];
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 20000; i++) {
        table.entry[i % ENTRIES] = i;
        sum += look_here(table.entry, 3);
        table.entry[(i * 7) % ENTRIES] += sum;
        sum += look(table.entry, i % 5);
        table.entry[(i * 3) % ENTRIES] += sum;
        sum += add(sum, i);
        table.entry[(i * 5) % ENTRIES] += sum;
        sum += look_at(table, i % 3);
        table.entry[(i * 11) % ENTRIES] += sum;
        if (i % 8 == 0)
            sum += copy(i);
    }
    return sum == 1;
}
