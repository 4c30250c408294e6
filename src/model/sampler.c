/* Implements rd_sampler, distance-based sampling for --peaks (Zhong, Shen, Ding 2009, section 3.5).
 *
 * Automatic thresholds depend on F, the number of distinct blocks so far: a block is sampled at a
 * distance of F / 4 or more, distances of sampled blocks are observed from F / 16 on, and the ids
 * of sampled blocks are at least F / 2 apart, which is one sixteenth of the data if every address
 * is a block and elements have eight bytes. So the thresholds have the same meaning for small and
 * large inputs, although the size is not known. F grows mostly while the program starts up and
 * fills its data. Distances that are long at that time will soon be short in comparison. So
 * sampling restarts whenever F has grown by a quarter. Programs also touch new blocks when they
 * end, so the result is the set of samples with the most peaks. The automatic threshold for
 * sampling a block is never below QUALIFY_LEAST.
 *
 * The time of a peak is the number of references after which rd_sampler_peaks() returns the peak.
 * The function does not return the peaks of the current samples while an earlier set of samples has
 * more.
 */
#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/predict.h"

#include <string.h>

#define QUALIFY_LEAST 512u
#define QUALIFY_PART  4
#define TEMPORAL_PART 16
#define SPATIAL_PART  2
#define GROWTH_PART   4

/* A sampled block: its last two distances at or above the temporal threshold, and its peaks. */
typedef struct data_sample {
    uint64_t block;
    uint64_t last, before; /* the last distance and the one before it; `before` is valid if there
                              are two */
    bool has_two;
    rd_peak peaks[RD_PEAKS_MAX];
    uint32_t n_peaks;
} data_sample;

struct rd_sampler {
    rd_ctx *ctx;
    rd_sampler_config config;
    uint64_t time;   /* number of references so far */
    uint64_t blocks; /* number of first references so far */
    uint64_t fresh;  /* number of blocks at which sampling restarts */
    data_sample samples[RD_SAMPLES_MAX];
    uint32_t n;
    size_t n_found; /* number of peaks of `samples` */
    /* The peaks of the earlier set of samples that had the most peaks. */
    rd_peak kept[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    size_t n_kept;
};

/* Parses three numbers above 0, separated by ':'. Returns false if `text` is anything else. */
static bool parse_numbers(rd_ctx *ctx, const char *text, uint64_t *const fields[3]) {
    for (int i = 0; i < 3; i++) {
        char field[24];
        size_t n = strcspn(text, ":");
        if (n >= sizeof field || text[n] != (i < 2 ? ':' : '\0'))
            return false;
        memcpy(field, text, n);
        field[n] = '\0';
        if (rd_parse_size(ctx, field, fields[i]) != RD_OK || *fields[i] == 0)
            return false;
        text += n + 1;
    }
    return true;
}

rd_status rd_sampler_parse(rd_ctx *ctx, const char *text, rd_sampler_config *out) {
    RDI_NEED(ctx, ctx, text, out);
    rd_sampler_config c = {0};
    uint64_t *const fields[3] = {&c.qualification, &c.temporal, &c.spatial};
    if (strcmp(text, "auto") != 0 && !parse_numbers(ctx, text, fields))
        return rdi_fail(ctx, RD_EINVAL,
                        "'%.80s' is neither 'auto' nor three numbers above 0, "
                        "qualification:temporal:spatial",
                        text);
    *out = c;
    return RD_OK;
}

rd_status rd_sampler_new(rd_ctx *ctx, const rd_sampler_config *config, rd_sampler **out) {
    RDI_NEED(ctx, ctx, out);
    rd_sampler *s = rdi_calloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->ctx = ctx;
    if (config)
        s->config = *config;
    *out = s;
    return RD_OK;
}

const rd_sampler_config *rd_sampler_config_of(const rd_sampler *s) {
    return s ? &s->config : NULL;
}

void rd_sampler_free(rd_sampler *s) {
    if (s)
        rdi_free(s->ctx, s);
}

static uint64_t qualification(const rd_sampler *s) {
    uint64_t part = s->blocks / QUALIFY_PART;
    return s->config.qualification ? s->config.qualification
                                   : (part > QUALIFY_LEAST ? part : QUALIFY_LEAST);
}

static uint64_t temporal(const rd_sampler *s) {
    return s->config.temporal ? s->config.temporal : s->blocks / TEMPORAL_PART;
}

static uint64_t spatial(const rd_sampler *s) {
    return s->config.spatial ? s->config.spatial : s->blocks / SPATIAL_PART;
}

static data_sample *find_sample(rd_sampler *s, uint64_t block) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->samples[i].block == block)
            return &s->samples[i];
    return NULL;
}

static bool is_crowded(const rd_sampler *s, uint64_t block) {
    uint64_t apart = spatial(s);
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t other = s->samples[i].block;
        if ((block > other ? block - other : other - block) < apart)
            return true;
    }
    return false;
}

/* Counts a peak of the current samples. If the current samples now have as many peaks as the kept
 * set, they become the result: rd_sampler_peaks() returns all their peaks from now on. */
static void count_peak(rd_sampler *s) {
    if (++s->n_found != s->n_kept)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->samples[i].n_peaks; k++)
            s->samples[i].peaks[k].time = s->time;
}

/* Adds a distance to a sample. The distance before it may turn out to be a peak. */
static void extend(rd_sampler *s, data_sample *d, uint64_t distance) {
    if (d->has_two && d->last > d->before && d->last > distance && d->n_peaks < RD_PEAKS_MAX) {
        d->peaks[d->n_peaks] =
            (rd_peak){(uint32_t)(d - s->samples) + 1, d->n_peaks + 1, d->last, s->time};
        d->n_peaks++;
        count_peak(s);
    }
    d->before = d->last;
    d->last = distance;
    d->has_two = true;
}

static void look(rd_sampler *s, uint64_t block, uint64_t distance) {
    data_sample *known = find_sample(s, block);
    if (known)
        extend(s, known, distance);
    else if (s->n < RD_SAMPLES_MAX && distance >= qualification(s) && !is_crowded(s, block))
        s->samples[s->n++] = (data_sample){.block = block, .last = distance};
}

static size_t list_peaks(const rd_sampler *s, rd_peak *out) {
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->samples[i].n_peaks; k++)
            out[n++] = s->samples[i].peaks[k];
    return n;
}

/* Counts a new block, and restarts sampling if the number of blocks has grown by a quarter.
 * Sampling with given thresholds never restarts. */
static void add_block(rd_sampler *s) {
    if (++s->blocks < s->fresh || s->config.qualification)
        return;
    s->n_kept = rd_sampler_peaks(s, s->kept);
    s->n = 0;
    s->n_found = 0;
    s->fresh = s->blocks + s->blocks / GROWTH_PART + 1;
}

void rd_sampler_feed(rd_sampler *s, const uint64_t *blocks, const uint64_t *distances, size_t n) {
    if (!s || !blocks || !distances)
        return;
    for (size_t i = 0; i < n; i++) {
        s->time++;
        if (distances[i] == RD_COLD)
            add_block(s);
        else if (distances[i] >= temporal(s))
            look(s, blocks[i], distances[i]);
    }
}

size_t rd_sampler_peaks(const rd_sampler *s, rd_peak *out) {
    rd_peak now[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    if (!s || !out)
        return 0;
    size_t n = list_peaks(s, now);
    bool newer = n >= s->n_kept;
    if (!newer)
        n = s->n_kept;
    memmove(out, newer ? now : s->kept, n * sizeof *out);
    return n;
}
