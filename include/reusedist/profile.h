/* Histograms and profiles: the results of an analysis, to keep, compare, merge and plot. */
#ifndef REUSEDIST_PROFILE_H
#define REUSEDIST_PROFILE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ways to group distances into bins (Zhong, Shen, Ding 2009, section 3.1). Both ends of a bin
 * are inclusive. */
typedef enum rd_binning_kind {
    RD_BINS_LOGLINEAR = 0, /* like log up to 2047; then every bin is 2048 wide. With a `param`, a
                              power of two below 2048: like log up to param - 1; then every bin is
                              `param` wide */
    RD_BINS_LOG,           /* [0] [1] [2,3] [4,7] ... */
    RD_BINS_LINEAR,        /* every bin is `param` wide */
    RD_BINS_FULL,          /* every distance has its own bin */
    RD_BINS_REFERENCE,     /* `param` groups with equal numbers of references, made from the
                              log-linear bins and their means */
    RD_BINS_EDGES          /* bins that an engine defines or that a file contains; no configuration
                              can choose them */
} rd_binning_kind;

typedef struct rd_binning {
    rd_binning_kind kind;
    uint64_t param; /* linear: width; reference: number of groups; loglinear: width of the linear
                       bins, or 0 for 2048; else 0 */
} rd_binning;

/* Parses "full", "log", "loglinear", "loglinear:WIDTH", "linear:WIDTH", "reference:GROUPS" or
 * "reference", which means "reference:1000". */
RD_API RD_CHECKED rd_status rd_binning_parse(rd_ctx *ctx, const char *text, rd_binning *out);
/* Writes the name of a binning, which rd_binning_parse() accepts unless the kind is RD_BINS_EDGES.
 * `text` must have room for 32 bytes. */
RD_API void rd_binning_name(rd_binning binning, char *text);

/* The sum of the distances in a bin. It has 128 bits, because the sum of 2^40 references with
 * distances of 2^40 exceeds 64 bits. */
typedef struct rd_sum {
    uint64_t low, high;
} rd_sum;

/* One histogram row. */
typedef struct rd_bin {
    uint64_t low, high; /* smallest and largest distance, both inclusive */
    uint64_t count;     /* number of references */
    rd_sum sum;         /* sum of their distances */
} rd_bin;

/* Returns the average distance in a bin, or 0 if the bin is empty. */
RD_API double rd_bin_mean(const rd_bin *bin);

/* A trace that a profile was made from, for people who read the profile file. */
typedef struct rd_source {
    const char *path, *format;
    uint64_t bytes;      /* size of the stored file in bytes */
    uint64_t references; /* number of references in the trace, before they are filtered by kind and
                            split into blocks */
} rd_source;

/* A cache level whose misses are counted. */
typedef struct rd_level {
    char name[16];
    uint64_t bytes; /* size of the cache, at least 1; a number of blocks if blocks have no size in
                       bytes */
} rd_level;

#define RD_LEVELS_MAX 4

#define RD_UNKNOWN    UINT64_MAX /* unknown, such as the number of blocks of a bounded analysis */

/* A peak: a distance of a sampled block that is longer than the distance before and the distance
 * after it (see rd_sampler_new()). Its distance can serve as a measure of the size of the input. */
typedef struct rd_peak {
    uint32_t sample; /* number of the sampled block, from 1 */
    uint32_t number; /* number of the peak among the peaks of the block, from 1 */
    uint64_t distance;
    uint64_t time; /* number of references until the sampler reported the peak, see
                      rd_sampler_peaks() */
} rd_peak;

/* Thresholds of the sampling that finds peaks. 0 lets the sampler choose the threshold from the
 * number of distinct blocks so far. */
typedef struct rd_sampler_config {
    uint64_t qualification, temporal; /* thresholds of distances */
    uint64_t spatial;                 /* threshold of the difference of block ids */
} rd_sampler_config;

typedef struct rd_profile rd_profile;

#define RD_BAND_SIZES 64

/* The facts of a profile except its bins. Strings are borrowed from the profile.
 *
 * error_kind is one of these words:
 *   "exact"     every distance is exact
 *   "relative"  a distance is at most the true distance d, and at least d - error_bound * d
 *   "absolute"  a distance is at most the true distance d, and at least d - error_bound
 *   "sampled"   error_bound is the largest half width of the confidence band of the miss ratios,
 *               see rd_mrc_band(); nothing is stated for caches below rd_mrc_resolution() blocks
 *   "bursts"    the recorder recorded bursts of references and skipped the rest. With 95 %
 *               confidence a miss ratio is within the band of rd_mrc_band(), which covers reuses
 *               longer than a burst as well; error_bound is the largest width of this band
 *   "parts"     the recorder skipped parts of the run; nothing is known about the error
 *   "time"      the histogram contains time distances
 *   "none"      nothing was measured
 * Any other word, such as "statistical", "predicted", or "mixed" after a merge, promises nothing about
 * individual distances.
 */
