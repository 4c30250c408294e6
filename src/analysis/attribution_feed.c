/* Feeds references, events and distances to attribution. See attribution_feed.h. */
#include "analysis/attribution_feed.h"

#include "reusedist/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct rdi_attribution_feed {
    rd_ctx *ctx;
    rd_attributor *attributor;
    rd_mapper *mapper;      /* maps references to words; NULL: words are not requested */
    rd_engine *words;       /* measures distances in words */
    uint64_t first;         /* index of the first reference of the current batch */
    const rd_event *events; /* events of the current batch; `next` is the index of the first event
                               that was not handed over yet */
    size_t next, n_events;
    bool contexts_told; /* true: the calling contexts of the current batch were already handed
                           over */
};

/* ---- opening ---- */

/* Stores the default levels and returns their number. The default levels are the caches of this
 * machine, or round numbers of objects if blocks have no size in bytes, without levels above the
 * bound. If none is left, the only level is a cache as large as the bound, because without a level
 * no line would have misses. */
static size_t usual_levels(uint64_t block_bytes, uint64_t bound, rd_level *levels) {
    static const rd_level objects[RD_LEVELS_MAX] = {
        {"", 1000}, {"", 10000}, {"", 100000}, {"", 1000000}};
    if (!block_bytes)
        memcpy(levels, objects, sizeof objects);
    size_t n = block_bytes ? rd_machine_caches(levels, NULL) : RD_LEVELS_MAX;
    uint64_t unit = block_bytes ? block_bytes : 1;
    while (bound && n && levels[n - 1].bytes / unit > bound)
        n--;
    if (n == 0)
        levels[n++] = (rd_level){"bound", bound * unit};
    return n;
}

/* Names caches of objects by their size, for example "1000 objects", if they have no name or a name
 * like "L1", because they are not levels of a machine. */
static void name_by_objects(rd_level *levels, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char name[40], *own = levels[i].name;
        snprintf(name, sizeof name, "%" PRIu64 " objects", levels[i].bytes);
        bool usual = !own[0] || (own[0] == 'L' && own[1] && !own[2]);
        if (usual && strlen(name) < sizeof levels[i].name)
            strcpy(own, name);
    }
}

static rd_status open_attributor(rdi_attribution_feed *f, const rd_attribution_config *c,
                                 uint64_t block_bytes, uint64_t bound, size_t caches) {
    rd_level levels[RD_LEVELS_MAX];
    rd_attributor_config config = {.size = sizeof config,
                                   .block_bytes = block_bytes,
                                   .bound = bound,
                                   .levels = c->levels,
                                   .n_levels = c->n_levels,
                                   .windows = c->windows,
                                   .contexts = c->contexts,
                                   .caches = caches,
                                   .own = c->own,
                                   .n_own = c->n_own};
    if (c->levels && c->levels_in_bytes && !block_bytes)
        return rdi_fail(f->ctx, RD_EINVAL,
                        "the caches are given in bytes, but here a block is an address or an "
                        "object without a size; give numbers of blocks, such as 1000");
    if (c->n_levels == 0 || !c->levels)
        config.n_levels = usual_levels(block_bytes, bound, levels);
    else if (c->n_levels <= RD_LEVELS_MAX)
        memcpy(levels, c->levels, c->n_levels * sizeof *levels);
    if (config.n_levels <= RD_LEVELS_MAX)
        config.levels = levels;
    if (!block_bytes && config.n_levels <= RD_LEVELS_MAX)
        name_by_objects(levels, config.n_levels);
    return rd_attributor_new(f->ctx, &config, &f->attributor);
}

static rd_status open_words(rdi_attribution_feed *f, const rd_mapping *mapping) {
    uint64_t bytes = rd_attributor_word_bytes(f->attributor);
    if (bytes == 0)
        return RD_OK;
    rd_engine_config config = {.size = sizeof config, .binning = {.kind = RD_BINS_LOG}};
    rd_mapping words = {.size = sizeof words, .block_bytes = bytes, .kinds = mapping->kinds};
    RD_TRY(rd_mapper_new(f->ctx, &words, &f->mapper));
    return rd_engine_open(f->ctx, NULL, &config, &f->words);
}

static rd_status open_all(rdi_attribution_feed *f, const rd_attribution_config *c,
                          const rd_mapping *mapping, uint64_t bound, size_t caches) {
    RD_TRY(open_attributor(f, c, mapping->block_bytes, bound, caches));
    if (c->spatial)
        RD_TRY(open_words(f, mapping));
    if (c->n_objects)
        RDI_NEED(f->ctx, c->objects);
    for (size_t i = 0; i < c->n_objects; i++)
        RD_TRY(rd_attributor_add_object(f->attributor, c->objects[i].path, c->objects[i].address));
    return RD_OK;
}

rd_status rdi_attribution_feed_new(rd_ctx *ctx, const rd_attribution_config *config,
                                   const rd_mapping *mapping, uint64_t bound, size_t caches,
                                   rdi_attribution_feed **out) {
    rdi_attribution_feed *f = rdi_calloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    rd_status status = open_all(f, config, mapping, bound, caches);
    if (status != RD_OK) {
        rdi_attribution_feed_free(f);
        return status;
    }
    *out = f;
    return RD_OK;
}

