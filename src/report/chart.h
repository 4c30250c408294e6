/* Draws miss-ratio curves with characters. */
#ifndef RDI_CHART_H
#define RDI_CHART_H

#include "report/paper.h"

/* Draws miss ratios from 0 to 100 % over cache sizes on a logarithmic chart axis. For object caches,
 * draws the miss ratios of requests and of bytes, with a legend. */
void rdi_chart_mrc(rdi_paper *paper, const rd_profile *p);

#endif
