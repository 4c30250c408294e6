/* Compiles the loops once per instruction set. See passes.h. */
#include "attribution/passes.h"

#include "attribution/contexts.h"
#include "attribution/regions.h"
#include "attribution/sites.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PASSES     plain_passes
#define NAME(name) plain_##name
#define TARGET     /* none */
#include "attribution/passes.inc.h"

#if defined(__x86_64__)
#define PASSES     avx2_passes
#define NAME(name) avx2_##name
#define TARGET     RDI_TARGET_AVX2
#include "attribution/passes.inc.h"

/* This loop uses intrinsics, because compilers use gather instructions only if they know that
 * gathering is fast on the processor. It is fast on processors with AVX-512. */
RDI_TARGET_AVX512 static bool avx512_sites(const uint64_t *restrict cache,
                                           const uint64_t *restrict pc, size_t n,
                                           rdi_tuple_key *restrict reuse) {
    const __m512i last_slot = _mm512_set1_epi64(RDI_SITE_CACHE - 1), one = _mm512_set1_epi64(1);
    const __m512i field = _mm512_set1_epi64(RDI_SITE_FIELD << RDI_REUSE_SHIFT);
    __mmask8 differ = 0;
    for (size_t i = 0; i < n; i += 8) {
        __mmask8 all = (__mmask8)(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);
        __m512i at = _mm512_maskz_loadu_epi64(all, &pc[i]);
        __m512i high = _mm512_srli_epi64(at, RDI_SITE_CACHE_BITS);
        __m512i slot = _mm512_and_si512(_mm512_xor_si512(at, high), last_slot);
        __m512i entry = _mm512_mask_i64gather_epi64(at, all, slot, cache, 8);
        __m512i tag = _mm512_srli_epi64(entry, RDI_SITE_BITS);
        __mmask8 same = _mm512_cmpeq_epi64_mask(tag, _mm512_add_epi64(high, one));
        __m512i site = _mm512_and_si512(_mm512_slli_epi64(entry, RDI_REUSE_SHIFT), field);
        _mm512_mask_storeu_epi64(&reuse[i], all, _mm512_maskz_mov_epi64(same, site));
        differ |= all & ~same;
    }
    return differ == 0;
}

#define PASSES     avx512_passes
#define SITES      avx512_sites
#define NAME(name) avx512_##name
#define TARGET     RDI_TARGET_AVX512
#include "attribution/passes.inc.h"
#endif

rd_status rdi_passes_choose(rd_ctx *ctx, rdi_isa isa, const rdi_passes **out) {
    static const rdi_passes *const all[] = {
        [RDI_ISA_PLAIN] = &plain_passes,
#if defined(__x86_64__)
        [RDI_ISA_AVX2] = &avx2_passes,
        [RDI_ISA_AVX512] = &avx512_passes,
#endif
    };
    RD_TRY(rdi_isa_choose(ctx, "attribution", isa, &isa));
    *out = all[isa];
    return RD_OK;
}
