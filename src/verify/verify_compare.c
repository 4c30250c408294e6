/* Compares the answers of an engine with the oracle, as the engine's error kind promises:
 *
 *   exact               every distance, total, bin and sum is equal to the oracle's
 *   relative, absolute  every total is equal to the oracle's, every distance is within the error
 *                       bound, and the histogram counts the reported distances; if none are
 *                       reported, the n-th smallest distance is within the error bound of the
 *                       oracle's n-th smallest distance
 *   anything else       the histogram counts every reference once, counts the reported distances if
 *                       there are any, and is the same for other batches (rdi_verify_repeats())
 *
 * For an engine that measures no distances, only the number of references and, if it is stated, the
 * number of blocks are compared. The engine's own check must succeed as well.
 */
#include "base/number.h"
#include "profile/error_bound.h"
#include "verify/verifier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rdi_verify_differ(rdi_verify_outcome *out, uint64_t reference, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rdi_vsnprintf(out->what, sizeof out->what, format, args);
    va_end(args);
    out->different = true;
    out->reference = reference;
}

static bool measures(const rd_engine_info *info) {
    return !(info->caps & RD_CAP_NO_DISTANCE);
}

/* ---- distances ---- */

static void print_distance(char *text, size_t room, uint64_t d) {
    if (d == RD_COLD)
        snprintf(text, room, "inf");
    else
        snprintf(text, room, "%" PRIu64, d);
}

static void compare_distances(rdi_error_bound error, const uint64_t *got, const uint64_t *expected,
                              size_t n, rdi_verify_outcome *out) {
    for (size_t i = 0; i < n; i++) {
        if (rdi_error_allows(error, expected[i], expected[i], got[i], got[i]))
            continue;
        char is[24], least[24], most[24];
        print_distance(is, sizeof is, got[i]);
        print_distance(least, sizeof least, rdi_error_least(error, expected[i]));
        print_distance(most, sizeof most, expected[i]);
        bool range = strcmp(least, most) != 0;
        rdi_verify_differ(out, i,
                          "reference %zu (counted from 0) has distance %s instead of %s%s%s", i, is,
                          range ? least : most, range ? " to " : "", range ? most : "");
        return;
    }
}

/* ---- histograms ---- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Compares one bin with the sorted distances from sorted[*at] on, and advances *at past the bin. */
static void compare_bin(const rd_bin *bin, bool sums, const uint64_t *sorted, size_t n, size_t *at,
                        rdi_verify_outcome *out) {
    if (*at < n && sorted[*at] < bin->low) {
        rdi_verify_differ(out, UINT64_MAX, "the histogram has no bin for distance %" PRIu64,
                          sorted[*at]);
        return;
    }
    rd_sum sum = {0, 0};
    uint64_t count = 0;
    for (; *at < n && sorted[*at] <= bin->high; ++*at, count++)
        rdi_sum_add(&sum, (rd_sum){sorted[*at], 0});
    if (count != bin->count)
        rdi_verify_differ(out, UINT64_MAX,
                          "the bin %" PRIu64 " to %" PRIu64 " has %" PRIu64
                          " references instead of %" PRIu64,
                          bin->low, bin->high, bin->count, count);
    else if (sums && (sum.low != bin->sum.low || sum.high != bin->sum.high))
        rdi_verify_differ(out, UINT64_MAX,
                          "the distances in the bin %" PRIu64 " to %" PRIu64 " add up to %" PRIu64
                          " instead of %" PRIu64,
                          bin->low, bin->high, bin->sum.low, sum.low);
}

/* Compares all bins with the `finite` finite distances in sorted[], in ascending order. */
static void compare_bins(const rd_profile *p, const uint64_t *sorted, size_t finite,
                         rdi_verify_outcome *out) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins), at = 0;
    for (size_t i = 0; i < n && !out->different; i++)
        compare_bin(&bins[i], rd_profile_facts_of(p)->sums_known, sorted, finite, &at, out);
    if (!out->different && at < finite)
        rdi_verify_differ(out, UINT64_MAX, "the histogram has no bin for distance %" PRIu64,
                          sorted[at]);
}

