/* What the page for browsers shows of profiles, as JSON.
 *
 * Facts, sources and details are those of the profile file, in its own words; long lists and strings
 * are cut to what can be seen. The rest is computed for the charts. The reader is
 * src/report/html/page.js and what stands beside it; the layout is between these two and may change
 * with every release. Numbers are read as doubles there.
 */
#ifndef RDI_HTML_DATA_H
#define RDI_HTML_DATA_H

#include "base/json_write.h"
#include "model/mrc.h"
#include "reusedist/attribution.h"
#include "reusedist/report.h"

/* The whole object; caller frees. What cannot be embedded in HTML is still in it: see html_page.c.
 */
RD_CHECKED rd_status rdi_html_data(rd_ctx *ctx, const rd_page *page, char **json, size_t *n);

/* ---- code, data, time and space (html_details.c) ---- */

/* Writes them as members of the profile's object, on a page of so many profiles. */
RD_CHECKED rd_status rdi_html_details(rd_json_writer *w, const rd_profile *p, size_t n_profiles);

/* ---- curves and bins (html_curve.c) ---- */

/* Smallest cache that hits everything that was found to hit, or the bound; at least 1. */
uint64_t rdi_html_end(const rd_profile *p);

/* The curve from 1 block to its end; caller frees. */
RD_CHECKED rd_status rdi_html_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **out,
                                    size_t *n);

/* What the bins of all profiles of a page have in common, so that they can be laid over each other.
 */
typedef struct rdi_html_axis {
    uint64_t end;     /* of the longest curve */
    uint64_t granule; /* multiples of it are ends of bins in all profiles; UINT64_MAX: not known */
} rdi_html_axis;

/* Width of bins that a profile's histogram can be made of; UINT64_MAX: only logarithmic ones. */
uint64_t rdi_html_granule(const rd_profile *p);

typedef enum rdi_html_bins {
    RDI_HTML_LOG,   /* an octave each */
    RDI_HTML_FINE,  /* up to eight in an octave, where the profiles are fine enough */
    RDI_HTML_LINEAR /* about a hundred of equal width */
} rdi_html_bins;

/* The end of the bin that begins at `edge`; the first one begins at 0. */
uint64_t rdi_html_next_edge(const rdi_html_axis *axis, rdi_html_bins bins, uint64_t edge);

#endif
