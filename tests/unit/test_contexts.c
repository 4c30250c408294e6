/* Tests calling contexts: under any limit, all counts equal those of an oracle that counts every reference in
 * its context and in all ancestors of this context, and the section of the profile can be written and read
 * back. */
#include "base/common.h"
#include "reusedist/reusedist.h"
#include "support/faults.h"
#include "support/fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFS     6000
#define CONTEXTS 300
#define PCS      5
#define LEVELS   2
/* A flag in context[i]: reference i is in a context without a number, below the context in the other bits. */
#define BELOW 0x80000000

static uint64_t addr[REFS], pc[REFS], blocks[REFS], distances[REFS], context[REFS];
static uint32_t size[REFS], origin[REFS];
static uint32_t parent[CONTEXTS]; /* parent[c] < c; context 0 has no caller */
static uint64_t call[CONTEXTS];
static const rd_level levels[LEVELS] = {{"L1", 8 * 64}, {"L2", 64 * 64}};

/* Makes a random tree and a random trace. The call instructions of one parent have different addresses, and
 * no call instruction has the address of a site. */
static void make_trace(uint64_t seed, unsigned deep) {
    rdi_rng rng = {seed};
    for (uint32_t c = 1; c < CONTEXTS; c++) {
        parent[c] =
            (uint32_t)(deep ? c - 1 - rdi_rng_below(&rng, c < 3 ? c : 3) : rdi_rng_below(&rng, c));
        call[c] = 0x500000 + 16 * c;
    }
    for (size_t i = 0; i < REFS; i++) {
        bool stays = i && rdi_rng_below(&rng, 8);
        uint32_t c = (uint32_t)rdi_rng_below(&rng, rdi_rng_below(&rng, 2) ? CONTEXTS : 20);
        context[i] = stays ? context[i - 1] : c | (rdi_rng_below(&rng, 9) ? 0 : BELOW);
        pc[i] = 0x400000 + 16 * rdi_rng_below(&rng, PCS);
        addr[i] = 64 * rdi_rng_below(&rng, rdi_rng_below(&rng, 3) ? 10 : 300);
        size[i] = 1;
        origin[i] = (uint32_t)i;
        blocks[i] = addr[i] / 64;
    }
}

/* ---- the oracle ---- */

typedef struct counts {
    uint64_t references, misses[LEVELS];
} counts;

static void add(counts *to, uint64_t distance) {
    to->references++;
    for (unsigned k = 0; k < LEVELS; k++)
        to->misses[k] += distance >= levels[k].bytes / 64;
}

/* Inclusive counts of each context; exclusive counts of each pair of a context and a site; and, for each
 * context, the counts of the contexts without numbers below it. */
static counts inclusive[CONTEXTS], leaf[CONTEXTS][PCS], below[CONTEXTS];

static void count_all(void) {
    memset(inclusive, 0, sizeof inclusive);
    memset(leaf, 0, sizeof leaf);
    memset(below, 0, sizeof below);
    for (size_t i = 0; i < REFS; i++) {
        uint32_t c = (uint32_t)context[i] & ~BELOW;
        add(context[i] & BELOW ? &below[c] : &leaf[c][(pc[i] - 0x400000) / 16], distances[i]);
        for (uint32_t up = c;; up = parent[up]) {
            add(&inclusive[up], distances[i]);
            if (up == 0)
                break;
        }
    }
}

/* ---- the library ---- */

static rd_status analyze_in(rd_ctx *in, const rd_attributor_config *limits, rd_profile **out) {
    rd_attributor_config config = *limits;
    rd_engine *engine = NULL;
    rd_attributor *a = NULL;
    rd_engine_config measure = {.size = sizeof measure};
    config.size = sizeof config;
    config.block_bytes = 64;
    config.levels = levels;
    config.n_levels = LEVELS;
    config.contexts = true;
    rd_refs refs = {.n = REFS, .addr = addr, .size = size, .pc = pc};
    refs.more[RD_MORE_CONTEXT] = context;
    rd_attributed batch = {&refs, origin, blocks, distances, REFS, NULL};
    rd_status status = rd_engine_open(in, "stack", &measure, &engine);
    status = status ? status : rd_engine_feed(engine, blocks, REFS, distances);
    status = status ? status : rd_attributor_new(in, &config, &a);
    for (uint32_t c = 1; c < CONTEXTS && !status; c++) {
        rd_event event = {.kind = RD_EVENT_CONTEXT, .address = c, .size = parent[c], .pc = call[c]};
        status = rd_attributor_event(a, &event);
    }
    status = status ? status : rd_attributor_feed(a, &batch);
    status = status ? status : rd_engine_finish(engine);
    status = status ? status : rd_engine_profile(engine, out);
    status = status ? status : rd_attributor_finish(a, *out);
    rd_attributor_free(a);
    rd_engine_close(engine);
    return status;
}

