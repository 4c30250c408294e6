/* Computes how many blocks of a shared cache each program occupies, and the program's miss ratio.
 * See reusedist/corun.h.
 *
 * With the miss ratio m(x) of a cache of x blocks, a program that occupies x blocks occupies one
 * more after 1 / m(x) references. The references that it needs to occupy c blocks are therefore
 *
 *   w(c) = integral from 0 to c of dx / m(x),
 *
 * and its footprint f(w), the blocks that it occupies after w references, is the inverse function.
 * (Xiang, Ding, Luo, Bao, HOTL, ASPLOS 2013, derive the miss ratio as the slope of the average
 * footprint. Read backwards, the relation gives a footprint from any profile, without the reuse
 * times that the average footprint is computed from.) m is a straight line between two neighboring
 * points of the curve, so that w and f have closed forms there.
 *
 * When programs with the rates r_i share a cache of C blocks, bisection finds the time T with
 * sum f_i(r_i T) = C. Program i then has the miss ratio of a cache of f_i(r_i T) blocks.
 */
#include "reusedist/corun.h"

#include "model/mrc.h"
#include "profile/profile_build.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct point {
    double blocks, miss; /* m(blocks) = miss */
    double time;         /* w(blocks), in references */
} point;

typedef struct program {
    rd_profile *profile;
    double rate;   /* share of the references of all programs */
    point *points; /* ascending; at least one */
    size_t n;
    double most;       /* the most blocks that the program can occupy: the bound; without a bound,
                          all blocks; INFINITY: unknown */
    bool bounded;      /* true: `most` is a bound, beyond which the miss ratio is unknown */
    double resolution; /* the smallest number of blocks for which the profile resolves the miss
                          ratio */
} program;

struct rd_corun {
    rd_ctx *ctx;
    size_t n;
    program programs[];
};

/* ---- one program ---- */

/* Returns how many references a program needs to occupy `blocks` more blocks, while its miss ratio
 * changes linearly from m0 to m1. */
static double time_between(double blocks, double m0, double m1) {
    if (m0 <= 0 || m1 <= 0)
        return INFINITY;
    double change = (m1 - m0) / m0;
    /* The factor log1p(change) / change is 1 at 0. */
    return blocks / m0 * (fabs(change) < 1e-12 ? 1 : log1p(change) / change);
}

/* Returns the index of the last point that is not above `value`, which is a time if `is_time` is
 * true, and a number of blocks otherwise. */
