/* Implements rd_peak_choose(), which chooses the peak that represents the input size, and
 * rd_model_size_of(), which computes the input size of a profile in the unit of a model.
 *
 * Every peak that all training profiles have, with different distances, is tried: its distances are
 * taken as sizes, and an error tells how well the distances of all groups follow the patterns. */
#include "model/locality.h"
#include "profile/profile_build.h"
#include "profile/thresholds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first peak whose error is at most this many times the smallest error wins. */
#define GOOD_ENOUGH 1.5
/* Maximum error of a useful peak, relative to the error of the constant pattern alone. */
#define WORTH_IT 0.5
/* Error of the constant pattern alone (rdi_patterns_error()) below which distances count as
 * unchanged. */
#define STILL 1e-4

const rd_peak *rd_peak_find(const rd_profile *p, rd_peak_choice choice) {
    const rd_peak *peaks;
    size_t n = rd_profile_peaks(p, &peaks);
    for (size_t i = 0; i < n; i++)
        if (peaks[i].sample == choice.sample && peaks[i].number == choice.number)
            return &peaks[i];
    return NULL;
}

/* Sets the size of each run to the distance of the peak `choice` in its profile. Returns false
 * unless all profiles have the peak, with different distances above 0. */
static bool apply_choice(rdi_training_run *runs, size_t n, rd_peak_choice choice) {
    for (size_t i = 0; i < n; i++) {
        const rd_peak *peak = rd_peak_find(runs[i].profile, choice);
        if (!peak || peak->distance == 0)
            return false;
        runs[i].size = (double)peak->distance;
        for (size_t k = 0; k < i; k++)
            if (runs[k].size == runs[i].size)
                return false;
    }
    return true;
}

typedef struct candidate {
    rd_peak_choice choice;
    double error; /* remaining error of the patterns */
} candidate;

static size_t list_candidates(rdi_training_run *runs, size_t n, candidate *out) {
    size_t found = 0;
    for (uint32_t sample = 1; sample <= RD_SAMPLES_MAX; sample++)
        for (uint32_t number = 1; number <= RD_PEAKS_MAX; number++) {
            rd_peak_choice choice = {sample, number};
            if (!apply_choice(runs, n, choice))
                continue;
            double error = 0;
            rdi_patterns_choose(runs, n, &error);
            out[found++] = (candidate){choice, error};
        }
    return found;
}

static rd_peak_choice choose(rdi_training_run *runs, size_t n) {
    candidate list[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    double still = rdi_patterns_error(runs, n, 1u << RD_PATTERN_CONSTANT), least = INFINITY;
    size_t found = list_candidates(runs, n, list), i = 0;
    for (size_t k = 0; k < found; k++)
        least = fmin(least, list[k].error);
    if (still < STILL || !(least <= WORTH_IT * still))
        return (rd_peak_choice){0, 0};
    while (list[i].error > GOOD_ENOUGH * least)
        i++;
    return list[i].choice;
}

rd_status rd_peak_choose(rd_ctx *ctx, rd_profile *const *profiles, size_t n, rd_peak_choice *out) {
    RDI_NEED(ctx, ctx, profiles, out);
    rdi_training_run runs[RD_TRAINING_MAX] = {{0}};
    rd_status status = RD_OK;
    if (n < 2 || n > RD_TRAINING_MAX)
        return rdi_fail(ctx, RD_EINVAL, "a model takes profiles of 2 to %d inputs, not %zu",
                        RD_TRAINING_MAX, n);
    for (size_t i = 0; i < n; i++)
        RDI_NEED(ctx, profiles[i]);
    for (size_t i = 1; i < n; i++)
        if (!rdi_thresholds_equal(&rd_profile_facts_of(profiles[i])->sampling,
                                  &rd_profile_facts_of(profiles[0])->sampling))
            return rdi_fail(ctx, RD_EINVAL,
                            "profile %zu was sampled with different thresholds than profile 1; use "
                            "the same --peaks for all",
                            i + 1);
    for (size_t i = 0; i < n && status == RD_OK; i++) {
        runs[i] = (rdi_training_run){.size = 1, .profile = profiles[i]};
        status = rdi_run_group(ctx, &runs[i], RDI_MODEL_GROUPS);
    }
    if (status == RD_OK)
        *out = choose(runs, n);
    for (size_t i = 0; i < n; i++)
        rdi_free(ctx, runs[i].groups);
    return status;
}

rd_status rd_model_size_of(const rd_model *m, const rd_profile *p, double *out) {
    RDI_NEED(m ? m->ctx : NULL, m, p, out);
    const char *unit = m->facts.size_unit;
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rd_peak_choice choice;
    if (facts->block_bytes != m->facts.block_bytes)
        return rdi_fail(m->ctx, RD_EINVAL,
                        "the block size of the profile differs from that of the training profiles; "
                        "analyze all inputs with the same -b");
    if (strcmp(unit, "none") == 0) {
        *out = m->facts.sizes[m->facts.n_sizes - 1];
        return RD_OK;
    }
    if (strcmp(unit, "blocks") == 0 && facts->blocks != RD_UNKNOWN && facts->blocks > 0) {
        *out = (double)facts->blocks;
        return RD_OK;
    }
    if (sscanf(unit, "peak %" SCNu32 ".%" SCNu32, &choice.sample, &choice.number) == 2) {
        const rd_peak *peak = rd_peak_find(p, choice);
        if (!rdi_thresholds_equal(&facts->sampling, &m->facts.sampling))
            return rdi_fail(m->ctx, RD_EINVAL,
                            "the profile was sampled with different thresholds than the training "
                            "profiles; use the same --peaks");
        if (peak && peak->distance > 0) {
            *out = (double)peak->distance;
            return RD_OK;
        }
        return rdi_fail(m->ctx, RD_EINVAL,
                        "the profile has no %s, which represents the input size in this model; "
                        "give the size itself (--size)",
                        unit);
    }
    return rdi_fail(m->ctx, RD_EINVAL,
                    "the profile does not contain its input size (unit of sizes in this model: "
                    "%s); give the size itself (--size)",
                    unit);
}
