/* The level-by-level algorithm on a device: steps on device memory, and a round made of them.
 *
 * levels.cu runs the steps with CUDA, plain_levels.c in plain memory; both use
 * engine/papers/levels_core.h. All steps run on RDI_STREAM_WORK.
 */
#ifndef RDI_LEVELS_DEVICE_H
#define RDI_LEVELS_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/levels_core.h"

#define RDI_LEVELS_TILE_GROUPS 256u /* groups of references that one block of threads scans */
#define RDI_LEVELS_TILE        (RDI_LEVELS_TILE_GROUPS * RDI_LEVELS_GROUP)

/* The current round. Pointers are to device memory. */
typedef struct rdi_levels_scan {
    const uint64_t *block;
    uint64_t *above; /* whole tiles: entries after the last reference are never marked */
    uint8_t *miss;   /* whole tiles as well */
    uint64_t *dist;
    rdi_fallen *fallen; /* per tile: its last miss */
    uint64_t *copied;   /* per tile: the block of this level before it */
    uint64_t *stack;    /* per level */
    uint32_t n, tiles;
    uint32_t *missing; /* nonzero if a reference has missed all levels so far */
} rdi_levels_scan;

/* ---- steps ---- */

/* Initializes: every reference has missed, no distance is known, and only the references themselves
 * are above the top. */
rd_status rdi_levels_start(rdi_device *d, const rdi_levels_scan *s);

/* Computes the block with which each tile begins at this level, and updates the stack. */
rd_status rdi_levels_carry(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* Scans the level. Computes s->fallen for the next level, and sets s->missing above 0 unless every
 * reference has hit. */
rd_status rdi_levels_scan_tiles(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* ---- a round (levels_device.c) ---- */

typedef struct rdi_levels_device {
    rdi_device *device;
    rdi_device_buffer block, above, miss, dist, fallen, copied, stack, missing;
    rdi_event *begun, *ended;
    double seconds; /* time of the work on the device */
} rdi_levels_device;

rd_status rdi_levels_device_open(rd_ctx *ctx, rdi_levels_device *l);
void rdi_levels_device_close(rdi_levels_device *l); /* tolerates half-open state */

/* Runs n references through up to `levels` levels; with `whole` through all of them, even if no
 * further hit is possible. The stack has `levels` blocks, `nothing` where it ends, and is replaced
 * by the stack after the references. */
rd_status rdi_levels_device_round(rdi_levels_device *l, const uint64_t *block, uint32_t n,
                                  uint64_t levels, bool whole, uint64_t nothing, uint64_t *stack,
                                  uint64_t *dist);

#ifdef __cplusplus
}
#endif
#endif
