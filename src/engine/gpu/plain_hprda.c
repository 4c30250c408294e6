/* Implements the steps of HP-RDA in plain memory, with the functions that the kernels use. See
 * hprda_device.h. */
#include "engine/gpu/hprda_device.h"

/* Returns the number of items in a pool. If items did not fit, the counter `used` exceeds the size `room` of the
 * pool. */
static uint32_t items_in(uint32_t used, uint32_t room) {
    return used < room ? used : room;
}

rd_status rdi_rda_device_local(rdi_device *d, const rdi_rda_work *w) {
    (void)d;
    for (uint32_t g = 0; g < w->groups; g++) {
        for (uint32_t t = 0; t < w->threads; t++)
            rdi_rda_run_thread(w, g, t);
        rdi_rda_sum_up(w->before + (size_t)g * (w->threads + 1), w->threads);
    }
    return RD_OK;
}

rd_status rdi_rda_device_threads(rdi_device *d, const rdi_rda_work *w) {
    (void)d;
    for (uint32_t g = 0; g < w->groups; g++) {
        uint32_t used = items_in(w->counts[g].used, w->group_room);
        for (uint32_t i = 0; i < used; i++)
            rdi_rda_run_item(w, g, i);
        w->all_before[g + 1] = w->counts[g].distinct;
    }
    rdi_rda_sum_up(w->all_before, w->groups);
    return RD_OK;
}

rd_status rdi_rda_device_groups(rdi_device *d, const rdi_rda_work *w) {
    (void)d;
    uint32_t used = items_in(w->all_counts->used, w->room);
    for (uint32_t i = 0; i < used; i++)
        rdi_rda_run_group_item(w, i);
    return RD_OK;
}
