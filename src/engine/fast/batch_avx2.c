/* The batch engine's inner loops for x86 with AVX2. */
#if defined(__x86_64__)
#define RDI_AXIS_VECTOR 32
#define KERNEL_NAME     rdi_batch_avx2
#define KERNEL_TEXT     "avx2"
#define KERNEL_TARGET   RDI_TARGET_AVX2

#include "engine/fast/batch.h"

#include <immintrin.h>

/* A bit for every key that equals `block`. */
KERNEL_TARGET static inline unsigned match8(const uint64_t *key, uint64_t block) {
    __m256i wanted = _mm256_set1_epi64x((long long)block);
    __m256i low = _mm256_cmpeq_epi64(_mm256_load_si256((const __m256i *)(const void *)key), wanted);
    __m256i high =
        _mm256_cmpeq_epi64(_mm256_load_si256((const __m256i *)(const void *)(key + 4)), wanted);
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
           (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

#include "engine/fast/batch_kernel.inc.h"
#else
#include "engine/fast/batch.h"

const rdi_batch_kernel rdi_batch_avx2 = {0};
#endif
