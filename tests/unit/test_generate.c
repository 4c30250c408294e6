/* Tests rd_trace_generate() and its generators: lengths, distributions, repeatability and
 * mistakes. */
#include "base/number.h"
#include "reusedist/reusedist.h"
#include "support/faults.h"
#include "trace/checksum.h"
#include "trace/generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns all addresses of a generated trace, which the caller frees with free(). */
static uint64_t *generate(const char *spec, size_t *n) {
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    uint64_t *all = NULL, done = 0, total = 0;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    if (rd_trace_generate(ctx, spec, &t) != RD_OK)
        fail_msg("%s: %s", spec, rd_last_error(ctx));
    *n = 0;
    while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
        all = realloc(all, (*n + refs->n) * sizeof *all);
        assert_non_null(all);
        memcpy(all + *n, refs->addr, refs->n * sizeof *all);
        *n += refs->n;
        rd_trace_progress(t, &done, &total);
        assert_int_equal(done, *n);
    }
    assert_int_equal(done, total);
    assert_false(rd_trace_has_ids(t));
    rd_trace_close(t);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
    return all;
}

/* Counts how often each block of a trace with stride 64 occurs. Its block numbers must be below
 * `blocks`. */
static uint64_t *count_blocks(const char *spec, size_t blocks, size_t *n) {
    uint64_t *addr = generate(spec, n), *counts = calloc(blocks, sizeof *counts);
    assert_non_null(counts);
    for (size_t i = 0; i < *n; i++) {
        assert_int_equal(addr[i] % 64, 0);
        assert_true(addr[i] / 64 < blocks);
        counts[addr[i] / 64]++;
    }
    free(addr);
    return counts;
}

/* Checks with a chi-square test that the counts have these shares. The chi-square is about as large
 * as the degrees of freedom, and rarely more than six standard deviations larger. */
static void assert_distributed(const uint64_t *counts, const double *shares, size_t k, size_t n) {
    double chi = 0;
    for (size_t i = 0; i < k; i++) {
        double expected = shares[i] * (double)n, off = (double)counts[i] - expected;
        chi += off * off / expected;
    }
    double freedom = (double)(k - 1);
    if (chi > freedom + 6 * sqrt(2 * freedom))
        fail_msg("chi-square is %g, too much for %g degrees of freedom", chi, freedom);
}

/* Computes the distances of a generated trace with the oracle. */
static uint64_t *distances(const char *spec, size_t *n) {
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    uint64_t *addr = generate(spec, n), *d = malloc(*n * sizeof *d);
    assert_non_null(d);
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_engine_open(ctx, "stack", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, addr, *n, d), RD_OK);
    rd_engine_close(e);
    rd_ctx_free(ctx);
    free(addr);
    return d;
}

/* ---- every generator ---- */

static void every_generator_makes_as_many_references_as_asked(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 100000};
    for (size_t g = 0; rd_generator_info_at(g); g++)
        for (size_t i = 0; i < RDI_COUNT(lengths); i++) {
            char spec[64];
            snprintf(spec, sizeof spec, "%s:refs=%zu", rd_generator_info_at(g)->name, lengths[i]);
            size_t n = 0;
            free(generate(spec, &n));
            assert_int_equal(n, lengths[i]);
        }
}

/* Tests the promise that a spec means the same trace on every machine and in every release, with
 * checksums. */