typedef struct rd_profile_facts {
    uint64_t references;        /* number of block references analyzed */
    uint64_t blocks;            /* number of distinct blocks, or RD_UNKNOWN */
    uint64_t cold;              /* number of first references to a block, or RD_UNKNOWN */
    uint64_t infinite;          /* number of infinite distances: first references, and distances
                                   that reach the bound; with private caches also coherence misses;
                                   with object caches also requests for deleted or expired
                                   objects */
    uint64_t block_bytes;       /* size of a block in bytes; 0: every address (-b addr) or object
                                   id is a block */
    uint64_t bound;             /* bound of the distances in blocks; 0: unbounded */
    const char *kinds;          /* the kinds analyzed, letters of "LSI"; NULL: all */
    const char *engine;         /* name of the engine */
    const char *engine_options; /* "key=value,...": every option with the value used */
    bool exact;
    const char *error_kind;           /* what error_bound means, see above */
    double error_bound;               /* 0: no error bound is stated */
    double sample_rate;               /* share of the blocks or objects that were measured; 0: not a
                                         sample */
    double half_width[RD_BAND_SIZES]; /* half width of a sample's confidence band at 1, 2, 4 ...
                                         blocks */
    rd_binning binning;
    bool sums_known;  /* false: the sums of the bins are meaningless, as with engine khw */
    bool partial;     /* true: the analysis ended early, and the profile covers the trace up to that
                         point */
    uint64_t skipped; /* number of references that the recorder intentionally left out; RD_UNKNOWN:
                         an unknown number. Unless it is 0, the profile is a sample */
    uint64_t unrecorded; /* number of processes and programs that the recorded program started and
                            that the profile does not cover */
    double seconds;      /* analysis time in seconds; 0: unknown */
    rd_sampler_config sampling; /* thresholds with which the peaks were found, if there are peaks */
    /* The confidence band of the miss ratios of a run that was recorded in bursts, at 1, 2, 4 ...
     * blocks. n_band is the number of these sizes; 0: no band. For larger caches, the band is the
     * same as at the last size. */
    size_t n_band;
    double band_low[RD_BAND_SIZES], band_high[RD_BAND_SIZES];
} rd_profile_facts;

RD_API const rd_profile_facts *rd_profile_facts_of(const rd_profile *p);
/* Sets *out to the bins, in ascending order and without empty bins, and returns their number. */
RD_API size_t rd_profile_bins(const rd_profile *p, const rd_bin **out);
RD_API size_t rd_profile_sources(const rd_profile *p, const rd_source **out);
/* Sets *out to the peaks, sorted by sample and number, and returns their number. Only a profile
 * made with sampling has peaks. */
RD_API size_t rd_profile_peaks(const rd_profile *p, const rd_peak **out);

/* The order of lockstep in which the references of threads were analyzed; docs/threads.md defines
 * it. */
typedef struct rd_interleaving {
    uint64_t turn;      /* number of references in a turn */
    uint64_t reorder;   /* size of the reorder buffer in records */
    uint64_t threads;   /* number of threads */
    uint64_t overflows; /* number of turns that threads missed because the reorder buffer was too
                           small */
    uint64_t recorded_coherence; /* private caches: number of their coherence misses in the recorded
                                    order; RD_UNKNOWN: not counted */
} rd_interleaving;

/* Returns the order of the references, borrowed from the profile, or NULL if it is the recorded
 * order. */
RD_API const rd_interleaving *rd_profile_interleaving(const rd_profile *p);

/* Returns a note for the user about a profile that was read from a file, as one sentence, or NULL
 * if there is none. A file of a later release can have sections that this release does not know.
 * This release then reads the profile without them, and the note names them. The note is borrowed
 * from the profile. */
RD_API const char *rd_profile_note(const rd_profile *p);

/* These functions set facts that only the caller of the engine knows. Strings are copied. The
 * functions return RD_EINVAL for a block size that is neither 0 nor a power of two, and for kinds
 * that are not letters of "LSI". */
RD_API RD_CHECKED rd_status rd_profile_set_block_bytes(rd_profile *p, uint64_t block_bytes);
RD_API void rd_profile_set_partial(rd_profile *p, bool partial);
RD_API void rd_profile_set_unrecorded(rd_profile *p, uint64_t unrecorded);
/* Sets the order of the references. `turn` and `reorder` must not be 0. */
RD_API RD_CHECKED rd_status rd_profile_set_interleaving(rd_profile *p,
                                                        const rd_interleaving *interleaving);
/* Sets the number of references that the recorder skipped. Unless `skipped` is 0, the profile is
 * not exact: its error kind becomes "parts", if it is not "bursts", "time" or "none". */
RD_API RD_CHECKED rd_status rd_profile_set_skipped(rd_profile *p, uint64_t skipped);
/* States the band of a run that was recorded in bursts: at 2^k blocks, the miss ratio lies between
 * low[k] and high[k] with 95 % confidence, for k below `n` (1 to RD_BAND_SIZES). For larger caches
 * it lies between low[n - 1] and high[n - 1]. The error kind becomes "bursts". The function returns
 * RD_EINVAL unless all numbers are from 0 to 1, neither array increases, and no low[k] is above
 * high[k]. */
