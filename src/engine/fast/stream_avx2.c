/* Compiles the stream engine's inner loops for x86 with AVX2. */
#include "engine/fast/stream.h"

#if defined(__x86_64__)
#define KERNEL        rdi_stream_avx2
#define KERNEL_TARGET RDI_TARGET_AVX2
#define ISA           2
#define SLOT          uint32_t
#define WAYS          RDI_SLOT_WAYS
#include "engine/fast/stream_kernel.inc.h"
#else
const rdi_stream_kernel rdi_stream_avx2 = {0}; /* rdi_isa_choose() chooses AVX2 only on x86-64 */
#endif
