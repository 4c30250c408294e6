/* Merges profiles of independent runs. The sum is the profile of a sequence of all runs in which
 * each run begins with an empty cache. */
#include "profile/binning.h"
#include "profile/hist.h"
#include "profile/sections.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MIXED "mixed" /* value of a fact that is a text and differs between the profiles */

/* ---- facts ---- */

static bool is_measured(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    const rd_bin *bins;
    return f->references == 0 || f->infinite > 0 || rd_profile_bins(p, &bins) > 0;
}

static bool has_times(const rd_profile_facts *f) {
    return f->error_kind && strcmp(f->error_kind, RDI_KIND_TIME) == 0;
}

#define BOUND_ROOM 48

/* Writes "no bound" or "a bound of 512 blocks", and returns `text`. */
static const char *bound_text(uint64_t bound, char text[BOUND_ROOM]) {
    if (bound)
        snprintf(text, BOUND_ROOM, "a bound of %" PRIu64 " blocks", bound);
    else
        strcpy(text, "no bound");
    return text;
}

/* Returns whether the runs of two profiles of objects may have left out equal numbers of requests each. A merged
 * profile has the sum of its runs, so only two profiles of one trace each can tell. */
static bool may_have_same_warmup(const rd_profile *first, const rd_profile *part) {
    const rd_source *sources;
    uint64_t a = rd_profile_objects(first)->warmup, b = rd_profile_objects(part)->warmup;
    bool single = rd_profile_sources(first, &sources) < 2 && rd_profile_sources(part, &sources) < 2;
    return a == b || (a && b && !single);
}

/* Returns RD_EINVAL if `part` cannot be merged with `first`. `number` is the number of `part`, from
 * 1, for the message. */
static rd_status check_same(rd_ctx *ctx, const rd_profile *first, const rd_profile *part,
                            size_t number) {
    const rd_profile_facts *a = rd_profile_facts_of(first), *b = rd_profile_facts_of(part);
    uint32_t different = rd_profile_differences(first, part);
    if (different & RD_DIFFERENT_STACKS)
        return rdi_fail(
            ctx, RD_EINVAL,
            "cannot merge: only one of profiles 1 and %zu has private stacks; analyze all "
            "traces with --stacks=private, or none",
            number);
    if (!rd_profile_objects(first) != !rd_profile_objects(part))
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot merge: only one of profiles 1 and %zu counts bytes of objects; "
                        "analyze all traces with --weight=bytes, or none",
                        number);
    if (different & RD_DIFFERENT_BLOCKS) {
        char blocks[2][RDI_BLOCK_ROOM];
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot merge: the block sizes differ: -b %s in profile 1, -b %s in "
                        "profile %zu; analyze all traces with the same -b",
                        rdi_block_text(a->block_bytes, blocks[0]),
                        rdi_block_text(b->block_bytes, blocks[1]), number);
    }
    if (different & RD_DIFFERENT_BOUNDS) {
        char bounds[2][BOUND_ROOM];
        return rdi_fail(
            ctx, RD_EINVAL,
            "cannot merge: profile 1 has %s, but profile %zu has %s; analyze all traces "
            "with the same --bound",
            bound_text(a->bound, bounds[0]), number, bound_text(b->bound, bounds[1]));
    }
    if (different & RD_DIFFERENT_KINDS)
        return rdi_fail(
            ctx, RD_EINVAL,
            "cannot merge: profile 1 has the kinds %s, but profile %zu has %s; analyze all "
            "traces with the same --kinds",
            a->kinds ? a->kinds : "LSI", number, b->kinds ? b->kinds : "LSI");
    if (different & RD_DIFFERENT_WARMUPS && !may_have_same_warmup(first, part))
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot merge: profiles 1 and %zu leave out different numbers of requests; "
                        "analyze all traces with the same --warmup",
                        number);
    if (is_measured(first) != is_measured(part))
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot merge: only one of profiles 1 and %zu has distances; merge only "
                        "profiles with distances",
                        number);
    if (has_times(a) != has_times(b))
        return rdi_fail(
            ctx, RD_EINVAL,
            "cannot merge: one of profiles 1 and %zu has time distances, and the other has "
            "reuse distances; merge only profiles with the same kind of distances",
            number);
    return RD_OK;
}

/* Fails if the references of threads were analyzed in different orders. A profile of one thread in lockstep has no
 * order of its own, so that comparing all profiles with the first one is not enough. */
static rd_status check_orders(rd_ctx *ctx, rd_profile *const *parts, size_t n) {
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        const rd_interleaving *order = rd_profile_interleaving(parts[first]);
        if (rd_profile_differences(parts[first], parts[i]) & RD_DIFFERENT_ORDERS)
            return rdi_fail(
                ctx, RD_EINVAL,
                "cannot merge: the orders of the threads' references differ in profiles %zu and "
                "%zu; analyze all traces with the same --interleave",
                first + 1, i + 1);
        if (order && order->threads <= 1)
            first = i;
    }
    return RD_OK;
}

