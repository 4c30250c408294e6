/* The state of the report for the terminal, which its files share: report_text.c adds the totals
 * and the histogram, and report_sizes.c adds the cache sizes and the sentences. */
#ifndef RDI_REPORT_PARTS_H
#define RDI_REPORT_PARTS_H

#include "model/mrc.h"
#include "report/paper.h"

typedef struct rdi_report {
    rdi_paper paper;
    rd_ctx *ctx;
    rd_profile *p;
    const rd_profile_facts *facts;
    uint64_t end;           /* size in blocks of the smallest cache with all achievable hits */
    uint64_t resolution;    /* smallest size in blocks that the sample resolves; 0: every size */
    const rd_level *levels; /* the caches that the report names, ascending by size */
    size_t n_levels;
} rdi_report;

#define RDI_FACT_COLUMNS                                                                           \
    17 /* columns for the labels of the totals, and of the sizes on a narrow
                                terminal */
#define RDI_SHARE_COLUMNS 10
#define RDI_CACHE_COLUMNS 11

/* Chooses the caches that a report names: the caches whose misses the profile has counted, or else
 * the caches of a typical machine if blocks have a size in bytes. Returns the number of caches, which is
 * 0 for object caches. */
size_t rdi_report_levels(const rd_profile *p, const rd_level **out);
/* Makes the report like rd_report_text(), about the given caches. */
rd_status rdi_report_text(rd_profile *p, const rd_report_style *style, const rd_level *levels,
                          size_t n_levels, char **text, size_t *n);
/* Adds the table of miss ratios at useful cache sizes. */
void rdi_report_sizes(rdi_report *r);
/* Adds the sentences about the miss ratios of the levels and about the working set. */
void rdi_report_words(rdi_report *r);

/* Returns the text to print after a size: " objects", or "" if sizes are in bytes. */
const char *rdi_report_unit(const rdi_report *r);
/* Returns whether some blocks were used again only after another thread had removed them from the
 * private cache. */
bool rdi_report_is_disturbed(const rdi_report *r);

#endif
