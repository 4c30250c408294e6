/* Tests that every path through the mapper gives the blocks and origins that rd_mapping defines. */
#include "base/common.h"
#include "reusedist/reusedist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFS_MAX   4096
#define BLOCKS_MAX (1 << 20)

static uint64_t addr[REFS_MAX];
static uint32_t size[REFS_MAX];
static uint8_t kind[REFS_MAX];
static uint64_t got[BLOCKS_MAX], wanted[BLOCKS_MAX];
static uint32_t got_origin[BLOCKS_MAX], wanted_origin[BLOCKS_MAX];

/* Maps references one at a time, exactly as rd_mapping is documented, to `wanted` and
 * `wanted_origin`. Returns the number of blocks. */
static size_t map_plainly(const rd_refs *refs, const rd_mapping *mapping) {
    uint32_t kinds = mapping->kinds ? mapping->kinds : RD_ALL_KINDS;
    size_t n = 0;
    for (size_t i = 0; i < refs->n; i++) {
        if (!((refs->kind ? refs->kind[i] : RD_LOAD) & kinds))
            continue;
        uint64_t bytes = mapping->block_bytes ? mapping->block_bytes : 1;
        uint64_t first = refs->addr[i], last = first;
        if (refs->size && mapping->block_bytes)
            last += refs->size[i] - 1;
        uint64_t block = first / bytes;
        wanted_origin[n] = (uint32_t)i;
        wanted[n++] = block;
        while (block != last / bytes) {
            wanted_origin[n] = (uint32_t)i;
            wanted[n++] = ++block;
        }
    }
    return n;
}

static size_t map_all(rd_mapper *m, const rd_refs *refs) {
    const uint64_t *blocks = NULL;
    size_t n = 0, total = 0;
    rd_mapper_feed(m, refs);
    for (;;) {
        assert_int_equal(rd_mapper_next(m, &blocks, &n), RD_OK);
        if (n == 0)
            return total;
        memcpy(got + total, blocks, n * sizeof *blocks);
        if (rd_mapper_origins(m))
            memcpy(got_origin + total, rd_mapper_origins(m), n * sizeof *got_origin);
        total += n;
    }
}

static void check_with(const rd_refs *refs, const rd_mapping *mapping) {
    rd_ctx *ctx = NULL;
    rd_mapper *m = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_mapper_new(ctx, mapping, &m), RD_OK);
    size_t n = map_plainly(refs, mapping);
    for (int batch = 0; batch < 2; batch++) {
        assert_int_equal(map_all(m, refs), n);
        assert_memory_equal(got, wanted, n * sizeof *got);
        if (mapping->origins)
            assert_memory_equal(got_origin, wanted_origin, n * sizeof *got_origin);
    }
    rd_mapper_free(m);
    rd_ctx_free(ctx);
}

/* Compares the mapper with the definition, with and without origins. */
static void check(const rd_refs *refs, uint64_t block_bytes, uint32_t kinds) {
    check_with(refs, &(rd_mapping){
                         .size = sizeof(rd_mapping), .block_bytes = block_bytes, .kinds = kinds});
    check_with(refs, &(rd_mapping){.size = sizeof(rd_mapping),
                                   .block_bytes = block_bytes,
                                   .kinds = kinds,
                                   .origins = true});
}

/* Compares the mapper with the definition for several block sizes, every mask of kinds, and with
 * and without the columns for size and kind. */
static void check_all(size_t n) {
    static const uint64_t block_bytes[] = {0, 1, 2, 16, 64, 4096, UINT64_C(1) << 63};
    for (size_t b = 0; b < RDI_COUNT(block_bytes); b++)
        for (uint32_t kinds = 0; kinds <= RD_ALL_KINDS; kinds++)
            for (int columns = 0; columns < 4; columns++) {
                rd_refs refs = {.n = n,
                                .addr = addr,
                                .size = columns & 1 ? size : NULL,
                                .kind = columns & 2 ? kind : NULL};
                check(&refs, block_bytes[b], kinds);
            }
}

/* Makes references of up to `largest` bytes. About one in `rare` begins anywhere; all others begin
 * at a multiple of 4096. */
static void make_refs(size_t n, uint32_t largest, int rare) {
    srand(1);
    for (size_t i = 0; i < n; i++) {
        size[i] = 1 + (uint32_t)rand() % largest;
        addr[i] = (uint64_t)rand() << 12;
        if (rand() % rare == 0)
            addr[i] += (uint64_t)rand() % 4096;
        kind[i] = (uint8_t)(1 << rand() % 3);
    }
}

static void references_within_a_block_are_not_split(void **state) {
    (void)state;
    make_refs(REFS_MAX, 1, 1);
    check_all(REFS_MAX);
    make_refs(REFS_MAX, 64, RAND_MAX);
    check_all(REFS_MAX);
}

static void a_rare_spanning_reference_is_split(void **state) {
    (void)state;
    for (size_t n = 1; n <= REFS_MAX; n = n * 2 + n % 3) {
        make_refs(n, 8, 100);
        check_all(n);
    }
}

static void many_spanning_references_are_split(void **state) {
    (void)state;
    make_refs(REFS_MAX, 128, 1);
    check_all(REFS_MAX);
    make_refs(REFS_MAX, 12, 1); /* 1 to 12 bytes: at most two blocks of 16 bytes */
    check_all(REFS_MAX);
}

static void a_reference_may_span_more_blocks_than_a_batch(void **state) {
    (void)state;
    make_refs(300, 8, 10);
    size[0] = 70000;
    size[299] = 99999;
    check_all(300);
}

static void the_ends_of_the_address_space_are_blocks(void **state) {
    (void)state;
    make_refs(3, 1, 1);
    addr[0] = UINT64_MAX;
    addr[1] = 0;
    addr[2] = UINT64_MAX - 2;
    size[2] = 2;
    check_all(3);
}

static void a_reference_past_the_end_is_refused_unless_dropped(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    make_refs(20, 4, 1);
    addr[17] = UINT64_MAX - 2;
    size[17] = 4;
    kind[17] = RD_STORE;
    rd_refs refs = {.n = 20, .addr = addr, .size = size, .kind = kind};
    const uint64_t *blocks = NULL;
    size_t n = 0;
    for (uint64_t bytes = 1; bytes; bytes <<= 1) {
        rd_mapper *m = NULL;
        assert_int_equal(
            rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = bytes}, &m),
            RD_OK);
        rd_mapper_feed(m, &refs);
        assert_int_equal(rd_mapper_next(m, &blocks, &n), RD_OK); /* the blocks before the invalid
                                                                    reference come first */
        assert_true(n >= 17);
        assert_int_equal(rd_mapper_next(m, &blocks, &n), RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), "reference 18: 4 bytes at 0xfffffffffffffffd"));
        rd_mapper_free(m);
    }
    check(&refs, 64, RD_LOAD | RD_FETCH);
    check(&refs, 0, 0);
    rd_ctx_free(ctx);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    rd_mapper *m = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(
        rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 48}, &m),
        RD_EINVAL);
    assert_int_equal(
        rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64, .kinds = 8},
                      &m),
        RD_EINVAL);
    rd_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_within_a_block_are_not_split),
        cmocka_unit_test(a_rare_spanning_reference_is_split),
        cmocka_unit_test(many_spanning_references_are_split),
        cmocka_unit_test(a_reference_may_span_more_blocks_than_a_batch),
        cmocka_unit_test(the_ends_of_the_address_space_are_blocks),
        cmocka_unit_test(a_reference_past_the_end_is_refused_unless_dropped),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
