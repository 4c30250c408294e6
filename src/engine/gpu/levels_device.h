/* The level-by-level algorithm on a device: steps on device memory, and a round made of them.
 *
 * levels.cu runs the steps with CUDA, plain_levels.c in plain memory; both over
 * engine/levels_core.h. All work on RDI_STREAM_WORK.
 */
#ifndef RDI_LEVELS_DEVICE_H
#define RDI_LEVELS_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/levels_core.h"

#define RDI_LEVELS_TILE_GROUPS 256u /* groups of references whose scan is one block of threads */
#define RDI_LEVELS_TILE        (RDI_LEVELS_TILE_GROUPS * RDI_LEVELS_GROUP)

/* A round under way; pointers are to device memory. */
typedef struct rdi_levels_scan {
    const uint64_t *block;
    uint64_t *above; /* whole tiles of them: what is behind the last reference is never marked */
    uint8_t *miss;   /* of whole tiles too */
    uint64_t *dist;
    rdi_fallen *fallen; /* per tile: its last miss */
    uint64_t *copied;   /* per tile: the block of this level before it */
    uint64_t *stack;    /* per level */
    uint32_t n, tiles;
    uint32_t *missing; /* one number: whether some reference has missed all levels so far */
} rdi_levels_scan;

/* ---- steps ---- */

/* Everything missed, no distance known, nothing above the top but the references themselves. */
rd_status rdi_levels_start(rdi_device *d, const rdi_levels_scan *s);

/* What each tile begins with at this level, from what fell to it; the stack moves on. */
rd_status rdi_levels_carry(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* The level itself; leaves s->fallen for the next one, and in s->missing a number above 0 unless
 * everything has hit. */
rd_status rdi_levels_scan_tiles(rdi_device *d, const rdi_levels_scan *s, uint64_t level);

/* ---- a round (levels_device.c) ---- */

typedef struct rdi_levels_device {
    rdi_device *device;
    rdi_device_buffer block, above, miss, dist, fallen, copied, stack, missing;
    rdi_event *begun, *ended;
    double seconds; /* of work on the device */
} rdi_levels_device;

rd_status rdi_levels_device_open(rd_ctx *ctx, rdi_levels_device *l);
void rdi_levels_device_close(rdi_levels_device *l); /* tolerates half-open state */

/* n references through up to `levels` levels; `whole`: all of them, even if nothing can hit any
 * more. The stack has `levels` blocks, `nothing` where it ends, and changes to the one behind the
 * references. */
rd_status rdi_levels_device_round(rdi_levels_device *l, const uint64_t *block, uint32_t n,
                                  uint64_t levels, bool whole, uint64_t nothing, uint64_t *stack,
                                  uint64_t *dist);

#ifdef __cplusplus
}
#endif
#endif
