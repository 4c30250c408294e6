/* Internal functions of a simulator, which the analysis uses in addition to
 * reusedist/hierarchy.h. */
#ifndef RDI_SIMULATOR_H
#define RDI_SIMULATOR_H

#include "base/common.h"
#include "reusedist/hierarchy.h"

/* Returns whether a simulator can take reuse distances that the caller has measured, instead of
 * measuring them again to find the causes of misses. */
bool rdi_simulator_takes_distances(const rd_simulator *s);

/* Simulates `n` references with the reuse distances that the caller has measured without a bound.
 * Requires that rdi_simulator_takes_distances() is true. Either all references of a simulator come
 * with distances, or none. */
rd_status rdi_simulator_feed_distances(rd_simulator *s, const uint64_t *blocks,
                                       const uint8_t *kinds, const uint64_t *distances, size_t n);

#endif
