/* Adds private caches of threads to the text report. */
#ifndef RDI_REPORT_THREADS_H
#define RDI_REPORT_THREADS_H

#include "report/paper.h"
#include "reusedist/sharing.h"

/* Adds a table of the threads: references, first touches and coherence misses. */
void rdi_report_threads(rdi_paper *paper, const rd_private_stacks *all);

#endif
