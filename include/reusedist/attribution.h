/* Attribution: which code and which data cause the distances, how they change over the run, and how
 * much of each block is used.
 *
 *   rd_attributor_new(ctx, &config, &a);
 *   for every batch: rd_engine_feed(e, blocks, n, distances);
 *                    rd_attributor_feed(a, &batch);
 *   rd_attributor_finish(a, profile);        (the profile then has rd_profile_details())
 *   rd_attributor_free(a);
 *
 * All counts are exact: the references of all functions add up to the references of the profile, in
 * every bin, and so do the references of all lines and of all data regions. If there are more entries
 * than a limit allows, the last entry, "(others)", sums the entries beyond the limit.
 */
#ifndef REUSEDIST_ATTRIBUTION_H
#define REUSEDIST_ATTRIBUTION_H

#include "hierarchy.h"
#include "profile.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_LOG_BINS    65
#define RD_WINDOWS_MAX 512
#define RD_SITES_MAX   (1 << 20)
#define RD_REGIONS_MAX (1 << 20)
#define RD_NO_INDEX    SIZE_MAX /* an index that means "no entry" */

/* ---- the result, which a profile contains ---- */

/* Statistics of a share of the references: the references of one function, line, data region or
 * window. */
typedef struct rd_share {
    uint64_t references, infinite;
    rd_sum distance_sum; /* sum of the finite distances */
    /* Number of references that miss in each cache level: their distance is infinite, or at least
     * the number of blocks of the level. */
    uint64_t misses[RD_LEVELS_MAX];
    uint64_t bins[RD_LOG_BINS]; /* numbers of finite distances per log bin: [0] 0, [1] 1, [2] 2 to
                                   3, [3] 4 to 7 ... */
} rd_share;

typedef struct rd_code_function {
    const char *name; /* name of the function for people, such as "std::vector<...>::push_back";
                           without symbols, an address in hexadecimal; in the last entry
                           "(others)" */
    const char *full_name; /* name with the arguments of templates; NULL: the same as `name` */
    const char *module;    /* path of the program or library; NULL: unknown */
    size_t source;         /* index of the source file that defines the function; RD_NO_INDEX:
                              unknown */
    uint64_t line;         /* line at which the definition begins; 0: unknown */
    rd_share share;
} rd_code_function;

typedef struct rd_code_line {
    size_t source;   /* index of the source file; RD_NO_INDEX: unknown */
    uint64_t line;   /* number of the line; 0: unknown */
    size_t function; /* index of the function */
    /* The call sites, as "file:line", through which the line was inlined, innermost first. The list
     * is empty unless these call sites are the same for all instructions of the line. */
    const char *const *inlined_from;
    size_t n_inlined_from;
    /* The names of the functions that contain these call sites, n_inlined_from of them; NULL:
     * unknown. A name that is unknown is "?". */
    const char *const *inlined_functions;
    const char *text; /* source text of the line; NULL: unknown */
    /* After rd_profile_show_own(), for lines of the user's own code: the library function, inlined or called, that has
     * the most misses; NULL: the line itself has them. If the profile has calling contexts and this function has less
     * than nine tenths of the misses, "and others" follows. */
    const char *library;
    rd_share share;
} rd_code_line;

/* The reuses in which line `reuse` touches a block that line `use` was the last to touch before.
 * The last entry sums all pairs beyond the limit; its `use` and `reuse` are RD_NO_INDEX. */
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
    size_t line;     /* heap: index of the line that allocates, if that line is listed; else
                        RD_NO_INDEX */
    uint64_t bytes;  /* largest size in bytes at any time; 0: unknown */
    uint64_t blocks; /* number of blocks whose first touch is in this region; RD_UNKNOWN if the
                        analysis has a bound */
    rd_share share;
    double words_used; /* fraction of a block's words that are touched while the block is in the
                          first cache level; negative: unknown */
} rd_data_region;

/* The misses of one line in one data region. */
typedef struct rd_line_data {
    size_t line, data;
    uint64_t misses[RD_LEVELS_MAX];
} rd_line_data;

