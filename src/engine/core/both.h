/* For the inner parts of algorithms that run on processors and on accelerators alike: headers with
 * nothing but small functions, compiled as C and as CUDA. What the tests of the processor's side
 * exercise is then what the device runs. */
#ifndef RDI_BOTH_H
#define RDI_BOTH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RDI_BOTH static __host__ __device__ inline
#else
#define RDI_BOTH static inline
#endif

/* Numbers that several threads change at once. What a thread wrote before a successful exchange, a
 * thread sees that loads what was exchanged. */
RDI_BOTH uint32_t rdi_shared_load(const uint32_t *p) {
#ifdef __CUDA_ARCH__
    uint32_t value = *(const volatile uint32_t *)p;
    __threadfence();
    return value;
#else
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}

/* The value before. */
RDI_BOTH uint32_t rdi_shared_add(uint32_t *p, uint32_t n) {
#ifdef __CUDA_ARCH__
    return atomicAdd(p, n);
#else
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
#endif
}

/* Puts `value` in place of `expected`; false when something else was there. */
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
