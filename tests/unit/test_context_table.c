/* Tests rdi_contexts, the hash table whose keys are pairs of a calling context and a site: each pair has one
 * entry, and folding keeps all references. */
#include "attribution/contexts.h"
#include "base/common.h"

#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CONTEXTS 3000
#define SITES    16
#define REFS     400000

/* Returns the key of a context and its site k. The numbers of the sites have no pattern, so that many keys have
 * the same home. */
static uint64_t key_of(size_t context, size_t k) {
    rdi_rng rng = {context * SITES + k};
    return rdi_context_key(context, (uint32_t)(rdi_rng_below(&rng, 4000) * SITES + k));
}

/* Tests that each pair has one entry with the right count, although entries that are often used
 * move to earlier slots, and rarely used ones to later slots. */
static void each_pair_has_one_entry(void **state) {
    rdi_contexts c = {0};
    static uint64_t expected[CONTEXTS][SITES];
    uint64_t at[RDI_MISS_COUNTS];
    rdi_rng rng = {1};
    size_t pairs = 0, entries = 0;
    assert_int_equal(rdi_contexts_init(&c, *state, 1 << 19), RD_OK);
    for (uint32_t i = 1; i < CONTEXTS; i++) {
        rd_event event = {.kind = RD_EVENT_CONTEXT, .address = i, .pc = i};
        assert_int_equal(rdi_contexts_define(&c, &event, 0), RD_OK);
    }
    for (size_t i = 0; i < REFS; i++) {
        size_t context = rdi_rng_below(&rng, 1 + rdi_rng_below(&rng, CONTEXTS));
        size_t k = rdi_rng_below(&rng, SITES);
        pairs += expected[context][k]++ == 0;
        assert_int_equal(rdi_contexts_count_slowly(&c, key_of(context, k), 0), RD_OK);
    }
    for (size_t i = 0; i < (size_t)1 << c.bits; i++) {
        uint64_t key = c.slot[i].key;
        if (!key)
            continue;
        entries++;
        rdi_contexts_read(&c, &c.slot[i], at);
        assert_int_equal(at[0], expected[rdi_key_context(key)][(uint32_t)key % SITES]);
    }
    assert_int_equal(entries, pairs);
    assert_int_equal(c.used, entries);
    rdi_contexts_fini(&c);
}

/* Tests that folding keeps all references. The spare table has room for the weights of 2,000 contexts, but not
 * for those of 20,000. */
static void folding_keeps_all_references_of_many_contexts(void **state) {
    static const size_t contexts[] = {2000, 20000};
    for (size_t k = 0; k < RDI_COUNT(contexts); k++) {
        rdi_contexts c = {0};
        uint64_t at[RDI_MISS_COUNTS], sum = 0;
        rdi_rng rng = {k};
        assert_int_equal(rdi_contexts_init(&c, *state, 1000), RD_OK);
        for (size_t i = 1; i < contexts[k]; i++) {
            rd_event event = {
                .kind = RD_EVENT_CONTEXT, .address = i, .size = rdi_rng_below(&rng, i), .pc = i};
            assert_int_equal(rdi_contexts_define(&c, &event, 0), RD_OK);
        }
        for (size_t i = 0; i < REFS; i++) {
            uint64_t number = rdi_rng_below(&rng, contexts[k]), site = 1 + i % 3, key;
            rdi_contexts_keys(&c, &number, 1, &site, 0, &key);
            assert_int_equal(rdi_contexts_count_slowly(&c, key, i % RDI_MISS_COUNTS), RD_OK);
        }
        for (size_t i = 0; i < (size_t)1 << c.bits; i++) {
            rdi_contexts_read(&c, &c.slot[i], at);
            for (unsigned missed = 0; missed < RDI_MISS_COUNTS; missed++)
                sum += at[missed];
            assert_true(!c.spare || !c.spare[i].key);
        }
        assert_int_equal(sum, REFS);
        assert_true(c.folded > 0 && c.used <= 1000);
        rdi_contexts_fini(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_has_one_entry),
        cmocka_unit_test(folding_keeps_all_references_of_many_contexts),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
