/* A planted locality problem: a hash table is traversed twice where once would be enough.
 *
 * total() traverses all entries. Afterwards the entries are no longer in the cache when spread()
 * traverses them again. The line that causes the misses is marked "planted", in spread(). The line
 * that used the blocks before is marked "first walk", in total(). The data that miss are the
 * entries that insert() allocates.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4096
#define ENTRIES 30000
#define REPORTS 4

/* Value and weight are in different blocks. */
typedef struct entry {
    struct entry *next;
    double value;
    char label[64];
    double weight;
    char more[32];
} entry;

static entry *table[BUCKETS];

static int insert(uint64_t key) {
    entry *e = malloc(sizeof *e); /* the data */
    if (!e)
        return 0;
    size_t bucket = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    e->value = (double)(key % 100);
    e->weight = 1;
    e->next = table[bucket];
    table[bucket] = e;
    return 1;
}

static double total(void) {
    double sum = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const entry *e = table[i]; e; e = e->next)
            sum += e->value; /* first walk */
    return sum;
}

static double spread(double mean) {
    double sum = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const entry *e = table[i]; e; e = e->next)
            sum += e->weight * (e->value - mean) * (e->value - mean); /* planted */
    return sum;
}

int main(void) {
    double sum = 0;
    for (uint64_t key = 0; key < ENTRIES; key++)
        if (!insert(key))
            return 1;
    for (int report = 0; report < REPORTS; report++)
        sum += spread(total() / ENTRIES);
    printf("%g\n", sum);
    return 0;
}
