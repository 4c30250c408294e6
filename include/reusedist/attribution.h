/* Where distances come from: which code and which data they belong to, how they change over the
 * run, and how much of each block is used.
 *
 *   rd_attributor_new(ctx, &config, &a);
 *   for every batch: rd_engine_feed(e, blocks, n, distances);
 *                    rd_attributor_feed(a, &(rd_attributed){refs, origin, blocks, distances, n});
 *   rd_attributor_finish(a, profile);        (the profile then has rd_profile_details())
 *   rd_attributor_free(a);
 *
 * All counts are exact: the references of all functions, of all lines and of all data sum up to
 * those of the profile, in every bin. What exceeds a limit is added up in entries "(others)".
 */
#ifndef REUSEDIST_ATTRIBUTION_H
#define REUSEDIST_ATTRIBUTION_H

#include "profile.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_LOG_BINS    65
#define RD_WINDOWS_MAX 512
#define RD_SITES_MAX   (1 << 20)
#define RD_REGIONS_MAX (1 << 20)
#define RD_NO_INDEX    SIZE_MAX /* an index of nothing */

/* ---- the result: part of a profile ---- */

/* What is known of a part of the references. */
typedef struct rd_share {
    uint64_t references, infinite;
    rd_sum distance_sum; /* of the finite ones */
    /* References that miss in each level: distances of its blocks or more, and infinite ones. */
    uint64_t misses[RD_LEVELS_MAX];
    uint64_t bins[RD_LOG_BINS]; /* finite ones: [0] 0, [1] 1, [2] 2 to 3, [3] 4 to 7 ... */
} rd_share;

typedef struct rd_code_function {
    const char *name;   /* an address in hexadecimal without symbols; "(others)" */
    const char *module; /* or NULL */
    size_t source;      /* where it is defined: index, or RD_NO_INDEX ... */
    uint64_t line;      /* ... and 0 */
    rd_share share;
} rd_code_function;

typedef struct rd_code_line {
    size_t source; /* index, or RD_NO_INDEX */
    uint64_t line; /* 0: unknown */
    size_t function;
    const char *const *inlined_from; /* "file:line" of the calls, innermost first ... */
    size_t n_inlined_from;           /* ... if they are the same for all its instructions */
    const char *text;                /* of the line, or NULL */
    rd_share share;
} rd_code_line;

/* The block was touched by line `use` before `reuse` touched it again. Both are RD_NO_INDEX in the
 * entry of all other pairs, which comes last. */
typedef struct rd_reuse_pair {
    size_t use, reuse;
    uint64_t count;
    rd_sum distance_sum;
    uint64_t misses[RD_LEVELS_MAX];
} rd_reuse_pair;

typedef enum rd_data_kind {
    RD_DATA_OTHER = 0,
    RD_DATA_HEAP,
    RD_DATA_GLOBAL,
    RD_DATA_STACK
} rd_data_kind;

typedef struct rd_data_region {
    rd_data_kind kind;
    const char *name;
    size_t line;     /* heap: of the allocation, if it is among the lines; else RD_NO_INDEX */
    uint64_t bytes;  /* most at a time; 0: unknown */
    uint64_t blocks; /* first touched here; RD_UNKNOWN in a bounded run */
    rd_share share;
    double words_used; /* of a block's words, those touched while it is in the first level;
                          negative: unknown */
} rd_data_region;

/* What a line misses in a region. */
typedef struct rd_line_data {
    size_t line, data;
    uint64_t misses[RD_LEVELS_MAX];
} rd_line_data;

typedef struct rd_snippet {
    size_t source;
    uint64_t first; /* line number */
    const char *const *lines;
    size_t n;
} rd_snippet;

/* Lists are sorted by the sum of misses, then of references, descending. Entries beyond a limit are
 * summed up in a last one: a function and a datum named "(others)", a line without function. */
typedef struct rd_attribution {
    double seconds;         /* spent */
    uint64_t bytes;         /* most memory used, symbols included */
    uint64_t dropped_pairs; /* reuses whose pair is not known for lack of room */
    const char *const *sources;
    size_t n_sources;
    const rd_code_function *functions;
    size_t n_functions;
    const rd_code_line *lines;
    size_t n_lines;
    const rd_reuse_pair *pairs;
    size_t n_pairs;
    const rd_data_region *data;
    size_t n_data;
    const rd_line_data *line_data; /* only the biggest */
    size_t n_line_data;
    const rd_snippet *snippets;
    size_t n_snippets;
} rd_attribution;

