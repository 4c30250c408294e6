/* Tests the weighted axis against its definition: the weight above a slot is the largest total
 * weight that live slots above it have had at any moment since it was filled. */
#include "order/weight_axis.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OWNERS_MOST 2000
#define UNIT        64 /* capacity in slots; it is small, so that slots are renumbered often */

/* The live objects, with the most recent one last, and for each object the largest total weight of
 * the objects above it so far. */
typedef struct model {
    size_t n;
    uint32_t order[OWNERS_MOST];
    uint64_t weight[OWNERS_MOST], most[OWNERS_MOST];
    uint32_t slot[OWNERS_MOST]; /* slot of each object; 0: the object is absent */
} model;

static void look(model *m) {
    uint64_t above = 0;
    for (size_t i = m->n; i-- > 0;) {
        uint32_t x = m->order[i];
        m->most[x] = above > m->most[x] ? above : m->most[x];
        above += m->weight[x];
    }
}

static void take_out(model *m, uint32_t x) {
    size_t i = 0;
    while (m->order[i] != x)
        i++;
    memmove(&m->order[i], &m->order[i + 1], (--m->n - i) * sizeof *m->order);
}

static void put_on_top(model *m, uint32_t x, uint64_t weight) {
    m->order[m->n++] = x;
    m->weight[x] = weight;
    m->most[x] = 0;
    look(m);
}

/* Operations that a random sequence may contain, as bits of a mask. KINDS is the number of
 * masks. */
enum { RESIZE = 1, REMOVE = 2, EMPTY = 4, KINDS = 8 };

static void step(rdi_weight_axis *a, model *m, rdi_rng *rng, unsigned may, uint32_t owners) {
    uint32_t x = (uint32_t)rdi_rng_below(rng, owners);
    uint64_t weight = m->weight[x], above;
    if (weight == 0 || (may & RESIZE && rdi_rng_below(rng, 3) == 0))
        weight = 1 + rdi_rng_below(rng, 20);
    if (may & EMPTY && rdi_rng_below(rng, 5) == 0)
        weight = 0;
    if (!m->slot[x]) {
        m->slot[x] = rdi_weight_push(a, x, weight);
        put_on_top(m, x, weight);
        return;
    }
    take_out(m, x);
    if (may & REMOVE && rdi_rng_below(rng, 4) == 0) {
        assert_int_equal(rdi_weight_above(a, m->slot[x]), m->most[x]);
        rdi_weight_remove(a, m->slot[x]);
        m->slot[x] = 0;
        return;
    }
    m->slot[x] = rdi_weight_move(a, m->slot[x], x, m->weight[x], weight, &above);
    assert_int_equal(above, m->most[x]);
    put_on_top(m, x, weight);
}

static void compare(rd_ctx *ctx, uint64_t seed, uint32_t owners, size_t steps) {
    rdi_rng rng = {seed};
    rdi_weight_axis a;
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_int_equal(rdi_weight_axis_init(&a, ctx, UNIT), RD_OK);
    for (size_t i = 0; i < steps; i++) {
        rdi_slot_places slots = {m->slot, sizeof *m->slot};
        assert_int_equal(rdi_weight_axis_room(&a, ctx, 1, slots), RD_OK);
        step(&a, m, &rng, (unsigned)(seed % KINDS), owners);
    }
    for (uint32_t x = 0; x < owners; x++)
        if (m->slot[x])
            assert_int_equal(rdi_weight_above(&a, m->slot[x]), m->most[x]);
    assert_true(a.renumberings > 2);
    rdi_weight_axis_fini(&a, ctx);
    free(m);
}

static void few_objects_follow_the_definition(void **state) {
    for (uint64_t seed = 0; seed < 800; seed++)
        compare(*state, seed, 1 + (uint32_t)(seed / KINDS % 40), 600);
}

/* Tests enough objects for five levels of sums. */
static void many_objects_follow_the_definition(void **state) {
    for (uint64_t seed = 0; seed < KINDS; seed++)
        compare(*state, seed, OWNERS_MOST, 12000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_objects_follow_the_definition),
        cmocka_unit_test(many_objects_follow_the_definition),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
