/* Instruction sets. A kernel is compiled once per instruction set, and the set is chosen at run
 * time.
 *
 * Only the functions of kernels have the attribute RDI_TARGET_AVX2 or RDI_TARGET_AVX512, so the
 * rest of the library runs on any processor. Engines that let the user choose the set have the option
 * RDI_ISA_OPTION.
 */
#ifndef RDI_CPU_H
#define RDI_CPU_H

#include "base/common.h"

/* Instruction sets, in the order of RDI_ISA_CHOICES. */
typedef enum rdi_isa { RDI_ISA_AUTO, RDI_ISA_PLAIN, RDI_ISA_AVX2, RDI_ISA_AVX512 } rdi_isa;

#define RDI_ISA_CHOICES "auto|plain|avx2|avx512"

/* The option `isa` of an engine, as an entry of its option table. The engine's state must have a
 * member `uint32_t isa`. */
#define RDI_ISA_OPTION(state)                                                                      \
    {                                                                                              \
        .name = "isa", .type = RD_OPT_CHOICE, .offset = offsetof(state, isa), .def = "auto",       \
        .choices = RDI_ISA_CHOICES, .help = "instruction set of the inner loops"                   \
    }

/* RDI_TARGET_AVX512 needs the extensions BW, DQ, VL and VPOPCNTDQ of AVX-512: Ice Lake, Zen 4 and
 * later. */
#define RDI_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define RDI_TARGET_AVX512                                                                          \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")))

/* Sets *out to `wanted`, or to the best set of this processor if `wanted` is RDI_ISA_AUTO. Fails
 * with RD_EUNSUPPORTED if the processor lacks instructions of the set. The message begins with `owner`,
 * for example "engine stream". */
rd_status rdi_isa_choose(rd_ctx *ctx, const char *owner, uint32_t wanted, rdi_isa *out);

const char *rdi_isa_name(rdi_isa isa);

#endif