static void every_generator_gives_the_same_trace_everywhere(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t sum;
    } known[] = {
        {"zipf:refs=100000", UINT64_C(0x6bbdc08a2f69c554)},
        {"zipf:refs=100000,blocks=1T,alpha=1.2,seed=7,scramble=off", UINT64_C(0xc2f6215894119d6c)},
        {"uniform:refs=100000,seed=3,stride=1", UINT64_C(0x9e970612405c0ee9)},
        {"cycle:refs=100000", UINT64_C(0x0136d81d01fcf768)},
        {"sawtooth:refs=100000", UINT64_C(0x672bb94b93edc4fb)},
        {"pulse:refs=100000", UINT64_C(0xe92d9e1a8ac7a1f7)},
        {"stack:refs=100000,cold=0.01", UINT64_C(0x5ab1058363c160d1)},
        {"phases:refs=1000000", UINT64_C(0xd20b173b13d80b6f)},
        {"fft:refs=1000000", UINT64_C(0x445d22b57a7af352)},
    };
    for (size_t i = 0; i < RDI_COUNT(known); i++) {
        size_t n = 0;
        uint64_t *addr = generate(known[i].spec, &n);
        for (size_t k = 0; k < n; k++) /* converted in place, because the sum is over little-endian
                                          bytes */
            rdi_store_le64((uint8_t *)(addr + k), addr[k]);
        uint64_t sum = rdi_xxh64((const uint8_t *)addr, n * sizeof *addr, 0);
        if (sum != known[i].sum)
            fail_msg("%s: the checksum is 0x%016llx instead of 0x%016llx", known[i].spec,
                     (unsigned long long)sum, (unsigned long long)known[i].sum);
        free(addr);
    }
}

static void another_seed_gives_another_trace(void **state) {
    (void)state;
    static const char *const specs[] = {"zipf", "uniform", "pulse", "stack", "phases"};
    for (size_t i = 0; i < RDI_COUNT(specs); i++) {
        char spec[64];
        size_t n = 0;
        snprintf(spec, sizeof spec, "%s:refs=1000,seed=1", specs[i]);
        uint64_t *one = generate(spec, &n);
        snprintf(spec, sizeof spec, "%s:refs=1000,seed=2", specs[i]);
        uint64_t *two = generate(spec, &n);
        assert_memory_not_equal(one, two, 1000 * sizeof *one);
        free(one);
        free(two);
    }
}

/* ---- arithmetic ---- */

static void logarithm_and_exponential_are_as_good_as_the_library(void **state) {
    (void)state;
    rdi_rng rng = {11};
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(1 + rdi_rng_unit(&rng), (int)rdi_rng_below(&rng, 200) - 100);
        double y = (rdi_rng_unit(&rng) - 0.5) * 200;
        assert_true(fabs(rdi_log(x) - log(x)) <= 4e-16 * (fabs(log(x)) + 1));
        assert_true(fabs(rdi_exp(y) - exp(y)) <= 2e-14 * exp(y));
    }
    assert_true(rdi_log(1) == 0 && rdi_exp(0) == 1);
}

static void scramble_is_a_permutation(void **state) {
    (void)state;
    static bool seen[5000];
    for (uint64_t n = 1; n <= RDI_COUNT(seen); n = n < 300 ? n + 1 : n + 1567) {
        memset(seen, 0, sizeof seen);
        for (uint64_t x = 0; x < n; x++) {
            uint64_t y = rdi_scramble(x, n);
            assert_true(y < n && !seen[y]);
            seen[y] = true;
        }
    }
    assert_true(rdi_scramble(RDI_BLOCKS_MAX - 1, RDI_BLOCKS_MAX) < RDI_BLOCKS_MAX);
}

/* ---- each generator ---- */

static void zipf_has_its_distribution(void **state) {
    (void)state;
    static const double alphas[] = {0, 0.5, 0.99, 1, 1.0000001, 1.5, 3};
    enum { BLOCKS = 60 };
    for (size_t a = 0; a < RDI_COUNT(alphas); a++) {
        double shares[BLOCKS], sum = 0;
        for (size_t k = 0; k < BLOCKS; k++)
            sum += shares[k] = pow((double)(k + 1), -alphas[a]);
        for (size_t k = 0; k < BLOCKS; k++)
            shares[k] /= sum;
        char spec[128];
        rdi_snprintf(spec, sizeof spec, "zipf:blocks=60,refs=300000,scramble=off,alpha=%.9g",
                     alphas[a]);
        size_t n = 0;
        uint64_t *counts = count_blocks(spec, BLOCKS, &n);
        assert_distributed(counts, shares, BLOCKS, n);
        free(counts);
    }
}

