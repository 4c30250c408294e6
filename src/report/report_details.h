/* The part of a text report about code, data, phases and the use of blocks. */
#ifndef RDI_REPORT_DETAILS_H
#define RDI_REPORT_DETAILS_H

#include "report/paper.h"

/* Adds the tables and sentences for the details that the profile has, if any. */
void rdi_report_details(rdi_paper *paper, const rd_profile *p);

#endif
