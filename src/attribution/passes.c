/* Loops per instruction set. See passes.h. */
#include "attribution/passes.h"

#include "attribution/regions.h"
#include "attribution/sites.h"

#define PASSES     plain_passes
#define NAME(name) plain_##name
#define TARGET     /* none */
#include "attribution/passes.inc.h"

#if defined(__x86_64__)
#define PASSES     avx2_passes
#define NAME(name) avx2_##name
#define TARGET     RDI_TARGET_AVX2
#include "attribution/passes.inc.h"

#define PASSES     avx512_passes
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
