/* Compiles the operations on the top of a stack for x86 with AVX2. */
#include "sharing/stack_top.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#define KERNEL        rdi_top_avx2
#define KERNEL_TARGET RDI_TARGET_AVX2
#define ISA           2
#include "sharing/top_kernel.inc.h"
#else
const rdi_top_kernel rdi_top_avx2 = {0}; /* rdi_isa_choose() chooses AVX2 only on x86-64 */
#endif
