/* Reports of simulated private caches of threads. */
#ifndef RDI_REPORT_CORES_H
#define RDI_REPORT_CORES_H

#include "report/paper.h"

/* Adds tables of the simulated private and shared caches, and sentences about them. The profile
 * must have a simulation of private caches. */
void rdi_report_cores(rdi_paper *paper, const rd_profile *p);

/* Make the results of a profile with a simulation of private caches as CSV and as JSON. The caller
 * frees the text. */
rd_status rdi_report_cores_csv(rd_profile *p, char **text, size_t *n);
rd_status rdi_report_cores_json(rd_profile *p, char **text, size_t *n);

#endif
