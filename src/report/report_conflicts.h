/* Reports the causes of simulated misses by line and by data, the data that evict each other's
 * blocks, and the padding that would avoid these conflicts. */
#ifndef RDI_REPORT_CONFLICTS_H
#define RDI_REPORT_CONFLICTS_H

#include "report/paper.h"
#include "reusedist/attribution.h"

/* Adds tables and sentences. Adds nothing if the profile does not have the causes of misses by
 * line. */
void rdi_report_conflicts(rdi_paper *paper, const rd_profile *p);

/* Returns whether the report shows a pair of regions: the cache of `c` has many conflicts, and the pair has more than
 * 1 % of the conflict misses of this cache. */
bool rdi_conflict_is_telling(const rd_profile *p, const rd_conflict *c);

/* Adds text for the lines with the most conflict misses of each cache that has many conflicts, at most 3
 * lines per cache: the line, the data, the sets and the padding. The text about a line ends with a newline
 * character. */
void rdi_conflict_advice(const rd_profile *p, rdi_text *out);

#endif