static rd_status analyze(const rd_attributor_config *limits, rd_profile **out) {
    return analyze_in(ctx, limits, out);
}

/* ---- comparison ---- */

static void assert_counts(const counts *expected, uint64_t references, const uint64_t *misses) {
    assert_int_equal(references, expected->references);
    for (unsigned k = 0; k < LEVELS; k++)
        assert_int_equal(misses[k], expected->misses[k]);
}

/* Returns the address of a node's call frame. Without symbols, the name of a call frame is its
 * address, which determines the calling context. */
static uint64_t address_of(const rd_contexts *t, const rd_call_node *node) {
    return strtoull(t->frames[node->frame].function, NULL, 16);
}

static bool is_others(const rd_contexts *t, const rd_call_node *node) {
    return strcmp(t->frames[node->frame].function, "(others)") == 0;
}

static uint32_t context_of(const rd_contexts *t, size_t node) {
    return node == RD_NO_INDEX ? 0 : (uint32_t)(address_of(t, &t->nodes[node]) - 0x500000) / 16;
}

/* Checks that every node, with the nodes below it, has exactly the counts of its context, and that every
 * leaf has the counts of its context and site. */
static void assert_tree(const rd_contexts *t) {
    rd_call_node *sum = calloc(t->n_nodes + 1, sizeof *sum);
    memcpy(sum, t->nodes, t->n_nodes * sizeof *sum);
    uint64_t all = t->other_references;
    assert_non_null(sum);
    for (size_t i = t->n_nodes; i-- > 0;) {
        const rd_call_node *node = &t->nodes[i];
        all += node->references;
        if (node->parent != RD_NO_INDEX) {
            assert_true(node->parent < i);
            sum[node->parent].references += sum[i].references;
            for (unsigned k = 0; k < LEVELS; k++)
                sum[node->parent].misses[k] += sum[i].misses[k];
        }
    }
    assert_int_equal(all, REFS);
    assert_int_equal(t->other_references, 0);
    for (size_t i = 0; i < t->n_nodes; i++) {
        const rd_call_node *node = &t->nodes[i];
        uint64_t address = address_of(t, node);
        uint32_t around = context_of(t, node->parent);
        if (is_others(t, node))
            continue;
        if (address < 0x500000) {
            assert_counts(&leaf[around][(address - 0x400000) / 16], node->references, node->misses);
            continue;
        }
        assert_int_equal(parent[context_of(t, i)], around);
        assert_counts(&inclusive[context_of(t, i)], sum[i].references, sum[i].misses);
    }
    free(sum);
}

static void assert_read_back(rd_profile *p) {
    char *text = NULL, *again = NULL;
    size_t n = 0, n_again = 0;
    rd_profile *back = NULL;
    ok(rd_profile_json(p, &text, &n));
    ok(rd_profile_parse(ctx, "profile", text, n, &back));
    ok(rd_profile_json(back, &again, &n_again));
    assert_string_equal(text, again);
    rd_text_free(ctx, text);
    rd_text_free(ctx, again);
    rd_profile_free(back);
}

static const rd_contexts *contexts_of(const rd_profile *p) {
    return rd_profile_details(p)->contexts;
}

static void check(uint64_t seed, const rd_attributor_config *limits, size_t most_nodes) {
    rd_profile *p = NULL;
    make_trace(seed, seed % 2);
    ok(analyze(limits, &p));
    count_all();
    const rd_contexts *t = contexts_of(p);
    assert_non_null(t);
    assert_true(t->n_nodes <= most_nodes);
    assert_tree(t);
    assert_read_back(p);
    rd_profile_free(p);
}

static void all_contexts_are_exact(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        check(seed, &(rd_attributor_config){0}, 10000);
}

