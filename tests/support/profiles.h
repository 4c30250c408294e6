/* Profiles in tests: functions that make, write and compare them. */
#ifndef TEST_PROFILES_H
#define TEST_PROFILES_H

#include "base/common.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "reusedist/engine.h"

/* A distance and how often it occurs. */
typedef struct profiles_point {
    uint64_t distance, count; /* the distance; RD_COLD: infinite */
} profiles_point;

/* Returns the facts of an exact, unbounded run with 64-byte blocks, with every string set. */
rd_profile_facts profiles_facts(void);

/* Makes a profile of the points with this binning. Computes references, infinite, cold and blocks,
 * and takes the other facts from `facts` (NULL: profiles_facts()). Fails the test on any error. */
rd_profile *profiles_make(rd_ctx *ctx, const rd_profile_facts *facts, rd_binning binning,
                          const profiles_point *points, size_t n);

/* Makes n random points with distances of every magnitude below `max_distance` and counts from 1 to
 * `max_count`. One distance in 16 is infinite. */
void profiles_random(rdi_rng *rng, uint64_t max_distance, uint64_t max_count, profiles_point *out,
                     size_t n);

/* Returns the text of the profile file. Free it with rd_text_free(). */
char *profiles_json(rd_ctx *ctx, rd_profile *p);
/* Writes the profile as text, reads the text, and returns the new profile. */
rd_profile *profiles_read_back(rd_ctx *ctx, rd_profile *p);
/* Replaces the first `from` after the first `after` in the text of the profile with `to`, which has the
 * same length. Fails the test unless reading this text fails with a message that contains `message`. */
void profiles_assert_refused(rd_ctx *ctx, rd_profile *p, const char *after, const char *from,
                             const char *to, const char *message);

/* Returns the profile that an engine makes of n block references, which it gets `feed` at a
 * time. */
rd_profile *profiles_measure(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                             const uint64_t *blocks, size_t n, size_t feed);

void profiles_assert_same_bins(const rd_profile *a, const rd_profile *b);
/* Fails the test unless all facts, bins and sources are equal. */
void profiles_assert_equal(const rd_profile *a, const rd_profile *b);

#endif
