/* The text of a report, together with the capabilities of the terminal and the unit of cache sizes.
 * Columns are counted in characters, not bytes. */
#ifndef RDI_PAPER_H
#define RDI_PAPER_H

#include "base/text.h"
#include "reusedist/report.h"

typedef struct rdi_paper {
    rdi_text t;
    rd_report_style style;
    uint64_t block_bytes; /* size of a block; 0: sizes are counted in blocks */
} rdi_paper;

/* Colors and weights of text. Without style.color, they have no effect. */
typedef enum rdi_ink { RDI_INK_PLAIN, RDI_INK_BOLD, RDI_INK_DIM, RDI_INK_DRAWING } rdi_ink;

rdi_paper rdi_paper_start(rd_profile *p, const rd_report_style *style);

/* Adds the name and format of the trace, the number of traces, or "profile" if neither is known,
 * and says if the trace is incomplete, sampled, interleaved in lockstep or without some processes. */
void rdi_paper_title(rdi_paper *paper, const rd_profile *p);
void rdi_paper_ink(rdi_paper *paper, rdi_ink ink);
/* Adds a text that says how far the numbers of an approximate profile can be from the true
 * numbers. */
void rdi_paper_error(rdi_paper *paper, const rd_profile_facts *f);
/* Says that the miss ratios of an approximate profile are estimates, with the text of rdi_paper_error(). Adds
 * nothing for an exact profile, for one without references, and for one whose miss ratios have bands. */
void rdi_paper_estimate(rdi_paper *paper, const rd_profile *p);
/* Adds an empty line and then `text` as a bold line. */
void rdi_paper_heading(rdi_paper *paper, const char *text);
/* Adds text that is padded to `columns` columns: left-aligned, or right-aligned when `columns` is
 * negative. Longer text is not cut. */
void rdi_paper_column(rdi_paper *paper, int columns, const char *text);
/* Adds a count, such as "12.3 k", as a column. */
void rdi_paper_count(rdi_paper *paper, int columns, uint64_t count);
/* Adds the share of `part` in `all` as a column, which stays empty if `all` is 0. */
void rdi_paper_share(rdi_paper *paper, int columns, uint64_t part, uint64_t all);
/* Adds a bar of `share` (0 to 1) times `cells` cells. A bar for a share above 0 is always visible.
 * Returns the number of columns that the bar takes. */
unsigned rdi_paper_bar(rdi_paper *paper, double share, unsigned cells);
/* Adds a bar of `cells` cells that is divided among up to four counts in proportion to them. The bar
 * is empty if all counts are 0. */
void rdi_paper_divided_bar(rdi_paper *paper, const uint64_t *counts, size_t n, unsigned cells);
/* Adds a paragraph and breaks its lines between words. */
void rdi_paper_wrap(rdi_paper *paper, const char *text);

/* Returns the number of columns that a UTF-8 text takes. */
unsigned rdi_text_columns(const char *text);

#define RDI_FORMAT_ROOM 24 /* bytes of `text` in the functions below, unless stated otherwise */

/* Formats a share: "3.1 %", "0.42 %", "<0.01 %", "100 %". Only exact values become "0 %" and "100
 * %". */
void rdi_format_share(double share, char *text);
/* Returns the name of the order in which the references of `threads` threads were analyzed: `interleave`, or
 * "recorded" for one thread, whose order is the same in lockstep. */
const char *rdi_order_name(const char *interleave, uint64_t threads);
/* Formats a line with the share of coherence misses in recorded order. Returns false if this share is unknown, or
 * differs by less than one percentage point from the share `coherence` in lockstep. */
#define RDI_RECORDED_ROOM 96
bool rdi_format_recorded(const rd_profile *p, double coherence, char text[RDI_RECORDED_ROOM]);
/* Formats a number with commas between groups of three digits. */
void rdi_format_grouped(uint64_t x, char text[32]);
/* Formats a confidence band: "0.42 % .. 3.1 %". `text` has room for RDI_BAND_ROOM bytes. */
#define RDI_BAND_ROOM 64
void rdi_format_band(double low, double high, char *text);
/* Formats a cache size: bytes with units, or a number of objects. */
void rdi_format_size(const rdi_paper *paper, uint64_t blocks, char *text);
/* Formats the words beside a cache size, if the smallest cache is at most that large and larger than `above`:
 * "at most; more than 64 KiB", or "at most" if `above` is 0. */
#define RDI_LIMIT_ROOM 48
void rdi_format_limit(const rdi_paper *paper, uint64_t above, char text[RDI_LIMIT_ROOM]);
/* Formats a cache size that is a power of two blocks: bytes with units, or objects in binary units
 * ("64 Ki"). */
void rdi_format_power(const rdi_paper *paper, uint64_t blocks, char *text);
/* Formats a number of objects: "512", "1,750", "9,999,999", "12.3 M". */
void rdi_format_objects(uint64_t objects, char *text);
/* Formats a number in binary units: "512", "2 Ki", "1.50 Mi". */
void rdi_format_units(double number, char *text);

#endif
