/* Declares the internal interfaces of the verifier: making traces, running one engine, and
 * comparing. */
#ifndef RDI_VERIFY_H
#define RDI_VERIFY_H

#include "engine/core/plugin.h"

/* ---- traces (verify_traces.c) ---- */

typedef struct rdi_verify_trace {
    const char *pattern; /* order of the references, for example "sawtooth" */
    const char *ids;     /* kind of block ids, for example "random ids" */
    uint64_t *block;
    size_t n;
} rdi_verify_trace;

/* Fills trace->block, which has room for `longest` references, with `shortest` to `longest`
 * references. The same arguments give the same trace. Consecutive seeds go through all combinations
 * of pattern and ids. */
void rdi_verify_make(uint64_t seed, size_t shortest, size_t longest, rdi_verify_trace *trace);

/* ---- one engine, one trace (verify_run.c) ---- */

typedef enum rdi_verify_delivery {
    RDI_VERIFY_HISTOGRAM, /* no distances are requested */
    RDI_VERIFY_ARRAY,     /* feed() writes the distances to an array */
    RDI_VERIFY_SINK       /* the distances are sent to a sink */
} rdi_verify_delivery;

/* The settings of one run of an engine. */
typedef struct rdi_verify_setup {
    uint64_t bound; /* bound; 0: none */
    uint32_t threads;
    uint64_t references; /* hint about the number of references, which may be wrong */
    rd_binning binning;
    rdi_verify_delivery delivery;
    uint64_t split_seed; /* seed of the batch sizes */
    size_t batch_max;    /* maximum batch size; a few batches are empty */
} rdi_verify_setup;

/* Draws settings that the engine accepts. `blocks` is the number of distinct blocks in the
 * trace. */
rdi_verify_setup rdi_verify_draw_setup(const rd_engine_info *info, uint64_t seed, size_t n,
                                       uint64_t blocks);
void rdi_verify_describe_setup(const rdi_verify_setup *setup, char *text, size_t room);

/* Returns the reason why an engine's answers are not checked, or NULL. */
const char *rdi_verify_unchecked(const rd_engine_info *info);

/* Writes the oracle's distances, without a bound, to `distances`. */
rd_status rdi_verify_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *distances);

typedef struct rdi_verify_outcome {
    bool different;
    uint64_t reference; /* index of the first wrong reference; UINT64_MAX: the totals or the
                           histogram differ */
    char what[256];
} rdi_verify_outcome;

/* Runs the engine, compares its answers with `expected`, the oracle's distances, and sets *out.
 * `scratch` has room for n distances. */
rd_status rdi_verify_run(rd_ctx *ctx, const char *spec, const rdi_verify_setup *setup,
                         const uint64_t *blocks, size_t n, const uint64_t *expected,
                         uint64_t *scratch, rdi_verify_outcome *out);

/* ---- comparing (verify_compare.c) ---- */

void rdi_verify_differ(rdi_verify_outcome *out, uint64_t reference, const char *format, ...)
    RDI_PRINTF(3, 4);

/* Compares a finished run with the oracle's distances, which have no bound. `got` has the distances
 * of the engine, or is NULL if they were not requested. Changes *out only if there is a
 * difference. */
rd_status rdi_verify_compare(rd_ctx *ctx, rd_engine *e, uint64_t bound, const uint64_t *got,
                             const uint64_t *expected, size_t n, rdi_verify_outcome *out);

/* Returns whether the engine measures distances but its error kind promises nothing about single
 * distances. */
bool rdi_verify_promises_nothing(const rd_engine_info *info);

/* Returns the promise that rdi_verify_run() checks, in words. */
const char *rdi_verify_promise(const rd_engine_info *info);

/* Checks that two finished runs of the same trace have the same histogram. Changes *out only if
 * they differ. */
rd_status rdi_verify_repeats(rd_engine *first, rd_engine *again, rdi_verify_outcome *out);

#endif
