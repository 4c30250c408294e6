/* Histograms and profiles: the results of an analysis, to keep, compare, merge and plot. */
#ifndef REUSEDIST_PROFILE_H
#define REUSEDIST_PROFILE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How distances are grouped (Zhong, Shen, Ding 2009, section 3.1). Both ends of a bin are
 * inclusive. */
typedef enum rd_binning_kind {
    RD_BINS_LOGLINEAR = 0, /* the same as log up to 2047, then every bin 2048 wide */
    RD_BINS_LOG,           /* [0] [1] [2,3] [4,7] ... */
    RD_BINS_LINEAR,        /* every bin `param` wide */
    RD_BINS_FULL,          /* every distance its own bin */
    RD_BINS_REFERENCE,     /* `param` groups of equally many references, made from the log-linear
                              bins and their means */
    RD_BINS_EDGES          /* given by an engine or read from a file */
} rd_binning_kind;

typedef struct rd_binning {
    rd_binning_kind kind;
    uint64_t param; /* linear: width; reference: number of groups; else 0 */
} rd_binning;

/* Parses "full", "log", "loglinear", "linear:2048" or "reference:1000" (":1000" is the default and
 * may be left out). */
RD_API RD_CHECKED rd_status rd_binning_parse(rd_ctx *ctx, const char *text, rd_binning *out);
/* The inverse; `text` has room for 32 bytes. */
RD_API void rd_binning_name(rd_binning binning, char *text);

/* The sum of the distances of a bin. It has 128 bits, because 2^40 references with distances of
 * 2^40 exceed 64 bits. */
typedef struct rd_sum {
    uint64_t low, high;
} rd_sum;

/* One histogram row. */
typedef struct rd_bin {
    uint64_t low, high; /* distances, both inclusive */
    uint64_t count;     /* references */
    rd_sum sum;         /* of their distances */
} rd_bin;

/* Average distance in a bin; 0 for an empty one. */
RD_API double rd_bin_mean(const rd_bin *bin);

/* A trace that a profile was made from, for people who read the profile file. */
typedef struct rd_source {
    const char *path, *format;
    uint64_t bytes;      /* of the file as stored */
    uint64_t references; /* of the trace, before they are filtered by kind and split into blocks */
} rd_source;

/* A cache level whose misses are counted. */
typedef struct rd_level {
    char name[16];
    uint64_t bytes; /* at least 1; the number of blocks, if blocks have no size in bytes */
} rd_level;

#define RD_LEVELS_MAX 4

#define RD_UNKNOWN    UINT64_MAX /* for example the number of blocks in a bounded run */

/* A peak of the distances of a sampled block: it is longer than the distance before and the
 * distance after it (see rd_sampler_new()). Its distance can represent the size of the input. */
typedef struct rd_peak {
    uint32_t sample; /* number of the sampled block, from 1 */
    uint32_t number; /* number of the peak among those of the block, from 1 */
    uint64_t distance;
    uint64_t time; /* references until the sampler reported the peak (rd_sampler_peaks()) */
} rd_peak;

/* Thresholds of the sampling that finds peaks. 0: chosen while sampling, from the number of
 * distinct blocks so far. */
typedef struct rd_sampler_config {
    uint64_t qualification, temporal; /* distances */
    uint64_t spatial;                 /* difference of block ids */
} rd_sampler_config;

typedef struct rd_profile rd_profile;

#define RD_BAND_SIZES 64

/* The facts of a profile except its bins. Strings are borrowed from the profile.
 *
 * error_kind is one of these words:
 *   "exact"     every distance is exact
 *   "relative"  a distance is at most the true distance d, and at least d - error_bound * d
 *   "absolute"  a distance is at most the true distance, and at most error_bound blocks less
 *   "sampled"   error_bound is the largest half width of the confidence band of the miss ratios,
 *               see rd_mrc_band(); there is no statement below 1 / sample_rate blocks
 *   "time"      the histogram contains time distances
 *   "none"      nothing was measured
 * Any other word ("statistical", or "mixed" after a merge) promises nothing about single distances.
 */
