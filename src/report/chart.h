/* The miss-ratio curve, drawn with characters. */
#ifndef RDI_CHART_H
#define RDI_CHART_H

#include "report/paper.h"

/* Cache sizes along a logarithmic axis, miss ratios 0 to 100 % upwards. */
void rdi_chart_mrc(rdi_paper *paper, const rd_profile *p);

#endif