/* Consecutive lines of a source file. */
typedef struct rd_snippet {
    size_t source;  /* index of the source file */
    uint64_t first; /* number of the first line */
    const char *const *lines;
    size_t n;
} rd_snippet;

/* Lists are sorted by misses, summed over all levels, and then by references, in descending order.
 * The last entry of a list sums the entries beyond the limit: a function and a data region with the
 * name "(others)", and a line without a function. */
typedef struct rd_attribution {
    double seconds;         /* time that attribution took, in seconds */
    uint64_t bytes;         /* peak memory in bytes, including symbols */
    uint64_t dropped_pairs; /* number of reuses whose pair is unknown because the table was full */
    const char *const *sources;
    size_t n_sources;
    const char *const *own; /* the source files of the user's own code, sorted by name */
    size_t n_own;
    const rd_code_function *functions;
    size_t n_functions;
    const rd_code_line *lines;
    size_t n_lines;
    const rd_reuse_pair *pairs;
    size_t n_pairs;
    const rd_data_region *data;
    size_t n_data;
    const rd_line_data *line_data; /* only the entries with the most misses */
    size_t n_line_data;
    const rd_snippet *snippets;
    size_t n_snippets;
} rd_attribution;

typedef struct rd_window {
    uint64_t from; /* index of the first reference in the window, from 0 */
    rd_share share;
} rd_window;

/* The run, divided into windows with the same number of references. */
typedef struct rd_windows {
    uint64_t references; /* number of references per window; the last window may have fewer */
    const rd_window *rows;
    size_t n; /* at most RD_WINDOWS_MAX */
    /* Indices of the windows with which a phase begins. The first one is 0. */
    const size_t *phases;
    size_t n_phases;
    /* For each element of `phases`, the number of the phase that begins there. Phases are numbered
     * from 1 in the order in which they appear. A phase that recurs keeps its number. */
    const size_t *phase_numbers;
} rd_windows;

/* Spatial locality: how much of the fetched memory the program uses. A block has up to 8 words. */
typedef struct rd_spatial {
    uint64_t word_bytes;
    uint64_t blocks_loaded, words_used; /* number of distinct blocks, and number of words that were
                                           touched in these blocks */
    struct {
        uint64_t fetched; /* number of blocks that a cache of this level fetches */
        uint64_t words;   /* number of words in these blocks that are touched before the cache
                             evicts their block */
    } levels[RD_LEVELS_MAX];
    /* The distances of the same trace in blocks of one word. If n_word_bins is 0, they were not
     * measured. */
    uint64_t word_references, word_infinite;
    const rd_bin *word_bins; /* log bins */
    size_t n_word_bins;
} rd_spatial;

/* The misses of a share of the references in one simulated cache, by cause. */
typedef struct rd_causes {
    uint64_t cold, capacity, conflict;
} rd_causes;

/* The conflict misses of one data region whose blocks were evicted by references to another region, or
 * to the same region. If `data` is RD_NO_INDEX, the entry sums all pairs beyond the limit. */
typedef struct rd_conflict {
    size_t cache;   /* index of the simulated cache */
    size_t data;    /* index of the region that misses */
    size_t evictor; /* index of the region that the evicting references used; RD_NO_INDEX: the cache
                       never evicted the blocks */
    uint64_t count;
    uint64_t offset; /* offset in bytes between the evicting and the missing block, in either
                        direction, that more than half of these misses have; 0: there is none */
} rd_conflict;

/* The conflict misses of one line in one data region. */
typedef struct rd_line_conflicts {
    size_t cache, line, data;
    uint64_t count;
    /* The stride: the offset in bytes, in either direction, between the blocks of most pairs of
     * consecutive misses. `stride` is the stride of the line's instruction with the most conflicts.
     * If this instruction has no stride, or if all instructions in the region together have a smaller
     * stride, `stride` is the stride of all instructions. 0: neither has a stride. */
    uint64_t stride;
} rd_line_conflicts;