static void compare_fact(const char *name, uint64_t got, uint64_t expected,
                         rdi_verify_outcome *out) {
    if (!out->different && got != expected)
        rdi_verify_differ(out, UINT64_MAX, "%s is %" PRIu64 " instead of %" PRIu64, name, got,
                          expected);
}

/* Checks, for every n, that the n-th smallest distance of profile p, of which only the bin is
 * known, can be within the error bound of the n-th smallest true distance. sorted[] has the
 * `finite` true distances. */
static void compare_ranks(const rd_profile *p, rdi_error_bound error, const uint64_t *sorted,
                          size_t finite, rdi_verify_outcome *out) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins), at = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < bins[i].count && at < finite; k++, at++)
            if (!rdi_error_allows(error, sorted[at], sorted[at], bins[i].low, bins[i].high)) {
                rdi_verify_differ(
                    out, UINT64_MAX,
                    "the distance at index %zu (from 0, in ascending order) is in the "
                    "bin %" PRIu64 " to %" PRIu64 ", but must be from %" PRIu64 " to %" PRIu64,
                    at, bins[i].low, bins[i].high, rdi_error_least(error, sorted[at]), sorted[at]);
                return;
            }
}

/* Checks that the histogram counts every reference once. */
static void compare_mass(const rd_profile *p, rdi_verify_outcome *out) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    uint64_t counted = facts->infinite;
    for (size_t i = 0; i < n; i++)
        counted += bins[i].count;
    compare_fact("the number of references in the histogram", counted, facts->references, out);
}

/* Compares the totals. With a bound, blocks and cold references may be unknown, and only stated
 * values are checked. */
static void compare_totals(const rd_profile_facts *facts, uint64_t blocks, uint64_t infinite,
                           rdi_verify_outcome *out) {
    bool bounded = facts->bound != 0;
    compare_fact("the number of infinite distances", facts->infinite, infinite, out);
    if (!bounded || facts->blocks != RD_UNKNOWN)
        compare_fact("the number of blocks", facts->blocks, blocks, out);
    if (!bounded || facts->cold != RD_UNKNOWN)
        compare_fact("the number of cold references", facts->cold, blocks, out);
}

/* Sorts the finite distances to the front of the array and returns their number. Distances below n,
 * which are all finite distances of an exact engine, are sorted by counting, because calls of a
 * comparison function would take longer than most engines. `count` has room for n numbers. */
static size_t sort_distances(uint64_t *distances, size_t n, uint64_t *count) {
    size_t large = 0, small = 0;
    for (size_t i = 0; i < n; i++)
        count[i] = 0;
    for (size_t i = 0; i < n; i++)
        if (distances[i] < n) {
            count[distances[i]]++;
            small++;
        } else if (distances[i] != RD_COLD) {
            distances[large++] = distances[i];
        }
    if (large) {
        memmove(distances + small, distances, large * sizeof *distances);
        qsort(distances + small, large, sizeof *distances, by_value);
    }
    for (size_t d = 0, at = 0; at < small; d++)
        for (uint64_t k = 0; k < count[d]; k++)
            distances[at++] = d;
    return small + large;
}

/* ---- the whole comparison ---- */

/* The answers to compare: the distances of the engine and of the oracle, and scratch arrays. */
typedef struct truth {
    const uint64_t *got; /* the engine's distances, or NULL */
    uint64_t *distances; /* the distances of the oracle; infinite from the bound on */
    uint64_t *counted;   /* scratch array for n numbers */
    uint64_t *scratch;   /* another scratch array for n numbers */
    size_t n;            /* number of references */
    uint64_t blocks;     /* number of distinct blocks */
} truth;

static void compare_measured(const rd_profile *p, const truth *t, rdi_verify_outcome *out) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rdi_error_bound error = rdi_error_bound_of(facts->error_kind, facts->error_bound);
    if (t->got)
        compare_distances(error, t->got, t->distances, t->n, out);
    bool exact = error.kind == RDI_ERROR_EXACT;
    const uint64_t *source = t->got && !exact ? t->got : t->distances;
    if (t->n)
        memcpy(t->counted, source, t->n * sizeof *source);
    size_t finite = sort_distances(t->counted, t->n, t->scratch);
    if (!out->different && error.kind != RDI_ERROR_UNBOUND)
        compare_totals(facts, t->blocks, t->n - finite, out);
    if (!out->different)
        compare_mass(p, out);
    if (out->different)
        return;
    if (exact || t->got)
        compare_bins(p, t->counted, finite, out);
    else
        compare_ranks(p, error, t->counted, finite, out);
}

