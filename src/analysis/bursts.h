/* Estimates the error of a run that was recorded in bursts: confidence bands of its miss ratios.
 *
 * The recorder alternately records N references and skips others. The references of one burst are
 * consecutive, so a reuse inside a burst has its true distance. For any other reference, only a
 * lower limit of the distance is known: the number u of distinct blocks that its burst has touched
 * so far. For a cache of C blocks that reference is a miss if u >= C, and undecided otherwise.
 *
 * So each burst has, for each C, a fraction of certain misses and a fraction of misses if all
 * undecided references miss. The true miss ratio of a burst lies between these two. Bursts are
 * clusters of a systematic sample: the variation of the fractions between bursts gives the standard
 * errors of their means (ratio estimators, because the last burst may be shorter). The band reaches
 * from the lower mean minus its error to the upper mean plus its error, with 95 % confidence.
 *
 * The band does not cover a program that repeats itself in step with the bursts.
 */
#ifndef RDI_BURSTS_H
#define RDI_BURSTS_H

#include "base/common.h"
#include "reusedist/profile.h"

typedef struct rdi_bursts rdi_bursts;

/* Makes an estimator for bursts of `length` references. */
rd_status rdi_bursts_new(rd_ctx *ctx, uint64_t length, rdi_bursts **out);
void rdi_bursts_free(rdi_bursts *b);

/* Adds the distances of n block references. Block reference i comes from reference `first` +
 * origins[i] of the trace. */
void rdi_bursts_feed(rdi_bursts *b, uint64_t first, const uint32_t *origins,
                     const uint64_t *distances, size_t n);

/* Ends the last burst and states the band in the profile. The facts of the profile must already say
 * how many references were skipped. With fewer than four bursts, the profile states no band. */
rd_status rdi_bursts_finish(rdi_bursts *b, rd_profile *profile);

#endif
