/* Makes the profile of an analysis: the engine's profile, completed with facts that only the
 * analysis knows. */
#include "analysis/analysis_state.h"

#include <string.h>

/* Sets the kinds of the profile, as letters in fixed order, unless all kinds are analyzed. */
static rd_status set_kinds(const rd_analysis *a, rd_profile *profile) {
    static const char all[] = "LSI"; /* in the order of the bits RD_LOAD, RD_STORE and RD_FETCH */
    char letters[sizeof all] = "";
    size_t n = 0;
    if (a->config.kinds == 0 || a->config.kinds == RD_ALL_KINDS)
        return RD_OK;
    for (size_t i = 0; all[i]; i++)
        if (a->config.kinds & 1u << i)
            letters[n++] = all[i];
    return rd_profile_set_kinds(profile, letters);
}

static rd_status set_peaks(const rd_analysis *a, rd_profile *profile) {
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    if (!a->sampler)
        return RD_OK;
    rd_profile_set_sampling(profile, rd_sampler_config_of(a->sampler));
    return rd_profile_set_peaks(profile, peaks, rd_sampler_peaks(a->sampler, peaks));
}

static rd_status complete(const rd_analysis *a, rd_profile *profile) {
    if (!a->objects)
        RD_TRY(rd_profile_set_block_bytes(profile, a->block_bytes));
    rd_profile_set_partial(profile, a->ended_early);
    RD_TRY(rd_profile_set_skipped(profile, a->skipped));
    RD_TRY(rd_profile_add_repeats(profile, a->repeats));
    RD_TRY(set_kinds(a, profile));
    if (a->interleaving.turn)
        RD_TRY(rd_profile_set_interleaving(profile, &a->interleaving));
    for (size_t i = 0; i < a->n_sources; i++)
        RD_TRY(rd_profile_add_source(profile, &a->sources[i]));
    RD_TRY(set_peaks(a, profile));
    if (a->hierarchy)
        RD_TRY(rdi_hierarchy_feed_finish(a->hierarchy, a->repeats, profile));
    if (a->bursts && a->skipped)
        RD_TRY(rdi_bursts_finish(a->bursts, profile));
    /* A running program with only one thread shares no data, so its profile gets no section. */
    if (a->sharing && (!a->config.live || rd_sharing_threads(a->sharing) > 1))
        RD_TRY(rd_sharing_attach(a->sharing, profile));
    return a->attribution ? rdi_attribution_feed_finish(a->attribution, profile) : RD_OK;
}

/* Refuses a profile whose sample contains no block: its numbers would be zeros that nobody measured.
 * A sampled block has a first reference, so a sample without infinite distances is empty. */
static rd_status check_sample(const rd_analysis *a, const rd_profile *profile) {
    const rd_profile_facts *f = rd_profile_facts_of(profile);
    if (!f->references || f->infinite || !f->error_kind || strcmp(f->error_kind, "sampled") != 0)
        return RD_OK;
    bool ids = a->objects || (a->config.block == RD_BLOCK_AUTO && a->block_bytes == 0);
    return rdi_fail(a->ctx, RD_EINVAL,
                    "engine %s: the sample contains none of the %s of this trace, so there are "
                    "no results; use a higher rate, or an exact engine",
                    f->engine, ids ? "objects" : "blocks");
}

rd_status rdi_analysis_make_profile(rd_analysis *a) {
    rd_profile *profile = NULL;
    if (a->objects)
        RD_TRY(rd_objects_profile(a->objects, &profile));
    else if (!a->engine)
        RD_TRY(rd_sharing_profile(a->sharing, &profile));
    else
        RD_TRY(rd_engine_profile(a->engine, &profile));
    rd_status status = check_sample(a, profile);
    if (status == RD_OK)
        status = complete(a, profile);
    if (status == RD_OK && !a->engine)
        rd_profile_set_seconds(profile, a->own_seconds);
    if (status == RD_OK && a->objects)
        rdi_note_objects(a, profile);
    if (status == RD_OK)
        a->profile = profile;
    else
        rd_profile_free(profile);
    return status;
}
