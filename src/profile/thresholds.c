/* Thresholds in files. See thresholds.h. */
#include "profile/thresholds.h"

#include <inttypes.h>

bool rdi_thresholds_equal(const rd_sampler_config *a, const rd_sampler_config *b) {
    return a->qualification == b->qualification && a->temporal == b->temporal &&
           a->spatial == b->spatial;
}

void rdi_thresholds_write(rdi_text *t, const rd_sampler_config *c) {
    rdi_text_printf(t, "[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", c->qualification, c->temporal,
                    c->spatial);
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
        rdi_json_fail(j, "thresholds are three numbers above 0");
}
