/* Runs a round of the level-by-level algorithm on a device. See levels_device.h. */
#include "engine/gpu/levels_device.h"

/* Number of levels after which the host checks again whether more levels are needed. */
#define LEVELS_AT_A_TIME 32u

rd_status rdi_levels_device_open(rd_ctx *ctx, rdi_levels_device *l) {
    RD_TRY(rdi_device_open(ctx, &l->device));
    RD_TRY(rdi_event_new(l->device, &l->begun));
    return rdi_event_new(l->device, &l->ended);
}

void rdi_levels_device_close(rdi_levels_device *l) {
    rdi_device *d = l->device;
    if (!d)
        return;
    rdi_device_buffer *all[] = {&l->block,  &l->above,  &l->miss,  &l->dist,
                                &l->fallen, &l->copied, &l->stack, &l->missing};
    for (size_t i = 0; i < RDI_COUNT(all); i++)
        rdi_device_release(d, all[i]);
    rdi_event_free(d, l->begun);
    rdi_event_free(d, l->ended);
    rdi_device_close(d);
    *l = (rdi_levels_device){0};
}

static rd_status reserve(rdi_levels_device *l, uint32_t n, uint64_t levels, rdi_levels_scan *s) {
    rdi_device *d = l->device;
    size_t tiles = ((size_t)n + RDI_LEVELS_TILE - 1) / RDI_LEVELS_TILE;
    size_t whole = tiles * RDI_LEVELS_TILE;
    RD_TRY(rdi_device_reserve(d, &l->block, whole * sizeof *s->block));
    RD_TRY(rdi_device_reserve(d, &l->above, whole * sizeof *s->above));
    RD_TRY(rdi_device_reserve(d, &l->miss, whole / RDI_LEVELS_GROUP));
    RD_TRY(rdi_device_reserve(d, &l->dist, whole * sizeof *s->dist));
    RD_TRY(rdi_device_reserve(d, &l->fallen, tiles * sizeof *s->fallen));
    RD_TRY(rdi_device_reserve(d, &l->copied, tiles * sizeof *s->copied));
    RD_TRY(rdi_device_reserve(d, &l->stack, levels * sizeof *s->stack));
    RD_TRY(rdi_device_reserve(d, &l->missing, sizeof *s->missing));
    *s = (rdi_levels_scan){l->block.at,  l->above.at, l->miss.at, l->dist.at,      l->fallen.at,
                           l->copied.at, l->stack.at, n,          (uint32_t)tiles, l->missing.at};
    return RD_OK;
}

/* Sets *more to whether a level deeper than `level` can have a hit. */
static rd_status ask(rdi_levels_device *l, const rdi_levels_scan *s, uint64_t level,
                     uint64_t nothing, bool *more) {
    uint32_t missing = 0;
    uint64_t deepest = 0;
    RD_TRY(rdi_device_download(l->device, RDI_STREAM_WORK, &missing, s->missing, sizeof missing));
    RD_TRY(rdi_device_download(l->device, RDI_STREAM_WORK, &deepest, s->stack + level,
                               sizeof deepest));
    RD_TRY(rdi_device_wait(l->device, RDI_STREAM_WORK));
    *more = missing && deepest != nothing;
    return RD_OK;
}

static rd_status run_levels(rdi_levels_device *l, const rdi_levels_scan *s, uint64_t levels,
                            bool whole, uint64_t nothing) {
    bool more = true;
    for (uint64_t level = 0; level < levels && more; level++) {
        bool last = level % LEVELS_AT_A_TIME == LEVELS_AT_A_TIME - 1;
        RD_TRY(rdi_levels_carry(l->device, s, level));
        RD_TRY(rdi_device_clear(l->device, RDI_STREAM_WORK, s->missing, sizeof *s->missing));
        RD_TRY(rdi_levels_scan_tiles(l->device, s, level));
        if (last && !whole)
            RD_TRY(ask(l, s, level, nothing, &more));
    }
    return RD_OK;
}

rd_status rdi_levels_device_round(rdi_levels_device *l, const uint64_t *block, uint32_t n,
                                  uint64_t levels, bool whole, uint64_t nothing, uint64_t *stack,
                                  uint64_t *dist) {
    rdi_device *d = l->device;
    rdi_levels_scan s;
    RD_TRY(reserve(l, n, levels, &s));
    RD_TRY(rdi_device_upload(d, RDI_STREAM_WORK, l->block.at, block, n * sizeof *block));
    RD_TRY(rdi_device_upload(d, RDI_STREAM_WORK, s.stack, stack, levels * sizeof *stack));
    RD_TRY(rdi_event_record(d, l->begun, RDI_STREAM_WORK));
    RD_TRY(rdi_levels_start(d, &s));
    RD_TRY(run_levels(l, &s, levels, whole, nothing));
    RD_TRY(rdi_event_record(d, l->ended, RDI_STREAM_WORK));
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, stack, s.stack, levels * sizeof *stack));
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, dist, s.dist, n * sizeof *dist));
    RD_TRY(rdi_device_wait(d, RDI_STREAM_WORK));
    double seconds = 0;
    RD_TRY(rdi_event_elapsed(d, l->begun, l->ended, &seconds));
    l->seconds += seconds;
    return RD_OK;
}
