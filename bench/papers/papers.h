/* The suites of `paper-bench`, which measure tables and figures of the papers. */
#ifndef RD_PAPERS_H
#define RD_PAPERS_H

#include "bench.h"

extern const bench_suite paper_figure7, paper_carr_nicol, paper_hprda, paper_sampling;

#endif