static size_t point_before(const program *p, double value, bool is_time) {
    size_t low = 0, high = p->n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if ((is_time ? p->points[middle].time : p->points[middle].blocks) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the slope of the curve after point i. The curve is flat after the last point. */
static double slope_after(const program *p, size_t i) {
    const point *a = &p->points[i];
    return i + 1 < p->n ? (a[1].miss - a->miss) / (a[1].blocks - a->blocks) : 0;
}

static double miss_at(const program *p, double blocks) {
    size_t i = point_before(p, blocks, false);
    double after = blocks - p->points[i].blocks;
    return fmax(p->points[i].miss + slope_after(p, i) * after, 0);
}

/* Returns the footprint: the blocks that the program occupies after `time` references. */
static double footprint(const program *p, double time) {
    size_t i = point_before(p, time, true);
    const point *a = &p->points[i];
    double slope = slope_after(p, i), after = time - a->time;
    /* The inverse of time_between(); expm1(x) / x is 1 at 0. */
    double x = slope * after;
    double blocks = a->blocks + a->miss * after * (fabs(x) < 1e-12 ? 1 : expm1(x) / x);
    return fmin(blocks, p->most);
}

static rd_status read_curve(rd_ctx *ctx, program *p) {
    rd_mrc_point *curve = NULL;
    size_t n = 0;
    RD_TRY(rd_mrc_curve(ctx, p->profile, &curve, &n));
    p->points = rdi_alloc(ctx, n, sizeof *p->points);
    if (p->points) {
        p->n = n;
        for (size_t i = 0; i < n; i++) {
            point *at = &p->points[i];
            *at = (point){.blocks = (double)curve[i].blocks, .miss = curve[i].miss_ratio};
            if (i > 0)
                at->time =
                    at[-1].time + time_between(at->blocks - at[-1].blocks, at[-1].miss, at->miss);
        }
    }
    rd_mrc_free(ctx, curve);
    return p->points ? RD_OK : RD_ENOMEM;
}

/* ---- all programs ---- */

static rd_status check_profile(rd_ctx *ctx, rd_profile *const *profiles, size_t i) {
    if (!profiles[i])
        return rdi_fail(ctx, RD_EINVAL, "rd_corun_new: profiles[%zu] must not be NULL", i);
    const rd_profile_facts *first = rd_profile_facts_of(profiles[0]),
                           *facts = rd_profile_facts_of(profiles[i]);
    if (rd_profile_objects(profiles[i]))
        return rdi_fail(ctx, RD_EINVAL,
                        "profile %zu counts the bytes of objects; a co-run needs profiles in "
                        "blocks: analyze without --weight=bytes",
                        i + 1);
    if (rd_profile_private(profiles[i]))
        return rdi_fail(
            ctx, RD_EINVAL,
            "profile %zu has private stacks, one cache for each thread; programs that share a "
            "cache need profiles without --stacks=private",
            i + 1);
    if (facts->block_bytes != first->block_bytes) {
        char blocks[2][RDI_BLOCK_ROOM];
        return rdi_fail(ctx, RD_EINVAL,
                        "the block sizes differ: -b %s in profile 1, -b %s in profile %zu; analyze "
                        "all programs with the same -b",
                        rdi_block_text(first->block_bytes, blocks[0]),
                        rdi_block_text(facts->block_bytes, blocks[1]), i + 1);
    }
    return rdi_mrc_check(ctx, profiles[i]);
}

/* Returns the references of the program, including those that the recorder skipped, if their number is
 * known. */
static double references_of(const rd_profile *p) {
    double kept = rdi_profile_kept(p), references = (double)rd_profile_facts_of(p)->references;
    return isnan(kept) ? references : references / kept;
}

static rd_status add_program(rd_corun *c, rd_profile *const *profiles, const double *rates) {
    size_t i = c->n;
    program *p = &c->programs[i];
    RD_TRY(check_profile(c->ctx, profiles, i));
    const rd_profile_facts *facts = rd_profile_facts_of(profiles[i]);
    *p = (program){.profile = profiles[i],
                   .rate = rates ? rates[i] : references_of(profiles[i]),
                   .most = facts->bound                  ? (double)facts->bound
                           : facts->blocks == RD_UNKNOWN ? INFINITY
                                                         : (double)facts->blocks,
                   .bounded = facts->bound != 0,
                   .resolution = (double)rd_mrc_resolution(profiles[i])};
    if (!(p->rate > 0) || isinf(p->rate))
        return rdi_fail(c->ctx, RD_EINVAL,
                        "the rate of program %zu is %g; it must be a finite number above 0 "
                        "(without given rates, it is the number of references)",
                        i + 1, p->rate);
    c->n++; /* from here on, rd_corun_free() frees the points */
    return read_curve(c->ctx, p);
}

rd_status rd_corun_new(rd_ctx *ctx, rd_profile *const *profiles, const double *rates, size_t n,
                       rd_corun **out) {
    RDI_NEED(ctx, ctx, profiles, out);
    if (n == 0 || n > RD_CORUN_MAX)
        return rdi_fail(ctx, RD_EINVAL, "a co-run has 1 to %d programs, not %zu", RD_CORUN_MAX, n);
    rd_corun *c = rdi_alloc(ctx, 1, sizeof *c + n * sizeof *c->programs);
    if (!c)
        return RD_ENOMEM;
    c->ctx = ctx;
    c->n = 0;
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        rd_status status = add_program(c, profiles, rates);
        if (status != RD_OK) {
            rd_corun_free(c);
            return status;
        }
        all += c->programs[i].rate;
    }
    for (size_t i = 0; i < n; i++)
        c->programs[i].rate /= all;
    *out = c;
    return RD_OK;
}

void rd_corun_free(rd_corun *c) {
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        rdi_free(c->ctx, c->programs[i].points);
    rdi_free(c->ctx, c);
}

double rd_corun_total(const rd_corun *c, const rd_corun_program *programs) {
    double total = 0;
    for (size_t i = 0; c && programs && i < c->n; i++)
        total += programs[i].rate * programs[i].miss_ratio;
    return total;
}

/* ---- sharing ---- */

/* A set of programs: bit i stands for program i. NULL, in functions that take a pointer, stands for
 * all programs. */
typedef uint32_t program_set;

static bool is_in(const program_set *set, size_t i) {
    return !set || *set >> i & 1;
}

/* Returns how many blocks the programs of a set occupy after `time` references of all programs. */
static double occupied(const rd_corun *c, const program_set *set, double time) {
    double sum = 0;
    for (size_t i = 0; i < c->n; i++)
        if (is_in(set, i))
            sum += footprint(&c->programs[i], c->programs[i].rate * time);
    return sum;
}

/* Returns the time, in references of all programs, after which a set of programs occupies `blocks`
 * blocks, or 2^200 if it never occupies that many. */
static double time_to_fill(const rd_corun *c, const program_set *set, double blocks) {
    double low = 0, high = 1;
    while (occupied(c, set, high) < blocks && high < 0x1p200)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (occupied(c, set, middle) < blocks)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Sets *out to the result of program i, which occupies `occupied` of the `blocks` blocks of a
 * cache. Fails if the profile does not know the miss ratio of that many blocks. */
static rd_status describe(const rd_corun *c, size_t i, uint64_t blocks, double occupied,
                          rd_corun_program *out) {
    const program *p = &c->programs[i];
    if (p->bounded && (double)blocks > p->most && occupied >= p->most)
        return rdi_fail(c->ctx, RD_EINVAL,
                        "program %zu would occupy at least %.0f blocks, the bound of its "
                        "analysis: analyze it without --bound",
                        i + 1, p->most);
    if (occupied < p->resolution)
        return rdi_fail(c->ctx, RD_EINVAL,
                        "program %zu would occupy %.0f blocks, but its sample resolves %.0f "
                        "blocks and more: choose a larger cache or a larger sample",
                        i + 1, occupied, p->resolution);
    bool alone_known = !p->bounded || (double)blocks <= p->most;
    *out = (rd_corun_program){.rate = p->rate,
                              .alone = alone_known ? miss_at(p, (double)blocks) : NAN,
                              .occupied = occupied,
                              .miss_ratio = miss_at(p, occupied)};
    return RD_OK;
}

/* Sets programs[i] for each program i of a set that shares a cache of `blocks` blocks. */
static rd_status share(const rd_corun *c, const program_set *set, uint64_t blocks,
                       rd_corun_program *programs) {
    double time = time_to_fill(c, set, (double)blocks);
    for (size_t i = 0; i < c->n; i++)
        if (is_in(set, i)) {
            double part = footprint(&c->programs[i], c->programs[i].rate * time);
            /* The size is rounded, so that the last digits do not depend on the mathematical
             * library. */
            part = fmin(nearbyint(part * 1024) / 1024, (double)blocks);
            RD_TRY(describe(c, i, blocks, part, &programs[i]));
        }
    return RD_OK;
}

rd_status rd_corun_share(const rd_corun *c, uint64_t blocks, rd_corun_program *programs) {
    if (!c)
        return RD_EINVAL;
    RDI_NEED(c->ctx, programs);
    return share(c, NULL, blocks, programs);
}

/* ---- assignment to several caches ---- */

/* The tables of a search over all sets of programs. The cost of a set is the number of misses of
 * its programs in one cache, per reference of all programs. */
typedef struct search {
    size_t n, sets;      /* numbers of programs and of sets */
    size_t most;         /* largest number of programs in one cache */
    double *cost;        /* cost of each set of at most `most` programs */
    double *total;       /* total[k * sets + s]: the best (or worst) cost of set s in k caches */
    program_set *choice; /* choice[k * sets + s]: in that assignment, the programs that share a
                            cache with the first program of set s, including the first program */
} search;

/* Returns whether cost `a` is lower than `b` or, if the worst assignment is wanted, higher. */
static bool is_better(double a, double b, bool worst) {
    return worst ? a > b : a < b;
}

/* Finds the best or the worst assignment of set `s` to k caches, and stores its cost and the group
 * of the first program of the set. All sets must have been solved for k - 1 caches. */
static void solve_set(search *f, size_t k, program_set s, bool worst) {
    program_set first = s & -s, others = s ^ first;
    double best = worst ? -INFINITY : INFINITY;
    for (program_set more = others;; more = (more - 1) & others) {
        program_set group = more | first;
        if ((size_t)__builtin_popcount(group) <= f->most) {
            double cost = f->cost[group] + f->total[(k - 1) * f->sets + (s ^ group)];
            if (isfinite(cost) && is_better(cost, best, worst)) {
                best = cost;
                f->choice[k * f->sets + s] = group;
            }
        }
        if (more == 0)
            break;
    }
    f->total[k * f->sets + s] = best;
}

/* Finds the best or the worst assignment of all programs to `caches` caches, and returns its
 * cost. */
static double solve(search *f, size_t caches, bool worst) {
    for (size_t s = 0; s < f->sets; s++)
        f->total[s] = s == 0 ? 0 : INFINITY;
    for (size_t k = 1; k <= caches; k++) {
        f->total[k * f->sets] = 0;
        for (size_t s = 1; s < f->sets; s++)
            solve_set(f, k, (program_set)s, worst);
    }
    return f->total[caches * f->sets + f->sets - 1];
}

/* Computes the cost of every set of at most f->most programs, which share one cache. */
static rd_status find_costs(const rd_corun *c, search *f, uint64_t blocks) {
    rd_corun_program programs[RD_CORUN_ASSIGN_MAX];
    for (program_set s = 1; s < f->sets; s++) {
        if ((size_t)__builtin_popcount(s) > f->most)
            continue;
        memset(programs, 0, sizeof programs);
        RD_TRY(share(c, &s, blocks, programs));
        f->cost[s] = rd_corun_total(c, programs);
    }
    return RD_OK;
}

static rd_status assign(const rd_corun *c, search *f, uint64_t blocks, size_t caches,
                        size_t *cache_of, rd_corun_program *programs, double *worst) {
    RD_TRY(find_costs(c, f, blocks));
    if (worst)
        *worst = solve(f, caches, true);
    solve(f, caches, false);
    program_set left = (program_set)(f->sets - 1);
    for (size_t k = caches; left; k--) {
        program_set group = f->choice[k * f->sets + left];
        RD_TRY(share(c, &group, blocks, programs));
        for (size_t i = 0; i < c->n; i++)
            if (group >> i & 1)
                cache_of[i] = caches - k;
        left ^= group;
    }
    return RD_OK;
}

rd_status rd_corun_assign(const rd_corun *c, uint64_t blocks, size_t caches, size_t *cache_of,
                          rd_corun_program *programs, double *worst) {
    if (!c)
        return RD_EINVAL;
    RDI_NEED(c->ctx, cache_of, programs);
    if (c->n > RD_CORUN_ASSIGN_MAX || caches == 0)
        return rdi_fail(c->ctx, RD_EINVAL,
                        "cannot assign %zu programs to %zu caches: an assignment needs at most %d "
                        "programs and at least 1 cache",
                        c->n, caches, RD_CORUN_ASSIGN_MAX);
    caches = caches < c->n ? caches : c->n; /* with more caches than programs, some would stay
                                               empty */
    search f = {.n = c->n, .sets = (size_t)1 << c->n, .most = (c->n + caches - 1) / caches};
    f.cost = rdi_alloc(c->ctx, f.sets, sizeof *f.cost);
    f.total = rdi_alloc(c->ctx, f.sets * (caches + 1), sizeof *f.total);
    f.choice = rdi_alloc(c->ctx, f.sets * (caches + 1), sizeof *f.choice);
    rd_status status = f.cost && f.total && f.choice
                           ? assign(c, &f, blocks, caches, cache_of, programs, worst)
                           : RD_ENOMEM;
    rdi_free(c->ctx, f.cost);
    rdi_free(c->ctx, f.total);
    rdi_free(c->ctx, f.choice);
    return status;
}

/* ---- partition by ways ---- */

#define WAYS_MAX 4096

/* Fills two tables: best[i * (ways + 1) + a] is the lowest number of misses of programs 0 to i in
 * `a` ways, per reference of all programs, and given[i * (ways + 1) + a] is the number of ways that
 * program i has in that case. `miss` is temporary memory for ways + 1 numbers. */
static rd_status fill_ways(const rd_corun *c, uint64_t way_blocks, size_t ways, double *best,
                           uint16_t *given, double *miss) {
    for (size_t i = 0; i < c->n; i++) {
        double *row = &best[i * (ways + 1)];
        for (size_t a = 1; a <= ways; a++) {
            rd_corun_program one;
            bool possible = a + (c->n - 1) <= ways; /* every other program needs a way */
            if (possible)
                RD_TRY(describe(c, i, way_blocks * a, (double)(way_blocks * a), &one));
            miss[a] = possible ? c->programs[i].rate * one.miss_ratio : INFINITY;
        }
        for (size_t a = 0; a <= ways; a++) {
            row[a] = i == 0 && a > 0 ? miss[a] : INFINITY;
            given[i * (ways + 1) + a] = (uint16_t)a;
            for (size_t own = 1; i > 0 && own <= a; own++) {
                double sum = row[(ptrdiff_t)(a - own) - (ptrdiff_t)(ways + 1)] + miss[own];
                if (sum < row[a]) {
                    row[a] = sum;
                    given[i * (ways + 1) + a] = (uint16_t)own;
                }
            }
        }
    }
    return RD_OK;
}

static rd_status divide(const rd_corun *c, uint64_t blocks, size_t ways, double *best,
                        uint16_t *given, size_t *ways_of, rd_corun_program *programs) {
    RD_TRY(fill_ways(c, blocks / ways, ways, best, given, &best[c->n * (ways + 1)]));
    size_t left = ways;
    for (size_t i = c->n; i-- > 0;) {
        ways_of[i] = given[i * (ways + 1) + left];
        left -= ways_of[i];
        double part = (double)(blocks / ways * ways_of[i]);
        RD_TRY(describe(c, i, blocks, part, &programs[i]));
    }
    return RD_OK;
}

rd_status rd_corun_partition(const rd_corun *c, uint64_t blocks, size_t ways, size_t *ways_of,
                             rd_corun_program *programs) {
    if (!c)
        return RD_EINVAL;
    RDI_NEED(c->ctx, ways_of, programs);
    if (ways < c->n || ways > WAYS_MAX)
        return rdi_fail(
            c->ctx, RD_EINVAL,
            "each program needs at least one way: the number of ways must be from %zu to "
            "%d, not %zu",
            c->n, WAYS_MAX, ways);
    if (blocks == 0 || blocks % ways)
        return rdi_fail(c->ctx, RD_EINVAL,
                        "a cache of %" PRIu64 " blocks cannot have %zu ways: the number of blocks "
                        "must be a multiple of the number of ways",
                        blocks, ways);
    /* `best` has one row per program and one more, which fill_ways() uses as temporary memory. */
    double *best = rdi_alloc(c->ctx, (c->n + 1) * (ways + 1), sizeof *best);
    uint16_t *given = rdi_alloc(c->ctx, c->n * (ways + 1), sizeof *given);
    rd_status status =
        best && given ? divide(c, blocks, ways, best, given, ways_of, programs) : RD_ENOMEM;
    rdi_free(c->ctx, best);
    rdi_free(c->ctx, given);
    return status;
}
