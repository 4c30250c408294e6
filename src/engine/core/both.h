/* Support for the inner parts of algorithms that run on processors and on devices alike. These
 * parts are headers that contain only small functions, compiled as C and as CUDA, so the
 * processor's tests exercise the code that the device runs. */
#ifndef RDI_BOTH_H
#define RDI_BOTH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RDI_BOTH static __host__ __device__ inline
#else
#define RDI_BOTH static inline
#endif

/* Operations on numbers that several threads change at once. A thread that loads an exchanged value
 * also sees everything that the exchanging thread wrote before. */
RDI_BOTH uint32_t rdi_shared_load(const uint32_t *p) {
#ifdef __CUDA_ARCH__
    uint32_t value = *(const volatile uint32_t *)p;
    __threadfence();
    return value;
#else
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}

/* Adds n and returns the previous value. */
RDI_BOTH uint32_t rdi_shared_add(uint32_t *p, uint32_t n) {
#ifdef __CUDA_ARCH__
    return atomicAdd(p, n);
#else
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
#endif
}

/* Replaces `expected` by `value`. Returns false if *p held another value. */
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