/* Checks that scrambling changes only the addresses and not the drawn blocks. */
static void scrambled_zipf_is_zipf_with_other_addresses(void **state) {
    (void)state;
    size_t n = 0;
    uint64_t *plain = generate("zipf:blocks=1000,refs=10000,scramble=off", &n);
    uint64_t *scrambled = generate("zipf:blocks=1000,refs=10000", &n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(scrambled[i], rdi_scramble(plain[i] / 64, 1000) * 64);
    free(plain);
    free(scrambled);
}

static void zipf_reaches_its_ends(void **state) {
    (void)state;
    size_t n = 0;
    free(count_blocks("zipf:blocks=1,refs=1000", 1, &n));
    uint64_t *addr = generate("zipf:blocks=1T,alpha=0,refs=1000,scramble=off,stride=1", &n);
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = addr[i] > largest ? addr[i] : largest;
    assert_true(largest < RDI_BLOCKS_MAX && largest > RDI_BLOCKS_MAX / 100 * 98);
    free(addr);
    free(count_blocks("zipf:blocks=1M,alpha=20,refs=1000,scramble=off", 2, &n));
}

static void uniform_has_its_distribution(void **state) {
    (void)state;
    enum { BLOCKS = 100 };
    double shares[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++)
        shares[i] = 1.0 / BLOCKS;
    size_t n = 0;
    uint64_t *counts = count_blocks("uniform:blocks=100,refs=200000", BLOCKS, &n);
    assert_distributed(counts, shares, BLOCKS, n);
    free(counts);
}

static void cycle_and_sawtooth_have_their_distances(void **state) {
    (void)state;
    size_t n = 0;
    uint64_t *d = distances("cycle:blocks=7,refs=5000", &n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(d[i], i < 7 ? RD_COLD : 6);
    free(d);
    d = distances("sawtooth:blocks=7,refs=5000", &n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(d[i], i < 7 ? RD_COLD : i % 7);
    free(d);
}

static void stack_has_the_distances_of_its_list(void **state) {
    (void)state;
    static const uint64_t at[] = {0, 3, 10, 40};
    static const double shares[] = {0.4, 0.3, 0.2, 0.1};
    size_t n = 0, finite = 0;
    uint64_t counts[4] = {0};
    uint64_t *d = distances("stack:at=0:3:10:40,weights=4:3:2:1,refs=100000", &n);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < RDI_COUNT(at) && at[k] != d[i])
            k++;
        if (d[i] != RD_COLD) {
            assert_true(k < RDI_COUNT(at));
            counts[k]++;
            finite++;
        }
    }
    assert_int_equal(n - finite, 41); /* the deepest reuse needs 41 blocks */
    assert_distributed(counts, shares, RDI_COUNT(at), finite);
    free(d);
}

static void stack_has_its_geometric_distribution(void **state) {
    (void)state;
    enum { BINS = 30, MEAN = 20 };
    double shares[BINS + 1], left = 1, fail = MEAN / (MEAN + 1.0);
    uint64_t counts[BINS + 1] = {0};
    for (size_t i = 0; i < BINS; i++, left *= fail)
        shares[i] = left * (1 - fail);
    shares[BINS] = left;
    size_t n = 0, finite = 0;
    uint64_t *d = distances("stack:mean=20,refs=200000,blocks=100000", &n);
    for (size_t i = n / 10; i < n; i++) /* once the stack is deep enough */
        if (d[i] != RD_COLD) {
            counts[d[i] < BINS ? d[i] : BINS]++;
            finite++;
        }
    assert_distributed(counts, shares, BINS + 1, finite);
    free(d);
}

static void stack_keeps_to_its_blocks_and_cold_share(void **state) {
    (void)state;
    size_t n = 0, cold = 0;
    uint64_t *d = distances("stack:mean=5,cold=0.1,blocks=1000000,refs=50000", &n);
    for (size_t i = 0; i < n; i++)
        cold += d[i] == RD_COLD;
    assert_true(cold > 4500 && cold < 5500);
    free(d);
    cold = 0;
    d = distances("stack:mean=1000,cold=0.5,blocks=50,refs=20000", &n);
    for (size_t i = 0; i < n; i++) {
        cold += d[i] == RD_COLD;
        assert_true(d[i] == RD_COLD || d[i] < 50);
    }
    assert_int_equal(cold, 50);
    free(d);
    d = distances("stack:mean=0,refs=100", &n);
    for (size_t i = 1; i < n; i++)
        assert_int_equal(d[i], 0);
    free(d);
}

/* Computes time distances with a table of last positions. The time distance of a first reference is
 * 0. */
static uint64_t *time_distances(const char *spec, size_t *n) {
    uint64_t *addr = generate(spec, n), *last = calloc(*n, sizeof *last);
    assert_non_null(last);
    for (size_t i = 0; i < *n; i++) {
        uint64_t block = addr[i] / 64, before = last[block];
        last[block] = i + 1;
        addr[i] = before ? i + 1 - before : 0;
    }
    free(last);
    return addr;
}

static void pulse_concentrates_time_distances(void **state) {
    (void)state;
    size_t n = 0, near[2] = {0}, reuses = 0;
    uint64_t *d = time_distances("pulse:at=1000:40000,weights=3:1,refs=400000", &n);
    for (size_t i = n / 4; i < n; i++) {
        reuses += d[i] > 0;
        near[0] += d[i] >= 850 && d[i] <= 1150;
        near[1] += d[i] >= 36000 && d[i] <= 44000;
    }
    assert_int_equal(reuses, n - n / 4);
    assert_true((double)(near[0] + near[1]) > 0.99 * (double)reuses);
    assert_true(fabs((double)near[0] / (double)reuses - 0.75) < 0.01);
    free(d);
}

static void regular_pulses_have_no_width(void **state) {
    (void)state;
    size_t n = 0;
    uint64_t *d = time_distances("pulse:at=40:1000,weights=3:1,refs=5000,order=regular", &n);
    for (size_t i = 1000; i < n; i++)
        assert_true(d[i] == 40 || d[i] == 1000);
    free(d);
    d = time_distances("pulse:at=100,refs=5000", &n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(d[i], i < 100 ? 0 : 100);
    free(d);
}

static void phases_take_turns(void **state) {
    (void)state;
    static const uint64_t first[] = {0, 10, 30}, size[] = {10, 20, 5};
    size_t n = 0;
    uint64_t *addr = generate("phases:sets=10:20:5,length=300,refs=5000", &n);
    for (size_t i = 0; i < n; i++) {
        size_t set = i / 300 % 3;
        assert_true(addr[i] / 64 - first[set] < size[set]);
    }
    free(addr);
    addr = generate("phases:sets=10:20:5,length=300,refs=5000,pattern=cycle", &n);
    for (size_t i = 0; i < n; i++) {
        size_t set = i / 300 % 3;
        assert_int_equal(addr[i] / 64, first[set] + i % 300 % size[set]);
    }
    free(addr);
}

/* Tests that the generator transforms all rows, then all columns, and then begins again. A row of 8
 * numbers has 2 swaps of 8 references each and 12 butterflies of 10 references each; a column of 4
 * numbers has 1 swap and 4 butterflies. */
static void fft_transforms_rows_then_columns_again_and_again(void **state) {
    (void)state;
    enum { ROW = 2 * 8 + 12 * 10, COLUMN = 8 + 4 * 10, ALL = 4 * ROW + 8 * COLUMN };
    size_t n = 0;
    uint64_t *addr = generate("fft:rows=4,columns=8,refs=2000,stride=1", &n);
    for (size_t i = 0; i + ALL < n; i++)
        assert_int_equal(addr[i], addr[i + ALL]);
    for (size_t i = 0; i < ALL; i++) {
        bool by_row = i < 4 * ROW;
        size_t line = by_row ? i / ROW : (i - 4 * ROW) / COLUMN;
        uint64_t number = addr[i] / 2; /* each number takes two blocks, and the factors follow the
                                          32 numbers */
        assert_true(number < 32 + 4);
        if (number < 32)
            assert_int_equal(by_row ? number / 8 : number % 8, line);
    }
    free(addr);
}

/* ---- mistakes ---- */

static void mistakes_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"nonsense", "unknown generator 'nonsense' (valid: zipf, uniform, cycle"},
        {"", "unknown generator ''"},
        {"zipf:color=red", "generator zipf: unknown option 'color' (valid: blocks, alpha"},
        {"zipf:blocks=0", "generator zipf: option 'blocks'"},
        {"zipf:blocks=2T", "generator zipf: option 'blocks'"},
        {"zipf:alpha=-1", "generator zipf: option 'alpha'"},
        {"uniform:stride=0", "option 'stride'"},
        {"uniform:refs=-5", "option 'refs'"},
        {"pulse:at=0", "a time distance of 0 references is not from 1 to 1T"},
        {"pulse:at=2T", "is not from 1 to 1T"},
        {"pulse:at=5:6,weights=1", "generator pulse: weights= and at= have 1 and 2 numbers; give "},
        {"pulse:at=5:6,weights=0:0", "all weights are 0"},
        {"pulse:at=5:6,weights=5G:1", "a weight of 5368709120 does not fit in 32 bits"},
        {"stack:weights=1:2", "weights= is given without at="},
        {"phases:sets=10:0", "a working set of 0 blocks: the number must be from 1 to 1T"},
        {"fft:rows=3", "generator fft: rows=3 and columns=256: both numbers must be powers of two"},
        {"fft:columns=1", "option 'columns'"},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_ctx *ctx = NULL;
        rd_trace *t = NULL;
        assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
        assert_int_equal(rd_trace_generate(ctx, cases[i].spec, &t), RD_EINVAL);
        if (!strstr(rd_last_error(ctx), cases[i].message))
            fail_msg("'%s' gives '%s'", cases[i].spec, rd_last_error(ctx));
        assert_int_equal(rd_ctx_live_bytes(ctx), 0);
        rd_ctx_free(ctx);
    }
}

