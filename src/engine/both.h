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

#endif
