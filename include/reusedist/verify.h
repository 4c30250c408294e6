/* Checking engines against the oracle on random and hostile traces.
 *
 *   rd_verify_new(ctx, NULL, &v);
 *   while (time is left && !rd_verify_difference(v)) rd_verify_next(v);
 *   rd_verify_free(v);
 *
 * Every trace follows from its seed alone: a difference is repeated by a verifier that starts with
 * the seed reported.
 */
#ifndef REUSEDIST_VERIFY_H
#define REUSEDIST_VERIFY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_verify_config {
    size_t size;                /* sizeof(rd_verify_config) */
    const char *const *engines; /* "NAME": with its defaults and all its variants, "NAME:" with its
                                   defaults only, or "NAME:options" */
    size_t n_engines;           /* 0: every engine that can run here */
    uint64_t seed;              /* of the first trace; the next one has seed + 1 */
    size_t shortest;            /* references of a trace at least, up to `longest` */
    size_t longest;             /* references of a trace at most; 0: 20000 */
} rd_verify_config;

/* What was checked of one engine with one set of options. */
typedef struct rd_verified {
    const char *engine; /* "NAME" or "NAME:options"; borrowed from the verifier */
    uint64_t traces, references;
    const char *promise;   /* what it was held to: "exact", or in words what is less than that */
    const char *unchecked; /* why it was not, or NULL */
} rd_verified;

/* A disagreement with the oracle. Strings and blocks are borrowed from the verifier. */
typedef struct rd_difference {
    const char *engine; /* as in rd_verified */
    uint64_t seed;      /* of the trace it was found with */
    const char *trace;  /* what that trace is like */
    const char *setup;  /* how the engine was run: bound, threads, batches */
    const char *what;   /* what is wrong, on the shrunk trace */
    uint64_t reference; /* first wrong one on the shrunk trace, from 0; UINT64_MAX: the totals or
                           the histogram */
    const uint64_t *blocks; /* the shrunk trace */
    size_t n;
} rd_difference;

typedef struct rd_verify rd_verify;

/* `config` NULL: all defaults. The strings in it are copied. */
RD_API RD_CHECKED rd_status rd_verify_new(rd_ctx *ctx, const rd_verify_config *config,
                                          rd_verify **out);

/* One more trace through every engine, up to the first difference; RD_OK whether or not there is
 * one. Fails when an engine fails. After a difference: RD_ESTATE. */
RD_API RD_CHECKED rd_status rd_verify_next(rd_verify *v);

/* NULL when every answer was right so far. */
RD_API const rd_difference *rd_verify_difference(const rd_verify *v);
/* NULL past the last one. */
RD_API const rd_verified *rd_verified_at(const rd_verify *v, size_t index);

RD_API void rd_verify_free(rd_verify *v);

#ifdef __cplusplus
}
#endif
#endif
