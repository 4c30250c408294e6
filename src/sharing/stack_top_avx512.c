/* Compiles the operations on the top of a stack for x86 with AVX-512. */
#include "sharing/stack_top.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#define KERNEL        rdi_top_avx512
#define KERNEL_TARGET RDI_TARGET_AVX512
#define ISA           512
#include "sharing/top_kernel.inc.h"
#else
const rdi_top_kernel rdi_top_avx512 = {0}; /* rdi_isa_choose() chooses AVX-512 only on x86-64 */
#endif
