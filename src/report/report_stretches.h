/* Reports of object caches by stretches of time, for profiles with the section "stretches". */
#ifndef RDI_REPORT_STRETCHES_H
#define RDI_REPORT_STRETCHES_H

#include "base/json_write.h"
#include "report/paper.h"
#include "reusedist/objects.h"

/* The profile must have stretches. `sizes` are n cache sizes in bytes; NULL: the default sizes. */

/* Adds a table with one line per stretch and the miss ratios at some of the sizes. */
void rdi_stretches_add_table(rdi_paper *paper, const rd_profile *p, const uint64_t *sizes,
                             size_t n);
/* Adds the key "stretches" with the miss ratios of each stretch at the sizes. */
void rdi_stretches_put(rd_json_writer *w, const rd_profile *p, const uint64_t *sizes, size_t n);
/* Adds the key "stretches" for a page: an object with the length of a stretch in seconds ("every"), a few
 * cache sizes in bytes ("sizes"), and for each stretch the array [begin in seconds, requests, miss ratio at
 * each of these sizes] ("rows"). */
void rdi_stretches_put_page(rd_json_writer *w, const rd_profile *p);

#endif
