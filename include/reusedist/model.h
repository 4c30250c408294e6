/* Cache models: miss-ratio curves, cache sizes and comparisons, computed from profiles. */
#ifndef REUSEDIST_MODEL_H
#define REUSEDIST_MODEL_H

#include "machine.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the miss ratio of a fully associative LRU cache of `blocks` blocks: the share of
 * references whose distance is infinite or at least `blocks`. The miss ratio of an empty trace is
 * 1.
 *
 * If `blocks` is the lower end of a bin, the miss ratio follows from the counts of the bins. If
 * `blocks` lies inside a bin, the miss ratio is interpolated, and *interpolated becomes true;
 * `interpolated` may be NULL. To interpolate, the model spreads the references of the bin evenly over a
 * range of distances below the bound and below the number of distinct blocks. This range begins at the
 * lower end of the bin or ends at the upper end of the bin. If the mean of the bin is known, the range
 * is chosen such that it has the same mean.
 *
 * The function returns RD_EINVAL for a size above the profile's bound and for a profile without
 * distances (engine null). */
RD_API RD_CHECKED rd_status rd_mrc_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                      double *miss_ratio, bool *interpolated);

/* Returns the size in blocks (object caches: in bytes) of the smallest cache that a sample
 * resolves. A sample of the blocks resolves a cache that holds ten sampled blocks. A sample of
 * objects resolves a power of two if rd_objects_facts.size_error is at most 0.62 there and at all
 * larger powers. Miss ratios of smaller caches mean nothing. Returns 0 if every size is
 * resolved. */
RD_API uint64_t rd_mrc_resolution(const rd_profile *p);

/* Returns whether the profile comes from a sample of the blocks, of the objects or of the run, and
 * has a confidence band for its miss ratios. */
RD_API bool rd_mrc_has_band(const rd_profile *p);

/* Computes the band that contains the exact miss ratio at size `blocks` with 95 % confidence; the
 * confidence holds for each size alone. For a sample of the blocks or objects, the band extends
 * below and above the curve by the half width that the profile states, and accounts for the error
 * that sampling makes in cache sizes. For a run that was recorded in bursts, the profile states the
 * band. The function returns RD_EINVAL for a profile without a band, see rd_mrc_has_band(), and for
 * a size too close to the bound. */
RD_API RD_CHECKED rd_status rd_mrc_band(rd_ctx *ctx, const rd_profile *p, uint64_t blocks,
                                        double *low, double *high);

/* Estimates the miss ratio of an LRU cache of `sets` sets with `ways` ways each, from the distances
 * alone (Smith 1978): a reference at distance d misses with the probability that at least `ways` of
 * d blocks map to its set, P(binomial(d, 1 / sets) >= ways). The set index of real programs is not
 * random, so this is an estimate even if every distance is exact. With one set, the result is that
 * of rd_mrc_at(). For large direct-mapped caches the fully associative miss ratio is often closer
 * to the truth.
 *
 * *interpolated becomes true if the distances of a bin had to be spread as for rd_mrc_at();
 * `interpolated` may be NULL. The function returns RD_EINVAL for 0 sets or ways, for more than 2^60
 * blocks, for a profile without distances, and for a bounded profile if references beyond its bound
 * could change the result by more than 0.05 points. */
RD_API RD_CHECKED rd_status rd_mrc_ways(rd_ctx *ctx, const rd_profile *p, uint64_t sets,
                                        uint64_t ways, double *miss_ratio, bool *interpolated);
/* Computes the band that contains, with 95 % confidence, the estimate that rd_mrc_ways() would give
 * for all references. The function returns RD_EINVAL as rd_mrc_ways() does, and for a profile
 * without a band, see rd_mrc_has_band(). */
RD_API RD_CHECKED rd_status rd_mrc_ways_band(rd_ctx *ctx, const rd_profile *p, uint64_t sets,
                                             uint64_t ways, double *low, double *high);

/* The misses of a machine's data caches, computed from a profile. */
typedef struct rd_machine_misses {
    double full[RD_CACHES_MAX];     /* miss ratio of a fully associative cache; NAN: unknown */
    double estimate[RD_CACHES_MAX]; /* estimate of rd_mrc_ways(); NAN: unknown */
    bool cycles_known;              /* false: the machine does not state all latencies, a miss ratio
                                       is unknown, or the profile has private stacks */
    rd_cycles cycles;               /* the time that all references wait, from the estimates */
} rd_machine_misses;

/* Computes the miss ratios of a machine's caches, each as if all references arrived there, and the
 * time that the references wait. A miss ratio is unknown beyond the bound of the profile, and below
 * the resolution of its sample. If the profile has private stacks, see rd_profile_private(), the
 * miss ratios are those of the private caches of all threads together; those of shared caches, and the
 * time, are unknown. The function returns RD_EINVAL if the block size of the profile is not the line
 * size of the machine. */
RD_API RD_CHECKED rd_status rd_machine_misses_of(rd_ctx *ctx, const rd_profile *p,
                                                 const rd_machine *m, rd_machine_misses *out);

typedef struct rd_mrc_point {
    uint64_t blocks;
    double miss_ratio;
} rd_mrc_point;

/* Computes the whole curve: a point wherever its slope can change, starting at 0 blocks (miss ratio
 * 1). The curve is a straight line between two points and flat after the last one, up to the bound
 * if there is one. Free the points with rd_mrc_free(). */
RD_API RD_CHECKED rd_status rd_mrc_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **points,
                                         size_t *n);
RD_API void rd_mrc_free(rd_ctx *ctx, rd_mrc_point *points);

