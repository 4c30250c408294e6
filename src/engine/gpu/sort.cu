/* Sorts on the device with CUB's radix sort. See device.h. */
#include "engine/gpu/cuda_device.h"

#include <cub/device/device_radix_sort.cuh>

/* Sorts the pairs, with *bytes bytes at `scratch`, and sets *result as rdi_device_sort() does. If
 * `scratch` is NULL, only sets *bytes to the required size. */
template <typename Key>
static cudaError_t sort(rdi_device *d, const rdi_device_pairs *p, void *scratch, size_t *bytes,
                        unsigned *result) {
    cub::DoubleBuffer<Key> keys((Key *)p->keys[0], (Key *)p->keys[1]);
    cub::DoubleBuffer<uint32_t> values(p->values[0], p->values[1]);
    cudaError_t error =
        cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, values, (uint32_t)p->n, 0,
                                        (int)p->key_bits, d->stream[RDI_STREAM_WORK]);
    *result = (unsigned)keys.selector;
    return error;
}

static cudaError_t sort_any(rdi_device *d, const rdi_device_pairs *p, void *scratch, size_t *bytes,
                            unsigned *result) {
    return p->key_bytes == 4 ? sort<uint32_t>(d, p, scratch, bytes, result)
                             : sort<uint64_t>(d, p, scratch, bytes, result);
}

rd_status rdi_device_sort_bytes(rdi_device *d, const rdi_device_pairs *pairs, size_t *bytes) {
    unsigned result;
    *bytes = 0;
    RDI_CUDA(d, sort_any(d, pairs, NULL, bytes, &result));
    return RD_OK;
}

rd_status rdi_device_sort(rdi_device *d, const rdi_device_pairs *pairs, rdi_device_buffer *scratch,
                          unsigned *result) {
    size_t bytes;
    RD_TRY(rdi_device_sort_bytes(d, pairs, &bytes));
    RD_TRY(rdi_device_reserve(d, scratch, bytes));
    RDI_CUDA(d, sort_any(d, pairs, scratch->at, &bytes, result));
    return RD_OK;
}
