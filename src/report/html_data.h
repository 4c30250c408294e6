/* Makes the profiles of a page as JSON, for the scripts of the page.
 *
 * The writer of profile files writes facts, sources and details; long lists and strings are
 * shortened. All other members are computed for the charts. Only the scripts in src/report/html
 * read this JSON, so its layout may change with every release. The scripts read numbers as doubles.
 */
#ifndef RDI_HTML_DATA_H
#define RDI_HTML_DATA_H

#include "base/json_write.h"
#include "model/mrc.h"
#include "reusedist/attribution.h"
#include "reusedist/report.h"

/* Number of digits of ratios: more than a screen can show, but far fewer than a double has. */
#define RDI_RATIO_DIGITS 6
#define RDI_HTML_STRING  400 /* maximum length of a name or source line on the page, in bytes */

/* Makes the whole JSON object, which the caller frees. Characters that cannot be embedded in HTML
 * are not escaped yet; html_page.c does that. */
RD_CHECKED rd_status rdi_html_data(rd_ctx *ctx, const rd_page *page, char **json, size_t *n);
/* Writes the settings that differ between two profiles: data.unlike of frame.js. */
void rdi_html_unlike(rd_json_writer *w, const rd_page *page);

/* The contents of a page, which rdi_html_assemble() puts into the frame that all kinds of pages share. */
typedef struct rdi_html_page {
    const char *title;
    const char *const *scripts; /* names of files of src/report/html in their order; NULL is last */
    const char *json;           /* the data, for the scripts */
    size_t n;                   /* number of bytes of the data */
} rdi_html_page;

/* Makes a page from the common frame (html_page.c). Characters of the JSON that cannot be embedded in
 * HTML are escaped. The caller frees *text. */
RD_CHECKED rd_status rdi_html_assemble(rd_ctx *ctx, const rdi_html_page *page, char **text,
                                       size_t *n);

/* Makes the page of profiles of object caches (html_objects.c). The caller frees *text. */
RD_CHECKED rd_status rdi_html_objects(rd_ctx *ctx, const rd_page *page, char **text, size_t *n);

/* ---- code, data, time and space (html_details.c) ---- */

/* Writes the details as members of the profile's object. `n_profiles` is the number of profiles on
 * the page, which share the space for long lists. */
RD_CHECKED rd_status rdi_html_details(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* ---- source files (html_source.c) ---- */

/* Writes the text and the counts of the source files with the most misses as a member of the profile's
 * object. A profile without attribution has no such member. */
RD_CHECKED rd_status rdi_html_sources(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* ---- calling contexts (html_contexts.c) ---- */

/* Writes the calling contexts as a member of the profile's object. A profile without them has no such
 * member. */
RD_CHECKED rd_status rdi_html_contexts(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* ---- threads (html_threads.c) ---- */

/* Writes the private caches of threads as a member of the profile's object. A profile with one cache
 * for all threads has no such member. */
RD_CHECKED rd_status rdi_html_threads(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* Writes the data that threads share as a member of the profile's object. A profile without the section
 * "sharing" has no such member. */
void rdi_html_sharing(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* ---- machines (html_machines.c) ---- */

/* Writes the misses of the page's machines as a member of the whole object. */
RD_CHECKED rd_status rdi_html_machines(rd_json_writer *w, const rd_page *page);

/* ---- curves and bins (html_curve.c) ---- */

/* Returns the size in blocks, or in bytes for object caches, of the smallest cache with all achievable
 * hits, or the bound; at least 1 and at most 2^62. */
uint64_t rdi_html_end(const rd_profile *p);

/* Makes the miss-ratio curve up to rdi_html_end(). It begins at 1 block (object caches: 1 byte), or at the
 * smallest size that the sample resolves. The caller frees *out. */
RD_CHECKED rd_status rdi_html_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **out,
                                    size_t *n);
/* Makes the curve of another ratio, which begins and ends at the same sizes as the curve of
 * rdi_html_curve(). The ratio must not increase with the size. `ratio` is called with `user` and
 * ascending sizes. The caller frees *out. */
typedef double rdi_html_ratio(void *user, uint64_t blocks);
RD_CHECKED rd_status rdi_html_curve_of(rd_ctx *ctx, const rd_profile *p, rdi_html_ratio *ratio,
                                       void *user, rd_mrc_point **out, size_t *n);
/* Writes a curve as {SIZES: [...], "miss": [...]}, where `sizes` is the key of the sizes. */
void rdi_html_put_curve(rd_json_writer *w, const char *key, const char *sizes,
                        const rd_mrc_point *points, size_t n);
/* Writes the confidence band as [size, low, high] at a few sizes per octave. Sizes are in blocks,
 * or in bytes for object caches. (html_data.c) */
RD_CHECKED rd_status rdi_html_band(rd_json_writer *w, const rd_profile *p);

/* Properties of the bins that all profiles of a page share, so that their histograms can be
 * compared. */
typedef struct rdi_html_axis {
    uint64_t end;     /* the end of the longest curve */
    uint64_t granule; /* largest rdi_html_granule() of the profiles; UINT64_MAX: a profile supports
                         only log bins */
    uint64_t first;   /* end of the first bin: the smallest power of two that all samples resolve */
} rdi_html_axis;

/* Returns the width of the narrowest equal bins that the histogram of a profile supports;
 * UINT64_MAX: it supports only log bins. */
uint64_t rdi_html_granule(const rd_profile *p);

typedef enum rdi_html_bins {
    RDI_HTML_LOG,   /* one bin per octave */
    RDI_HTML_FINE,  /* up to eight bins per octave, if the profiles have them */
    RDI_HTML_LINEAR /* up to about a hundred bins of equal width */
} rdi_html_bins;

/* Returns the end of the bin that begins at `edge`. The first bin begins at 0. */
uint64_t rdi_html_next_edge(const rdi_html_axis *axis, rdi_html_bins bins, uint64_t edge);

#endif