/* Returns the size in blocks of the smallest cache that has at least `share` of the hits of an
 * infinite cache, rounded up to the end of a bin. Returns 0 if `share` is 0 or even an infinite
 * cache has no hits, and RD_UNKNOWN if the profile cannot answer: a bounded analysis does not know
 * the hits of an infinite cache. */
RD_API uint64_t rd_smallest_cache(const rd_profile *p, double share);

/* The smallest cache with a given hit ratio, or the best hit ratio that a cache can have. */
typedef struct rd_hits_answer {
    double requested; /* hits as a share of all references */
    bool reachable;   /* true: a cache has the requested hit ratio, within the profile's bound */
    uint64_t blocks;  /* size of the smallest cache with the requested hit ratio or, if `reachable`
                         is false, with the best hit ratio; rounded up to the end of a bin */
    double hit_ratio; /* hit ratio of a cache of that size */
    double cold; /* share of the references that no cache hits: first references, coherence misses,
                    and requests of deleted or expired objects; NAN: unknown */
} rd_hits_answer;
/* Answers "which cache hits `requested` (0 to 1) of all references?". The function returns
 * RD_EINVAL for any other value of `requested`, and for a profile without distances. */
RD_API RD_CHECKED rd_status rd_cache_for_hits(rd_ctx *ctx, const rd_profile *p, double requested,
                                              rd_hits_answer *out);
/* Sets *low and *high to the range that contains the smallest cache with the hit ratio `hits` (0 to
 * 1), with 95 % confidence. *low is RD_UNKNOWN if it lies below rd_mrc_resolution() or if no size
 * can have the hit ratio. *high is RD_UNKNOWN if no size is certain to have the hit ratio. The
 * function returns RD_EINVAL for any other value of `hits`, and for a profile without a band, see
 * rd_mrc_has_band(). */
RD_API RD_CHECKED rd_status rd_cache_for_hits_band(rd_ctx *ctx, const rd_profile *p, double hits,
                                                   uint64_t *low, uint64_t *high);

/* A working-set knee: a cache size at which a working set fits. The curve drops steeply before the
 * knee and is flat after it: a cache of half the size has many more misses, and a cache of twice
 * the size has hardly fewer. */
typedef struct rd_knee {
    uint64_t blocks;    /* smallest size at which the working set fits; an estimate if it lies
                           inside a bin, or at the end of a bin of several distances */
    double miss_before; /* miss ratio of a cache of about half the size */
    double miss_after;  /* miss ratio of a cache of this size */
} rd_knee;
/* Writes at most `max` knees at cache sizes of 8 blocks or more to `out`, starting with the most
 * pronounced knee, and returns the number of knees written. Leaves out a knee if the curve is interpolated
 * all the way from half its size. */
RD_API size_t rd_knees(const rd_profile *p, rd_knee *out, size_t max);

/* A bin with different shares of the references in two profiles. */
typedef struct rd_bin_difference {
    uint64_t low, high;
    double share[2]; /* share of the finite references of each profile */
} rd_bin_difference;

#define RD_WORST_BINS 5

/* The comparison of two profiles. All accuracies, errors and shares are between 0 and 1.
 *
 * Accuracy is defined as in the papers about prediction (Zhong, Shen and Ding) and about engine
 * time: 1 - sum |x_i - y_i| / 2 over the normalized bins of the finite distances; 0 if only one
 * profile has finite distances. The average error is defined as in the paper about HP-RDA: the mean
 * of |a_k - b_k| over its 23 bins, normalized in the same way. Miss ratios are compared at 1, 2, 4
 * ... blocks, for object caches from the size of the largest object on, but only at sizes that
 * samples resolve and where neither profile needs interpolation. */
typedef struct rd_comparison {
    double accuracy;          /* accuracy on the bins of `binning` */
    rd_binning binning;       /* the binning that was passed to rd_compare() */
    double average_error;     /* NAN: the bins are too coarse */
    double max_mrc_error;     /* largest difference of the miss ratios */
    uint64_t max_mrc_blocks;  /* the cache size with that difference; 0: there is none */
    double mean_mrc_error;    /* mean difference of the miss ratios */
    unsigned n_mrc_sizes;     /* number of sizes compared; 0: the bins are too coarse, or the
                                 samples resolve no size */
    uint64_t last_mrc_blocks; /* the largest size compared; 0: none */
    bool identical;           /* true: both profiles have the same block size, the same numbers of
                           references, blocks and infinite distances, and the same counts and, if
                           both know them, sums of distances in the finest bins that both have; for
                           object caches, also the same bytes of requests in every bin */
    bool bound_checked; /* true: one profile is exact, the other one states an error bound, and both
                           have the same number of references or the bound is the band of a run in
                           bursts */
    bool bound_held;    /* true: the error bound was checked, and the histograms do not contradict
                           it. A confidence band must contain the miss ratio at 95 % of the sizes */
    rd_bin_difference worst[RD_WORST_BINS]; /* bins of `binning` that differ most, worst first */
    size_t n_worst;                         /* number of entries in `worst` */
} rd_comparison;

/* Compares two profiles on the bins of `binning`, by convention {RD_BINS_LOG, 0}. RD_BINS_EDGES
 * means the finest bins that both profiles have. The function returns RD_EINVAL if a bin would have
 * to be split, for reference groups, if only one profile is of an object cache, and if profiles of
 * object caches count different requests (rd_objects_facts.count). */
RD_API RD_CHECKED rd_status rd_compare(rd_ctx *ctx, rd_profile *a, rd_profile *b,
                                       rd_binning binning, rd_comparison *out);

#ifdef __cplusplus
}
#endif
#endif
