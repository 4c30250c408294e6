/* Implements the profile object: facts, bins, sources and sections. profile_read.c and
 * profile_write.c handle files. */
#include "profile/profile_build.h"
#include "profile/section_objects.h"

#include "profile/binning.h"
#include "profile/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct rd_profile {
    rd_ctx *ctx;
    rd_profile_facts facts; /* owns its strings */
    rd_bin *bins;
    size_t n_bins;
    rd_source *sources; /* owns its strings */
    size_t n_sources;
    rdi_sections sections;
    char *note; /* text of rd_profile_note(), or NULL */
};

void rdi_profile_free_string(rd_ctx *ctx, const char *text) {
    rdi_free(ctx, (void *)(uintptr_t)text);
}

static rd_status copy_string(rd_ctx *ctx, const char *text, const char **out) {
    *out = NULL;
    if (text && !(*out = rdi_strdup(ctx, text)))
        return RD_ENOMEM;
    return RD_OK;
}

/* Replaces the strings in p->facts with copies of the strings in `from`. */
static rd_status own_strings(rd_profile *p, const rd_profile_facts *from) {
    p->facts.kinds = p->facts.engine = p->facts.engine_options = p->facts.error_kind = NULL;
    RD_TRY(copy_string(p->ctx, from->kinds, &p->facts.kinds));
    RD_TRY(copy_string(p->ctx, from->engine, &p->facts.engine));
    RD_TRY(copy_string(p->ctx, from->engine_options, &p->facts.engine_options));
    return copy_string(p->ctx, from->error_kind, &p->facts.error_kind);
}

/* Sets the error kind to a copy of `kind`, sets the error bound to 0, and marks the profile as not
 * exact. */
static rd_status set_error_kind(rd_profile *p, const char *kind) {
    const char *copy = NULL;
    RD_TRY(copy_string(p->ctx, kind, &copy));
    rdi_profile_free_string(p->ctx, p->facts.error_kind);
    p->facts.error_kind = copy;
    p->facts.error_bound = 0;
    p->facts.exact = false;
    return RD_OK;
}

static bool has_error_kind(const rd_profile *p, const char *kind) {
    return p->facts.error_kind && strcmp(p->facts.error_kind, kind) == 0;
}

/* Sets the error kind to RDI_KIND_PARTS if the recorder skipped references (facts.skipped is not
 * 0), because the histogram then describes only the recorded parts of the run. The kinds "bursts"
 * and "parts" already say so and stay. The kinds "time" and "none" stay because such a profile has no
 * reuse distances. */
static rd_status admit_skipping(rd_profile *p) {
    static const char *const kept[] = {RDI_KIND_BURSTS, RDI_KIND_PARTS, RDI_KIND_TIME, "none"};
    for (size_t i = 0; i < RDI_COUNT(kept); i++)
        if (has_error_kind(p, kept[i]))
            return RD_OK;
    return p->facts.skipped ? set_error_kind(p, RDI_KIND_PARTS) : RD_OK;
}

rd_status rdi_profile_new(rd_ctx *ctx, const rd_profile_facts *facts, const rd_bin *bins, size_t n,
                          rd_profile **out) {
    rd_profile *p = rdi_calloc(ctx, 1, sizeof *p);
    if (!p)
        return RD_ENOMEM;
    p->ctx = ctx;
    p->facts = *facts;
    p->n_bins = n;
    rd_status status = own_strings(p, facts);
    if (status == RD_OK)
        status = admit_skipping(p);
    if (status == RD_OK && !(p->bins = rdi_alloc(ctx, n ? n : 1, sizeof *bins)))
        status = RD_ENOMEM;
    if (status != RD_OK) {
        rd_profile_free(p);
        return status;
    }
    if (n)
        memcpy(p->bins, bins, n * sizeof *bins);
    for (size_t i = 0; i < n && !facts->sums_known; i++)
        p->bins[i].sum = (rd_sum){0, 0};
    *out = p;
    return RD_OK;
}

void rd_profile_free(rd_profile *p) {
    if (!p)
        return;
    rdi_profile_free_string(p->ctx, p->facts.kinds);
    rdi_profile_free_string(p->ctx, p->facts.engine);
    rdi_profile_free_string(p->ctx, p->facts.engine_options);
    rdi_profile_free_string(p->ctx, p->facts.error_kind);
    for (size_t i = 0; i < p->n_sources; i++) {
        rdi_profile_free_string(p->ctx, p->sources[i].path);
        rdi_profile_free_string(p->ctx, p->sources[i].format);
    }
    rdi_free(p->ctx, p->sources);
    rdi_free(p->ctx, p->bins);
    rdi_free(p->ctx, p->note);
    rdi_sections_free(p->ctx, &p->sections);
    rdi_free(p->ctx, p);
}

