/* Distances by code, data and time. See attribute.h. */
#include "attribute.h"

#include "caches.h"

#include <stdlib.h>
#include <string.h>

struct attribution {
    rd_ctx *ctx;
    rd_attributor *attributor;
    rd_mapper *mapper;      /* to words ... */
    rd_engine *words;       /* ... and their distances; NULL: not asked for */
    uint64_t first;         /* of the present batch: its first reference ... */
    const rd_event *events; /* ... and what happened in it, `next` being the first to come */
    size_t next, n_events;
};

/* Of those that nobody asked for, caches above the bound are left out; if none is left, one as
 * large as the bound counts, or no line would stand out. Returns the exit status. */
static int choose_caches(rd_ctx *ctx, const attribute_options *o, uint64_t block_bytes,
                         uint64_t bound, cache_list *out) {
    if (o->caches)
        return caches_parse(ctx, o->caches, out);
    caches_of_machine(ctx, out);
    uint64_t unit = block_bytes ? block_bytes : 1;
    while (bound && out->n && out->level[out->n - 1].bytes / unit > bound)
        out->n--;
    if (out->n == 0)
        out->level[out->n++] = (rd_level){"bound", bound * unit};
    return EXIT_OK;
}

static rd_status open_words(attribution *a, const rd_mapping *mapping) {
    uint64_t bytes = rd_attributor_word_bytes(a->attributor);
    if (bytes == 0)
        return RD_OK;
    rd_engine_config config = {.binning = {.kind = RD_BINS_LOG}};
    rd_mapping words = {.block_bytes = bytes, .kinds = mapping->kinds};
    rd_status status = rd_mapper_new(a->ctx, &words, &a->mapper);
    return status == RD_OK ? rd_engine_open(a->ctx, NULL, &config, &a->words) : status;
}

/* "PATH" or "PATH@ADDRESS". */
static rd_status add_object(attribution *a, const char *text) {
    const char *at = strrchr(text, '@');
    char *path = strdup(text), *end = NULL;
    uint64_t address = RD_UNKNOWN;
    if (!path)
        return RD_ENOMEM;
    if (at) {
        address = strtoull(at + 1, &end, 0);
        if (at[1] && !*end)
            path[at - text] = '\0';
        else
            address = RD_UNKNOWN; /* an @ in the name */
    }
    rd_status status = rd_attributor_add_object(a->attributor, path, address);
    free(path);
    return status;
}

static rd_status add_objects(attribution *a, const rd_strings *objects) {
    rd_status status = RD_OK;
    for (size_t i = 0; i < objects->n && status == RD_OK; i++)
        status = add_object(a, objects->value[i]);
    return status;
}

attribution *attribute_open(rd_ctx *ctx, const attribute_options *options,
                            const rd_mapping *mapping, uint64_t bound, int *exit_status) {
    cache_list used;
    int chosen = choose_caches(ctx, options, mapping->block_bytes, bound, &used);
    if (chosen != EXIT_OK) {
        *exit_status = chosen;
        return NULL;
    }
    attribution *a = calloc(1, sizeof *a);
    if (!a) {
        *exit_status = fail("out of memory");
        return NULL;
    }
    a->ctx = ctx;
    rd_attributor_config config = {.block_bytes = mapping->block_bytes,
                                   .bound = bound,
                                   .levels = used.level,
                                   .n_levels = used.n,
                                   .windows = (size_t)options->windows};
    rd_status status = rd_attributor_new(ctx, &config, &a->attributor);
    if (status == RD_OK && options->spatial)
        status = open_words(a, mapping);
    if (status == RD_OK)
        status = add_objects(a, &options->objects);
    if (status == RD_OK)
        return a;
    *exit_status = fail_status(ctx, status);
    attribute_close(a);
    return NULL;
}

rd_status attribute_refs(attribution *a, const rd_trace *trace, uint64_t first,
                         const rd_refs *refs) {
    const uint64_t *words;
    size_t n;
    a->first = first;
    a->n_events = rd_trace_events(trace, &a->events);
    a->next = 0;
    if (!a->words)
        return RD_OK;
    rd_mapper_feed(a->mapper, refs);
    while (true) {
        rd_status status = rd_mapper_next(a->mapper, &words, &n);
        if (status == RD_OK && n > 0)
            status = rd_engine_feed(a->words, words, n, NULL);
        if (status != RD_OK || n == 0)
            return status;
    }
}

/* Hands over the events that come before reference `origin` of the batch. */
static rd_status tell_events(attribution *a, uint32_t origin) {
    rd_status status = RD_OK;
    while (status == RD_OK && a->next < a->n_events && a->events[a->next].at <= a->first + origin)
        status = rd_attributor_event(a->attributor, &a->events[a->next++]);
    return status;
}

/* Where numbers from `next` on begin, which is at `high` at the latest. */
static size_t first_from(const uint32_t *origin, size_t low, size_t high, uint64_t next) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (origin[middle] < next)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the references from `at` on, where those end that come before the next event. When none was
 * left out, that is at least as many on as its number is ahead, and few more, as few are split. */
static size_t end_of_run(const attribution *a, const rd_attributed *batch, size_t at) {
    if (a->next == a->n_events)
        return batch->n;
    uint64_t next = a->events[a->next].at - a->first;
    while (at < batch->n && batch->origin[at] < next) {
        uint64_t ahead = next - batch->origin[at];
        size_t left = batch->n - at, end = at + (ahead < left ? (size_t)ahead : left);
        if (batch->origin[end - 1] >= next)
            return first_from(batch->origin, at, end - 1, next);
        at = end;
    }
    return at;
}

rd_status attribute_feed(attribution *a, const rd_attributed *batch) {
    rd_status status = RD_OK;
    for (size_t at = 0, end; at < batch->n && status == RD_OK; at = end) {
        status = tell_events(a, batch->origin[at]);
        end = end_of_run(a, batch, at);
        rd_attributed run = {batch->refs, batch->origin + at, batch->blocks + at,
                             batch->distances + at, end - at};
        if (status == RD_OK)
            status = rd_attributor_feed(a->attributor, &run);
    }
    return status;
}

rd_status attribute_refs_end(attribution *a) {
    return tell_events(a, UINT32_MAX);
}

static rd_status finish_words(attribution *a) {
    rd_profile *profile = NULL;
    rd_status status = rd_engine_finish(a->words);
    if (status == RD_OK)
        status = rd_engine_profile(a->words, &profile);
    if (status == RD_OK)
        status = rd_attributor_set_words(a->attributor, profile);
    rd_profile_free(profile);
    return status;
}

rd_status attribute_finish(attribution *a, rd_profile *profile) {
    rd_status status = a->words ? finish_words(a) : RD_OK;
    return status == RD_OK ? rd_attributor_finish(a->attributor, profile) : status;
}

void attribute_close(attribution *a) {
    if (!a)
        return;
    rd_mapper_free(a->mapper);
    rd_engine_close(a->words);
    rd_attributor_free(a->attributor);
    free(a);
}
