/* Reads and writes the thresholds of distance-based sampling in profiles and models:
 * [qualification, temporal, spatial], all above 0, or nothing if they were chosen while
 * sampling. */
#ifndef RDI_THRESHOLDS_H
#define RDI_THRESHOLDS_H

#include "base/json.h"
#include "base/json_write.h"
#include "reusedist/profile.h"

static inline bool rdi_thresholds_given(const rd_sampler_config *c) {
    return c->qualification > 0;
}

bool rdi_thresholds_equal(const rd_sampler_config *a, const rd_sampler_config *b);
/* Writes the member "thresholds", or nothing if the user did not give them. */
void rdi_thresholds_write(rd_json_writer *w, const rd_sampler_config *c);
void rdi_thresholds_read(rdi_json *j, rd_sampler_config *out);

#endif