static void every_pair_has_a_node(void **state) {
    (void)state;
    rd_profile *p = NULL;
    make_trace(1, 0);
    ok(analyze(&(rd_attributor_config){0}, &p));
    count_all();
    const rd_contexts *t = contexts_of(p);
    size_t leaves = 0, expected = 0;
    for (size_t i = 0; i < t->n_nodes; i++)
        leaves += t->nodes[i].references > 0;
    for (size_t c = 0; c < CONTEXTS; c++) {
        expected += below[c].references > 0;
        for (size_t s = 0; s < PCS; s++)
            expected += leaf[c][s].references > 0;
    }
    assert_true(expected > 500);
    assert_int_equal(leaves, expected);
    rd_profile_free(p);
}

static void limits_keep_the_counts_of_what_remains(void **state) {
    (void)state;
    static const size_t pairs[] = {16, 40, 200, 700}, nodes[] = {2, 10, 60, 400};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t i = 0; i < RDI_COUNT(pairs); i++) {
            check(seed, &(rd_attributor_config){.max_contexts = pairs[i]}, 10000);
            check(seed, &(rd_attributor_config){.max_call_nodes = nodes[i]}, nodes[i]);
        }
}

/* Checks a tree in which context c refers to memory and makes calls at one address, which belongs to no
 * other context: the node with this address must have the counts of everything in and below c. */
static void assert_full_counts(const rd_contexts *t) {
    uint64_t *sum = calloc(t->n_nodes + 1, sizeof *sum);
    assert_non_null(sum);
    for (size_t i = t->n_nodes; i-- > 0;) {
        const rd_call_node *node = &t->nodes[i];
        sum[i] += node->references;
        if (!is_others(t, node))
            assert_int_equal(sum[i], inclusive[context_of(t, i)].references);
        if (node->parent != RD_NO_INDEX)
            sum[node->parent] += sum[i];
    }
    free(sum);
}

/* Tests that a folded context is counted below its caller. If it were counted at the caller's call
 * instruction, it would be beside the caller. */
static void folded_contexts_are_below_their_callers(void **state) {
    (void)state;
    static const size_t pairs[] = {0, 40, 100, 200}, nodes[] = {0, 2, 10, 60};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t k = 0; k < 2 * RDI_COUNT(pairs); k++) {
            rd_profile *p = NULL;
            rd_attributor_config limits = {.max_contexts = k < RDI_COUNT(pairs) ? pairs[k] : 0,
                                           .max_call_nodes = nodes[k % RDI_COUNT(nodes)]};
            make_trace(seed, seed % 2);
            for (uint32_t c = 1; c < CONTEXTS; c++)
                call[c] = 0x500000 + 16 * parent[c];
            for (size_t i = 0; i < REFS; i++) {
                context[i] &= ~(uint64_t)BELOW;
                pc[i] = 0x500000 + 16 * context[i];
            }
            ok(analyze(&limits, &p));
            memset(inclusive, 0, sizeof inclusive);
            for (size_t i = 0; i < REFS; i++)
                for (uint32_t up = (uint32_t)context[i];; up = parent[up]) {
                    inclusive[up].references++;
                    if (up == 0)
                        break;
                }
            assert_full_counts(contexts_of(p));
            rd_profile_free(p);
        }
}

static void contexts_without_definition_are_counted_apart(void **state) {
    (void)state;
    rd_profile *p = NULL;
    make_trace(3, 0);
    for (size_t i = 0; i < REFS; i += 2)
        context[i] = CONTEXTS + 7 + i;
    ok(analyze(&(rd_attributor_config){0}, &p));
    assert_int_equal(contexts_of(p)->other_references, REFS / 2);
    rd_profile_free(p);
}

static rd_status run_with_faults(rd_ctx *in, void *user) {
    rd_profile *p = NULL;
    rd_status status = analyze_in(in, user, &p);
    rd_profile_free(p);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    rd_attributor_config limits = {.max_contexts = 100, .max_call_nodes = 20};
    make_trace(5, 1);
    faults_inject("contexts", run_with_faults, &limits, RD_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_contexts_are_exact),
        TEST(every_pair_has_a_node),
        TEST(limits_keep_the_counts_of_what_remains),
        TEST(folded_contexts_are_below_their_callers),
        TEST(contexts_without_definition_are_counted_apart),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
