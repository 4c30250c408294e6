/* Declares the level-by-level algorithm on a device: its steps, and a round that consists of them.
 *
 * levels.cu runs the steps with CUDA, and plain_levels.c runs them in plain memory. Both use
 * engine/papers/levels_core.h. All steps run on RDI_STREAM_WORK.
 */
#ifndef RDI_LEVELS_DEVICE_H
#define RDI_LEVELS_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/levels_core.h"

#define RDI_LEVELS_TILE_GROUPS 256u /* number of groups of references that one thread block scans */
#define RDI_LEVELS_TILE        (RDI_LEVELS_TILE_GROUPS * RDI_LEVELS_GROUP)

/* The data of the current round. Pointers are to device memory. */
typedef struct rdi_levels_scan {
    const uint64_t *block;
    uint64_t *above; /* per reference: the block one level up; room for whole tiles */
    uint8_t *miss;   /* one bit per reference: set if it has missed in all levels so far; whole
                        tiles, with zeros after the last reference */
    uint64_t *dist;
    rdi_fallen *fallen; /* per tile: the block that falls to the next level at its last miss */
    uint64_t *copied;   /* per tile: the block that reaches the tile at this level */
    uint64_t *stack;    /* the LRU stack: one block per level */
    uint32_t n, tiles;
    uint32_t *missing; /* nonzero if at least one reference has missed in all levels so far */
} rdi_levels_scan;

/* ---- steps ---- */

/* Initializes a round: every reference has missed, no distance is known, and the block above the
 * top level is the referenced block. Computes s->fallen for the top level. */
rd_status rdi_levels_start(rdi_device *d, const rdi_levels_scan *s);

/* Computes the block that reaches each tile at this level, and updates the stack. */
rd_status rdi_levels_carry(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* Scans the level. Computes s->fallen for the next level, and sets *s->missing, which the caller
 * has cleared, to nonzero unless every reference has hit. */
rd_status rdi_levels_scan_tiles(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* ---- a round (levels_device.c) ---- */

/* The memory of all rounds, and a device. A zeroed struct is closed. */
typedef struct rdi_levels_device {
    rdi_device *device;
    rdi_device_buffer block, above, miss, dist, fallen, copied, stack, missing;
    rdi_event *begun, *ended;
    double seconds; /* seconds that the device has worked so far */
} rdi_levels_device;

rd_status rdi_levels_device_open(rd_ctx *ctx, rdi_levels_device *l);
void rdi_levels_device_close(rdi_levels_device *l); /* may be called after a failed open */

/* Runs n references through up to `levels` levels. If `whole` is set, they go through all levels
 * even if no further hit is possible. `stack` has `levels` elements: the blocks of the LRU stack,
 * and then `nothing`. The function replaces them by the LRU stack after the references. dist[i]
 * becomes the level at which reference i hits, or UINT64_MAX. */
rd_status rdi_levels_device_round(rdi_levels_device *l, const uint64_t *block, uint32_t n,
                                  uint64_t levels, bool whole, uint64_t nothing, uint64_t *stack,
                                  uint64_t *dist);

#ifdef __cplusplus
}
#endif
#endif