void rdi_attribution_feed_free(rdi_attribution_feed *f) {
    if (!f)
        return;
    rd_mapper_free(f->mapper);
    rd_engine_close(f->words);
    rd_attributor_free(f->attributor);
    rdi_free(f->ctx, f);
}

/* ---- feeding ---- */

/* Hands over the definitions of calling contexts of the batch in advance, so that they do not divide
 * the batch: there may be many of them. If modules change inside the batch, the definitions must wait,
 * because their instructions belong to the modules that are mapped at the time of the definition. */
static rd_status tell_contexts(rdi_attribution_feed *f) {
    f->contexts_told = true;
    for (size_t i = 0; i < f->n_events; i++)
        if (f->events[i].kind == RD_EVENT_MODULE || f->events[i].kind == RD_EVENT_UNLOAD)
            f->contexts_told = false;
    for (size_t i = 0; i < f->n_events && f->contexts_told; i++)
        if (f->events[i].kind == RD_EVENT_CONTEXT)
            RD_TRY(rd_attributor_event(f->attributor, &f->events[i]));
    return RD_OK;
}

/* Skips events that were handed over in advance. */
static void skip_told(rdi_attribution_feed *f) {
    while (f->contexts_told && f->next < f->n_events && f->events[f->next].kind == RD_EVENT_CONTEXT)
        f->next++;
}

rd_status rdi_attribution_feed_refs(rdi_attribution_feed *f, const rd_trace *trace, uint64_t first,
                                    const rd_refs *refs) {
    f->first = first;
    f->n_events = rd_trace_events(trace, &f->events);
    f->next = 0;
    RD_TRY(tell_contexts(f));
    skip_told(f);
    if (!f->words)
        return RD_OK;
    rd_mapper_feed(f->mapper, refs);
    while (true) {
        const uint64_t *words = NULL;
        size_t n = 0;
        RD_TRY(rd_mapper_next(f->mapper, &words, &n));
        if (n == 0)
            return RD_OK;
        RD_TRY(rd_engine_feed(f->words, words, n, NULL));
    }
}

/* Hands over the events that come before reference `origin` of the batch. */
static rd_status tell_events(rdi_attribution_feed *f, uint32_t origin) {
    rd_status status = RD_OK;
    while (status == RD_OK && f->next < f->n_events && f->events[f->next].at <= f->first + origin) {
        status = rd_attributor_event(f->attributor, &f->events[f->next++]);
        skip_told(f);
    }
    return status;
}

/* Returns the first index in [low, high) whose origin is at least `next`, or `high` if there is
 * none. */
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

/* Returns the index of the first block reference from `at` on that comes after the next event, or
 * the end of the batch. If no references were dropped, that index is at least as many block
 * references ahead as there are references before the event. It is seldom much further, because few
 * references are split. So the loop needs few steps. */
static size_t end_of_run(const rdi_attribution_feed *f, const rd_attributed *batch, size_t at) {
    if (f->next == f->n_events)
        return batch->n;
    uint64_t next = f->events[f->next].at - f->first;
    while (at < batch->n && batch->origin[at] < next) {
        uint64_t ahead = next - batch->origin[at];
        size_t left = batch->n - at, end = at + (ahead < left ? (size_t)ahead : left);
        if (batch->origin[end - 1] >= next)
            return first_from(batch->origin, at, end - 1, next);
        at = end;
    }
    return at;
}

rd_status rdi_attribution_feed_blocks(rdi_attribution_feed *f, const rd_attributed *batch) {
    for (size_t at = 0, end; at < batch->n; at = end) {
        RD_TRY(tell_events(f, batch->origin[at]));
        end = end_of_run(f, batch, at);
        rd_attributed run = {batch->refs,        batch->origin + at,
                             batch->blocks + at, batch->distances + at,
                             end - at,           batch->tags ? batch->tags + at : NULL};
        RD_TRY(rd_attributor_feed(f->attributor, &run));
    }
    return RD_OK;
}

rd_status rdi_attribution_feed_refs_end(rdi_attribution_feed *f) {
    return tell_events(f, UINT32_MAX);
}

rd_status rdi_attribution_feed_misses(void *user, const rd_miss *misses, size_t n) {
    rdi_attribution_feed *f = user;
    return rd_attributor_misses(f->attributor, misses, n);
}

/* ---- the end ---- */

static rd_status finish_words(rdi_attribution_feed *f) {
    rd_profile *profile = NULL;
    RD_TRY(rd_engine_finish(f->words));
    RD_TRY(rd_engine_profile(f->words, &profile));
    rd_status status = rd_attributor_set_words(f->attributor, profile);
    rd_profile_free(profile);
    return status;
}

rd_status rdi_attribution_feed_finish(rdi_attribution_feed *f, rd_profile *profile) {
    if (f->words)
        RD_TRY(finish_words(f));
    return rd_attributor_finish(f->attributor, profile);
}
