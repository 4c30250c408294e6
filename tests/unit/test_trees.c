/* Compares every rdi_tree with an array of bool: times are appended, removed and counted at
 * random. */
#include "order/tree.h"

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MOST_TIMES 4000

static const rdi_tree_ops *const trees[] = {&rdi_tree_splay, &rdi_tree_avl, &rdi_tree_holes};

/* The tree and its expected contents. */
typedef struct pair {
    const rdi_tree_ops *ops;
    rdi_tree tree;
    bool is_live[MOST_TIMES];
    uint64_t now, live;
} pair;

static void set_up(pair *p, const rdi_tree_ops *ops) {
    *p = (pair){.ops = ops};
    assert_int_equal(rdi_tree_init(&p->tree, ctx), RD_OK);
}

static void assert_sound(const pair *p) {
    const char *why = "";
    if (!p->ops->check(&p->tree, &why))
        fail_msg("%s", why);
    assert_int_equal(p->ops->live(&p->tree), p->live);
}

static void append(pair *p) {
    assert_int_equal(p->ops->append(&p->tree, p->now), RD_OK);
    p->is_live[p->now++] = true;
    p->live++;
}

static void remove_and_compare(pair *p, uint64_t time) {
    uint64_t newer = 0;
    for (uint64_t i = time + 1; i < p->now; i++)
        newer += p->is_live[i];
    assert_int_equal(p->ops->remove(&p->tree, time), newer);
    p->is_live[time] = false;
    p->live--;
}

static void remove_oldest_and_compare(pair *p) {
    uint64_t oldest = 0;
    while (!p->is_live[oldest])
        oldest++;
    assert_int_equal(p->ops->remove_oldest(&p->tree), oldest);
    p->is_live[oldest] = false;
    p->live--;
}

/* Returns a live time, more often a recent one. */
static uint64_t pick(const pair *p, rdi_rng *rng) {
    uint64_t reach = UINT64_C(1) << rdi_rng_below(rng, rdi_bit_width(p->now) + 1);
    uint64_t time = p->now - 1 - rdi_rng_below(rng, reach < p->now ? reach : p->now);
    while (!p->is_live[time])
        time = time ? time - 1 : p->now - 1;
    return time;
}

static void random_operations_match_an_array(void **state) {
    (void)state;
    static pair p;
    for (size_t i = 0; i < RDI_COUNT(trees); i++) {
        rdi_rng rng = {6};
        for (uint64_t most_live = 1; most_live < 1000; most_live *= 3) {
            set_up(&p, trees[i]);
            while (p.now < MOST_TIMES) {
                uint64_t dice = rdi_rng_below(&rng, 8);
                if (p.live && (dice < 3 || p.live == most_live))
                    remove_and_compare(&p, pick(&p, &rng));
                else if (p.live && dice == 3)
                    remove_oldest_and_compare(&p);
                else
                    append(&p);
                if (p.now % 64 == 0)
                    assert_sound(&p);
            }
            while (p.live)
                remove_and_compare(&p, pick(&p, &rng));
            assert_sound(&p);
            rdi_tree_fini(&p.tree);
        }
    }
}

/* Tests removals of the oldest times, of the newest times and of every second time, each in order.
 * These orders turn a careless tree into a list. */
static void regular_orders_keep_every_tree_sound(void **state) {
    (void)state;
    static pair p;
    for (size_t i = 0; i < RDI_COUNT(trees); i++) {
        set_up(&p, trees[i]);
        for (int n = 0; n < 1000; n++)
            append(&p);
        assert_sound(&p);
        for (uint64_t time = 0; time < 100; time++)
            remove_and_compare(&p, time);
        for (uint64_t time = 999; time >= 900; time--)
            remove_and_compare(&p, time);
        assert_sound(&p);
        for (uint64_t time = 100; time < 900; time += 2)
            remove_and_compare(&p, time);
        assert_sound(&p);
        while (p.live)
            remove_oldest_and_compare(&p);
        assert_sound(&p);
        append(&p);
        remove_and_compare(&p, 1000);
        assert_sound(&p);
        rdi_tree_fini(&p.tree);
    }
}

static void memory_follows_the_live_times(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(trees); i++) {
        rdi_tree t = {0};
        assert_int_equal(rdi_tree_init(&t, ctx), RD_OK);
        rd_ctx_set_limit(ctx, rd_ctx_live_bytes(ctx)); /* room for 63 nodes must be enough */
        for (uint64_t now = 0; now < 100000; now++) {
            assert_int_equal(trees[i]->append(&t, now), RD_OK);
            if (now % 2 == 1) /* at most 50 times stay live, with a hole before each */
                assert_int_equal(trees[i]->remove(&t, now - 1), 1);
            if (trees[i]->live(&t) > 50)
                trees[i]->remove_oldest(&t);
        }
        rd_ctx_set_limit(ctx, 0);
        rdi_tree_fini(&t);
    }
}

static void too_many_nodes_are_refused_not_wrapped(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(trees); i++) {
        rdi_tree t = {0};
        assert_int_equal(rdi_tree_init(&t, ctx), RD_OK);
        t.most = 100;
        rd_status status = RD_OK;
        for (uint64_t now = 0; now < 101 && status == RD_OK; now++)
            status = trees[i]->append(&t, now);
        assert_int_equal(status, RD_ERANGE);
        assert_non_null(strstr(rd_last_error(ctx), "100"));
        assert_true(trees[i]->live(&t) >= 99);
        rdi_tree_fini(&t);
    }
}

static void a_planted_error_is_found_by_check(void **state) {
    (void)state;
    static pair p;
    for (size_t i = 0; i < RDI_COUNT(trees); i++) {
        set_up(&p, trees[i]);
        for (int n = 0; n < 40; n++)
            append(&p);
        for (uint64_t time = 0; time < 40; time += 2)
            remove_and_compare(&p, time);
        assert_sound(&p);
        const char *why = "";
        rdi_tree_node *node = p.tree.node, *root = &node[p.tree.root];
        root->sum++;
        assert_false(p.ops->check(&p.tree, &why));
        root->sum--;
        root->time += 1000;
        assert_false(p.ops->check(&p.tree, &why));
        root->time -= 1000;
        root->child[RDI_OLDER] = 0;
        assert_false(p.ops->check(&p.tree, &why));
        rdi_tree_fini(&p.tree);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(random_operations_match_an_array),  TEST(regular_orders_keep_every_tree_sound),
        TEST(memory_follows_the_live_times),     TEST(too_many_nodes_are_refused_not_wrapped),
        TEST(a_planted_error_is_found_by_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
