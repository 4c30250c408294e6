/* Co-runs: programs that share a cache, computed from their profiles alone.
 *
 *   rd_corun_new(ctx, profiles, NULL, n, &c);
 *   rd_corun_share(c, blocks, programs);
 *   rd_corun_free(c);
 *
 * Every program fills a cache at the pace of its misses: while it occupies x blocks, it needs on
 * average 1 / m(x) references to occupy one block more, where m(x) is the miss ratio of a cache of
 * x blocks. So the profile of a program says how many blocks the program has touched after any
 * number of references: its footprint. A cache that several programs share holds what all of them
 * touched during the most recent stretch of time, a stretch in which their footprints together are
 * as large as the cache. Each program misses as often as alone in a cache of the size of its
 * footprint.
 *
 * The result is an estimate, even from exact profiles: it assumes that a program behaves the same
 * at all times, and that the programs use different blocks.
 */
#ifndef REUSEDIST_CORUN_H
#define REUSEDIST_CORUN_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_CORUN_MAX        256 /* largest number of programs */
#define RD_CORUN_ASSIGN_MAX 16  /* largest number of programs that rd_corun_assign() accepts */

typedef struct rd_corun rd_corun;

/* The share of a cache that one program gets, and its misses there. */
typedef struct rd_corun_program {
    double rate;     /* share of the references that are from this program, 0 to 1 */
    double alone;    /* miss ratio if the program has the whole cache; NAN: the cache is larger than
                          the bound of the profile */
    double occupied; /* number of blocks that the program occupies on average */
    double miss_ratio; /* miss ratio in the shared cache, or in the program's ways */
} rd_corun_program;

/* Prepares the co-run of `n` programs, 1 to RD_CORUN_MAX. `rates` has the references per unit of
 * time of each program. NULL means that all programs run for the same time: their rates are their
 * numbers of references, including references that the recorder skipped, if their number is known.
 * The profiles must exist as long as the co-run. The function returns RD_EINVAL for profiles
 * without distances, of different block sizes, or of object caches in bytes, and for rates that are
 * not positive. */
RD_API RD_CHECKED rd_status rd_corun_new(rd_ctx *ctx, rd_profile *const *profiles,
                                         const double *rates, size_t n, rd_corun **out);
RD_API void rd_corun_free(rd_corun *c); /* NULL is allowed */

/* Computes, for each program, its share of a cache of `blocks` blocks that all programs use, and
 * its misses there. `programs` has room for all programs. The function returns RD_EINVAL if a
 * program would occupy more than the bound of its profile, or fewer blocks than its sample
 * resolves, see rd_mrc_resolution(). */
RD_API RD_CHECKED rd_status rd_corun_share(const rd_corun *c, uint64_t blocks,
                                           rd_corun_program *programs);

/* Assigns the programs to `caches` equal caches of `blocks` blocks, such that the total number of
 * misses is minimal. A cache gets at most ceil(n / caches) programs. cache_of[i] is the cache of
 * program i, from 0. *worst is the miss ratio of all references with the worst assignment;
 * `worst` may be NULL. The function returns RD_EINVAL for more than RD_CORUN_ASSIGN_MAX programs,
 * and in the cases of rd_corun_share(). */
RD_API RD_CHECKED rd_status rd_corun_assign(const rd_corun *c, uint64_t blocks, size_t caches,
                                            size_t *cache_of, rd_corun_program *programs,
                                            double *worst);

/* Divides the `ways` ways of one cache of `blocks` blocks among the programs, such that the total
 * number of misses is minimal. ways_of[i] is the number of ways of program i, at least 1. The miss
 * ratio of a program is that of a fully associative cache with the blocks of its ways. The function
 * returns RD_EINVAL if `ways` does not divide `blocks`, is less than the number of programs or is
 * more than 4096, and if a program could get more blocks than the bound of its profile, or fewer
 * than its sample resolves. */
RD_API RD_CHECKED rd_status rd_corun_partition(const rd_corun *c, uint64_t blocks, size_t ways,
                                               size_t *ways_of, rd_corun_program *programs);

/* Returns the miss ratio of the references of all programs together. */
RD_API double rd_corun_total(const rd_corun *c, const rd_corun_program *programs);

#ifdef __cplusplus
}
#endif
#endif