typedef struct rd_window {
    uint64_t from; /* reference it begins with, from 0 */
    rd_share share;
} rd_window;

/* The run in pieces of equally many references. */
typedef struct rd_windows {
    uint64_t references; /* per window; the last may have fewer */
    const rd_window *rows;
    size_t n; /* at most RD_WINDOWS_MAX */
    const size_t
        *phases; /* windows with which the signature becomes another one, the first included */
    size_t n_phases;
} rd_windows;

/* How much of what is fetched is used. A block has up to 8 words. */
typedef struct rd_spatial {
    uint64_t word_bytes;
    uint64_t blocks_loaded, words_used; /* distinct blocks, and words in them that were touched */
    struct {
        uint64_t fetched; /* blocks, by a cache of that level */
        uint64_t words;   /* of these, touched before they were replaced */
    } levels[RD_LEVELS_MAX];
    /* The same trace in blocks of a word; no bins: not measured. */
    uint64_t word_references, word_infinite;
    const rd_bin *word_bins; /* log bins */
    size_t n_word_bins;
} rd_spatial;

typedef struct rd_details {
    const rd_level *levels; /* ascending */
    size_t n_levels;
    const rd_attribution *attribution; /* each may be NULL */
    const rd_windows *windows;
    const rd_spatial *spatial;
} rd_details;

/* NULL: an analysis without. Borrowed from the profile. Profiles made of others (merged, in other
 * bins, predicted) have none. */
RD_API const rd_details *rd_profile_details(const rd_profile *p);

/* ---- making it ---- */

typedef struct rd_attributor rd_attributor;

/* Zeros stand for the defaults. */
typedef struct rd_attributor_config {
    size_t size;            /* sizeof(rd_attributor_config) */
    uint64_t block_bytes;   /* 0: a block per address; then nothing is told about words */
    uint64_t bound;         /* as the engine's */
    const rd_level *levels; /* in any order; copied */
    size_t n_levels;        /* at most RD_LEVELS_MAX */
    size_t windows;         /* at most; RD_WINDOWS_MAX */
    size_t max_sites;       /* program counters told apart, up to RD_SITES_MAX; 65536 */
    size_t max_tuples;      /* of use, reuse and data region, counted apart; 131072 */
    size_t max_regions;     /* of data told apart, up to RD_REGIONS_MAX; 16384 */
    size_t max_entries;     /* of each list of the result; 1000 */
} rd_attributor_config;

RD_API RD_CHECKED rd_status rd_attributor_new(rd_ctx *ctx, const rd_attributor_config *config,
                                              rd_attributor **out);

/* A batch of block references with their distances: reference i of it is refs' number origin[i]. */
typedef struct rd_attributed {
    const rd_refs *refs;
    const uint32_t *origin;
    const uint64_t *blocks, *distances;
    size_t n;
} rd_attributed;

RD_API RD_CHECKED rd_status rd_attributor_feed(rd_attributor *a, const rd_attributed *batch);
/* An event that happened before what is fed next; `at` is not looked at. A module of size 0 is as
 * large as its file says, if that can be read. */
RD_API RD_CHECKED rd_status rd_attributor_event(rd_attributor *a, const rd_event *event);
/* For traces that do not tell: the program or library file `path` is mapped from `address` on; 0:
 * the trace has the file's own addresses; RD_UNKNOWN: where the file says, which fails if that is
 * anywhere. */
RD_API RD_CHECKED rd_status rd_attributor_add_object(rd_attributor *a, const char *path,
                                                     uint64_t address);
/* The profile of the same trace in blocks of a word, for `spatial`. Copied. */
RD_API RD_CHECKED rd_status rd_attributor_set_words(rd_attributor *a, rd_profile *words);
/* Size of a word in bytes; 0: blocks have none. */
RD_API uint64_t rd_attributor_word_bytes(const rd_attributor *a);
/* Gives what was found to the profile of the same references. Feeding is over. */
RD_API RD_CHECKED rd_status rd_attributor_finish(rd_attributor *a, rd_profile *profile);
RD_API void rd_attributor_free(rd_attributor *a);

#ifdef __cplusplus
}
#endif
#endif
