/* The part of a text report about code, data, phases and the use of blocks. */
#ifndef RDI_REPORT_DETAILS_H
#define RDI_REPORT_DETAILS_H

#include "report/paper.h"

/* Adds tables and sentences about the details of the profile. Adds nothing if the profile has no
 * attribution or no references. */
void rdi_report_details(rdi_paper *paper, const rd_profile *p);

#endif
