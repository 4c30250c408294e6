/* The geometric algorithm on a device: steps on device memory, and a round made of them.
 *
 * geometric.cu runs the steps with CUDA, plain_geometric.c in plain memory; both use
 * engine/papers/geometric_core.h. All steps run on RDI_STREAM_WORK.
 */
#ifndef RDI_GEOMETRIC_DEVICE_H
#define RDI_GEOMETRIC_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/geometric_core.h"

#define RDI_DEVICE_TILE 1024u /* points that are ranked together; a power of two */
#define RDI_DEVICE_SLAB 64u   /* symbols of next=range that are scanned together */

/* ---- steps ---- */

/* Writes the times 0, 1 ... n - 1. */
rd_status rdi_geometric_times(rdi_device *d, uint32_t *time, uint32_t n);

/* Computes next(t) from blocks sorted together with their times. */
rd_status rdi_geometric_link(rdi_device *d, const uint64_t *block, const uint32_t *time, uint32_t n,
                             uint32_t *next);

/* Computes next(t) of the references to symbols [symbol, symbol + RDI_DEVICE_SLAB), with a backward
 * copy-scan for each. `first` has room for one number per tile and symbol. */
rd_status rdi_geometric_scan(rdi_device *d, const uint64_t *block, uint32_t n, uint64_t symbol,
                             uint32_t *first, uint32_t *next);

/* Makes points in runs of RDI_DEVICE_TILE, with their ranks within the run. */
rd_status rdi_geometric_tiles(rdi_device *d, const uint32_t *next, uint32_t n, rdi_point *out);

/* Merges runs of `width` points to runs of twice the width. */
rd_status rdi_geometric_merge(rdi_device *d, const rdi_point *from, uint32_t n, uint32_t width,
                              rdi_point *to);

/* ---- a round (geometric_device.c) ---- */

typedef struct rdi_geometric_device {
    rdi_device *device;
    rdi_device_buffer block, sorted, time[2], next, points[2], first, scratch;
    rdi_event *begun, *ended;
    double seconds; /* time of the work on the device */
} rdi_geometric_device;

rd_status rdi_geometric_device_open(rd_ctx *ctx, rdi_geometric_device *g);
void rdi_geometric_device_close(rdi_geometric_device *g); /* tolerates half-open state */

/* Computes the points of n references, ranked and sorted by next, into `out`. If `range` is 0,
 * next(t) is found by sorting; otherwise blocks are below `range`. Blocks are always below
 * 2^bits. */
rd_status rdi_geometric_device_round(rdi_geometric_device *g, const uint64_t *block, uint32_t n,
                                     unsigned bits, uint64_t range, rdi_point *out);

static inline uint32_t rdi_device_tiles(uint32_t n) {
    return (uint32_t)(((uint64_t)n + RDI_DEVICE_TILE - 1) / RDI_DEVICE_TILE);
}

#ifdef __cplusplus
}
#endif
#endif
