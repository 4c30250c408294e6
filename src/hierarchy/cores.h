/* Simulates private caches: every thread has a core with caches of its own, and the cores share the
 * outer caches. docs/hierarchies.md, "Private caches of threads", defines every step.
 *
 * The simulator (simulator.c) handles each reference with the levels of its thread. This module counts
 * the references that arrive, finds the causes of their misses, and performs the step "Coherence".
 */
#ifndef RDI_CORES_H
#define RDI_CORES_H

#include "hierarchy/simulator_state.h"

/* Makes the simulator simulate private caches, for a hierarchy that was checked. The shared levels in
 * s->own must be complete. */
rd_status rdi_cores_new(rd_simulator *s, const rd_simulator_config *config);
void rdi_cores_free(rd_simulator *s); /* a simulator without private caches is allowed */

/* Makes the thread with this number the current one, to which the next reference belongs. */
rd_status rdi_cores_choose(rd_simulator *s, uint64_t number);
/* Sets out[k] to the sums of all threads' counters of level k. */
void rdi_cores_count(const rd_simulator *s, rd_cache_counts *out);

/* Counts a reference of the current thread at the levels where it arrives, with the causes of its
 * misses, and performs the step "Coherence". */
rd_status rdi_cores_arrive(rd_simulator *s, const rdi_search *found, uint64_t block, uint8_t kind);
/* Performs the step "Coherence" of a prefetch of level k of the current thread. */
rd_status rdi_cores_prefetch(rd_simulator *s, size_t k, const rdi_search *found, uint64_t block);
/* Removes the victim of inclusive level k from level i, which is inside level k. If k is shared and
 * i is private, removes it from level i of every thread, otherwise only from level i of the current
 * thread. */
rd_status rdi_cores_remove_inside(rd_simulator *s, size_t k, size_t i, rdi_victim *v);

#endif
