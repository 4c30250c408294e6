/* Computes the misses of a machine's caches, and the time that they cost, from a profile or from
 * the share of a function, line or data region. */
#include "model/machine_misses.h"

#include "model/smith.h"
#include "profile/details.h"
#include "reusedist/sharing.h"

#include <inttypes.h>
#include <math.h>

rd_status rdi_machine_check(rd_ctx *ctx, const rd_profile *p, const rd_machine *m) {
    uint64_t block = rd_profile_facts_of(p)->block_bytes;
    if (block == 0)
        return rdi_fail(
            ctx, RD_EINVAL,
            "the caches of machine %s have sizes in bytes, but the blocks of the profile are "
            "addresses or objects without a size; analyze with -b %" PRIu64,
            m->name, m->line_bytes);
    if (block != m->line_bytes)
        return rdi_fail(ctx, RD_EINVAL,
                        "machine %s has cache lines of %" PRIu64
                        " bytes, but the profile has blocks of "
                        "%" PRIu64 " bytes; analyze with -b %" PRIu64,
                        m->name, m->line_bytes, block, m->line_bytes);
    return rdi_mrc_check(ctx, p);
}

/* Computes the miss ratios of cache `i`. They stay NAN if the profile cannot answer: beyond its
 * bound, below the resolution of its sample, or for a cache that threads share if the distances are
 * those of private stacks, which say nothing about the blocks that other threads bring into it. */
static void find_cache(rd_ctx *ctx, const rd_profile *p, const rd_machine *m, size_t i,
                       rd_machine_misses *out) {
    const rd_cache *c = &m->caches.cache[i];
    uint64_t blocks = rd_cache_blocks(c, m->line_bytes), sets = rd_cache_sets(c, m->line_bytes);
    out->full[i] = out->estimate[i] = NAN;
    if (blocks < rd_mrc_resolution(p) || (c->shared && rd_profile_private(p)))
        return;
    double miss;
    if (rd_mrc_at(ctx, p, blocks, &miss, NULL) == RD_OK)
        out->full[i] = miss;
    if (rd_mrc_ways(ctx, p, sets, blocks / sets, &miss, NULL) == RD_OK)
        out->estimate[i] = miss;
}

rd_status rd_machine_misses_of(rd_ctx *ctx, const rd_profile *p, const rd_machine *m,
                               rd_machine_misses *out) {
    RDI_NEED(ctx, ctx, p, m, out);
    RD_TRY(rdi_machine_check(ctx, p, m));
    RD_TRY(rd_hierarchy_check(ctx, &m->caches, m->line_bytes));
    /* Distances of private stacks do not say what serves a miss of the outermost private cache: the
     * cache of another thread, a shared one, or memory. */
    rd_machine_misses found = {.cycles_known = !rd_profile_private(p)};
    double misses[RD_CACHES_MAX];
    for (size_t i = 0; i < m->caches.n; i++) {
        find_cache(ctx, p, m, i, &found);
        misses[i] = found.estimate[i] * (double)rd_profile_facts_of(p)->references;
        found.cycles_known = found.cycles_known && !isnan(misses[i]);
    }
    found.cycles_known = found.cycles_known && rd_machine_cycles(m, misses, &found.cycles);
    *out = found;
    return RD_OK;
}

rdi_machine_bins rdi_machine_bins_of(const rd_machine *m) {
    rdi_machine_bins bins = {.machine = m};
    for (size_t i = 0; i < m->caches.n; i++) {
        const rd_cache *c = &m->caches.cache[i];
        rdi_smith smith =
            rdi_smith_start(rd_cache_sets(c, m->line_bytes), rd_cache_ways(c, m->line_bytes));
        for (size_t k = 0; k < RD_LOG_BINS; k++)
            bins.miss[i][k] = rdi_smith_mean(&smith, rdi_log_bin_low(k), rdi_log_bin_high(k) + 1);
    }
    return bins;
}

bool rdi_machine_share_cycles(const rdi_machine_bins *bins, const rd_share *share, rd_cycles *out) {
    double misses[RD_CACHES_MAX];
    for (size_t i = 0; i < bins->machine->caches.n; i++) {
        misses[i] = (double)share->infinite;
        for (size_t k = 0; k < RD_LOG_BINS; k++)
            misses[i] += (double)share->bins[k] * bins->miss[i][k];
    }
    return rd_machine_cycles(bins->machine, misses, out);
}