static rd_status check_invariants(rd_ctx *ctx, rd_engine *e, rdi_verify_outcome *out) {
    const char *why = NULL;
    rd_status status = rdi_engine_check(e, &why);
    if (status != RD_OK && why) {
        rdi_verify_differ(out, UINT64_MAX, "the engine's own check says: %s", why);
        return RD_OK;
    }
    return status == RD_OK ? RD_OK : rdi_fail(ctx, status, "the engine's own check failed");
}

static rd_status compare_all(rd_ctx *ctx, rd_engine *e, const truth *t, rdi_verify_outcome *out) {
    rd_profile *p = NULL;
    RD_TRY(rd_engine_profile(e, &p));
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    compare_fact("the number of references", facts->references, t->n, out);
    if (!out->different && measures(rd_engine_info_of(e)))
        compare_measured(p, t, out);
    else if (facts->blocks != RD_UNKNOWN)
        compare_fact("the number of blocks", facts->blocks, t->blocks, out);
    rd_profile_free(p);
    return out->different ? RD_OK : check_invariants(ctx, e, out);
}

/* Converts the oracle's distances to the distances that a run with this bound must report. Returns
 * the number of blocks. */
static uint64_t apply_bound(uint64_t bound, const uint64_t *expected, size_t n, uint64_t *out) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; i++) {
        blocks += expected[i] == RD_COLD;
        out[i] = bound && expected[i] >= bound ? RD_COLD : expected[i];
    }
    return blocks;
}

rd_status rdi_verify_compare(rd_ctx *ctx, rd_engine *e, uint64_t bound, const uint64_t *got,
                             const uint64_t *expected, size_t n, rdi_verify_outcome *out) {
    size_t room = n ? n : 1;
    uint64_t *memory = rdi_alloc(ctx, room, 3 * sizeof *memory);
    if (!memory)
        return RD_ENOMEM;
    truth t = {.got = got,
               .distances = memory,
               .counted = memory + room,
               .scratch = memory + 2 * room,
               .n = n};
    t.blocks = apply_bound(bound, expected, n, t.distances);
    rd_status status = compare_all(ctx, e, &t, out);
    rdi_free(ctx, memory);
    return status;
}

/* ---- repeating ---- */

bool rdi_verify_promises_nothing(const rd_engine_info *info) {
    return measures(info) && rdi_error_bound_of(info->error_kind, 1).kind == RDI_ERROR_UNBOUND;
}

const char *rdi_verify_promise(const rd_engine_info *info) {
    if (!measures(info))
        return "totals";
    switch (rdi_error_bound_of(info->error_kind, 1).kind) {
    case RDI_ERROR_EXACT:
        return "exact";
    case RDI_ERROR_RELATIVE:
        return "relative error bound";
    case RDI_ERROR_ABSOLUTE:
        return "absolute error bound";
    case RDI_ERROR_UNBOUND:
        break;
    }
    return "totals and repetition";
}

static bool same_rows(const rd_profile *a, const rd_profile *b) {
    const rd_bin *x, *y;
    size_t n = rd_profile_bins(a, &x);
    if (rd_profile_bins(b, &y) != n ||
        rd_profile_facts_of(a)->infinite != rd_profile_facts_of(b)->infinite)
        return false;
    for (size_t i = 0; i < n; i++)
        if (x[i].low != y[i].low || x[i].count != y[i].count || x[i].sum.low != y[i].sum.low ||
            x[i].sum.high != y[i].sum.high)
            return false;
    return true;
}

rd_status rdi_verify_repeats(rd_engine *first, rd_engine *again, rdi_verify_outcome *out) {
    rd_profile *a = NULL, *b = NULL;
    rd_status status = rd_engine_profile(first, &a);
    if (status == RD_OK)
        status = rd_engine_profile(again, &b);
    if (status == RD_OK && !same_rows(a, b))
        rdi_verify_differ(out, UINT64_MAX,
                          "the histogram changes if the references are divided into other batches");
    rd_profile_free(a);
    rd_profile_free(b);
    return status;
}
