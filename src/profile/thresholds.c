/* Reads, writes and compares thresholds. See thresholds.h. */
#include "profile/thresholds.h"

bool rdi_thresholds_equal(const rd_sampler_config *a, const rd_sampler_config *b) {
    return a->qualification == b->qualification && a->temporal == b->temporal &&
           a->spatial == b->spatial;
}

void rdi_thresholds_write(rd_json_writer *w, const rd_sampler_config *c) {
    const uint64_t thresholds[] = {c->qualification, c->temporal, c->spatial};
    if (rdi_thresholds_given(c))
        rdi_json_put_u64s(w, "thresholds", thresholds, RDI_COUNT(thresholds));
}

void rdi_thresholds_read(rdi_json *j, rd_sampler_config *out) {
    uint64_t *const fields[3] = {&out->qualification, &out->temporal, &out->spatial};
    size_t n = 0;
    bool good = true;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        uint64_t value = rdi_json_u64(j);
        good = good && n < RDI_COUNT(fields) && value > 0;
        if (good)
            *fields[n++] = value;
    }
    if (!good || n < RDI_COUNT(fields))
        rdi_json_fail(j, "\"thresholds\" must have three numbers above 0");
}
