/* Profiles in tests: made from distances, random, written, and compared in every field. */
#ifndef TEST_PROFILES_H
#define TEST_PROFILES_H

#include "base/common.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "reusedist/engine.h"

/* Distances and how often each occurs, as the finest description of a profile. */
typedef struct profiles_point {
    uint64_t distance, count; /* RD_COLD: infinite */
} profiles_point;

/* Facts of an exact, unbounded run of 64-byte blocks, with every string set. */
rd_profile_facts profiles_facts(void);

/* Counts the points in these bins. References, infinite, cold and blocks are filled in; the rest of
 * the facts is taken from `facts` (NULL: profiles_facts()). Fails the test on any error. */
rd_profile *profiles_make(rd_ctx *ctx, const rd_profile_facts *facts, rd_binning binning,
                          const profiles_point *points, size_t n);

/* n points with distances of every magnitude below `max_distance` and counts below `max_count`. */
void profiles_random(rdi_rng *rng, uint64_t max_distance, uint64_t max_count, profiles_point *out,
                     size_t n);

/* The profile file; free with rd_text_free(). */
char *profiles_json(rd_ctx *ctx, rd_profile *p);

/* What an engine gives for n blocks, handed over `feed` at a time. */
rd_profile *profiles_measure(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                             const uint64_t *blocks, size_t n, size_t feed);

void profiles_assert_same_bins(const rd_profile *a, const rd_profile *b);
/* Every fact, bin and source. */
void profiles_assert_equal(const rd_profile *a, const rd_profile *b);

#endif
