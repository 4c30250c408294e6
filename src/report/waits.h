/* The time that functions and lines wait for data on a machine. */
#ifndef RDI_WAITS_H
#define RDI_WAITS_H

#include "base/common.h"
#include "reusedist/machine.h"
#include "reusedist/profile.h"

typedef struct rdi_wait {
    size_t index; /* index of the function or line in the attribution of the profile */
    rd_cycles cycles;
} rdi_wait;

/* Returns whether two hierarchies have caches of the same names, sizes and rules. Latencies are
 * ignored. */
bool rdi_caches_are_same(const rd_hierarchy *a, const rd_hierarchy *b);
/* Returns whether the profile has a simulation of the machine's caches and the simulated misses of each
 * function and line, so that waits are computed from exact numbers of misses and not from estimates. */
bool rdi_waits_are_exact(const rd_profile *p, const rd_machine *m);
/* Returns whether the profile has a simulation of the machine's caches. */
bool rdi_machine_is_simulated(const rd_profile *p, const rd_machine *m);
/* Stores the machine whose caches were simulated, if the profile keeps enough of it to compute waits;
 * otherwise returns false. */
bool rdi_machine_kept(const rd_profile *p, rd_machine *out);
/* Stores the simulated misses of each data cache of the machine. Returns false if the machine's caches
 * were not simulated. */
bool rdi_misses_simulated(const rd_profile *p, const rd_machine *m, double *misses);
/* Computes the waits of all misses of the simulated caches. Returns false if the machine's caches were
 * not simulated, or if the machine lacks a latency or its clock rate. */
bool rdi_waits_simulated(const rd_profile *p, const rd_machine *m, rd_cycles *out);
/* Makes a list of the functions, or with `lines` of the lines, of a profile, in descending order of
 * their waits. The caller frees *out with rdi_free(). The list is empty if the machine lacks a latency
 * or its clock rate, or if the profile has no attribution. */
rd_status rdi_waits_of(rd_ctx *ctx, const rd_profile *p, const rd_machine *m, bool lines,
                       rdi_wait **out, size_t *n);

#endif
