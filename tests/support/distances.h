/* Every distance of a trace in memory, from any engine. */
#ifndef TEST_DISTANCES_H
#define TEST_DISTANCES_H

#include "reusedist/engine.h"

/* Runs the engine on n blocks, `batch` of them per feed (0: all at once), and writes n distances.
 * `config` may be NULL; its sink is not used. Fails the test when the engine delivers fewer or
 * more, or a histogram with another total. The status is that of the first call that failed. */
rd_status distances_run(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                        const uint64_t *blocks, size_t n, size_t batch, uint64_t *out);

/* What is right: from the oracle. */
void distances_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *out);

/* Fails the test unless the engine says the same as the oracle, with and without distances. */
void distances_assert_exact(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                            const uint64_t *blocks, size_t n);

/* n blocks with locality: mostly from a few of `blocks`, in phases, now and then from all. */
void distances_make(uint64_t seed, uint64_t blocks, uint64_t *out, size_t n);

#endif