/* The misses of the caches that were simulated with the analysis (rd_simulation), by cause. The
 * causes of all functions, of all lines and of all data regions add up to the counters of each
 * cache. The counts in `conflicts` add up to the conflict misses of each cache. Both lists of
 * conflicts are sorted by count, in descending order. */
typedef struct rd_miss_causes {
    size_t n_caches;
    /* Cache k of entry i of the list of functions, lines or data is element i * n_caches + k. The
     * lists have as many entries as the lists of rd_attribution. */
    const rd_causes *functions, *lines, *data;
    size_t n_functions, n_lines, n_data;
    const rd_conflict *conflicts;
    size_t n_conflicts;
    const rd_line_conflicts *line_conflicts; /* only the entries with the highest counts */
    size_t n_line_conflicts;
} rd_miss_causes;

/* A call frame: a function, and the line in it at which it calls the next one or refers to
 * memory. */
typedef struct rd_call_frame {
    const char *function; /* name; without symbols, an address in hexadecimal */
    const char *file;     /* source file; NULL: unknown */
    const char *module;   /* file name of the program or library; NULL: unknown */
    uint64_t line;        /* 0: unknown */
    bool own;             /* the source file belongs to the user's own code */
    bool inlined;         /* the compiler inlined this call into the frame of the parent */
} rd_call_frame;

/* A node of the tree of calling contexts: a call frame, reached through the call frames of its
 * ancestors. The counts are exclusive: they do not include the counts of the children. */
typedef struct rd_call_node {
    size_t parent; /* index of an earlier node; RD_NO_INDEX: the outermost frame */
    size_t frame;  /* index of the frame */
    uint64_t references;
    uint64_t misses[RD_LEVELS_MAX];
} rd_call_node;

/* The calling contexts of the references. The counts of all nodes and the counts other_references
 * and other_misses add up to the references of the profile, and to the misses of each level. A
 * parent comes before its children, and has at most one child with a given frame. A node whose
 * frame has the function "(others)" sums the contexts below its parent that did not fit into the
 * limits. */
typedef struct rd_contexts {
    const rd_call_frame *frames;
    size_t n_frames;
    const rd_call_node *nodes;
    size_t n_nodes;
    /* References whose calling contexts are unknown. other_contexts is the number of pairs of a context
     * and an instruction that did not fit into the limits and are counted in nodes "(others)". */
    uint64_t other_references, other_misses[RD_LEVELS_MAX], other_contexts;
} rd_contexts;

typedef struct rd_details {
    const rd_level *levels; /* in ascending order of size */
    size_t n_levels;
    /* Each of the next three pointers is NULL if the profile does not have these details. */
    const rd_attribution *attribution;
    const rd_windows *windows;
    const rd_spatial *spatial;
    const rd_miss_causes *causes; /* NULL: no caches were simulated, or causes were not computed */
    const rd_contexts *contexts;  /* NULL: the trace has no calling contexts, or they were not
                                     requested */
} rd_details;

/* Returns the details of a profile, borrowed from it, or NULL if the analysis ran without
 * attribution. Merged, rebinned and predicted profiles have none. */
RD_API const rd_details *rd_profile_details(const rd_profile *p);

/* Changes the details of a profile for reports: the counts of library code move to the innermost call frame in the
 * user's own code, which is known from inlined calls and calling contexts. If several lines of own code call one
 * library line, the counts of the library line are divided among them: references and misses as counted in the calling
 * contexts, and all other counts in proportion. Counts of library code that no own code has called stay where they are.
 * All sums stay the same. `own` has n folders or files of own code; if n is 0, the function uses rd_attribution.own.
 * Each call starts again from the details as they were before the first call. Write the profile to a file before this
 * call, because the file should keep the lines of libraries. */
RD_API RD_CHECKED rd_status rd_profile_show_own(rd_profile *p, const char *const *own, size_t n);

/* ---- making the result ---- */

typedef struct rd_attributor rd_attributor;

