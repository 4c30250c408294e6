/* Implements the steps of the level-by-level algorithm in plain memory, with the functions that the
 * kernels use. See levels_device.h. This code is written for comparison with levels.cu, not for
 * speed. */
#include "engine/gpu/levels_device.h"

#include <string.h>

/* Returns the block that falls to the next level at the last miss of a tile. */
static rdi_fallen tile_fallen(const rdi_levels_scan *s, uint32_t tile) {
    rdi_fallen last = {0, false};
    for (uint32_t i = 0; i < RDI_LEVELS_TILE_GROUPS; i++) {
        size_t g = (size_t)tile * RDI_LEVELS_TILE_GROUPS + i;
        last = rdi_fallen_join(last,
                               rdi_levels_last_miss(s->above + g * RDI_LEVELS_GROUP, s->miss[g]));
    }
    return last;
}

rd_status rdi_levels_start(rdi_device *d, const rdi_levels_scan *s) {
    (void)d;
    memset(s->miss, 0, (size_t)s->tiles * RDI_LEVELS_TILE_GROUPS);
    for (uint32_t t = 0; t < s->n; t++) {
        s->above[t] = s->block[t];
        s->dist[t] = UINT64_MAX;
        s->miss[t / RDI_LEVELS_GROUP] |= (uint8_t)(1u << t % RDI_LEVELS_GROUP);
    }
    for (uint32_t tile = 0; tile < s->tiles; tile++)
        s->fallen[tile] = tile_fallen(s, tile);
    return RD_OK;
}

rd_status rdi_levels_carry(rdi_device *d, const rdi_levels_scan *s, uint64_t level) {
    (void)d;
    rdi_fallen in = {s->stack[level], true};
    for (uint32_t tile = 0; tile < s->tiles; tile++) {
        s->copied[tile] = in.block;
        in = rdi_fallen_join(in, s->fallen[tile]);
    }
    s->stack[level] = in.block;
    return RD_OK;
}

rd_status rdi_levels_scan_tiles(rdi_device *d, const rdi_levels_scan *s, uint64_t level) {
    (void)d;
    for (uint32_t tile = 0; tile < s->tiles; tile++) {
        uint64_t copied = s->copied[tile];
        for (uint32_t i = 0; i < RDI_LEVELS_TILE_GROUPS; i++) {
            size_t g = (size_t)tile * RDI_LEVELS_TILE_GROUPS + i, at = g * RDI_LEVELS_GROUP;
            uint32_t n = at >= s->n                     ? 0
                         : s->n - at < RDI_LEVELS_GROUP ? (uint32_t)(s->n - at)
                                                        : RDI_LEVELS_GROUP;
            copied = rdi_levels_scan_group(s->block + at, s->above + at, s->miss + g, n, copied,
                                           level, s->dist + at);
        }
        s->fallen[tile] = tile_fallen(s, tile);
        *s->missing += s->fallen[tile].any;
    }
    return RD_OK;
}
