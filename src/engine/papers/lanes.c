/* Implements rdi_lanes_choose(), which chooses the inner loops for an instruction set. */
#include "engine/papers/lanes.h"

rd_status rdi_lanes_choose(rd_ctx *ctx, const char *owner, uint32_t isa, const rdi_lanes **out) {
    static const rdi_lanes *const all[] = {
        [RDI_ISA_PLAIN] = &rdi_lanes_plain,
        [RDI_ISA_AVX2] = &rdi_lanes_avx2,
        [RDI_ISA_AVX512] = &rdi_lanes_avx512,
    };
    rdi_isa chosen = RDI_ISA_PLAIN;
    RD_TRY(rdi_isa_choose(ctx, owner, isa, &chosen));
    *out = all[chosen];
    return RD_OK;
}
