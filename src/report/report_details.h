/* The part of a text report that tells code, data, time and space. */
#ifndef RDI_REPORT_DETAILS_H
#define RDI_REPORT_DETAILS_H

#include "report/paper.h"

/* Nothing for a profile without. */
void rdi_report_details(rdi_paper *paper, const rd_profile *p);

#endif
