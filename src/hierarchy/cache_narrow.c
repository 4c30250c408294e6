/* Implements caches with up to 64 ways per set: all tags of a set are compared at once. See
 * cache.h. */
#include "hierarchy/cache.h"

#include "reusedist/trace.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Finds the nodes of tree-PLRU above a way, and their bits after a touch of the way. Bit i of a
 * mask belongs to the node whose right side begins at way i. */
static void plan_tree(rdi_cache *c, unsigned way) {
    for (unsigned from = 0, n = (unsigned)c->ways; n > 1;) {
        unsigned left = (n + 1) / 2, right = from + left;
        c->plru_above[way] |= UINT64_C(1) << right;
        c->plru_away[way] |= (uint64_t)(way < right) << right;
        n = way < right ? left : n - left;
        from = way < right ? from : right;
    }
}

rd_status rdi_narrow_init(rdi_cache *c) {
    for (unsigned way = 0; c->policy == RD_POLICY_PLRU && way < c->ways; way++)
        plan_tree(c, way);
    return RD_OK;
}

static unsigned follow(uint64_t bits, unsigned ways) {
    unsigned from = 0;
    for (unsigned n = ways; n > 1;) {
        unsigned left = (n + 1) / 2, right = from + left;
        bool go = bits >> right & 1;
        n = go ? n - left : left;
        from = go ? right : from;
    }
    return from;
}

static unsigned oldest(const uint64_t *stamps, unsigned ways) {
    unsigned best = 0;
    uint64_t least = stamps[0];
    for (unsigned i = 1; i < ways; i++) {
        bool less = stamps[i] < least;
        best = less ? i : best;
        least = less ? stamps[i] : least;
    }
    return best;
}

static uint64_t choose_victim(rdi_cache *c, uint64_t set) {
    uint64_t at = set * c->stride;
    switch (c->policy) {
    case RD_POLICY_PLRU:
        return at + follow(c->bits[set], (unsigned)c->ways);
    case RD_POLICY_RRIP:
        return at + rdi_cache_farthest(c->values + at, c->ways);
    case RD_POLICY_RANDOM:
        return at + rdi_cache_draw(c);
    default:
        return at + oldest(c->stamps + at, (unsigned)c->ways);
    }
}

uint64_t rdi_narrow_way_for(rdi_cache *c, uint64_t set, rdi_victim *victim) {
    unsigned first_empty = (unsigned)__builtin_ctzll(~c->used[set] ? ~c->used[set] : 1);
    if (~c->used[set] && first_empty < c->ways) {
        c->used[set] |= UINT64_C(1) << first_empty;
        victim->flags = 0;
        return set * c->stride + first_empty;
    }
    uint64_t way = choose_victim(c, set);
    *victim = (rdi_victim){c->tags[way], c->flags[way]};
    return way;
}

/* ---- kernels ---- */

static uint64_t plain_match(const uint64_t *tags, uint64_t stride, uint64_t block) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i++)
        found |= (uint64_t)(tags[i] == block) << i;
    return found;
}

#define NAME(name) plain_##name
#define TARGET     /* none */
#include "hierarchy/cache_run.inc.h"

#if defined(__x86_64__)
RDI_TARGET_AVX2 static inline uint64_t avx2_match(const uint64_t *tags, uint64_t stride,
                                                  uint64_t block) {
    const __m256i wanted = _mm256_set1_epi64x((long long)block);
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i += 4) {
        __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(tags + i));
        __m256i same = _mm256_cmpeq_epi64(some, wanted);
        found |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << i;
    }
    return found;
}

#define NAME(name) avx2_##name
#define TARGET     RDI_TARGET_AVX2
#include "hierarchy/cache_run.inc.h"

RDI_TARGET_AVX512 static inline uint64_t avx512_match(const uint64_t *tags, uint64_t stride,
                                                      uint64_t block) {
    const __m512i wanted = _mm512_set1_epi64((long long)block);
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i += 8)
        found |= (uint64_t)_mm512_cmpeq_epi64_mask(_mm512_loadu_si512(tags + i), wanted) << i;
    return found;
}

#define NAME(name) avx512_##name
#define TARGET     RDI_TARGET_AVX512
#include "hierarchy/cache_run.inc.h"
#endif

rd_status rdi_cache_kernels_choose(rd_ctx *ctx, uint32_t isa, const rdi_cache_kernels **out) {
    static const rdi_cache_kernels *const all[] = {
        [RDI_ISA_PLAIN] = &plain_kernels,
#if defined(__x86_64__)
        [RDI_ISA_AVX2] = &avx2_kernels,
        [RDI_ISA_AVX512] = &avx512_kernels,
#endif
    };
    rdi_isa chosen;
    RD_TRY(rdi_isa_choose(ctx, "simulator", isa, &chosen));
    *out = all[chosen];
    return RD_OK;
}