rd_ctx *rdi_profile_ctx(const rd_profile *p) {
    return p ? p->ctx : NULL;
}

const rd_profile_facts *rd_profile_facts_of(const rd_profile *p) {
    return p ? &p->facts : NULL;
}

#define RESOLVED_BLOCKS 10 /* number of sampled blocks that a cache must hold to be resolved */

/* Returns, in bytes, the smallest power of two from which on a sample of objects resolves all cache sizes. */
static uint64_t objects_resolution(const rd_objects_facts *objects) {
    size_t k = RD_BAND_SIZES - 1;
    while (k > 0 && objects->size_error[k - 1] <= RDI_SIZE_ERROR_MAX)
        k--;
    return UINT64_C(1) << k;
}

uint64_t rdi_profile_resolution(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    const rd_objects_facts *objects = rd_profile_objects(p);
    if (objects)
        return objects->is_sample ? objects_resolution(objects) : 0;
    double size = f->sample_rate > 0 && f->sample_rate < 1 ? RESOLVED_BLOCKS / f->sample_rate : 0;
    return size < 0x1p63 ? (uint64_t)ceil(size) : UINT64_C(1) << 63;
}

size_t rd_profile_bins(const rd_profile *p, const rd_bin **out) {
    if (out)
        *out = p ? p->bins : NULL;
    return p ? p->n_bins : 0;
}

size_t rd_profile_sources(const rd_profile *p, const rd_source **out) {
    if (out)
        *out = p ? p->sources : NULL;
    return p ? p->n_sources : 0;
}

rdi_sections *rdi_profile_sections(const rd_profile *p) {
    return (rdi_sections *)(uintptr_t)&p->sections;
}

void *rdi_profile_section(const rd_profile *p, const rdi_section *s) {
    return p ? *rdi_section_slot(rdi_profile_sections(p), s) : NULL;
}

void rdi_profile_set_section(rd_profile *p, const rdi_section *s, void *data) {
    void **slot = rdi_section_slot(&p->sections, s);
    if (*slot)
        (s->owner ? s->owner : s)->free(p->ctx, *slot);
    *slot = data;
}

rd_status rdi_profile_set_note(rd_profile *p, const char *note) {
    char *copy = rdi_strdup(p->ctx, note);
    if (!copy)
        return RD_ENOMEM;
    rdi_free(p->ctx, p->note);
    p->note = copy;
    return RD_OK;
}

const char *rd_profile_note(const rd_profile *p) {
    return p ? p->note : NULL;
}

void rd_profile_set_sampling(rd_profile *p, const rd_sampler_config *sampling) {
    if (p)
        p->facts.sampling = sampling ? *sampling : (rd_sampler_config){0};
}

rd_status rd_profile_set_block_bytes(rd_profile *p, uint64_t block_bytes) {
    RDI_NEED(NULL, p);
    if (block_bytes & (block_bytes - 1))
        return rdi_fail(p->ctx, RD_EINVAL,
                        "the block size is %" PRIu64 " bytes; it must be a power of two, or 0",
                        block_bytes);
    p->facts.block_bytes = block_bytes;
    return RD_OK;
}

void rd_profile_set_partial(rd_profile *p, bool partial) {
    if (p)
        p->facts.partial = partial;
}

void rd_profile_set_unrecorded(rd_profile *p, uint64_t unrecorded) {
    if (p)
        p->facts.unrecorded = unrecorded;
}

double rdi_profile_kept(const rd_profile *p) {
    double recorded = 0, skipped = (double)p->facts.skipped;
    const rd_source *sources;
    size_t n = rd_profile_sources(p, &sources);
    for (size_t i = 0; i < n; i++)
        recorded += (double)sources[i].references;
    if (p->facts.skipped == 0)
        return 1;
    return p->facts.skipped != RD_UNKNOWN && recorded > 0 ? recorded / (recorded + skipped) : NAN;
}

rd_status rd_profile_set_skipped(rd_profile *p, uint64_t skipped) {
    RDI_NEED(NULL, p);
    p->facts.skipped = skipped;
    return admit_skipping(p);
}

static bool are_in_order(const double *low, const double *high, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (low[k] > high[k])
            return false;
    return true;
}

static bool are_falling_shares(const double *x, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (!(x[k] >= 0 && x[k] <= (k ? x[k - 1] : 1)))
            return false;
    return true;
}

