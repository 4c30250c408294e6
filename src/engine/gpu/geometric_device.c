/* Runs a round of the geometric algorithm on a device. See geometric_device.h. */
#include "engine/gpu/geometric_device.h"

rd_status rdi_geometric_device_open(rd_ctx *ctx, rdi_geometric_device *g) {
    RD_TRY(rdi_device_open(ctx, &g->device));
    RD_TRY(rdi_event_new(g->device, &g->begun));
    return rdi_event_new(g->device, &g->ended);
}

void rdi_geometric_device_close(rdi_geometric_device *g) {
    rdi_device *d = g->device;
    if (!d)
        return;
    rdi_device_buffer *all[] = {&g->block, &g->sorted,    &g->time[0],   &g->time[1], &g->next,
                                &g->first, &g->points[0], &g->points[1], &g->scratch};
    for (size_t i = 0; i < RDI_COUNT(all); i++)
        rdi_device_release(d, all[i]);
    rdi_event_free(d, g->begun);
    rdi_event_free(d, g->ended);
    rdi_device_close(d);
    *g = (rdi_geometric_device){0};
}

static rd_status next_by_sort(rdi_geometric_device *g, uint32_t n, unsigned bits) {
    rdi_device *d = g->device;
    RD_TRY(rdi_device_reserve(d, &g->sorted, n * sizeof(uint64_t)));
    for (int i = 0; i < 2; i++)
        RD_TRY(rdi_device_reserve(d, &g->time[i], n * sizeof(uint32_t)));
    rdi_device_pairs pairs = {.keys = {g->block.at, g->sorted.at},
                              .values = {g->time[0].at, g->time[1].at},
                              .n = n,
                              .key_bytes = sizeof(uint64_t),
                              .key_bits = bits ? bits : 1};
    unsigned at = 0;
    RD_TRY(rdi_geometric_times(d, g->time[0].at, n));
    RD_TRY(rdi_device_sort(d, &pairs, &g->scratch, &at));
    return rdi_geometric_link(d, pairs.keys[at], pairs.values[at], n, g->next.at);
}

static rd_status next_by_range(rdi_geometric_device *g, uint32_t n, uint64_t range) {
    size_t firsts = (size_t)rdi_device_tiles(n) * RDI_DEVICE_SLAB;
    RD_TRY(rdi_device_reserve(g->device, &g->first, firsts * sizeof(uint32_t)));
    for (uint64_t symbol = 0; symbol < range; symbol += RDI_DEVICE_SLAB)
        RD_TRY(rdi_geometric_scan(g->device, g->block.at, n, symbol, g->first.at, g->next.at));
    return RD_OK;
}

rd_status rdi_geometric_device_round(rdi_geometric_device *g, const uint64_t *block, uint32_t n,
                                     unsigned bits, uint64_t range, rdi_point *out) {
    rdi_device *d = g->device;
    RD_TRY(rdi_device_reserve(d, &g->block, n * sizeof *block));
    RD_TRY(rdi_device_reserve(d, &g->next, n * sizeof(uint32_t)));
    for (int i = 0; i < 2; i++)
        RD_TRY(rdi_device_reserve(d, &g->points[i], n * sizeof *out));
    RD_TRY(rdi_device_upload(d, RDI_STREAM_WORK, g->block.at, block, n * sizeof *block));
    RD_TRY(rdi_event_record(d, g->begun, RDI_STREAM_WORK));
    RD_TRY(range ? next_by_range(g, n, range) : next_by_sort(g, n, bits));
    RD_TRY(rdi_geometric_tiles(d, g->next.at, n, g->points[0].at));
    unsigned at = 0;
    for (uint64_t width = RDI_DEVICE_TILE; width < n; width *= 2, at = !at)
        RD_TRY(rdi_geometric_merge(d, g->points[at].at, n, (uint32_t)width, g->points[!at].at));
    RD_TRY(rdi_event_record(d, g->ended, RDI_STREAM_WORK));
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, out, g->points[at].at, n * sizeof *out));
    RD_TRY(rdi_device_wait(d, RDI_STREAM_WORK));
    double seconds = 0;
    RD_TRY(rdi_event_elapsed(d, g->begun, g->ended, &seconds));
    g->seconds += seconds;
    return RD_OK;
}
