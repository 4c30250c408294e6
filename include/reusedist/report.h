/* Reports: profiles as text for people and as tables for programs.
 *
 * These functions do not print. Each makes a NUL-terminated text in memory and returns its length
 * in *n; free the text with rd_text_free().
 */
#ifndef REUSEDIST_REPORT_H
#define REUSEDIST_REPORT_H

#include "corun.h"
#include "hierarchy.h"
#include "model.h"
#include "objects.h"
#include "profile.h"
#include "sharing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Capabilities of the terminal. */
typedef struct rd_report_style {
    size_t size;    /* sizeof(rd_report_style) */
    unsigned width; /* width in columns; 0: 80 */
    bool color;     /* true: use ANSI escapes */
    bool unicode;   /* true: use UTF-8 block and line characters; false: plain ASCII */
} rd_report_style;

/* Makes the report for people. */
RD_API RD_CHECKED rd_status rd_report_text(rd_profile *p, const rd_report_style *style, char **text,
                                           size_t *n);

/* Makes the report of rd_report_text() with a table of a machine's caches at its end: the estimated
 * miss ratios beside those of fully associative caches, and the time that references wait, as a
 * range; see rd_machine_misses_of(). If the machine does not suit the profile, the report says why
 * instead. An empty m->name means that the user described the caches. */
RD_API RD_CHECKED rd_status rd_report_machine_text(rd_profile *p, const rd_report_style *style,
                                                   const rd_machine *m, char **text, size_t *n);

/* Makes the histogram as CSV: "distance,count" for full bins, else "low,high,count,mean" (both ends
 * are inclusive; the mean is empty if the engine does not know it). Rows ascend; infinite distances
 * come last. A profile with a confidence band has more columns: "resolved", whether the sample
 * resolves the distances of the row, and "miss_low,miss_high", the band of the miss ratio of the
 * smallest cache in which all these distances are hits; see rd_mrc_resolution() and
 * rd_mrc_band(). */
RD_API RD_CHECKED rd_status rd_report_csv(rd_profile *p, char **text, size_t *n);

/* Makes a table of miss ratios for people. `blocks` are the cache sizes in blocks (object caches:
 * in bytes), in any order. NULL selects the powers of two up to the first one that holds all blocks
 * or, with a bound, the powers of two below the bound and the bound itself. For object caches, NULL
 * selects the powers of two from the first one that holds the largest object to the first one that
 * has all hits of an infinite cache. A sample begins with the first power of two that it resolves,
 * if that is larger. The function returns RD_EINVAL for a size above the bound. */
RD_API RD_CHECKED rd_status rd_report_mrc_text(rd_profile *p, const rd_report_style *style,
                                               const uint64_t *blocks, size_t n_blocks, char **text,
                                               size_t *n);
/* Makes the table of rd_report_mrc_text() as CSV: "blocks,bytes,miss_ratio", and ",low,high" for the
 * confidence band of a sample. Bytes are empty if a block is an address or an object. The miss ratio
 * and the band are empty at sizes that the sample does not resolve. For object caches, the header is
 * "bytes,miss_ratio,byte_miss_ratio", and ",low,high,byte_low,byte_high" for the bands of a sample. */
RD_API RD_CHECKED rd_status rd_report_mrc_csv(rd_profile *p, const uint64_t *blocks,
                                              size_t n_blocks, char **text, size_t *n);
/* Makes a CSV table of the stretches of time in a profile of objects, one row per stretch and cache
 * size in bytes: "from,to,requests,requested_bytes,cold,bytes,miss_ratio,byte_miss_ratio". Times
 * are in seconds. The function returns RD_EINVAL for a profile without stretches. */
RD_API RD_CHECKED rd_status rd_report_stretches_csv(rd_profile *p, const uint64_t *sizes,
                                                    size_t n_sizes, char **text, size_t *n);
/* Makes the table of rd_report_mrc_text() as JSON (schema "reusedist.mrc/1"), with a description of the
 * profile and a flag for interpolated values. */
RD_API RD_CHECKED rd_status rd_report_mrc_json(rd_profile *p, const uint64_t *blocks,
                                               size_t n_blocks, char **text, size_t *n);

/* Makes a table of the estimated miss ratios of LRU caches with sets of `ways` ways, beside those
 * of fully associative caches, for people; see rd_mrc_ways(). `blocks` are the cache sizes in
 * blocks. NULL selects 1, 2, 4 ... sets, up to the first size that holds all blocks or, with a
 * bound, up to the last size that the profile can answer; a sample begins with the first size that
 * it resolves. The function returns RD_EINVAL for a size that is not a multiple of `ways`, and as
 * rd_mrc_ways() does. */
