/* Declares the geometric algorithm on a device: its steps, and a round that consists of them.
 *
 * geometric.cu runs the steps with CUDA, and plain_geometric.c runs them in plain memory. Both use
 * engine/papers/geometric_core.h. All steps run on RDI_STREAM_WORK.
 */
#ifndef RDI_GEOMETRIC_DEVICE_H
#define RDI_GEOMETRIC_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/geometric_core.h"

#define RDI_DEVICE_TILE 1024u /* number of points that are ranked together, a power of two */
#define RDI_DEVICE_SLAB 64u   /* number of symbols of next=range that are scanned together */

/* ---- steps ---- */

/* Writes the times 0, 1 ... n - 1 to `time`. */
rd_status rdi_geometric_times(rdi_device *d, uint32_t *time, uint32_t n);

/* Computes next(t) for n references. `block` has the referenced blocks in sorted order, and time[i]
 * is the time of the reference to block[i]. */
rd_status rdi_geometric_link(rdi_device *d, const uint64_t *block, const uint32_t *time, uint32_t n,
                             uint32_t *next);

/* Computes next(t) for the references to symbols [symbol, symbol + RDI_DEVICE_SLAB), with one
 * backward copy-scan per symbol. `first` has room for one number per tile and symbol. */
rd_status rdi_geometric_scan(rdi_device *d, const uint64_t *block, uint32_t n, uint64_t symbol,
                             uint32_t *first, uint32_t *next);

/* Makes sorted runs of RDI_DEVICE_TILE points, with their ranks within the run. */
rd_status rdi_geometric_tiles(rdi_device *d, const uint32_t *next, uint32_t n, rdi_point *out);

/* Merges runs of `width` points into runs of twice that width. */
rd_status rdi_geometric_merge(rdi_device *d, const rdi_point *from, uint32_t n, uint32_t width,
                              rdi_point *to);

/* ---- a round (geometric_device.c) ---- */

/* The memory of all rounds, and a device. A zeroed struct is closed. */
typedef struct rdi_geometric_device {
    rdi_device *device;
    rdi_device_buffer block, sorted, time[2], next, points[2], first, scratch;
    rdi_event *begun, *ended;
    double seconds; /* seconds that the device has worked so far */
} rdi_geometric_device;

rd_status rdi_geometric_device_open(rd_ctx *ctx, rdi_geometric_device *g);
void rdi_geometric_device_close(rdi_geometric_device *g); /* may be called after a failed open */

/* Computes the points of n references, ranked and sorted by next, and stores them in `out`. All
 * blocks are below 2^bits. If `range` is 0, next(t) is found by sorting; otherwise it is found by
 * scanning, and all blocks are below `range`. */
rd_status rdi_geometric_device_round(rdi_geometric_device *g, const uint64_t *block, uint32_t n,
                                     unsigned bits, uint64_t range, rdi_point *out);

static inline uint32_t rdi_device_tiles(uint32_t n) {
    return (uint32_t)(((uint64_t)n + RDI_DEVICE_TILE - 1) / RDI_DEVICE_TILE);
}

#ifdef __cplusplus
}
#endif
#endif
