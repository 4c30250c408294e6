/* Makes the profile of the requests so far. See reusedist/objects.h. */
#include "base/number.h"
#include "objects/object_stats.h"
#include "objects/objects_state.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "profile/section_objects.h"

#include <inttypes.h>
#include <string.h>

static rd_traffic narrow(rdi_traffic t) {
    return (rd_traffic){t.requests, rdi_sum_narrow(t.bytes)};
}

static rd_objects_facts facts_of(const rd_objects *o) {
    rd_traffic reads = narrow(o->by_operation[RD_OPERATION_READ]);
    reads.requests += o->by_operation[RD_OPERATION_READ_TOUCH].requests;
    rdi_sum_add(&reads.bytes, rdi_sum_narrow(o->by_operation[RD_OPERATION_READ_TOUCH].bytes));
    rd_objects_facts f = {
        .counted = narrow(o->counted),
        .cold = narrow(o->cold),
        .deleted = narrow(o->deleted),
        .expired = narrow(o->expired),
        .reads = reads,
        .writes = narrow(o->by_operation[RD_OPERATION_WRITE]),
        .touches = narrow(o->by_operation[RD_OPERATION_TOUCH]),
        .deletes = narrow(o->by_operation[RD_OPERATION_DELETE]),
        .warmup = o->config.warmup < o->requests ? o->config.warmup : o->requests,
        .largest = o->largest,
        .backwards = o->backwards,
        .unlimited = o->unlimited,
        .empty = o->empty,
        .has_operations = o->has_operations,
        .has_times = o->has_times,
        .has_lifetimes = o->has_lifetimes,
        .expiry = o->config.expiry,
        .count = rdi_objects_counts(o, RD_OPERATION_WRITE) ? RD_COUNT_ALL : RD_COUNT_READS,
    };
    return f;
}

/* Copies the requests of the bins that are not empty to rows[] and their bytes to bytes[]. Returns
 * the number of these bins. */
static size_t collect_rows(const rdi_byte_bins *b, rd_bin *rows, rd_byte_bin *bytes) {
    size_t n = 0;
    uint64_t low = 0;
    for (const rdi_byte_bin *bin = b->bin; bin < b->bin + b->n; low = bin++->end) {
        if (bin->count == 0)
            continue;
        uint64_t high = bin->end - 1;
        rows[n] = (rd_bin){.low = low, .high = high, .count = bin->count};
        bytes[n++] = (rd_byte_bin){low, high, rdi_sum_narrow(bin->bytes)};
    }
    return n;
}

static rd_status add_stretches(const rd_objects *o, rd_profile *profile) {
    rdi_stretches_section *section = NULL;
    rdi_object_totals totals = rdi_objects_totals(o);
    if (!o->stretches.every)
        return RD_OK;
    RD_TRY(rdi_stretches_section_of(&o->stretches, o->ctx, &o->bins, &totals, &section));
    rdi_profile_set_section(profile, &rdi_section_stretches, section);
    return RD_OK;
}

static rd_status make_profile(const rd_objects *o, const rd_objects_facts *facts,
                              const rdi_sample_result *result, rd_profile **out) {
    rdi_objects_section *section = NULL;
    rd_profile *profile = NULL;
    rd_profile_facts plain = {
        .references = facts->counted.requests,
        .blocks = RD_UNKNOWN,
        .cold = facts->cold.requests,
        .infinite = facts->cold.requests + facts->deleted.requests + facts->expired.requests,
        .block_bytes = 1,
        .engine = "objects",
        .engine_options = "",
        .exact = true,
        .error_kind = "exact",
        .binning = {RD_BINS_EDGES, 0},
    };
    char options[64] = "";
    if (o->sample) {
        rdi_snprintf(options, sizeof options, "rate=%g,seed=%" PRIu64, 1 / o->sample->weight,
                     o->config.sample_seed);
        plain.engine_options = options;
        plain.exact = false;
        plain.error_kind = RDI_KIND_SAMPLED;
        plain.error_bound = result->error_bound;
        plain.sample_rate = 1 / o->sample->weight;
        memcpy(plain.half_width, result->half_width, sizeof plain.half_width);
    }
    RD_TRY(rdi_profile_new(o->ctx, &plain, result->rows, result->n_rows, &profile));
    rd_status status = rdi_objects_section_new(o->ctx, facts, &section);
    if (status != RD_OK) {
        rd_profile_free(profile);
        return status;
    }
    rdi_profile_set_section(profile, &rdi_section_objects, section);
    status = add_stretches(o, profile);
    if (status == RD_OK)
        *out = profile;
    else
        rd_profile_free(profile);
    return status;
}

rd_status rd_objects_profile(const rd_objects *o, rd_profile **out) {
    RDI_NEED(o ? o->ctx : NULL, o, out);
    rd_bin *rows = rdi_alloc(o->ctx, o->bins.n, sizeof *rows);
    rd_byte_bin *bytes = rdi_alloc(o->ctx, o->bins.n, sizeof *bytes);
    rd_popularity *popularity = rdi_calloc(o->ctx, RD_POPULARITY_ROWS, sizeof *popularity);
    rdi_live_moments *live = rdi_alloc(o->ctx, 1, sizeof *live);
    rd_status status = RD_ENOMEM;
    if (rows && bytes && popularity && live) {
        rd_objects_facts facts = facts_of(o);
        rdi_sample_result result = {.facts = &facts, .rows = rows, .bytes = bytes};
        *live = o->moments;
        rdi_live_finish(live, o->requests, o->now);
        facts.live = live->at;
        facts.n_live = live->n;
        facts.bins = bytes;
        facts.popularity = popularity;
        rdi_object_stats(o, popularity, &facts);
        if (o->sample)
            rdi_object_sample_finish(o, &result);
        else
            result.n_rows = facts.n_bins = collect_rows(&o->bins, rows, bytes);
        status = make_profile(o, &facts, &result, out);
    }
    rdi_free(o->ctx, rows);
    rdi_free(o->ctx, bytes);
    rdi_free(o->ctx, popularity);
    rdi_free(o->ctx, live);
    return status;
}