/* Configuration of an attributor. A field that is 0 or NULL has its default. */
typedef struct rd_attributor_config {
    size_t size;            /* sizeof(rd_attributor_config) */
    uint64_t block_bytes;   /* size of a block in bytes, a power of two; 0: every address or object
                               id is a block, which has no words */
    uint64_t bound;         /* the bound of the engine */
    const rd_level *levels; /* cache levels, in any order; copied */
    size_t n_levels;        /* at most RD_LEVELS_MAX */
    size_t windows;         /* maximum number of windows, 2 to RD_WINDOWS_MAX; default
                               RD_WINDOWS_MAX */
    /* Limits: how many items are counted separately. */
    size_t max_sites;   /* program counters, up to RD_SITES_MAX; default 65536 */
    size_t max_tuples;  /* combinations of use, reuse and data region; default 131072 */
    size_t max_regions; /* data regions, up to RD_REGIONS_MAX; default 16384 */
    size_t max_entries; /* entries of each list of the result; default 1000 */
    /* true: count calling contexts, if the references have them (RD_FIELD_CONTEXT). */
    bool contexts;
    size_t max_contexts;   /* combinations of calling context and program counter; default 524288 */
    size_t max_call_nodes; /* nodes of rd_contexts; default 10000 */
    size_t caches; /* number of the simulated caches whose misses rd_attributor_misses() gets, at
                           most RD_CACHES_MAX; 0: none */
    const char *const *own; /* folders or files of the user's own code; borrowed until
                               rd_attributor_finish() */
    size_t n_own;           /* 0: all source files are own code, except in the folders of compilers,
                               packages and the system */
} rd_attributor_config;

RD_API RD_CHECKED rd_status rd_attributor_new(rd_ctx *ctx, const rd_attributor_config *config,
                                              rd_attributor **out);

/* A batch of block references with their distances. Block blocks[i] comes from reference origin[i]
 * of `refs`. */
typedef struct rd_attributed {
    const rd_refs *refs;
    const uint32_t *origin;
    const uint64_t *blocks, *distances;
    size_t n;
    uint64_t *tags; /* NULL, or room for n tags: rd_attributor_feed() writes a tag for each block
                       reference, for rd_simulator_feed_tagged() */
} rd_attributed;

RD_API RD_CHECKED rd_status rd_attributor_feed(rd_attributor *a, const rd_attributed *batch);
/* Counts misses of simulated caches. `user` is the attributor, so that this function can be the
 * rd_miss_sink of a simulator. The references of the misses must have been fed to the simulator with
 * the tags that rd_attributor_feed() wrote. */
RD_API RD_CHECKED rd_status rd_attributor_misses(void *user, const rd_miss *misses, size_t n);
/* Passes an event that happened before the next batch. The field `at` of the event is ignored. If the
 * size of a module is 0, the size is read from the file of the module, if that file can be read. */
RD_API RD_CHECKED rd_status rd_attributor_event(rd_attributor *a, const rd_event *event);
/* States where the program or library file `path` was mapped, for traces that do not record this.
 * `address` is the address at which the mapping begins; 0 means that the trace has the file's own
 * addresses. RD_UNKNOWN means the address that the file specifies; the call then fails for a
 * position-independent file. */
RD_API RD_CHECKED rd_status rd_attributor_add_object(rd_attributor *a, const char *path,
                                                     uint64_t address);
/* Sets the profile of the same trace in blocks of one word, which rd_spatial reports. The profile
 * is copied. */
RD_API RD_CHECKED rd_status rd_attributor_set_words(rd_attributor *a, rd_profile *words);
/* Returns the size of a word in bytes, or 0 if blocks have no words. */
RD_API uint64_t rd_attributor_word_bytes(const rd_attributor *a);
/* Attaches the result to the profile of the same references. The caller must not feed the
 * attributor afterwards. */
RD_API RD_CHECKED rd_status rd_attributor_finish(rd_attributor *a, rd_profile *profile);
RD_API void rd_attributor_free(rd_attributor *a);

#ifdef __cplusplus
}
#endif
#endif
