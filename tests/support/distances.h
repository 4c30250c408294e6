/* Computes every distance of a trace in memory with any engine. */
#ifndef TEST_DISTANCES_H
#define TEST_DISTANCES_H

#include "reusedist/engine.h"

/* Runs the engine on n blocks, `batch` of them per feed (0: all at once), and writes n distances.
 * `config` may be NULL; its sink is not used. Fails the test if the engine delivers another number
 * of distances or a histogram with another total. Returns the status of the first call that
 * failed. */
rd_status distances_run(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                        const uint64_t *blocks, size_t n, size_t batch, uint64_t *out);

/* Computes the distances with the oracle. */
void distances_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *out);

/* Fails the test unless the engine agrees with the oracle, with and without distances. */
void distances_assert_exact(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                            const uint64_t *blocks, size_t n);

/* Makes n references with locality: in each phase, most references are to a few of `blocks` blocks,
 * and some are to any of them. */
void distances_make(uint64_t seed, uint64_t blocks, uint64_t *out, size_t n);

#endif