rd_status rd_profile_set_burst_band(rd_profile *p, const double *low, const double *high,
                                    size_t n) {
    RDI_NEED(rdi_profile_ctx(p), p, low, high);
    if (n == 0 || n > RD_BAND_SIZES || !are_falling_shares(low, n) ||
        !are_falling_shares(high, n) || !are_in_order(low, high, n))
        return rdi_fail(p->ctx, RD_EINVAL,
                        "a band needs 1 to %d pairs of shares from 0 to 1; neither the low nor the "
                        "high shares may increase, and low must not be above high",
                        RD_BAND_SIZES);
    RD_TRY(set_error_kind(p, RDI_KIND_BURSTS));
    p->facts.n_band = n;
    memcpy(p->facts.band_low, low, n * sizeof *low);
    memcpy(p->facts.band_high, high, n * sizeof *high);
    for (size_t k = 0; k < n; k++)
        if (high[k] - low[k] > p->facts.error_bound)
            p->facts.error_bound = high[k] - low[k];
    return RD_OK;
}

/* Returns an empty bin that contains distance 0 and ends before the first bin of the profile. With
 * RD_BINS_EDGES, it ends right before that bin, because only the edges of non-empty bins are
 * known. */
static rd_bin bin_in_front(const rd_profile *p) {
    rd_bin bin = {0};
    if (p->facts.binning.kind != RD_BINS_EDGES)
        rdi_bin_range(p->facts.binning, rdi_bin_index(p->facts.binning, 0), &bin);
    else if (p->n_bins)
        bin.high = p->bins[0].low - 1;
    return bin;
}

/* Sets *out to the bin that contains distance 0. Inserts this bin if the profile does not have
 * it. */
static rd_status bin_of_zero(rd_profile *p, rd_bin **out) {
    if (p->n_bins == 0 || p->bins[0].low > 0) {
        rd_bin front = bin_in_front(p);
        rd_bin *grown = rdi_resize(p->ctx, p->bins, p->n_bins + 1, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        p->bins = grown;
        memmove(grown + 1, grown, p->n_bins * sizeof *grown);
        grown[0] = front;
        p->n_bins++;
    }
    *out = &p->bins[0];
    return RD_OK;
}

rd_status rd_profile_add_repeats(rd_profile *p, uint64_t repeats) {
    RDI_NEED(NULL, p);
    rd_bin *bin;
    bool measured = p->n_bins || p->facts.infinite;
    if (repeats == 0)
        return RD_OK;
    if (p->facts.binning.kind == RD_BINS_REFERENCE)
        return rdi_fail(p->ctx, RD_EINVAL,
                        "references cannot be added to a profile with reference groups; choose "
                        "other bins, such as log (--hist)");
    if (repeats > UINT64_MAX - p->facts.references)
        return rdi_fail(p->ctx, RD_ERANGE,
                        "cannot add references: the profile would have 2^64 or more");
    if (measured) {
        RD_TRY(bin_of_zero(p, &bin));
        bin->count += repeats;
    }
    p->facts.references += repeats;
    return RD_OK;
}

void rd_profile_set_seconds(rd_profile *p, double seconds) {
    if (p)
        p->facts.seconds = seconds >= 0 && isfinite(seconds) ? seconds : 0;
}

const char *rdi_block_text(uint64_t bytes, char text[RDI_BLOCK_ROOM]) {
    if (bytes)
        snprintf(text, RDI_BLOCK_ROOM, "%" PRIu64, bytes);
    else
        strcpy(text, "addr");
    return text;
}

unsigned rdi_profile_kinds(const rd_profile_facts *f) {
    unsigned set = 0;
    for (const char *at = f->kinds; at && *at; at++)
        set |= *at == 'L' ? 1u : *at == 'S' ? 2u : 4u;
    return f->kinds ? set : 7u;
}

rd_status rd_profile_set_kinds(rd_profile *p, const char *kinds) {
    RDI_NEED(NULL, p);
    const char *copy;
    if (kinds && (!*kinds || kinds[strspn(kinds, "LSI")]))
        return rdi_fail(p->ctx, RD_EINVAL,
                        "kinds must consist of the letters L, S and I, not '%.80s'", kinds);
    RD_TRY(copy_string(p->ctx, kinds, &copy));
    rdi_profile_free_string(p->ctx, p->facts.kinds);
    p->facts.kinds = copy;
    return RD_OK;
}

rd_status rd_profile_add_source(rd_profile *p, const rd_source *source) {
    RDI_NEED(rdi_profile_ctx(p), p, source);
    rd_source *grown = rdi_resize(p->ctx, p->sources, p->n_sources + 1, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    p->sources = grown;
    rd_source *slot = &grown[p->n_sources];
    *slot = *source;
    slot->path = slot->format = NULL;
    p->n_sources++; /* counted before the strings are copied, so that a partly copied entry is freed
                       as well */
    RD_TRY(copy_string(p->ctx, source->path, &slot->path));
    return copy_string(p->ctx, source->format, &slot->format);
}

rd_status rdi_profile_add_sources(rd_profile *p, const rd_source *sources, size_t n) {
    for (size_t i = 0; i < n; i++)
        RD_TRY(rd_profile_add_source(p, &sources[i]));
    return RD_OK;
}