RD_API RD_CHECKED rd_status rd_report_ways_text(rd_profile *p, const rd_report_style *style,
                                                uint64_t ways, const uint64_t *blocks,
                                                size_t n_blocks, char **text, size_t *n);
/* Makes the same table as CSV: "blocks,bytes,miss_ratio,ways,fully_associative", with ",low,high"
 * after miss_ratio for the confidence band of a sample. Fields are empty as in rd_report_mrc_csv().
 */
RD_API RD_CHECKED rd_status rd_report_ways_csv(rd_profile *p, uint64_t ways, const uint64_t *blocks,
                                               size_t n_blocks, char **text, size_t *n);
/* Makes the same table as JSON (schema "reusedist.ways/1"). */
RD_API RD_CHECKED rd_status rd_report_ways_json(rd_profile *p, uint64_t ways,
                                                const uint64_t *blocks, size_t n_blocks,
                                                char **text, size_t *n);
/* A sentence, without its full stop, about the limits of the estimates of rd_mrc_ways(). The text of
 * rd_report_ways_text() ends with this sentence. */
#define RD_WAYS_WARNING                                                                            \
    "In tests of large direct-mapped caches, Smith's estimate was further from the exact misses "  \
    "than the number for a fully associative cache"

/* Makes a table of the smallest caches with the given hit ratios (shares of all references, 0 to
 * 1), for people. For a ratio that no cache has, the table shows the best ratio and the reason, see
 * rd_cache_for_hits(). */
RD_API RD_CHECKED rd_status rd_report_hits_text(rd_profile *p, const rd_report_style *style,
                                                const double *hits, size_t n_hits, char **text,
                                                size_t *n);
/* Makes the same table as CSV: "hits,blocks,bytes,requested". Column `requested` has the given
 * ratio. Column `hits` has the same ratio, or the best one if no cache has the given ratio. Bytes
 * are empty if a block is an address or an object. Blocks and bytes are empty if the sample does
 * not resolve the size. A profile with a confidence band has two more columns, "low_blocks" and
 * "high_blocks": the range of sizes, see rd_cache_for_hits_band(). The field of an unknown end is
 * empty. */
RD_API RD_CHECKED rd_status rd_report_hits_csv(rd_profile *p, const double *hits, size_t n_hits,
                                               char **text, size_t *n);
/* Makes the same table as JSON (schema "reusedist.hits/1"). */
RD_API RD_CHECKED rd_status rd_report_hits_json(rd_profile *p, const double *hits, size_t n_hits,
                                                char **text, size_t *n);

/* Makes a text for people that names the cheapest object cache, with a table of the costs of caches
 * of `sizes` bytes. `sizes` may have any order; the table is in ascending order. `sizes` NULL
 * selects no cache, and a quarter, half, twice and four times the cheapest size or, if it is
 * cheapest to have no cache, one, two and four times the size of the largest object. The cheapest
 * size is always in the table. This function and the next two fail like rd_objects_cheapest(). */
RD_API RD_CHECKED rd_status rd_report_cost_text(rd_profile *p, const rd_report_style *style,
                                                const rd_object_prices *prices,
                                                const uint64_t *sizes, size_t n_sizes, char **text,
                                                size_t *n);
/* Makes the same table as CSV: "bytes,miss_ratio,memory_cost,miss_cost,total_cost,cheapest". Column
 * `cheapest` has yes or no; a size of 0 is no cache. */
RD_API RD_CHECKED rd_status rd_report_cost_csv(rd_profile *p, const rd_object_prices *prices,
                                               const uint64_t *sizes, size_t n_sizes, char **text,
                                               size_t *n);
/* Makes the same table as JSON (schema "reusedist.cost/1"). */
RD_API RD_CHECKED rd_status rd_report_cost_json(rd_profile *p, const rd_object_prices *prices,
                                                const uint64_t *sizes, size_t n_sizes, char **text,
                                                size_t *n);

/* Makes tables of the caches that were simulated, for people: references, misses and their causes,
 * write-backs and prefetches. This function and the next two return RD_EINVAL for a profile without
 * a simulation. */
RD_API RD_CHECKED rd_status rd_report_simulation_text(rd_profile *p, const rd_report_style *style,
                                                      char **text, size_t *n);
/* Makes the same table as CSV: "level,bytes,ways,references,misses,cold,capacity,conflict,
 * writebacks,far_hits,prefetches,useful,useless,invalidations", one row per cache, from the inside
 * out. If causes were not requested, their fields are empty. For private caches, the columns
 * "coherence,removals,upgrades,transfers,dirty_transfers,process,thread" follow, and there are also
 * rows for the caches of each thread. */
