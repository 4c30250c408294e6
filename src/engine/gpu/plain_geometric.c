/* Implements the steps of the geometric algorithm in plain memory, with the functions that the
 * kernels use. See geometric_device.h. This code is written for comparison with geometric.cu, not
 * for speed. */
#include "engine/gpu/geometric_device.h"

#include <string.h>

rd_status rdi_geometric_times(rdi_device *d, uint32_t *time, uint32_t n) {
    (void)d;
    for (uint32_t t = 0; t < n; t++)
        time[t] = t;
    return RD_OK;
}

rd_status rdi_geometric_link(rdi_device *d, const uint64_t *block, const uint32_t *time, uint32_t n,
                             uint32_t *next) {
    (void)d;
    for (uint32_t i = 0; i < n; i++)
        next[time[i]] = i + 1 < n && block[i + 1] == block[i] ? time[i + 1] : n + time[i];
    return RD_OK;
}

static uint32_t tile_size(uint32_t tile, uint32_t n) {
    uint32_t rest = n - tile * RDI_DEVICE_TILE;
    return rest < RDI_DEVICE_TILE ? rest : RDI_DEVICE_TILE;
}

rd_status rdi_geometric_scan(rdi_device *d, const uint64_t *block, uint32_t n, uint64_t symbol,
                             uint32_t *first, uint32_t *next) {
    (void)d;
    uint32_t tiles = rdi_device_tiles(n);
    for (uint32_t i = 0; i < tiles * RDI_DEVICE_SLAB; i++) {
        uint32_t tile = i / RDI_DEVICE_SLAB, begin = tile * RDI_DEVICE_TILE;
        first[i] = rdi_symbol_first(block + begin, tile_size(tile, n), begin,
                                    symbol + i % RDI_DEVICE_SLAB);
    }
    for (uint32_t s = 0; s < RDI_DEVICE_SLAB; s++)
        rdi_symbol_carry(first + s, tiles, RDI_DEVICE_SLAB);
    for (uint32_t i = 0; i < tiles * RDI_DEVICE_SLAB; i++) {
        uint32_t tile = i / RDI_DEVICE_SLAB, begin = tile * RDI_DEVICE_TILE;
        rdi_symbol_scan(block + begin, tile_size(tile, n), begin, symbol + i % RDI_DEVICE_SLAB,
                        first[i], n, next);
    }
    return RD_OK;
}

rd_status rdi_geometric_tiles(rdi_device *d, const uint32_t *next, uint32_t n, rdi_point *out) {
    (void)d;
    rdi_point other[RDI_DEVICE_TILE];
    for (uint32_t tile = 0; tile < rdi_device_tiles(n); tile++) {
        uint32_t begin = tile * RDI_DEVICE_TILE, count = tile_size(tile, n);
        for (uint32_t i = 0; i < count; i++)
            out[begin + i] = (rdi_point){next[begin + i], begin + i, 0};
        for (uint32_t width = 1; width < RDI_DEVICE_TILE; width *= 2) {
            rdi_points_merge_runs(out + begin, count, width, 0, count, other);
            memcpy(out + begin, other, count * sizeof *out);
        }
    }
    return RD_OK;
}

rd_status rdi_geometric_merge(rdi_device *d, const rdi_point *from, uint32_t n, uint32_t width,
                              rdi_point *to) {
    (void)d;
    rdi_points_merge_runs(from, n, width, 0, n, to);
    return RD_OK;
}
