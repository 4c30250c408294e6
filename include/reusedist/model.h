/* Cache models: miss-ratio curves, cache sizes and comparisons, computed from profiles. */
#ifndef REUSEDIST_MODEL_H
#define REUSEDIST_MODEL_H

#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Miss ratio of a fully associative LRU cache of `blocks` blocks: the share of references whose
 * distance is infinite or at least `blocks`. It is 1 for an empty trace.
 *
 * The miss ratio is exact if `blocks` is the lower end of a bin. Inside a bin it is interpolated,
 * and *interpolated (which may be NULL) is set: the model spreads the references of the bin evenly
 * over a range of possible distances, which are below the bound and the number of blocks. The range
 * begins at the lower end of the bin, or ends at its upper end, such that its mean is the mean of
 * the bin, if that is known.
 *
 * RD_EINVAL above the profile's bound, and for a profile without distances (engine null). */
RD_API RD_CHECKED rd_status rd_mrc_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                      double *miss_ratio, bool *interpolated);

/* Whether the profile comes from a sample of the blocks and has a confidence band for its miss
 * ratios. */
RD_API bool rd_mrc_has_band(const rd_profile *p);

/* The band that contains the exact miss ratio at this one size with 95 % confidence. It extends by
 * the half width that the profile states below and above the curve, and takes into account that a
 * sample also scales cache sizes inexactly. RD_EINVAL for a profile that is not a sample. */
RD_API RD_CHECKED rd_status rd_mrc_band(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                        double *low, double *high);

typedef struct rd_mrc_point {
    uint64_t blocks;
    double miss_ratio;
} rd_mrc_point;

/* The whole curve: a point wherever its slope can change, starting at 0 blocks (miss ratio 1). The
 * curve is a straight line between two points, and flat after the last one (up to the bound, if
 * any). Free the points with rd_mrc_free(). */
RD_API RD_CHECKED rd_status rd_mrc_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **points,
                                         size_t *n);
RD_API void rd_mrc_free(rd_ctx *ctx, rd_mrc_point *points);

/* Size in blocks of the smallest cache that has at least `share` of the hits of an infinite cache,
 * rounded up to the end of a bin. 0 if even an infinite cache has no hits; RD_UNKNOWN if the size
 * is above the profile's bound. */
RD_API uint64_t rd_smallest_cache(const rd_profile *p, double share);

/* A working-set knee: a cache size at which a working set fits. The curve drops steeply before it
 * and is flat after it: a cache of half the size misses much more, and one of twice the size hardly
 * less. */
typedef struct rd_knee {
    uint64_t blocks;    /* smallest size at which the working set fits; not an interpolated one */
    double miss_before; /* miss ratio of a cache of about half the size */
    double miss_after;  /* miss ratio of a cache of this size */
} rd_knee;
/* Writes at most `max` knees of 8 blocks or more to `out`, the clearest first, and returns how many
 * there are. */
RD_API size_t rd_knees(const rd_profile *p, rd_knee *out, size_t max);

/* A bin with different shares of the references in two profiles. */
typedef struct rd_bin_difference {
    uint64_t low, high;
    double share[2]; /* of the finite references of each profile */
} rd_bin_difference;

#define RD_WORST_BINS 5

/* The comparison of two profiles. All numbers without a unit are between 0 and 1.
 *
 * Accuracy is defined as by Zhong and by Time: 1 - sum |x_i - y_i| / 2 over the normalized bins of
 * the finite distances; 0 if only one profile has finite distances. The average error is that of
 * HP-RDA: the mean of |a_k - b_k| over its 23 bins, normalized in the same way. Miss ratios are
 * compared at 1, 2, 4 ... blocks, at the sizes where no interpolation is needed. */
typedef struct rd_comparison {
    double accuracy;          /* on the bins of `binning` */
    rd_binning binning;       /* as given to rd_compare() */
    double average_error;     /* NAN: the bins are too coarse */
    double max_mrc_error;     /* largest difference of the miss ratios */
    uint64_t max_mrc_blocks;  /* the cache size at which it occurs; 0: there is none */
    double mean_mrc_error;    /* mean difference of the miss ratios */
    unsigned n_mrc_sizes;     /* number of sizes compared; 0: the bins are too coarse */
    uint64_t last_mrc_blocks; /* the largest size compared */
    bool identical;     /* same block size, references, blocks and infinite count; same counts and
                           sums of distances in the finest bins that both have */
    bool bound_checked; /* one profile is exact and the other one states an error bound */
    bool bound_held;    /* the histograms do not contradict this error bound; a confidence band must
                           contain the miss ratio at 95 % of the sizes */
    rd_bin_difference worst[RD_WORST_BINS]; /* bins of `binning` that differ most, worst first */
    size_t n_worst;                         /* fewer if fewer bins differ */
} rd_comparison;

/* Compares two profiles on the bins of `binning`, by convention {RD_BINS_LOG, 0}. RD_BINS_EDGES
 * stands for the finest bins that both profiles have. RD_EINVAL if a bin would have to be split,
 * and for reference histograms. */
RD_API RD_CHECKED rd_status rd_compare(rd_ctx *ctx, rd_profile *a, rd_profile *b,
                                       rd_binning binning, rd_comparison *out);

#ifdef __cplusplus
}
#endif
#endif
