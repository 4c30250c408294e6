/* Tests rdi_passes, the loops of attribution that are compiled per instruction set: each
 * instruction set gives the results of plain C. */
#include "attribution/contexts.h"
#include "attribution/passes.h"
#include "attribution/sites.h"

#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define N 67 /* whole vectors and a remainder */

typedef struct input {
    uint64_t address[N], pc[N], number[N];
    uint32_t size[N], origin[N];
} input;

typedef struct results {
    bool gapless, known, small;
    rdi_tuple_key reuse[N];
    uint8_t words[N], clipped_words[N];
    uint64_t clipped[N];
    rdi_touch *touch[N];
    rdi_tuple *tuple[N];
    uint64_t context[N], home[N];
} results;

static uint64_t cache[RDI_SITE_CACHE];
static rdi_touch touches[64];
static rdi_tuple tuples[64];
static const uint64_t masks[] = {0x1ffffffff, 0, 0x3ffffffff, 0x300000000};

/* Runs the loop that clips references to blocks. Every third entry is for the block after the one
 * in which its reference begins. */
static void run_clipped(const rdi_passes *passes, const input *in, size_t n, results *out) {
    rd_refs refs = {.n = N, .addr = in->address, .size = n % 2 ? in->size : NULL};
    uint32_t origin[N];
    uint64_t blocks[N];
    for (size_t i = 0; i < n; i++) {
        origin[i] = in->origin[i] % N;
        blocks[i] = (in->address[origin[i]] >> 6) + (i % 3 == 2);
    }
    passes->clipped(&refs, origin, blocks, n, 6, 3, 7, out->clipped, out->clipped_words);
}

static void run(const rdi_passes *passes, const input *in, size_t n, results *out) {
    rdi_touch_table table = {.slot = touches, .mask = 63, .shift = 58};
    rdi_tuples keys = {.slot = tuples, .slots = 64, .shift = 58};
    memset(out, 0, sizeof *out);
    out->gapless = passes->gapless(in->origin, n);
    out->known = passes->sites(cache, in->pc, n, out->reuse);
    passes->words(in->address, in->size, n, 3, 7, out->words);
    run_clipped(passes, in, n, out);
    passes->touches(&table, in->address, n, out->touch);
    passes->tuples(&keys, in->pc, n, out->tuple);
    out->small = passes->contexts(masks, RDI_COUNT(masks), in->number, out->reuse, n, out->context);
    passes->homes(in->pc, n, 58, out->home);
}

/* Makes the input with index `number`. If the index is even, the input has no gaps and nearly only
 * known program counters. */
static void make_input(uint64_t number, input *in) {
    uint64_t state = number + 1;
    memset(cache, 0, sizeof cache);
    for (uint32_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in->address[i] = i % 5 ? state : UINT64_MAX - state % 3;
        in->size[i] = (uint32_t)(state >> 40) % 9;
        in->pc[i] = state >> 20;
        in->number[i] = number % 3 || i != number % N ? state >> 62 : state;
        in->origin[i] = number % 2 && i == number % N ? i + 2 : i - i / 9;
        if (number % 2 == 0 || state >> 63)
            cache[rdi_site_slot(in->pc[i])] = rdi_site_tag(in->pc[i]) << RDI_SITE_BITS | (i + 1);
    }
}

static void each_instruction_set_gives_the_same(void **state) {
    rd_ctx *ctx = *state;
    const rdi_passes *plain = NULL, *other = NULL;
    assert_int_equal(rdi_passes_choose(ctx, RDI_ISA_PLAIN, &plain), RD_OK);
    for (rdi_isa isa = RDI_ISA_AVX2; isa <= RDI_ISA_AVX512; isa++) {
        if (rdi_passes_choose(ctx, isa, &other) != RD_OK)
            continue;
        for (uint64_t number = 0; number < 64; number++) {
            input in;
            results expected, got;
            make_input(number, &in);
            run(plain, &in, N - number % 40, &expected);
            run(other, &in, N - number % 40, &got);
            assert_memory_equal(&got, &expected, sizeof got);
        }
    }
}

static void plain_loops_tell_gaps_words_and_sites(void **state) {
    rd_ctx *ctx = *state;
    const rdi_passes *plain = NULL;
    results out;
    input in = {.origin = {7, 8, 8, 9},
                .pc = {0x401000, 0x401004, 0x401000, 0x401009},
                .address = {64, 68, 126, 120},
                .size = {8, 8, 1, 0}};
    memset(cache, 0, sizeof cache);
    cache[rdi_site_slot(0x401000)] = rdi_site_tag(0x401000) << RDI_SITE_BITS | 3;
    assert_int_equal(rdi_passes_choose(ctx, RDI_ISA_PLAIN, &plain), RD_OK);
    run(plain, &in, 4, &out);
    assert_true(out.gapless);
    assert_false(out.known);
    assert_int_equal(out.reuse[0], UINT64_C(3) << RDI_REUSE_SHIFT);
    assert_int_equal(out.reuse[1], 0);
    assert_int_equal(out.words[0], 1);
    assert_int_equal(out.words[1], 3);
    assert_int_equal(out.words[2], 1 << 7);
    assert_int_equal(out.words[3], 1 << 7);
    in.origin[3] = 10;
    run(plain, &in, 4, &out);
    assert_false(out.gapless);
}

static void keys_have_the_counted_context_and_its_sites(void **state) {
    rd_ctx *ctx = *state;
    const rdi_passes *plain = NULL;
    uint64_t numbers[] = {0, 1, 2, 3, 4}, key[5] = {0};
    rdi_tuple_key reuse[5];
    for (uint64_t i = 0; i < 5; i++)
        reuse[i] = (7 + i) << RDI_REUSE_SHIFT;
    assert_int_equal(rdi_passes_choose(ctx, RDI_ISA_PLAIN, &plain), RD_OK);
    assert_false(plain->contexts(masks, RDI_COUNT(masks), numbers, reuse, 5, key));
    assert_true(plain->contexts(masks, RDI_COUNT(masks), numbers, reuse, 4, key));
    assert_int_equal(key[0], rdi_context_key(0, 7));
    assert_int_equal(key[1], 0);
    assert_int_equal(key[2], rdi_context_key(2, 9));
    assert_int_equal(key[3], rdi_context_key(2, RDI_FOLDED));
}

static void references_are_clipped_to_their_blocks(void **state) {
    rd_ctx *ctx = *state;
    const rdi_passes *plain = NULL;
    uint64_t addresses[] = {60, 72}, blocks[] = {0, 1, 1}, clipped[3];
    uint32_t sizes[] = {8, 16}, origin[] = {0, 0, 1};
    uint8_t words[3];
    rd_refs refs = {.n = 2, .addr = addresses, .size = sizes};
    assert_int_equal(rdi_passes_choose(ctx, RDI_ISA_PLAIN, &plain), RD_OK);
    plain->clipped(&refs, origin, blocks, 3, 6, 3, 7, clipped, words);
    assert_int_equal(clipped[0], 60);
    assert_int_equal(clipped[1], 64);
    assert_int_equal(clipped[2], 72);
    assert_int_equal(words[0], 1 << 7);
    assert_int_equal(words[1], 1);
    assert_int_equal(words[2], 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_set_gives_the_same),
        cmocka_unit_test(plain_loops_tell_gaps_words_and_sites),
        cmocka_unit_test(keys_have_the_counted_context_and_its_sites),
        cmocka_unit_test(references_are_clipped_to_their_blocks),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
