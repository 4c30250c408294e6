/* The part of a report about simulated caches. */
#ifndef RDI_REPORT_SIMULATION_H
#define RDI_REPORT_SIMULATION_H

#include "report/paper.h"

/* Adds tables of the caches that were simulated, and sentences about them. The profile must have a
 * simulation. */
void rdi_report_simulation(rdi_paper *paper, const rd_profile *p);

#endif