RD_API RD_CHECKED rd_status rd_profile_set_burst_band(rd_profile *p, const double *low,
                                                      const double *high, size_t n);
/* Adds `repeats` references of distance 0, which were counted without being fed to an engine. If
 * the profile has no distances, only its number of references grows. The function returns RD_EINVAL
 * for a profile with reference groups. */
RD_API RD_CHECKED rd_status rd_profile_add_repeats(rd_profile *p, uint64_t repeats);
RD_API void rd_profile_set_seconds(rd_profile *p, double seconds);
RD_API RD_CHECKED rd_status rd_profile_set_kinds(rd_profile *p, const char *kinds);
RD_API RD_CHECKED rd_status rd_profile_add_source(rd_profile *p, const rd_source *source);
/* Replaces the peaks of the profile. The function returns RD_EINVAL unless sample numbers are at
 * least 1 and do not decrease, the peaks of each sample are numbered 1, 2, 3 ..., and no time
 * exceeds the number of references. */
RD_API RD_CHECKED rd_status rd_profile_set_peaks(rd_profile *p, const rd_peak *peaks, size_t n);
RD_API void rd_profile_set_sampling(rd_profile *p, const rd_sampler_config *sampling);

/* Reads a profile file (JSON, schema "reusedist.profile/1"). `path` "-" is standard input. */
RD_API RD_CHECKED rd_status rd_profile_read(rd_ctx *ctx, const char *path, rd_profile **out);
/* Reads a profile from an open file or pipe, which the caller closes. `head` has the `n` bytes (at
 * most 64 KiB) that the caller has already read from it. Messages call the file `name`. */
RD_API RD_CHECKED rd_status rd_profile_read_fd(rd_ctx *ctx, int fd, const char *name,
                                               const void *head, size_t n, rd_profile **out);
RD_API RD_CHECKED rd_status rd_profile_parse(rd_ctx *ctx, const char *name, const char *text,
                                             size_t n, rd_profile **out);
/* Makes the text of the profile file, terminated by NUL. Free the text with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_profile_json(rd_profile *p, char **out, size_t *n);

/* Sums the profiles of independent runs. All profiles must have the same block size, bound, kinds, order
 * of threads, warm-up and expiry, and the same kind of distances: of shared or private stacks, of blocks
 * or of bytes of objects. The result has the finest bins that all of them have. The function returns
 * RD_EINVAL for profiles that cannot be summed; the message gives the reason. */
RD_API RD_CHECKED rd_status rd_profile_merge(rd_ctx *ctx, rd_profile *const *parts, size_t n,
                                             rd_profile **out);

/* Settings that differ between two profiles, so that their numbers do not mean the same. */
typedef enum rd_different_setting {
    RD_DIFFERENT_BLOCKS = 1,  /* sizes of blocks */
    RD_DIFFERENT_BOUNDS = 2,  /* bounds */
    RD_DIFFERENT_KINDS = 4,   /* kinds of references */
    RD_DIFFERENT_STACKS = 8,  /* shared and private stacks */
    RD_DIFFERENT_ORDERS = 16, /* orders of the threads' references; a single thread has one order */
    RD_DIFFERENT_WARMUPS =
        32, /* object caches: numbers of requests that are not counted at the start */
    RD_DIFFERENT_EXPIRIES = 64, /* object caches: when expired objects leave the cache */
} rd_different_setting;
/* Returns the settings that differ between two profiles, as a set of rd_different_setting. NULL differs in nothing. */
RD_API uint32_t rd_profile_differences(const rd_profile *a, const rd_profile *b);

/* Converts a profile to coarser bins. The function returns RD_EINVAL if `to` would have to split a
 * bin. */
RD_API RD_CHECKED rd_status rd_profile_rebin(rd_profile *p, rd_binning to, rd_profile **out);

/* Describes a file with a histogram of time distances, and the profile to make from it. */
typedef struct rd_times_config {
    size_t size;        /* sizeof(rd_times_config) */
    uint64_t blocks;    /* number of distinct blocks; 0: the number in the file */
    bool from_zero;     /* true: immediate reuse has time distance 0 in the file, not 1 */
    rd_binning binning; /* binning of the profile */
} rd_times_config;

/* Infers reuse distances from time distances that were measured elsewhere, with the model of engine
 * `time`. Each line of the file (`path` "-": standard input) is "time count", "low high count" or
 * "low high count mean"; times ascend. The line "inf count" gives the number of distinct blocks.
 * Separators are commas, semicolons and blanks. Lines that begin with '#' and a header line are
 * skipped. */
RD_API RD_CHECKED rd_status rd_profile_from_times(rd_ctx *ctx, const char *path,
                                                  const rd_times_config *config, rd_profile **out);

RD_API void rd_profile_free(rd_profile *p);

#ifdef __cplusplus
}
#endif
#endif
