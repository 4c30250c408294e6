/* The counted time axis against a plain array of booleans. */
#include "order/axis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    rd_ctx *ctx;
    rdi_axis axis;
    bool *live; /* by order of insertion */
    uint64_t pushed, n_live;
} fixture;

static void begin(fixture *f, uint64_t slots) {
    *f = (fixture){0};
    assert_int_equal(rd_ctx_new(NULL, &f->ctx), RD_OK);
    assert_int_equal(rdi_axis_init(f->ctx, &f->axis, slots), RD_OK);
    f->live = calloc((size_t)slots, 1);
    assert_non_null(f->live);
}

static void end(fixture *f) {
    rdi_axis_fini(f->ctx, &f->axis);
    assert_int_equal(rd_ctx_live_bytes(f->ctx), 0);
    rd_ctx_free(f->ctx);
    free(f->live);
}

static void push(fixture *f) {
    assert_int_equal(f->axis.next, rdi_axis_slot(f->pushed));
    rdi_axis_push(&f->axis);
    f->axis.live++;
    f->live[f->pushed++] = true;
    f->n_live++;
}

static void clear(fixture *f, uint64_t index) {
    rdi_axis_clear(&f->axis, rdi_axis_slot(index));
    f->axis.live--;
    f->live[index] = false;
    f->n_live--;
}

/* Compares every rank with a running count. */
static void check_all(const fixture *f) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < f->pushed; i++) {
        count += f->live[i];
        assert_int_equal(rdi_axis_rank(&f->axis, rdi_axis_slot(i)), count);
    }
    assert_int_equal(f->axis.live, f->n_live);
}

static void slots_and_indices_are_inverse(void **state) {
    (void)state;
    uint64_t slot = rdi_axis_slot(0);
    assert_true(slot > 0);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(rdi_axis_slot(i), slot);
        assert_int_equal(rdi_axis_index(slot), i);
        slot = rdi_axis_after(slot);
    }
}

static void random_pushes_and_clears_keep_every_rank(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fixture f;
        begin(&f, 40000);
        rdi_rng rng = {seed};
        while (f.pushed < 40000) {
            push(&f);
            uint64_t victim = rdi_rng_below(&rng, f.pushed);
            if (f.live[victim] && rdi_rng_below(&rng, 8) < seed)
                clear(&f, victim);
            if (f.pushed % 7919 == 0)
                check_all(&f);
        }
        check_all(&f);
        assert_int_equal(rdi_axis_room(&f.axis) < RDI_AXIS_LINE_SLOTS * 32, true);
        end(&f);
    }
}

static void counts_cross_every_level(void **state) {
    (void)state;
    const uint64_t slots = UINT64_C(131072) * RDI_AXIS_LINE_SLOTS + 5000; /* beyond one top entry */
    rd_ctx *ctx = NULL;
    rdi_axis a;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rdi_axis_init(ctx, &a, slots), RD_OK);
    rdi_axis_restart(&a, slots - 4000);
    assert_int_equal(a.live, slots - 4000);
    for (int i = 0; i < 4000; i++) {
        rdi_axis_push(&a);
        a.live++;
    }
    uint64_t cleared = 0;
    for (uint64_t i = 0; i < slots; i += 104729) { /* some hundred slots, all over */
        rdi_axis_clear(&a, rdi_axis_slot(i));
        cleared++;
        assert_int_equal(rdi_axis_rank(&a, rdi_axis_slot(slots - 1)), slots - cleared);
        if (i > 0)
            assert_int_equal(rdi_axis_rank(&a, rdi_axis_slot(i - 1)), i - (cleared - 1));
    }
    rdi_axis_fini(ctx, &a);
    rd_ctx_free(ctx);
}

static void restart_and_recount_agree_with_pushing(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 62, 63, 64, 447, 448, 449, 14335, 14336, 20000};
    for (size_t k = 0; k < RDI_COUNT(sizes); k++) {
        fixture f;
        begin(&f, 30000);
        for (int i = 0; i < 25000; i++)
            push(&f);
        rdi_axis_restart(&f.axis, sizes[k]);
        memset(f.live, 0, 30000);
        f.pushed = f.n_live = sizes[k];
        memset(f.live, 1, sizes[k]);
        check_all(&f);
        for (int i = 0; i < 3000; i++) {
            push(&f);
            if (f.live[f.pushed / 2])
                clear(&f, f.pushed / 2);
        }
        check_all(&f);
        rdi_axis_recount(&f.axis);
        check_all(&f);
        end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_and_indices_are_inverse),
        cmocka_unit_test(random_pushes_and_clears_keep_every_rank),
        cmocka_unit_test(counts_cross_every_level),
        cmocka_unit_test(restart_and_recount_agree_with_pushing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