RD_API RD_CHECKED rd_status rd_report_simulation_csv(rd_profile *p, char **text, size_t *n);
/* Makes the same table as JSON (schema "reusedist.simulation/1"). */
RD_API RD_CHECKED rd_status rd_report_simulation_json(rd_profile *p, char **text, size_t *n);

/* Makes tables of caches with every number of ways, from finished counts and a profile of the same
 * references. The text shows the powers of two. CSV: "sets,ways,misses", one row for each number of
 * ways up to the first one after which the misses no longer change. JSON: schema
 * "reusedist.ways/1", with `misses` as an array that begins with 1 way. */
RD_API RD_CHECKED rd_status rd_report_all_ways_text(rd_profile *p, const rd_ways *w,
                                                    const rd_report_style *style, char **text,
                                                    size_t *n);
RD_API RD_CHECKED rd_status rd_report_all_ways_csv(rd_profile *p, const rd_ways *w, char **text,
                                                   size_t *n);
RD_API RD_CHECKED rd_status rd_report_all_ways_json(rd_profile *p, const rd_ways *w, char **text,
                                                    size_t *n);

/* The profiles to compare, and their names. */
typedef struct rd_comparees {
    rd_profile *const *profiles;
    const char *const *names;
    size_t n;           /* at least 2 */
    rd_binning binning; /* see rd_compare() */
} rd_comparees;

/* Makes the comparison for people: a full comparison of two profiles; for three or more, a matrix
 * of accuracies. */
RD_API RD_CHECKED rd_status rd_report_comparison_text(rd_ctx *ctx, const rd_comparees *all,
                                                      char **text, size_t *n);
/* Makes a CSV table with a row for every pair: "first,second,binning,accuracy,average_error,
 * max_miss_ratio_error,at_blocks,mean_miss_ratio_error,identical,bound_held". For object
 * caches, at_blocks is called at_bytes. If the average error or bound_held is unknown, its field is
 * empty. */
RD_API RD_CHECKED rd_status rd_report_comparison_csv(rd_ctx *ctx, const rd_comparees *all,
                                                     char **text, size_t *n);
/* Makes the same table as JSON (schema "reusedist.comparison/1"), with the bins that differ
 * most. */
RD_API RD_CHECKED rd_status rd_report_comparison_json(rd_ctx *ctx, const rd_comparees *all,
                                                      char **text, size_t *n);

/* Makes tables of the data that threads share, for people, with advice on what to change. This function
 * and the next two return RD_EINVAL if rd_profile_shared() returns NULL for the profile. */
RD_API RD_CHECKED rd_status rd_report_sharing_text(rd_profile *p, const rd_report_style *style,
                                                   char **text, size_t *n);
/* Makes a table of the blocks as CSV: "block,threads,stores,coherence,true_sharing,false_sharing,
 * data,lines,loads,readers,writers,first,second,padding,removes". */
RD_API RD_CHECKED rd_status rd_report_sharing_csv(rd_profile *p, char **text, size_t *n);
/* Makes a JSON document of everything that the profile has about sharing (schema
 * "reusedist.sharing/1"). */
RD_API RD_CHECKED rd_status rd_report_sharing_json(rd_profile *p, char **text, size_t *n);

/* The programs of a co-run, and the questions that a report answers about them; see
 * reusedist/corun.h. */
typedef struct rd_corun_request {
    size_t size; /* sizeof(rd_corun_request) */
    rd_profile *const *profiles;
    const char *const *names; /* names of the programs */
    const double *rates;      /* see rd_corun_new(); NULL: the numbers of references */
    size_t n;                 /* number of programs */
    const uint64_t *blocks;   /* cache sizes in blocks */
    size_t n_blocks;
    size_t caches; /* number of caches to assign the programs to, see rd_corun_assign(); 0: the
                      programs share one cache */
    size_t ways;   /* number of ways to divide among the programs, see rd_corun_partition(); 0:
                      none */
} rd_corun_request;

/* Makes a table for each cache size, for people: how often each program misses alone and together,
 * and how much of the cache it occupies. */
RD_API RD_CHECKED rd_status rd_report_corun_text(rd_ctx *ctx, const rd_corun_request *request,
                                                 const rd_report_style *style, char **text,
                                                 size_t *n);
/* Makes the same tables as CSV: "program,bytes,miss_ratio,alone,blocks,occupied_blocks,rate", then
 * ",cache" (from 1) if the programs are assigned to caches, and ",ways,partitioned" if ways are
 * divided. Bytes are empty if a block is an address or an object. `alone` is empty for a cache
 * larger than the bound of the profile. */
