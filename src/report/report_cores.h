/* Reports of simulated private caches of threads. */
#ifndef RDI_REPORT_CORES_H
#define RDI_REPORT_CORES_H

#include "report/paper.h"

/* Adds tables of the private and shared caches that were simulated, and sentences about them. The
 * profile must have such a simulation. */
void rdi_report_cores(rdi_paper *paper, const rd_profile *p);

/* The results of a profile with such a simulation as CSV and JSON. The caller frees the text. */
rd_status rdi_report_cores_csv(rd_profile *p, char **text, size_t *n);
rd_status rdi_report_cores_json(rd_profile *p, char **text, size_t *n);

#endif
