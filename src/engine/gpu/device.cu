/* Implements device.h for the first CUDA device: memory, copies, streams and events. */
#include "engine/gpu/cuda_device.h"

#include <cinttypes>

struct rdi_event {
    cudaEvent_t event;
};

rd_status rdi_cuda_check(rdi_device *d, cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return RD_OK;
    cudaGetLastError(); /* clears the error, so that the next launch does not report it again */
    return rdi_fail(d->ctx, RD_EDEVICE, "GPU: %s (%.120s)", cudaGetErrorString(error), what);
}

const char *rdi_device_unavailable(void) {
    int n = 0;
    cudaError_t error = cudaGetDeviceCount(&n);
    if (error == cudaSuccess && n > 0)
        return NULL;
    cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        return "there is no GPU driver, or it is too old";
    return error == cudaSuccess ? "there is no GPU" : cudaGetErrorString(error);
}

/* ---- the device ---- */

static rd_status open_device(rdi_device *d) {
    RDI_CUDA(d, cudaSetDevice(0));
    RDI_CUDA(d, cudaGetDeviceProperties(&d->properties, 0));
    for (cudaStream_t &stream : d->stream)
        RDI_CUDA(d, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return RD_OK;
}

rd_status rdi_device_open(rd_ctx *ctx, rdi_device **out) {
    rdi_device *d = (rdi_device *)rdi_calloc(ctx, 1, sizeof *d);
    if (!d)
        return RD_ENOMEM;
    d->ctx = ctx;
    rd_status status = open_device(d);
    if (status != RD_OK) {
        rdi_device_close(d);
        return status;
    }
    *out = d;
    return RD_OK;
}

void rdi_device_close(rdi_device *d) {
    if (!d)
        return;
    for (cudaStream_t stream : d->stream)
        if (stream) {
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        }
    rdi_free(d->ctx, d);
}

const char *rdi_device_name(const rdi_device *d) {
    return d->properties.name;
}

unsigned rdi_device_processors(const rdi_device *d) {
    return (unsigned)d->properties.multiProcessorCount;
}

/* ---- memory ---- */

rd_status rdi_device_room(rdi_device *d, uint64_t *bytes) {
    size_t room = 0, all = 0;
    RDI_CUDA(d, cudaMemGetInfo(&room, &all));
    *bytes = room;
    return RD_OK;
}

rd_status rdi_device_alloc(rdi_device *d, size_t bytes, void **out) {
    void *p = NULL;
    cudaError_t error = cudaMalloc(&p, bytes);
    if (error == cudaErrorMemoryAllocation) {
        uint64_t room = 0;
        cudaGetLastError();
        RD_TRY(rdi_device_room(d, &room));
        return rdi_fail(d->ctx, RD_ENOMEM,
                        "out of memory on the GPU: %zu bytes are needed, but only %" PRIu64
                        " of %zu bytes are free; use shorter rounds, or an engine without a GPU",
                        bytes, room, d->properties.totalGlobalMem);
    }
    RD_TRY(rdi_cuda_check(d, error, "cudaMalloc"));
    *out = p;
    return RD_OK;
}

void rdi_device_free(rdi_device *d, void *p) {
    (void)d;
    cudaFree(p);
}

rd_status rdi_pinned_alloc(rdi_device *d, size_t bytes, void **out) {
    void *p = rdi_pages_alloc(d->ctx, bytes);
    if (!p)
        return RD_ENOMEM;
    rd_status status = rdi_cuda_check(d, cudaHostRegister(p, bytes, cudaHostRegisterDefault),
                                      "pinning host memory");
    if (status != RD_OK) {
        rdi_pages_free(d->ctx, p, bytes);
        return status;
    }
    *out = p;
    return RD_OK;
}

void rdi_pinned_free(rdi_device *d, void *p, size_t bytes) {
    if (!p)
        return;
    cudaHostUnregister(p);
    rdi_pages_free(d->ctx, p, bytes);
}

bool rdi_device_pin(rdi_device *d, void *p, size_t bytes) {
    (void)d;
    if (cudaHostRegister(p, bytes, cudaHostRegisterDefault) == cudaSuccess)
        return true;
    cudaGetLastError();
    return false;
}

void rdi_device_unpin(rdi_device *d, void *p) {
    (void)d;
    cudaHostUnregister(p);
}

bool rdi_device_is_pinned(rdi_device *d, const void *p) {
    (void)d;
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess)
        return attributes.type == cudaMemoryTypeHost;
    cudaGetLastError();
    return false;
}

/* ---- streams ---- */

rd_status rdi_device_upload(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes) {
    RDI_CUDA(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, d->stream[s]));
    return RD_OK;
}

rd_status rdi_device_download(rdi_device *d, rdi_stream s, void *to, const void *from,
                              size_t bytes) {
    RDI_CUDA(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d->stream[s]));
    return RD_OK;
}

rd_status rdi_device_copy(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes) {
    RDI_CUDA(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream[s]));
    return RD_OK;
}

rd_status rdi_device_clear(rdi_device *d, rdi_stream s, void *p, size_t bytes) {
    RDI_CUDA(d, cudaMemsetAsync(p, 0, bytes, d->stream[s]));
    return RD_OK;
}

rd_status rdi_device_wait(rdi_device *d, rdi_stream s) {
    RDI_CUDA(d, cudaStreamSynchronize(d->stream[s]));
    return RD_OK;
}

/* ---- events ---- */

rd_status rdi_event_new(rdi_device *d, rdi_event **out) {
    rdi_event *e = (rdi_event *)rdi_calloc(d->ctx, 1, sizeof *e);
    if (!e)
        return RD_ENOMEM;
    rd_status status = rdi_cuda_check(d, cudaEventCreate(&e->event), "cudaEventCreate");
    if (status != RD_OK) {
        rdi_free(d->ctx, e);
        return status;
    }
    *out = e;
    return RD_OK;
}

void rdi_event_free(rdi_device *d, rdi_event *e) {
    if (!e)
        return;
    cudaEventDestroy(e->event);
    rdi_free(d->ctx, e);
}

rd_status rdi_event_record(rdi_device *d, rdi_event *e, rdi_stream s) {
    RDI_CUDA(d, cudaEventRecord(e->event, d->stream[s]));
    return RD_OK;
}

rd_status rdi_event_wait(rdi_device *d, rdi_event *e) {
    RDI_CUDA(d, cudaEventSynchronize(e->event));
    return RD_OK;
}

rd_status rdi_event_hold(rdi_device *d, rdi_event *e, rdi_stream s) {
    RDI_CUDA(d, cudaStreamWaitEvent(d->stream[s], e->event, 0));
    return RD_OK;
}

rd_status rdi_event_elapsed(rdi_device *d, rdi_event *from, rdi_event *to, double *seconds) {
    float ms = 0;
    RDI_CUDA(d, cudaEventSynchronize(from->event));
    RDI_CUDA(d, cudaEventSynchronize(to->event));
    RDI_CUDA(d, cudaEventElapsedTime(&ms, from->event, to->event));
    *seconds = ms * 1e-3;
    return RD_OK;
}
