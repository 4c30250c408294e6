/* Definitions shared by the CUDA files: the device behind its handle, and the conversion of
 * failures to messages. */
#ifndef RDI_CUDA_DEVICE_H
#define RDI_CUDA_DEVICE_H

#include "engine/gpu/device.h"

#include <cuda_runtime.h>

struct rdi_device {
    rd_ctx *ctx;
    cudaStream_t stream[RDI_STREAMS];
    cudaDeviceProp properties;
};

/* Returns RD_OK, or RD_EDEVICE with CUDA's message. `what` names the attempted operation. */
rd_status rdi_cuda_check(rdi_device *d, cudaError_t error, const char *what);

/* Checks whether a launch was accepted. */
static inline rd_status rdi_cuda_launched(rdi_device *d, const char *kernel) {
    return rdi_cuda_check(d, cudaGetLastError(), kernel);
}

/* Forwards a failure of a call that returns cudaError_t. */
#define RDI_CUDA(d, call) RD_TRY(rdi_cuda_check((d), (call), #call))

#endif
