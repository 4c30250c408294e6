/* Reports: profiles as text for people, as tables for programs.
 *
 * Nothing is printed here. Every function makes a text in memory, NUL-ended, with its length; free
 * it with rd_text_free().
 */
#ifndef REUSEDIST_REPORT_H
#define REUSEDIST_REPORT_H

#include "model.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the terminal can show. */
typedef struct rd_report_style {
    size_t size;    /* sizeof(rd_report_style) */
    unsigned width; /* columns; 0: 80 */
    bool color;     /* ANSI escapes */
    bool unicode;   /* UTF-8 block and line characters; else plain ASCII */
} rd_report_style;

/* For reading. */
RD_API RD_CHECKED rd_status rd_report_text(rd_profile *p, const rd_report_style *style, char **text,
                                           size_t *n);

/* The histogram: "distance,count" for full resolution, else "low,high,count,mean" (both ends
 * inclusive; the mean is empty when the engine does not know it). Ascending, infinite last. */
RD_API RD_CHECKED rd_status rd_report_csv(rd_profile *p, char **text, size_t *n);

/* Miss ratios at these cache sizes, given in blocks and in any order. `blocks` NULL: powers of two
 * up to the footprint, or up to the bound and the bound itself. RD_EINVAL above the bound. */
RD_API RD_CHECKED rd_status rd_report_mrc_text(rd_profile *p, const rd_report_style *style,
                                               const uint64_t *blocks, size_t n_blocks, char **text,
                                               size_t *n);
/* "blocks,bytes,miss_ratio", and ",low,high" for a sample's band; bytes are empty when one block is
 * one address or object. */
RD_API RD_CHECKED rd_status rd_report_mrc_csv(rd_profile *p, const uint64_t *blocks,
                                              size_t n_blocks, char **text, size_t *n);
/* Schema "reusedist.mrc/1": the same with what it is about, and which values are interpolated. */
RD_API RD_CHECKED rd_status rd_report_mrc_json(rd_profile *p, const uint64_t *blocks,
                                               size_t n_blocks, char **text, size_t *n);

/* Profiles and what to call them. */
typedef struct rd_comparees {
    rd_profile *const *profiles;
    const char *const *names;
    size_t n;           /* at least 2 */
    rd_binning binning; /* as for rd_compare() */
} rd_comparees;

/* For reading: everything about two, a matrix of accuracies for more. */
RD_API RD_CHECKED rd_status rd_report_comparison_text(rd_ctx *ctx, const rd_comparees *all,
                                                      char **text, size_t *n);
/* Every pair, a line each: "first,second,binning,accuracy,average_error,max_miss_ratio_error,
 * at_blocks,mean_miss_ratio_error,identical,bound_held"; what is not known is empty. */
RD_API RD_CHECKED rd_status rd_report_comparison_csv(rd_ctx *ctx, const rd_comparees *all,
                                                     char **text, size_t *n);
/* The same, and the bins that differ most; schema "reusedist.comparison/1". */
RD_API RD_CHECKED rd_status rd_report_comparison_json(rd_ctx *ctx, const rd_comparees *all,
                                                      char **text, size_t *n);

/* Profiles for a page, and the caches to tell about. */
typedef struct rd_page {
    size_t size; /* sizeof(rd_page) */
    rd_profile *const *profiles;
    const char *const *names;
    size_t n;               /* at least 1 */
    const rd_level *levels; /* ascending by size; names are shown */
    size_t n_levels;
    const char *levels_from; /* whose caches these are, "this machine" */
} rd_page;

/* One HTML file for a browser: charts, tables and sentences about all profiles, laid over each
 * other, and the difference where there are two. It needs nothing else, no network either. */
RD_API RD_CHECKED rd_status rd_report_html(rd_ctx *ctx, const rd_page *page, char **text,
                                           size_t *n);

/* "980", "12.3 k", "4.56 M": three digits. `text` has room for 16 bytes. */
RD_API void rd_format_count(double count, char *text);
/* "512 B", "32 KiB", "4.5 MiB". `text` has room for 16 bytes. */
RD_API void rd_format_bytes(double bytes, char *text);

#ifdef __cplusplus
}
#endif
#endif
