/* The binomial distribution in cells (cells.h). */
#ifndef RDI_BINOMIAL_H
#define RDI_BINOMIAL_H

#include "base/common.h"

/* Adds `weight` times the probability of each number of successes in n trials to mass[], which has
 * an element per cell (cells.h) up to the cell of n. `mean` is the expected number of successes,
 * between 0 and n, or slightly outside because of rounding. The added numbers sum to `weight`, to
 * about 1 part in 10^12.
 *
 * The relative error is about 10^-12 while the variance is below 1000. From 1000 on, the cumulative
 * sum is off by at most 2 in 10000 of `weight`. The time is O(standard deviation / width of the
 * cells). */
void rdi_binomial_spread(uint64_t n, double mean, double weight, double *mass);

#endif
