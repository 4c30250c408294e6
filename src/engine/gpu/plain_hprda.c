/* Implements the steps of HP-RDA in plain memory, with the functions that the kernels use. See
 * hprda_device.h. */
#include "engine/gpu/hprda_device.h"

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
        for (uint32_t i = 0; i < w->counts[g].used; i++)
            rdi_rda_run_item(w, g, i);
        w->all_before[g + 1] = w->counts[g].distinct;
    }
    rdi_rda_sum_up(w->all_before, w->groups);
    return RD_OK;
}

rd_status rdi_rda_device_groups(rdi_device *d, const rdi_rda_work *w) {
    (void)d;
    for (uint32_t i = 0; i < w->all_counts->used; i++)
        rdi_rda_run_group_item(w, i);
    return RD_OK;
}
