/* Memory touched around calls of a function that only reads, many chunks of it: what the compiler
 * knows of that function is from before it got its hooks. */
#define ENTRIES 64

static int table[ENTRIES];

static __attribute__((noinline)) long look(const int *entries, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += entries[(i * 5) % ENTRIES];
    return sum;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 50000; i++) {
        table[i % ENTRIES] = i;
        sum += look(table, 3);
        table[(i * 7) % ENTRIES] += (int)sum;
    }
    return sum == 1;
}
