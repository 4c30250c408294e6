/* Implements rdi_device_reserve() and rdi_device_release(): device memory that grows. All
 * implementations of device.h share this code. */
#include "engine/gpu/device.h"

rd_status rdi_device_reserve(rdi_device *d, rdi_device_buffer *buffer, size_t bytes) {
    if (bytes <= buffer->bytes)
        return RD_OK;
    rdi_device_release(d, buffer);
    RD_TRY(rdi_device_alloc(d, bytes, &buffer->at));
    buffer->bytes = bytes;
    return RD_OK;
}

void rdi_device_release(rdi_device *d, rdi_device_buffer *buffer) {
    if (buffer->at)
        rdi_device_free(d, buffer->at);
    *buffer = (rdi_device_buffer){0};
}
