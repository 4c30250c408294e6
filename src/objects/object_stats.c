/* Computes statistics of the objects. See object_stats.h. */
#include "objects/object_stats.h"

#include "profile/hist.h"
#include "profile/section_objects.h"

/* Returns the number of requests that used an object. */
static uint64_t all_uses(const rd_objects *o) {
    uint64_t n = 0;
    for (int i = 0; i < RD_OPERATIONS; i++)
        n += i == RD_OPERATION_DELETE ? 0 : o->by_operation[i].requests;
    return n - o->absent_touches;
}

/* Adds the uses that the table did not count to the last row, because the table counts at most
 * RDI_USES_MAX uses of an object. */
static void add_uncounted(const rd_objects *o, rd_popularity *rows, size_t n) {
    uint64_t counted = 0;
    for (size_t i = 0; i < n; i++)
        counted += rows[i].requests;
    if (n == 0 || rows[n - 1].high < RDI_USES_MAX)
        return;
    rows[n - 1].requests += all_uses(o) - counted;
    rows[n - 1].high += all_uses(o) - counted;
}

void rdi_object_stats(const rd_objects *o, rd_popularity rows[RD_POPULARITY_ROWS],
                      rd_objects_facts *facts) {
    facts->objects = 0;
    for (uint64_t i = 0; i < o->table.n; i++) {
        const rdi_cached *x = &o->table.object[i];
        if (rdi_cached_uses(x) == 0)
            continue; /* an id that was only deleted, or touched, was never an object of a cache */
        facts->objects++;
        rd_size_class *class = &facts->size_class[rdi_bit_width(x->bytes)];
        class->objects++;
        rdi_sum_add(&class->bytes, (rd_sum){.low = x->bytes});
        uint64_t uses = rdi_cached_uses(x);
        rdi_popularity_add(rows, &(rd_popularity){uses, uses, 1, uses});
    }
    facts->n_popularity = rdi_popularity_pack(rows);
    facts->has_popularity = true;
    add_uncounted(o, rows, facts->n_popularity);
}
