/* Declares what all CUDA files share: the device behind its handle, and the conversion of CUDA
 * errors to messages. */
#ifndef RDI_CUDA_DEVICE_H
#define RDI_CUDA_DEVICE_H

#include "engine/gpu/device.h"

#include <cuda_runtime.h>

struct rdi_device {
    rd_ctx *ctx;
    cudaStream_t stream[RDI_STREAMS];
    cudaDeviceProp properties;
};

/* Returns RD_OK if `error` is cudaSuccess. Otherwise clears CUDA's last error and returns
 * RD_EDEVICE with CUDA's message. `what` names the attempted operation. */
rd_status rdi_cuda_check(rdi_device *d, cudaError_t error, const char *what);

/* Returns RD_OK if CUDA accepted the launch of the kernel named `kernel`; otherwise RD_EDEVICE. */
static inline rd_status rdi_cuda_launched(rdi_device *d, const char *kernel) {
    return rdi_cuda_check(d, cudaGetLastError(), kernel);
}

/* Evaluates `call`, a call of a CUDA function. If it fails, the enclosing function returns
 * RD_EDEVICE, and the message names the call. */
#define RDI_CUDA(d, call) RD_TRY(rdi_cuda_check((d), (call), #call))

#endif
