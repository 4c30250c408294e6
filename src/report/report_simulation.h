/* Reports simulated caches: tables for the text report, and members of a JSON result. */
#ifndef RDI_REPORT_SIMULATION_H
#define RDI_REPORT_SIMULATION_H

#include "base/json_write.h"
#include "report/paper.h"

/* Adds tables of the caches that were simulated, and sentences about them. The profile must have a
 * simulation of shared or of private caches. */
void rdi_report_simulation(rdi_paper *paper, const rd_profile *p);

/* rdi_report_traffic() adds the table of references, misses and write-backs. rdi_report_prefetches() adds
 * the table of prefetches if a cache prefetches. */
void rdi_report_traffic(rdi_paper *paper, const rd_profile *p, const rd_simulation *s);
void rdi_report_prefetches(rdi_paper *paper, const rd_simulation *s);

/* Returns the index of the first cache whose misses go to memory: the last cache, or the first of L1I and
 * L1D if there are no other caches. */
static inline size_t rdi_first_outermost(const rd_hierarchy *h) {
    return rd_hierarchy_is_split(h) && h->n == 2 ? 0 : h->n - 1;
}

/* Writes the members of a JSON result that describe the simulation and its caches. */
rd_status rdi_put_simulation_facts(rd_json_writer *w, const rd_profile *p, const rd_hierarchy *h);
/* Writes the members of one cache and its counters. */
void rdi_put_simulated_cache(rd_json_writer *w, const rd_cache *cache, uint64_t block_bytes,
                             const rd_cache_counts *c, bool causes);

#endif
