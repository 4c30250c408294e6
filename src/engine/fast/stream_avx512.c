/* Compiles the stream engine's inner loops for x86 with AVX-512. */
#include "engine/fast/stream.h"

#if defined(__x86_64__)
#define KERNEL        rdi_stream_avx512
#define KERNEL_TARGET RDI_TARGET_AVX512
#define ISA           512
#define SLOT          uint32_t
#define WAYS          RDI_SLOT_WAYS
#include "engine/fast/stream_kernel.inc.h"
#else
const rdi_stream_kernel rdi_stream_avx512 = {0}; /* rdi_isa_choose() chooses AVX-512 only on
                                                    x86-64 */
#endif