static rd_status generate_some(rd_ctx *ctx, void *user) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_generate(ctx, user, &t);
    if (status == RD_OK)
        status = rd_trace_read(t, &refs);
    rd_trace_close(t);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    for (size_t g = 0; rd_generator_info_at(g); g++) {
        char name[32];
        snprintf(name, sizeof name, "%s", rd_generator_info_at(g)->name);
        assert_true(faults_inject(name, generate_some, name, RD_OK) >= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator_makes_as_many_references_as_asked),
        cmocka_unit_test(every_generator_gives_the_same_trace_everywhere),
        cmocka_unit_test(another_seed_gives_another_trace),
        cmocka_unit_test(logarithm_and_exponential_are_as_good_as_the_library),
        cmocka_unit_test(scramble_is_a_permutation),
        cmocka_unit_test(zipf_has_its_distribution),
        cmocka_unit_test(scrambled_zipf_is_zipf_with_other_addresses),
        cmocka_unit_test(zipf_reaches_its_ends),
        cmocka_unit_test(uniform_has_its_distribution),
        cmocka_unit_test(cycle_and_sawtooth_have_their_distances),
        cmocka_unit_test(stack_has_the_distances_of_its_list),
        cmocka_unit_test(stack_has_its_geometric_distribution),
        cmocka_unit_test(stack_keeps_to_its_blocks_and_cold_share),
        cmocka_unit_test(pulse_concentrates_time_distances),
        cmocka_unit_test(regular_pulses_have_no_width),
        cmocka_unit_test(phases_take_turns),
        cmocka_unit_test(fft_transforms_rows_then_columns_again_and_again),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
