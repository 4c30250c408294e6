/* From a profile to answers: miss-ratio curves, cache sizes, comparisons. */
#ifndef REUSEDIST_MODEL_H
#define REUSEDIST_MODEL_H

#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Miss ratio of a fully associative LRU cache of `blocks` blocks: the share of references with
 * distance >= blocks or infinite. Exact where `blocks` is the lower end of a bin. Inside a bin
 * *interpolated (may be NULL) is set, and the references are taken as spread evenly over the
 * distances that are possible (below the bound, or the number of blocks): from the lower end up to
 * twice the mean, or from the upper end down, so that the mean is kept where it is known. 1 for an
 * empty trace. RD_EINVAL above the profile's bound, and for a profile without distances (engine
 * null). */
RD_API RD_CHECKED rd_status rd_mrc_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                      double *miss_ratio, bool *interpolated);

/* Whether the profile is a sample and states a band for its miss ratios. */
RD_API bool rd_mrc_has_band(const rd_profile *p);

/* Within which the exact miss ratio lies with 95 % confidence, at this one size: half the stated
 * width below and above the curve, read at the sizes that `blocks` may as well be. RD_EINVAL for
 * a profile that is no sample. */
RD_API RD_CHECKED rd_status rd_mrc_band(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                        double *low, double *high);

typedef struct rd_mrc_point {
    uint64_t blocks;
    double miss_ratio;
} rd_mrc_point;

/* The whole curve: a point wherever its slope can change, starting at 0 blocks (miss ratio 1);
 * between two points it is a straight line, behind the last one flat (up to the bound, if any).
 * Free with rd_mrc_free(). */
RD_API RD_CHECKED rd_status rd_mrc_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **points,
                                         size_t *n);
RD_API void rd_mrc_free(rd_ctx *ctx, rd_mrc_point *points);

/* Smallest cache, in blocks, whose hit ratio reaches `share` of all hits that an infinite cache
 * would have; RD_UNKNOWN when the profile's bound hides it. Rounded up to the end of a bin; 0 when
 * there are no hits to be had. */
RD_API uint64_t rd_smallest_cache(const rd_profile *p, double share);

/* Working-set knees: sizes where the curve drops steeply and is flat behind, so that half the cache
 * is much worse and twice the cache hardly better; from 8 blocks on. At most `max`, the clearest
 * first; returns how many. */
typedef struct rd_knee {
    uint64_t blocks;    /* size just big enough; not inside the spread of a bin */
    double miss_before; /* miss ratio with about half of that ... */
    double miss_after;  /* ... and with it */
} rd_knee;
RD_API size_t rd_knees(const rd_profile *p, rd_knee *out, size_t max);

/* A bin that two profiles fill differently: shares of their finite references. */
typedef struct rd_bin_difference {
    uint64_t low, high;
    double share[2];
} rd_bin_difference;

#define RD_WORST_BINS 5

/* Two profiles side by side. Accuracy (Zhong; Time): 1 - sum |x_i - y_i| / 2 over normalised bins
 * of the finite distances; 0 when only one has any. Average error (HP-RDA): mean of |a_k - b_k|
 * over its 23 bins, normalised the same way. Shares and errors are between 0 and 1. */
typedef struct rd_comparison {
    double accuracy;          /* on the bins of `binning` */
    rd_binning binning;       /* as asked for */
    double average_error;     /* NAN: the bins are too coarse to tell */
    double max_mrc_error;     /* largest difference in miss ratio at 1, 2, 4 ... blocks, sizes
                                 inside a bin left out ... */
    uint64_t max_mrc_blocks;  /* ... and where; 0: there is none */
    double mean_mrc_error;    /* over these sizes: ... */
    unsigned n_mrc_sizes;     /* ... how many; 0: the bins are too coarse to tell ... */
    uint64_t last_mrc_blocks; /* ... and the largest */
    bool identical;     /* same block size, references, blocks and infinite count; same counts and
                           sums of distances in the finest bins both have */
    bool bound_checked; /* one is exact and the other states a bound ... */
    bool bound_held;    /* ... which nothing in the two histograms contradicts; a band of
                           confidence: which holds at 95 % of the sizes of the miss ratio */
    rd_bin_difference
        worst[RD_WORST_BINS]; /* bins of `binning` that differ most, worst first ... */
    size_t n_worst;           /* ... as many as differ at all */
} rd_comparison;

/* `binning` is {RD_BINS_LOG, 0} by convention; RD_BINS_EDGES are the finest bins that both profiles
 * have. RD_EINVAL when a bin would have to be split, and for reference histograms. */
RD_API RD_CHECKED rd_status rd_compare(rd_ctx *ctx, rd_profile *a, rd_profile *b,
                                       rd_binning binning, rd_comparison *out);

#ifdef __cplusplus
}
#endif
#endif
