/* Tests the unit axis against its definition: the number of slots in use above a slot is the largest
 * number of live slots above it at any moment since it was filled. */
#include "order/unit_axis.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OWNERS_MOST 3000
#define UNIT        64 /* capacity in slots; it is small, so that slots are renumbered often */

/* The live objects, with the most recent one last, and for each object the largest number of live
 * objects above it so far. */
typedef struct model {
    size_t n;
    uint32_t order[OWNERS_MOST];
    uint64_t most[OWNERS_MOST];
    uint32_t slot[OWNERS_MOST]; /* slot of each object; 0: the object is absent */
} model;

static void take_out(model *m, uint32_t x) {
    size_t i = 0;
    while (m->order[i] != x)
        i++;
    memmove(&m->order[i], &m->order[i + 1], (--m->n - i) * sizeof *m->order);
}

static void put_on_top(model *m, uint32_t x) {
    m->order[m->n++] = x;
    m->most[x] = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t above = m->n - 1 - i, *most = &m->most[m->order[i]];
        *most = above > *most ? above : *most;
    }
}

/* One step in this number removes a slot, on average. */
static const uint64_t rarity[] = {2, 4, 50, UINT64_MAX};
#define RARITIES (sizeof rarity / sizeof *rarity)

static void step(rdi_unit_axis *a, model *m, rdi_rng *rng, uint64_t rare, uint32_t owners) {
    uint32_t x = (uint32_t)rdi_rng_below(rng, owners);
    uint64_t above;
    if (!m->slot[x]) {
        m->slot[x] = rdi_unit_push(a, x);
        put_on_top(m, x);
        return;
    }
    take_out(m, x);
    if (rdi_rng_below(rng, rare) == 0) {
        assert_int_equal(rdi_unit_above(a, m->slot[x]), m->most[x]);
        rdi_unit_remove(a, m->slot[x]);
        m->slot[x] = 0;
        return;
    }
    m->slot[x] = rdi_unit_move(a, m->slot[x], x, &above);
    assert_int_equal(above, m->most[x]);
    put_on_top(m, x);
}

static void compare(rd_ctx *ctx, uint64_t seed, uint32_t owners, size_t steps) {
    rdi_rng rng = {seed};
    rdi_unit_axis a;
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_int_equal(rdi_unit_axis_init(&a, ctx, UNIT), RD_OK);
    for (size_t i = 0; i < steps; i++) {
        rdi_slot_places slots = {m->slot, sizeof *m->slot};
        assert_int_equal(rdi_unit_axis_room(&a, ctx, 1, slots), RD_OK);
        step(&a, m, &rng, rarity[seed % RARITIES], owners);
    }
    for (uint32_t x = 0; x < owners; x++)
        if (m->slot[x])
            assert_int_equal(rdi_unit_above(&a, m->slot[x]), m->most[x]);
    assert_true(a.renumberings > 1);
    rdi_unit_axis_fini(&a, ctx);
    free(m);
}

static void few_objects_follow_the_definition(void **state) {
    for (uint64_t seed = 0; seed < 400; seed++)
        compare(*state, seed, 1 + (uint32_t)(seed / RARITIES % 100), 1200);
}

/* Tests enough objects for three levels of sums. */
static void many_objects_follow_the_definition(void **state) {
    for (uint64_t seed = 0; seed < RARITIES; seed++)
        compare(*state, seed, OWNERS_MOST, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_objects_follow_the_definition),
        cmocka_unit_test(many_objects_follow_the_definition),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
