/* Histograms and profiles: the result people keep, compare, merge and plot. */
#ifndef REUSEDIST_PROFILE_H
#define REUSEDIST_PROFILE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How distances are grouped (Zhong, Shen, Ding 2009, section 3.1). Both ends of a bin are
 * inclusive. */
typedef enum rd_binning_kind {
    RD_BINS_LOGLINEAR = 0, /* as log up to 2047, then every bin 2048 wide */
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

/* "full", "log", "loglinear", "linear:2048", "reference:1000" (":1000" may be left out). */
RD_API RD_CHECKED rd_status rd_binning_parse(rd_ctx *ctx, const char *text, rd_binning *out);
/* The inverse; `text` has room for 32 bytes. */
RD_API void rd_binning_name(rd_binning binning, char *text);

/* Sum of distances of a bin: 128 bits, because 2^40 references of 2^40 blocks happen. */
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

/* Where a profile came from, for the reader of the file. */
typedef struct rd_source {
    const char *path, *format;
    uint64_t bytes, references; /* as stored; trace references before splitting and filtering */
} rd_source;

/* A cache whose misses are asked for. */
typedef struct rd_level {
    char name[16];
    uint64_t bytes; /* at least 1; where blocks have no size, their number */
} rd_level;

#define RD_LEVELS_MAX 4

#define RD_UNKNOWN    UINT64_MAX /* blocks and cold of a bounded run */

/* A peak of the distances of a sampled block: longer than its distances before and behind (see
 * rd_sampler_new()). Its distance can stand for the size of the input. */
typedef struct rd_peak {
    uint32_t sample; /* number of the sampled block, from 1 on */
    uint32_t number; /* of the peak among those of the block, from 1 on */
    uint64_t distance;
    uint64_t time; /* references until it was known to be a peak */
} rd_peak;

/* Thresholds of the sampling that found peaks; 0: chosen while sampling, by how many blocks there
 * are so far. */
typedef struct rd_sampler_config {
    uint64_t qualification, temporal; /* distances */
    uint64_t spatial;                 /* difference of block ids */
} rd_sampler_config;

typedef struct rd_profile rd_profile;

#define RD_BAND_SIZES 64

/* The plain facts of a profile. Strings are borrowed from it.
 *
 * Error kinds: "exact"; "relative": a distance is never above the true one d and at most
 * error_bound * d below; "absolute": never above it and at most error_bound blocks below; "none":
 * nothing was measured; "sampled": error_bound is half the width of a band around the miss ratios
 * where it is widest (below 1 / sample_rate blocks nothing is told), see rd_mrc_band(); "time": the
 * histogram holds time distances. Other words ("statistical", or "mixed" after a merge) promise
 * nothing about single distances. */
typedef struct rd_profile_facts {
    uint64_t references;        /* block references analysed */
    uint64_t blocks;            /* distinct blocks, or RD_UNKNOWN */
    uint64_t cold;              /* first references, or RD_UNKNOWN */
    uint64_t infinite;          /* cold + beyond the bound */
    uint64_t block_bytes;       /* 0: element granularity (-b addr) */
    uint64_t bound;             /* 0: unbounded */
    const char *kinds;          /* of "LSI", those analysed; NULL: all */
    const char *engine;         /* name */
    const char *engine_options; /* "key=value,...", every option with the value used */
    bool exact;
    const char *error_kind;           /* "exact", or what error_bound limits, see below */
    double error_bound;               /* 0: none stated */
    double sample_rate;               /* share of the blocks that was measured; 0: not a sample */
    double half_width[RD_BAND_SIZES]; /* of a sample's band at 1, 2, 4 ... blocks */
    rd_binning binning;
    bool sums_known;  /* false: the sum column means nothing (khw) */
    bool partial;     /* the trace broke off; what came before is analysed */
    uint64_t skipped; /* references that the recorder left out on purpose; RD_UNKNOWN: some. Not 0:
                         the profile is sampled */
    double seconds;   /* analysis time, 0 unknown */
    rd_sampler_config sampling; /* how peaks were found, where there are some */
} rd_profile_facts;

RD_API const rd_profile_facts *rd_profile_facts_of(const rd_profile *p);
RD_API size_t rd_profile_bins(const rd_profile *p,
                              const rd_bin **out); /* ascending, no empty ones */
RD_API size_t rd_profile_sources(const rd_profile *p, const rd_source **out);
/* In the order of samples and numbers. None without sampling, and where no peak was. */
RD_API size_t rd_profile_peaks(const rd_profile *p, const rd_peak **out);

/* What the user should know about a profile that was read from a file, as one sentence; NULL:
 * nothing. A file of a later release can have sections that this release does not know: it reads the
 * profile without them, and the note names them. Borrowed from the profile. */
RD_API const char *rd_profile_note(const rd_profile *p);

/* What only the caller of the engine knows. Strings are copied. */
RD_API void rd_profile_set_block_bytes(rd_profile *p, uint64_t block_bytes);
RD_API void rd_profile_set_partial(rd_profile *p, bool partial);
RD_API void rd_profile_set_skipped(rd_profile *p, uint64_t skipped);
/* References of distance 0 that no engine saw. */
RD_API RD_CHECKED rd_status rd_profile_add_repeats(rd_profile *p, uint64_t repeats);
RD_API void rd_profile_set_seconds(rd_profile *p, double seconds);
RD_API RD_CHECKED rd_status rd_profile_set_kinds(rd_profile *p, const char *kinds);
RD_API RD_CHECKED rd_status rd_profile_add_source(rd_profile *p, const rd_source *source);
/* Replaces those that are there. RD_EINVAL unless samples and numbers ascend and time does not
 * exceed the references. */
RD_API RD_CHECKED rd_status rd_profile_set_peaks(rd_profile *p, const rd_peak *peaks, size_t n);
RD_API void rd_profile_set_sampling(rd_profile *p, const rd_sampler_config *sampling);

/* The profile file (JSON, schema "reusedist.profile/1"). `path` "-" is standard input or output. */
RD_API RD_CHECKED rd_status rd_profile_read(rd_ctx *ctx, const char *path, rd_profile **out);
/* From an open file or pipe, which stays the caller's; `head`: the `n` bytes (at most 64 K) that
 * the caller has read from it already. `name` stands for the path in messages. */
RD_API RD_CHECKED rd_status rd_profile_read_fd(rd_ctx *ctx, int fd, const char *name,
                                               const void *head, size_t n, rd_profile **out);
RD_API RD_CHECKED rd_status rd_profile_parse(rd_ctx *ctx, const char *name, const char *text,
                                             size_t n, rd_profile **out);
/* Whole text in one allocation, NUL-ended; free with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_profile_json(rd_profile *p, char **out, size_t *n);

/* Independent runs, summed. All must have the same block size, bound and kinds; the finest common
 * binning is used. */
RD_API RD_CHECKED rd_status rd_profile_merge(rd_ctx *ctx, rd_profile *const *parts, size_t n,
                                             rd_profile **out);

/* Coarser bins from finer ones: RD_EINVAL when `to` would have to split a bin. */
RD_API RD_CHECKED rd_status rd_profile_rebin(rd_profile *p, rd_binning to, rd_profile **out);

/* How to read a histogram of time distances. */
typedef struct rd_times_config {
    size_t size;        /* sizeof(rd_times_config) */
    uint64_t blocks;    /* distinct ones; 0: what the file says */
    bool from_zero;     /* reuse at once has time distance 0 there, not 1 */
    rd_binning binning; /* of the profile */
} rd_times_config;

/* Reuse distances inferred from time distances that were measured elsewhere, by the model of engine
 * `time`. A line of the file (`path` "-": standard input) is "time count", or "low high count" with
 * the mean of the bin behind if it is known, ascending; "inf count" gives the number of distinct
 * blocks. Separators are commas, semicolons and blanks; lines that begin with '#' and a first line
 * of words are skipped. */
RD_API RD_CHECKED rd_status rd_profile_from_times(rd_ctx *ctx, const char *path,
                                                  const rd_times_config *config, rd_profile **out);

RD_API void rd_profile_free(rd_profile *p);

#ifdef __cplusplus
}
#endif
#endif