typedef struct rd_profile_facts {
    uint64_t references;        /* block references analyzed */
    uint64_t blocks;            /* distinct blocks, or RD_UNKNOWN */
    uint64_t cold;              /* first references, or RD_UNKNOWN */
    uint64_t infinite;          /* first references, and distances of the bound or more */
    uint64_t block_bytes;       /* 0: one block per address (-b addr) */
    uint64_t bound;             /* 0: unbounded */
    const char *kinds;          /* letters of "LSI": the kinds analyzed; NULL: all */
    const char *engine;         /* name */
    const char *engine_options; /* "key=value,...": every option with the value used */
    bool exact;
    const char *error_kind;           /* what error_bound means, see above */
    double error_bound;               /* 0: none stated */
    double sample_rate;               /* share of the blocks that was measured; 0: not a sample */
    double half_width[RD_BAND_SIZES]; /* of a sample's confidence band, at 1, 2, 4 ... blocks */
    rd_binning binning;
    bool sums_known;  /* false: the sums of the bins are meaningless (khw) */
    bool partial;     /* the analysis ended early; the profile covers the trace up to that point */
    uint64_t skipped; /* references that the recorder left out intentionally; RD_UNKNOWN: some. Not
                         0: the profile is sampled */
    double seconds;   /* analysis time; 0: unknown */
    rd_sampler_config sampling; /* thresholds with which the peaks were found, if there are peaks */
} rd_profile_facts;

RD_API const rd_profile_facts *rd_profile_facts_of(const rd_profile *p);
RD_API size_t rd_profile_bins(const rd_profile *p,
                              const rd_bin **out); /* ascending, no empty ones */
RD_API size_t rd_profile_sources(const rd_profile *p, const rd_source **out);
/* The peaks, sorted by sample and number. There are none without sampling. */
RD_API size_t rd_profile_peaks(const rd_profile *p, const rd_peak **out);

/* A note for the user about a profile that was read from a file, as one sentence; NULL: none. A
 * file of a later release can have sections that this release does not know. This release then
 * reads the profile without them, and the note names them. Borrowed from the profile. */
RD_API const char *rd_profile_note(const rd_profile *p);

/* Facts that only the caller of the engine knows. Strings are copied. RD_EINVAL for a block size that
 * is not a power of two or 0, and for kinds that are not letters of "LSI". */
RD_API RD_CHECKED rd_status rd_profile_set_block_bytes(rd_profile *p, uint64_t block_bytes);
RD_API void rd_profile_set_partial(rd_profile *p, bool partial);
RD_API void rd_profile_set_skipped(rd_profile *p, uint64_t skipped);
/* Adds references of distance 0 that were counted without being fed to an engine. */
RD_API RD_CHECKED rd_status rd_profile_add_repeats(rd_profile *p, uint64_t repeats);
RD_API void rd_profile_set_seconds(rd_profile *p, double seconds);
RD_API RD_CHECKED rd_status rd_profile_set_kinds(rd_profile *p, const char *kinds);
RD_API RD_CHECKED rd_status rd_profile_add_source(rd_profile *p, const rd_source *source);
/* Replaces the peaks of the profile. RD_EINVAL unless samples and numbers ascend and no time
 * exceeds the number of references. */
RD_API RD_CHECKED rd_status rd_profile_set_peaks(rd_profile *p, const rd_peak *peaks, size_t n);
RD_API void rd_profile_set_sampling(rd_profile *p, const rd_sampler_config *sampling);

/* The profile file (JSON, schema "reusedist.profile/1"). `path` "-" is standard input or output. */
RD_API RD_CHECKED rd_status rd_profile_read(rd_ctx *ctx, const char *path, rd_profile **out);
/* Reads a profile from an open file or pipe, which the caller closes. `head` has the `n` bytes (at
 * most 64 K) that the caller has already read from it. Messages call the file `name`. */
RD_API RD_CHECKED rd_status rd_profile_read_fd(rd_ctx *ctx, int fd, const char *name,
                                               const void *head, size_t n, rd_profile **out);
RD_API RD_CHECKED rd_status rd_profile_parse(rd_ctx *ctx, const char *name, const char *text,
                                             size_t n, rd_profile **out);
/* Makes the text of the profile file, NUL-terminated; free it with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_profile_json(rd_profile *p, char **out, size_t *n);

/* Sums the profiles of independent runs. All must have the same block size, bound and kinds. The
 * result has the finest bins that all of them have. */
RD_API RD_CHECKED rd_status rd_profile_merge(rd_ctx *ctx, rd_profile *const *parts, size_t n,
                                             rd_profile **out);

/* Converts a profile to coarser bins. RD_EINVAL if `to` would have to split a bin. */
RD_API RD_CHECKED rd_status rd_profile_rebin(rd_profile *p, rd_binning to, rd_profile **out);

/* How to read a histogram of time distances. */
typedef struct rd_times_config {
    size_t size;        /* sizeof(rd_times_config) */
    uint64_t blocks;    /* number of distinct blocks; 0: the number in the file */
    bool from_zero;     /* immediate reuse has time distance 0 in the file, not 1 */
    rd_binning binning; /* of the profile */
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
