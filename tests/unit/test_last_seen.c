/* The segmented table from block to slot: growth, splitting, dropping. */
#include "engine/fast/batch.h"
#include "order/last_seen.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BLOCKS 200000u

/* Enters slot + 1 for every block, one by one, and returns the previous slots in the items. */
static uint64_t exchange(rdi_last_seen *seen, uint64_t block, uint64_t slot) {
    uint64_t k = rdi_seen_segment_of(rdi_seen_hash(block), seen->bits);
    rdi_batch_item item = {block, slot};
    assert_int_equal(rdi_batch_plain.locate(seen, &seen->segment[k], &item, 1), RD_OK);
    return item.block_or_prev;
}

static uint64_t block_of(uint64_t i) {
    return i == 0 ? UINT64_MAX : i == 1 ? 0 : i * 64; /* unusual ids first */
}

static void fill(rd_ctx *ctx, rdi_last_seen *seen, unsigned workers) {
    assert_int_equal(rdi_last_seen_init(ctx, seen, workers), RD_OK);
    for (uint64_t i = 0; i < BLOCKS; i++)
        assert_int_equal(exchange(seen, block_of(i), i + 1), 0);
}

static void blocks_are_found_after_growth_and_splitting(void **state) {
    (void)state;
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        rd_ctx *ctx = NULL;
        rdi_last_seen seen;
        assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
        fill(ctx, &seen, workers);
        unsigned bits = seen.bits;
        assert_int_equal(rdi_last_seen_split(&seen), RD_OK);
        assert_true(seen.bits > bits || workers > 1);
        for (uint64_t i = 0; i < BLOCKS; i++)
            assert_int_equal(exchange(&seen, block_of(i), i + 7), i + 1);
        assert_int_equal(exchange(&seen, UINT64_C(0xdead), 1), 0);
        rdi_last_seen_fini(&seen);
        assert_int_equal(rd_ctx_live_bytes(ctx), 0);
        rd_ctx_free(ctx);
    }
}

static void dropping_leaves_the_others(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    rdi_last_seen seen;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    fill(ctx, &seen, 1);
    assert_int_equal(rdi_last_seen_split(&seen), RD_OK);
    size_t before = rd_ctx_live_bytes(ctx);
    for (uint64_t k = 0; k < rdi_seen_segments(&seen); k++) {
        rdi_seen_segment *s = &seen.segment[k];
        uint32_t dropped = 0;
        for (uint32_t b = 0; b < s->buckets; b++)
            for (unsigned i = 0; i < 8 && s->bucket[b].slot[i]; i++)
                if (s->bucket[b].slot[i] <= BLOCKS / 2) {
                    s->bucket[b].slot[i] = RDI_SEEN_DROPPED;
                    dropped++;
                }
        assert_int_equal(rdi_last_seen_drop(&seen, s, dropped), RD_OK);
    }
    assert_true(rd_ctx_live_bytes(ctx) < before * 3 / 4); /* memory shrinks as well */
    for (uint64_t i = 0; i < BLOCKS; i++)
        assert_int_equal(exchange(&seen, block_of(i), i + 1), i + 1 > BLOCKS / 2 ? i + 1 : 0);
    rdi_last_seen_fini(&seen);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_after_growth_and_splitting),
        cmocka_unit_test(dropping_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