/* Returns true only if every bin of `fine` lies in one bin of `coarse`, or if both are of kind
 * RD_BINS_EDGES, because join_rows() detects different edges. The function does not detect that
 * linear:1 is as fine as `full`. */
static bool nests_in(rd_binning fine, rd_binning coarse) {
    if (rdi_binning_equal(fine, coarse))
        return fine.kind != RD_BINS_REFERENCE;
    if (coarse.kind == RD_BINS_REFERENCE || coarse.kind == RD_BINS_EDGES)
        return false;
    bool linear = coarse.kind == RD_BINS_LINEAR;
    uint64_t width = rdi_loglinear_width(fine);
    if (fine.kind == RD_BINS_LOGLINEAR)
        return coarse.kind == RD_BINS_LOG || (linear && coarse.param % width == 0) ||
               (coarse.kind == RD_BINS_LOGLINEAR && width <= rdi_loglinear_width(coarse));
    if (fine.kind == RD_BINS_LINEAR)
        return linear && coarse.param % fine.param == 0;
    return fine.kind == RD_BINS_FULL;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sets *out to a binning that bins of `a` and bins of `b` can both be converted to: the coarser of
 * the two if one nests in the other; for two linear binnings, the least common multiple of the
 * widths. Returns false in all other cases, and if that multiple exceeds 64 bits. */
static bool common_binning(rd_binning a, rd_binning b, rd_binning *out) {
    if (nests_in(a, b) || nests_in(b, a)) {
        *out = nests_in(a, b) ? b : a;
        return true;
    }
    if (a.kind != RD_BINS_LINEAR || b.kind != RD_BINS_LINEAR)
        return false;
    out->kind = RD_BINS_LINEAR;
    uint64_t times = a.param / greatest_common_divisor(a.param, b.param);
    return !__builtin_mul_overflow(times, b.param, &out->param);
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Updates the error kind and error bound of `sum` with the kind and bound of `part`. An exact
 * `part` changes nothing. An exact `sum` takes both from `part`, and is no longer exact. If the
 * kinds are the same, `sum` gets the larger error bound, or 0 (none stated) if `sum` or `part`
 * states none. Different kinds become MIXED, without an error bound. */
static void combine_errors(rd_profile_facts *sum, const rd_profile_facts *part) {
    if (part->exact)
        return;
    double a = sum->error_bound, b = part->error_bound;
    if (sum->exact) {
        sum->error_kind = part->error_kind;
        sum->error_bound = b;
    } else if (is_same_text(sum->error_kind, part->error_kind)) {
        sum->error_bound = a == 0 || b == 0 ? 0 : a > b ? a : b;
    } else {
        sum->error_kind = MIXED;
        sum->error_bound = 0;
    }
    sum->exact = false;
}

/* Returns element k of the n elements of `band`, or the last element if k is not below n. */
static double band_at(const double *band, size_t n, size_t k) {
    return band[k < n ? k : n - 1];
}

/* Updates the sampling rate and the bands of `sum` with those of `part`, before the references of
 * `part` are added to `sum`. The lowest rate decides which caches the sum resolves. A miss ratio of
 * the sum is the mean of the miss ratios of both profiles, weighted with their references, so its
 * error is at most the mean of their errors with the same weights. If one of the profiles has no
 * band of bursts, the sum has none. */
static void combine_samples(rd_profile_facts *sum, const rd_profile_facts *part) {
    double total = (double)sum->references + (double)part->references;
    double weight = total > 0 ? (double)part->references / total : 0;
    if (sum->sample_rate <= 0 || (part->sample_rate > 0 && part->sample_rate < sum->sample_rate))
        sum->sample_rate = part->sample_rate;
    for (size_t k = 0; k < RD_BAND_SIZES; k++)
        sum->half_width[k] += weight * (part->half_width[k] - sum->half_width[k]);
    size_t n = sum->n_band > part->n_band ? sum->n_band : part->n_band;
    if (sum->n_band == 0 || part->n_band == 0)
        n = 0;
    /* The loop begins with the last size, because band_at() reads the last element of `sum`, which
     * must not have changed yet. */
    for (size_t k = n; k-- > 0;) {
        double low = band_at(sum->band_low, sum->n_band, k);
        double high = band_at(sum->band_high, sum->n_band, k);
        sum->band_low[k] = low + weight * (band_at(part->band_low, part->n_band, k) - low);
        sum->band_high[k] = high + weight * (band_at(part->band_high, part->n_band, k) - high);
    }
    sum->n_band = n;
}

static uint64_t add_known(uint64_t a, uint64_t b) {
    return a == RD_UNKNOWN || b == RD_UNKNOWN ? RD_UNKNOWN : a + b;
}

static rd_status combine_facts(rd_ctx *ctx, rd_profile_facts *sum, const rd_profile_facts *part) {
    rd_binning binning;
    if (!common_binning(sum->binning, part->binning, &binning)) {
        char a[32], b[32];
        rd_binning_name(sum->binning, a);
        rd_binning_name(part->binning, b);
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot merge %s bins with %s bins; analyze all traces with the same "
                        "--hist, which must "
                        "not be reference",
                        a, b);
    }
    uint64_t references;
    if (__builtin_add_overflow(sum->references, part->references, &references))
        return rdi_fail(ctx, RD_ERANGE,
                        "cannot merge: the profiles have 2^64 references or more in total; merge "
                        "fewer profiles");
    combine_samples(sum, part);
    sum->references = references;
    sum->binning = binning;
    sum->blocks = add_known(sum->blocks, part->blocks);
    sum->cold = add_known(sum->cold, part->cold);
    sum->infinite += part->infinite;
    if (!is_same_text(sum->engine, part->engine))
        sum->engine = MIXED;
    if (!is_same_text(sum->engine_options, part->engine_options))
        sum->engine_options = MIXED;
    combine_errors(sum, part);
    sum->sums_known = sum->sums_known && part->sums_known;
    sum->partial = sum->partial || part->partial;
    sum->skipped = add_known(sum->skipped, part->skipped);
    sum->unrecorded = part->unrecorded < UINT64_MAX - sum->unrecorded
                          ? sum->unrecorded + part->unrecorded
                          : UINT64_MAX;
    sum->seconds += part->seconds;
    return RD_OK;
}

/* ---- rows ---- */

typedef struct row_list {
    rd_bin *rows;
    size_t n;
} row_list;

/* Joins two ascending lists into *out. Equal bins are summed. Returns RD_EINVAL if different bins
 * overlap. */
static rd_status join_rows(rd_ctx *ctx, const row_list *a, const row_list *b, row_list *out) {
    rd_bin *rows = rdi_alloc(ctx, a->n + b->n ? a->n + b->n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    size_t i = 0, k = 0, n = 0;
    while (i < a->n || k < b->n) {
        bool left = k == b->n || (i < a->n && a->rows[i].low <= b->rows[k].low);
        const rd_bin *row = left ? &a->rows[i++] : &b->rows[k++];
        rd_bin *last = n ? &rows[n - 1] : NULL;
        if (last && last->low == row->low && last->high == row->high) {
            last->count += row->count;
            rdi_sum_add(&last->sum, row->sum);
        } else if (last && last->high >= row->low) {
            rdi_fail(ctx, RD_EINVAL,
                     "cannot merge: the bins %" PRIu64 " to %" PRIu64 " and %" PRIu64 " to %" PRIu64
                     " overlap; analyze all traces with the same --hist",
                     last->low, last->high, row->low, row->high);
            rdi_free(ctx, rows);
            return RD_EINVAL;
        } else {
            rows[n++] = *row;
        }
    }
    *out = (row_list){rows, n};
    return RD_OK;
}

/* Sums the rows of n profiles, converted to `binning`, into *out. The function sums each half of
 * the profiles and joins the two sums, so that n profiles need log n passes over the rows. */
static rd_status sum_rows(rd_ctx *ctx, rd_profile *const *parts, size_t n, rd_binning binning,
                          row_list *out) {
    if (n == 1)
        return rdi_profile_rows_as(ctx, parts[0], binning, &out->rows, &out->n);
    row_list left = {0}, right = {0};
    rd_status status = sum_rows(ctx, parts, n / 2, binning, &left);
    if (status == RD_OK)
        status = sum_rows(ctx, parts + n / 2, n - n / 2, binning, &right);
    if (status == RD_OK)
        status = join_rows(ctx, &left, &right, out);
    rdi_free(ctx, left.rows);
    rdi_free(ctx, right.rows);
    return status;
}

static rd_status add_all_sources(rd_profile *p, rd_profile *const *parts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const rd_source *sources;
        size_t n_sources = rd_profile_sources(parts[i], &sources);
        RD_TRY(rdi_profile_add_sources(p, sources, n_sources));
    }
    return RD_OK;
}

rd_status rd_profile_merge(rd_ctx *ctx, rd_profile *const *parts, size_t n, rd_profile **out) {
    RDI_NEED(ctx, ctx, parts, out);
    if (n == 0)
        return rdi_fail(ctx, RD_EINVAL, "nothing to merge: the number of profiles is 0");
    for (size_t i = 0; i < n; i++)
        RDI_NEED(ctx, parts[i]);
    rd_profile_facts facts = *rd_profile_facts_of(parts[0]);
    facts.sampling = (rd_sampler_config){0}; /* a merged profile has no peaks */
    for (size_t i = 1; i < n; i++) {
        RD_TRY(check_same(ctx, parts[0], parts[i], i + 1));
        RD_TRY(combine_facts(ctx, &facts, rd_profile_facts_of(parts[i])));
    }
    RD_TRY(check_orders(ctx, parts, n));
    row_list sum = {0};
    RD_TRY(sum_rows(ctx, parts, n, facts.binning, &sum));
    rd_profile *result = NULL;
    rd_status status = rdi_profile_new(ctx, &facts, sum.rows, sum.n, &result);
    rdi_free(ctx, sum.rows);
    if (status == RD_OK)
        status = add_all_sources(result, parts, n);
    if (status == RD_OK)
        status = rdi_sections_merge(ctx, parts, n, rdi_profile_sections(result));
    if (status == RD_OK)
        *out = result;
    else
        rd_profile_free(result);
    return status;
}
