/* Declares the inner loops of the data-parallel engines, which are compiled once per instruction
 * set. */
#ifndef RDI_LANES_H
#define RDI_LANES_H

#include "base/cpu.h"
#include "engine/papers/geometric_core.h"
#include "engine/papers/levels_core.h"

#define RDI_LANES_RUN 16 /* number of points in a run that make_run() makes */

typedef struct rdi_lanes {
    const char *name;
    /* Turns the next times of n <= RDI_LANES_RUN references, the first at time `time`, into a
     * sorted run of points with their ranks. */
    void (*make_run)(const uint32_t *next, uint32_t time, uint32_t n, rdi_point *out);
    /* Runs a backward copy-scan for the symbol `wanted`: for every reference t to this symbol, sets
     * next[t] to the time of the next reference to it, or to n + t if there is none. */
    void (*scan_symbol)(const uint32_t *symbol, uint32_t n, uint32_t wanted, uint32_t *next);
    /* Runs rdi_levels_scan_group() for n references, group by group. Returns the block at this
     * level after the last reference. */
    uint64_t (*scan_level)(const uint64_t *block, uint64_t *above, uint8_t *miss, size_t n,
                           uint64_t copied, uint64_t level, uint64_t *dist);
} rdi_lanes;

extern const rdi_lanes rdi_lanes_plain, rdi_lanes_avx2, rdi_lanes_avx512;

/* The option `backend` of an engine, and its values. The engine's state must have a member
 * `uint32_t backend`. */
enum { RDI_BACKEND_CPU, RDI_BACKEND_CUDA };
#define RDI_BACKEND_OPTION(state)                                                                  \
    {                                                                                              \
        .name = "backend", .type = RD_OPT_CHOICE, .offset = offsetof(state, backend),              \
        .def = "cpu", .choices = "cpu|cuda",                                                       \
        .help = "cpu: run on as many threads as -t allows; cuda: run on a CUDA device"             \
    }

/* Sets *out to the inner loops for the instruction set `isa`. Returns RD_EUNSUPPORTED if this
 * processor lacks it. Messages name the engine `owner`. */
rd_status rdi_lanes_choose(rd_ctx *ctx, const char *owner, uint32_t isa, const rdi_lanes **out);

#endif
