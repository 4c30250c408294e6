/* Computes every distance of a trace in memory with any engine. */
#ifndef TEST_DISTANCES_H
#define TEST_DISTANCES_H

#include "reusedist/engine.h"

/* Runs the engine on n block references, `batch` of them per feed (0: all at once), and writes
 * their distances. `config` may be NULL; its sink is not used. Fails the test if the engine
 * succeeds but does not deliver n distances and a histogram of n references. Returns the status of
 * the first call that failed, or RD_OK. */
rd_status distances_run(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                        const uint64_t *blocks, size_t n, size_t batch, uint64_t *out);

/* Computes the distances of n block references with the oracle. */
void distances_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *out);

/* Fails the test unless the engine's distances, and its histogram if no distances are requested,
 * are those of the oracle, up to the bound of `config` if it has one. */
void distances_assert_exact(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                            const uint64_t *blocks, size_t n);

/* Makes n references with locality. All block ids are below `blocks`. In each phase, most
 * references are to a range of adjacent blocks, and one in eight is to any block. */
void distances_make(uint64_t seed, uint64_t blocks, uint64_t *out, size_t n);

#endif
