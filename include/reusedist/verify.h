/* Verification: checks engines against the oracle on random and hostile traces.
 *
 *   rd_verify_new(ctx, NULL, &v);
 *   while (time is left && !rd_verify_difference(v)) rd_verify_next(v);
 *   rd_verify_free(v);
 *
 * Every trace depends on its seed alone: a verifier that starts with the reported seed reproduces
 * the difference.
 */
#ifndef REUSEDIST_VERIFY_H
#define REUSEDIST_VERIFY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_verify_config {
    size_t size; /* sizeof(rd_verify_config) */
    /* Engines to check. "NAME" checks the default options and all variants, "NAME:" the default
     * options only, and "NAME:options" these options only. */
    const char *const *engines;
    size_t n_engines; /* 0: all engines */
    uint64_t seed;    /* seed of the first trace; the next trace has seed + 1 */
    size_t shortest;  /* minimum length of a trace in references; at most `longest` */
    size_t longest;   /* maximum length of a trace in references; 0: 20000 */
} rd_verify_config;

/* The checks of one engine with one set of options. */
typedef struct rd_verified {
    const char *engine; /* "NAME" or "NAME:options"; borrowed from the verifier */
    uint64_t traces, references;
    const char *promise;   /* the promise that was checked: "exact", or a description of a weaker
                              promise */
    const char *unchecked; /* reason why the engine was not checked; NULL: it was checked */
} rd_verified;

/* A disagreement with the oracle. Strings and blocks are borrowed from the verifier. */
typedef struct rd_difference {
    const char *engine;     /* "NAME" or "NAME:options" */
    uint64_t seed;          /* seed of the trace that showed the difference */
    const char *trace;      /* description of that trace */
    const char *setup;      /* description of the run: bound, threads and batches of the engine */
    const char *what;       /* description of the difference on the shrunk trace */
    uint64_t reference;     /* index of the first wrong reference in the shrunk trace, from 0;
                           UINT64_MAX: the totals or the histogram are wrong */
    const uint64_t *blocks; /* the shrunk trace */
    size_t n;
} rd_difference;

typedef struct rd_verify rd_verify;

/* Makes a verifier. `config` NULL selects all defaults. The strings in it are copied. */
RD_API RD_CHECKED rd_status rd_verify_new(rd_ctx *ctx, const rd_verify_config *config,
                                          rd_verify **out);

/* Runs every engine that can be checked on one more trace and stops at the first difference. If an
 * engine fails, returns its error; otherwise returns RD_OK, whether or not there is a difference.
 * Returns RD_ESTATE if an earlier call found a difference. */
RD_API RD_CHECKED rd_status rd_verify_next(rd_verify *v);

/* Returns the difference, or NULL if all answers were right so far. */
RD_API const rd_difference *rd_verify_difference(const rd_verify *v);
/* Returns entry number `index` of the checks, which have one entry per engine and set of options,
 * or NULL past the last one. */
RD_API const rd_verified *rd_verified_at(const rd_verify *v, size_t index);

RD_API void rd_verify_free(rd_verify *v);

#ifdef __cplusplus
}
#endif
#endif
