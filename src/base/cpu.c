/* Detects the instruction sets of this processor: implements rdi_isa_choose(). */
#include "base/cpu.h"

static bool is_supported(rdi_isa isa) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (isa == RDI_ISA_AVX2)
        return avx2;
    if (isa == RDI_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vpopcntdq");
#endif
    return isa == RDI_ISA_PLAIN;
}

rd_status rdi_isa_choose(rd_ctx *ctx, const char *owner, uint32_t wanted, rdi_isa *out) {
    rdi_isa isa = (rdi_isa)wanted;
    if (isa == RDI_ISA_AUTO) {
        isa = RDI_ISA_AVX512;
        while (!is_supported(isa))
            isa = (rdi_isa)(isa - 1);
    }
    if (!is_supported(isa))
        return rdi_fail(ctx, RD_EUNSUPPORTED,
                        "%s: this processor lacks instructions that isa=%s needs; use isa=auto",
                        owner, rdi_isa_name(isa));
    *out = isa;
    return RD_OK;
}

const char *rdi_isa_name(rdi_isa isa) {
    static const char *const names[] = {"auto", "plain", "avx2", "avx512"};
    return names[isa];
}
