/* The batch engine's inner loops for x86 with AVX-512. */
#if defined(__x86_64__)
#define RDI_AXIS_VECTOR 64
#define KERNEL_NAME     rdi_batch_avx512
#define KERNEL_TEXT     "avx512"
#define KERNEL_TARGET   RDI_TARGET_AVX512

#include "engine/fast/batch.h"

#include <immintrin.h>

/* A bit for every key that equals `block`. */
KERNEL_TARGET static inline unsigned match8(const uint64_t *key, uint64_t block) {
    return _mm512_cmpeq_epi64_mask(_mm512_load_si512(key), _mm512_set1_epi64((long long)block));
}

#include "engine/fast/batch_kernel.inc.h"
#else
#include "engine/fast/batch.h"

const rdi_batch_kernel rdi_batch_avx512 = {0};
#endif