RD_API RD_CHECKED rd_status rd_report_corun_csv(rd_ctx *ctx, const rd_corun_request *request,
                                                char **text, size_t *n);
/* Makes the same tables as JSON (schema "reusedist.corun/1"). */
RD_API RD_CHECKED rd_status rd_report_corun_json(rd_ctx *ctx, const rd_corun_request *request,
                                                 char **text, size_t *n);

/* Makes one sentence that says with which of two profiles a machine waits longer for data and by
 * how much, and compares the misses of its caches. If both profiles have simulations of these caches,
 * the misses are the simulated ones; otherwise they are estimated, see rd_machine_misses_of(). `m` NULL
 * means the machine whose caches both profiles have simulated. The function returns RD_EINVAL if there
 * are not exactly two profiles, if the machine does not suit a profile, and if `m` is NULL and the
 * profiles have no machine in common. */
RD_API RD_CHECKED rd_status rd_report_machine_change(rd_ctx *ctx, const rd_comparees *all,
                                                     const rd_machine *m, char **text, size_t *n);

/* The profiles for a page, and the caches whose misses the page shows. */
typedef struct rd_page {
    size_t size; /* sizeof(rd_page) */
    rd_profile *const *profiles;
    const char *const *names;
    size_t n;               /* at least 1 */
    const rd_level *levels; /* in ascending order of size; the page shows the names */
    size_t n_levels;
    const char *levels_from;    /* words that follow "the caches" on the page, for example "of this
                                machine" */
    const rd_machine *machines; /* machines whose caches the page estimates; the user switches
                                   between them */
    size_t n_machines;
    /* True: the page contains the whole text of the source files with the most misses, at most
     * 768 KiB. A file is read from the path in the profile, and is left out if its lines differ
     * from the source text in the profile. */
    bool source_text;
} rd_page;

/* Makes a page for a browser, one HTML file that needs no other file and no network. It has charts
 * that show all profiles together, tables and findings, and, for two profiles, their difference. */
RD_API RD_CHECKED rd_status rd_report_html(rd_ctx *ctx, const rd_page *page, char **text,
                                           size_t *n);

/* These functions return the name and the description of exporter number `i`, or NULL past the last
 * one. */
RD_API const char *rd_exporter_name(size_t i);
RD_API const char *rd_exporter_summary(size_t i);
/* Writes the attribution of a profile in the format of another tool; `to` is the name of an
 * exporter. References and misses in the result add up to those of the profile. Most formats have
 * the tree of calling contexts or, if the profile has none, the lines with the calls through which
 * they were inlined. `cache` names the cache whose misses the result shows first, or is
 * "references"; NULL: the first cache or, if the profile has no misses of caches, the references.
 * The text may contain NUL bytes. */
RD_API RD_CHECKED rd_status rd_report_export(rd_profile *p, const char *to, const char *cache,
                                             char **text, size_t *n);

/* Options of rd_report_annotate(). A field that is 0 or NULL has its default. */
typedef struct rd_annotation {
    size_t size;                /* sizeof(rd_annotation) */
    const char *const *sources; /* files to show, each by its path or by the end of its path */
    size_t n_sources;           /* 0: all files of the user's own code */
    const char *cache; /* cache whose misses decide order and shares, or "references"; NULL: the
                           first one */
    double threshold;  /* files and lines with a smaller share than this, 0 to 1, are not shown */
    uint64_t context;  /* number of lines that are shown before and after each line that reaches the
                           threshold */
    bool whole;        /* true: show whole files */
    int64_t written;   /* time when the profile was written, in seconds since 1970; 0: unknown. A
                           note marks files that are newer */
} rd_annotation;

/* Makes a listing of source files with the references and misses of each line, for people. Call
 * rd_profile_show_own() first, so that library code counts for the lines of the user's own code. The
 * sums at the end are those of the profile. */
RD_API RD_CHECKED rd_status rd_report_annotate(rd_profile *p, const rd_annotation *config,
                                               const rd_report_style *style, char **text,
                                               size_t *n);

/* Formats a count: up to 9999 in full, larger counts with up to three digits and a unit. Examples
 * are "980", "12.3 k" and "4.56 M". `text` must have room for 16 bytes. */
RD_API void rd_format_count(double count, char *text);
/* Formats a size: "512 B", "32 KiB", "4.50 MiB". `text` must have room for 16 bytes. */
RD_API void rd_format_bytes(double bytes, char *text);

#ifdef __cplusplus
}
#endif
#endif
