/* Computes the confidence bands of a run that was recorded in bursts. See bursts.h. */
#include "analysis/bursts.h"

#include <math.h>
#include <string.h>

#define LEAST_BURSTS                                                                               \
    4 /* minimum number of bursts for a band; from fewer bursts, their variation cannot be
                           estimated well */
#define WIDTHS 65 /* a distance has 0 to 64 bits */

/* Sums over bursts, for one cache size, of m, m^2 and m x, where m is the number of misses of a
 * burst and x the number of its references. */
typedef struct miss_sums {
    double m, mm, mx;
} miss_sums;

struct rdi_bursts {
    rd_ctx *ctx;
    uint64_t length;
    uint64_t end;                  /* index of the first reference after the current burst */
    uint64_t touched;              /* number of distinct blocks of the current burst */
    uint64_t references;           /* number of block references of the current burst */
    uint64_t known[WIDTHS];        /* number of reuses inside the current burst, by bits of their
                                      distance */
    uint64_t undecided[WIDTHS];    /* number of other references, by bits of the lower limit of
                                      their distance */
    uint64_t n;                    /* number of completed bursts */
    double x, xx;                  /* sums over the completed bursts of x and of x^2 */
    miss_sums low[RD_BAND_SIZES];  /* sums of certain misses at 1, 2, 4 ... blocks */
    miss_sums high[RD_BAND_SIZES]; /* sums of misses if all undecided references miss */
};

rd_status rdi_bursts_new(rd_ctx *ctx, uint64_t length, rdi_bursts **out) {
    rdi_bursts *b = rdi_calloc(ctx, 1, sizeof *b);
    if (!b)
        return RD_ENOMEM;
    b->ctx = ctx;
    b->length = b->end = length;
    *out = b;
    return RD_OK;
}

void rdi_bursts_free(rdi_bursts *b) {
    if (b)
        rdi_free(b->ctx, b);
}

static void add_misses(miss_sums *sums, double m, double x) {
    sums->m += m;
    sums->mm += m * m;
    sums->mx += m * x;
}

/* Adds the current burst to the sums and begins the next one. A distance d is at least 2^k if it
 * has more than k bits. */
static void end_burst(rdi_bursts *b) {
    double x = (double)b->references, certain = 0, all_undecided = 0, reuses = 0;
    if (b->references == 0)
        return;
    for (size_t i = 0; i < WIDTHS; i++)
        all_undecided += (double)b->undecided[i];
    for (size_t k = RD_BAND_SIZES; k-- > 0;) {
        reuses += (double)b->known[k + 1];
        certain += (double)b->undecided[k + 1];
        add_misses(&b->low[k], reuses + certain, x);
        add_misses(&b->high[k], reuses + all_undecided, x);
    }
    b->n++;
    b->x += x;
    b->xx += x * x;
    b->references = b->touched = 0;
    memset(b->known, 0, sizeof b->known);
    memset(b->undecided, 0, sizeof b->undecided);
}

/* Counts each distance as known or undecided. A reuse inside the burst has a distance below the
 * number of blocks that the burst has touched. Every other reference has at least this distance. */
void rdi_bursts_feed(rdi_bursts *b, uint64_t first, const uint32_t *origins,
                     const uint64_t *distances, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t at = first + origins[i];
        if (at >= b->end) {
            end_burst(b);
            b->end = (at / b->length + 1) * b->length;
        }
        b->references++;
        if (distances[i] < b->touched)
            b->known[rdi_bit_width(distances[i])]++;
        else
            b->undecided[rdi_bit_width(b->touched++)]++;
    }
}

/* Returns the 97.5 % quantile of Student's t distribution, by the first terms of its expansion
 * around the normal distribution. The result is at most 1 % too small if there are three or more
 * degrees of freedom. */
static double student_quantile(double degrees) {
    const double z = 1.959964, z2 = z * z;
    double first = (z2 + 1) * z / 4, second = ((5 * z2 + 16) * z2 + 3) * z / 96;
    double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;
    return z + (first + (second + third / degrees) / degrees) / degrees;
}

/* Returns the standard error of the ratio of the sums of m and x. `kept` is the fraction of all
 * references that was recorded. */
static double standard_error(const rdi_bursts *b, const miss_sums *sums, double kept) {
    double ratio = sums->m / b->x, n = (double)b->n;
    double squares = sums->mm - 2 * ratio * sums->mx + ratio * ratio * b->xx;
    return squares > 0 ? sqrt((1 - kept) * squares * n / (n - 1)) / b->x : 0;
}

/* Returns the fraction of the references that was recorded, or 0 if it is unknown. */
static double kept_share(const rd_profile *profile) {
    const rd_profile_facts *f = rd_profile_facts_of(profile);
    const rd_source *sources;
    size_t n = rd_profile_sources(profile, &sources);
    double recorded = 0;
    for (size_t i = 0; i < n; i++)
        recorded += (double)sources[i].references;
    return f->skipped == RD_UNKNOWN ? 0 : recorded / (recorded + (double)f->skipped);
}

rd_status rdi_bursts_finish(rdi_bursts *b, rd_profile *profile) {
    double low[RD_BAND_SIZES], high[RD_BAND_SIZES];
    end_burst(b);
    if (b->n < LEAST_BURSTS)
        return RD_OK;
    double kept = kept_share(profile), quantile = student_quantile((double)b->n - 1);
    for (size_t k = 0; k < RD_BAND_SIZES; k++) {
        low[k] = b->low[k].m / b->x - quantile * standard_error(b, &b->low[k], kept);
        high[k] = b->high[k].m / b->x + quantile * standard_error(b, &b->high[k], kept);
        low[k] = fmax(low[k], 0);
        high[k] = fmin(high[k], 1);
    }
    /* A larger cache never misses more, but the errors can grow with the size. So the band is
     * widened until neither limit grows with the size. */
    for (size_t k = 1; k < RD_BAND_SIZES; k++) {
        low[k] = fmin(low[k], low[k - 1]);
        high[RD_BAND_SIZES - 1 - k] = fmax(high[RD_BAND_SIZES - 1 - k], high[RD_BAND_SIZES - k]);
    }
    size_t n = RD_BAND_SIZES;
    while (n > 1 && low[n - 1] == low[n - 2] && high[n - 1] == high[n - 2])
        n--;
    return rd_profile_set_burst_band(profile, low, high, n);
}
