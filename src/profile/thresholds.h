/* Reads, writes and compares the thresholds of distance-based sampling (reusedist/predict.h).
 * Profiles and models store thresholds that the user gave as an array [qualification, temporal,
 * spatial] of numbers above 0, and do not store thresholds that the sampler chose. */
#ifndef RDI_THRESHOLDS_H
#define RDI_THRESHOLDS_H

#include "base/json.h"
#include "base/json_write.h"
#include "reusedist/profile.h"

static inline bool rdi_thresholds_given(const rd_sampler_config *c) {
    return c->qualification > 0;
}

bool rdi_thresholds_equal(const rd_sampler_config *a, const rd_sampler_config *b);
/* Writes the member "thresholds", or nothing if the user gave no thresholds. */
void rdi_thresholds_write(rd_json_writer *w, const rd_sampler_config *c);
void rdi_thresholds_read(rdi_json *j, rd_sampler_config *out);

#endif
