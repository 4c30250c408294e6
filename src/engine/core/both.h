/* Supports code that runs both on the processor and on a GPU, which is called the device. This code
 * is in headers with small functions, which are compiled as C and as CUDA. So tests on the
 * processor exercise the code that runs on the device. */
#ifndef RDI_BOTH_H
#define RDI_BOTH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RDI_BOTH static __host__ __device__ inline
#else
#define RDI_BOTH static inline
#endif

/* Returns *p, which other threads may change at the same time. If rdi_shared_exchange() stored the
 * value, the caller also sees everything that the storing thread wrote before. */
RDI_BOTH uint32_t rdi_shared_load(const uint32_t *p) {
#ifdef __CUDA_ARCH__
    uint32_t value = *(const volatile uint32_t *)p;
    __threadfence();
    return value;
#else
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}

/* Adds n to *p and returns the previous value. */
RDI_BOTH uint32_t rdi_shared_add(uint32_t *p, uint32_t n) {
#ifdef __CUDA_ARCH__
    return atomicAdd(p, n);
#else
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
#endif
}

/* If *p is `expected`, sets it to `value` and returns true; otherwise returns false. */
RDI_BOTH bool rdi_shared_exchange(uint32_t *p, uint32_t expected, uint32_t value) {
#ifdef __CUDA_ARCH__
    __threadfence();
    return atomicCAS(p, expected, value) == expected;
#else
    return __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
#endif
}

#endif
