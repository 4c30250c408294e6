/* Opens an attributor, handles events, and makes the result. counting.c counts references. See
 * attributor.h. */
#include "attribution/attributor.h"
#include "attribution/call_frames.h"
#include "attribution/call_tree.h"
#include "base/sized.h"
#include "base/text.h"

#include "reusedist/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static int by_size(const void *a, const void *b) {
    const rd_level *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static rd_status take_levels(rd_attributor *a, const rd_attributor_config *config) {
    uint64_t blocks[RD_LEVELS_MAX];
    size_t n = config->n_levels;
    if (n > RD_LEVELS_MAX)
        return rdi_fail(a->ctx, RD_EINVAL, "there are %zu cache levels; at most %d are supported",
                        n, RD_LEVELS_MAX);
    if (n && !config->levels)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "rd_attributor_config.n_levels is %zu, but levels is NULL", n);
    if (n)
        memcpy(a->levels, config->levels, n * sizeof *a->levels);
    qsort(a->levels, n, sizeof *a->levels, by_size);
    for (size_t k = 0; k < n; k++) {
        if (!memchr(a->levels[k].name, 0, sizeof a->levels[k].name))
            return rdi_fail(a->ctx, RD_EINVAL,
                            "the name of a cache level has no terminating NUL byte");
        if (!rdi_text_is_printable(a->levels[k].name))
            return rdi_fail(a->ctx, RD_EINVAL, "the name of a cache level has a control character");
        if (a->levels[k].bytes == 0)
            return rdi_fail(a->ctx, RD_EINVAL, "cache %s has a size of 0; give at least one block",
                            a->levels[k].name);
        blocks[k] = a->levels[k].bytes / (config->block_bytes ? config->block_bytes : 1);
        blocks[k] = blocks[k] ? blocks[k] : 1;
        if (config->bound && blocks[k] > config->bound)
            return rdi_fail(a->ctx, RD_EINVAL,
                            "cache %s holds %" PRIu64
                            " blocks, which is above the bound of %" PRIu64
                            " blocks; raise the bound, or omit the cache",
                            a->levels[k].name, blocks[k], config->bound);
    }
    rdi_steps_init(&a->steps, blocks, n);
    for (uint64_t d = 0; d < RDI_COUNT(a->near_steps); d++)
        a->near_steps[d] = (uint8_t)rdi_step_of(&a->steps, d);
    a->first_miss = n ? blocks[0] : RD_COLD;
    return RD_OK;
}

/* Divides a block into at most eight words of at least 8 bytes; a smaller block is one word. For
 * example, a block of 4096 bytes has eight words of 512 bytes. Also fills the table of bit
 * counts. */
static void choose_words(rd_attributor *a) {
    uint64_t bytes = a->config.block_bytes;
    for (unsigned set = 1; set < 256; set++)
        a->bits_in[set] = (uint8_t)(a->bits_in[set / 2] + set % 2);
    a->words_per_block = 1;
    if (bytes == 0)
        return;
    a->block_bits = rdi_bit_width(bytes) - 1;
    a->word_bits = a->block_bits < 6 ? 3 : a->block_bits - 3;
    a->word_bits = a->word_bits < a->block_bits ? a->word_bits : a->block_bits;
    a->words_per_block = 1u << (a->block_bits - a->word_bits);
}

static void fill_defaults(rd_attributor_config *config) {
    if (config->windows == 0 || config->windows > RD_WINDOWS_MAX)
        config->windows = RD_WINDOWS_MAX;
    if (config->windows < 2)
        config->windows = 2;
    if (config->max_sites == 0)
        config->max_sites = (size_t)1 << 16;
    if (config->max_sites > RD_SITES_MAX)
        config->max_sites = RD_SITES_MAX;
    if (config->max_tuples == 0)
        config->max_tuples = (size_t)1 << 17;
    if (config->max_tuples < 8)
        config->max_tuples = 8;
    if (config->max_regions == 0)
        config->max_regions = (size_t)1 << 14;
    if (config->max_regions > RD_REGIONS_MAX)
        config->max_regions = RD_REGIONS_MAX;
    if (config->max_entries == 0)
        config->max_entries = 1000;
    if (config->max_contexts == 0)
        config->max_contexts = (size_t)1 << 19;
    if (config->max_call_nodes == 0)
        config->max_call_nodes = 10000;
}

/* Ends the word sets of a block that is no longer needed. */
static void drop_block(void *user, const rdi_touch *touch) {
    rdi_end_sets(user, touch, RDI_WORD_SETS);
}

static rd_status open_parts(rd_attributor *a, const rd_attributor_config *config) {
    a->config = *config;
    fill_defaults(&a->config);
    RD_TRY(take_levels(a, config));
    choose_words(a);
    RD_TRY(rdi_passes_choose(a->ctx, RDI_ISA_AUTO, &a->passes));
    rdi_modules_init(&a->modules, a->ctx);
    RD_TRY(rdi_regions_init(&a->regions, a->ctx, &a->modules, a->config.max_regions));
    RD_TRY(rdi_sites_init(&a->sites, a->ctx, a->config.max_sites));
    RD_TRY(rdi_touched_init(&a->touched, a->ctx, config->bound, drop_block, a));
    RD_TRY(rdi_tuples_init(&a->tuples, a->ctx, &a->steps, a->config.max_tuples));
    if (config->caches > RD_CACHES_MAX)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "there are %zu simulated caches; at most %d are supported", config->caches,
                        RD_CACHES_MAX);
    if (config->contexts)
        RD_TRY(rdi_contexts_init(&a->contexts, a->ctx, a->config.max_contexts));
    RD_TRY(rdi_misses_init(&a->misses, a->ctx, config->caches, a->config.max_tuples));
    return rdi_windows_init(&a->windows, a->ctx, a->config.windows);
}

rd_status rd_attributor_new(rd_ctx *ctx, const rd_attributor_config *config, rd_attributor **out) {
    RDI_NEED(ctx, ctx, out);
    rd_attributor_config known;
    RD_TRY(rdi_sized_copy(ctx, "rd_attributor_config", config, &known, sizeof known));
    config = &known;
    if (config->block_bytes & (config->block_bytes - 1))
        return rdi_fail(ctx, RD_EINVAL,
                        "the block size is %" PRIu64 " bytes; it must be a power of two",
                        config->block_bytes);
    rd_attributor *a = rdi_calloc(ctx, 1, sizeof *a);
    if (!a)
        return RD_ENOMEM;
    a->ctx = ctx;
    rd_status status = open_parts(a, config);
    if (status == RD_OK)
        *out = a;
    else
        rd_attributor_free(a);
    return status;
}

void rd_attributor_free(rd_attributor *a) {
    if (!a)
        return;
    rdi_sites_fini(&a->sites);
    rdi_touched_fini(&a->touched);
    rdi_tuples_fini(&a->tuples);
    rdi_windows_fini(&a->windows);
    rdi_regions_fini(&a->regions);
    rdi_misses_fini(&a->misses);
    rdi_contexts_fini(&a->contexts);
    rdi_modules_fini(&a->modules);
    rdi_free(a->ctx, a->word_bins);
    rdi_free(a->ctx, a);
}

rd_status rdi_attributor_is_open(const rd_attributor *a) {
    if (a->finished)
        return rdi_fail(a->ctx, RD_ESTATE, "the attribution is finished and takes no more calls");
    if (a->failed)
        return rdi_fail(a->ctx, RD_ESTATE,
                        "the attribution failed in an earlier call and takes no more calls");
    return RD_OK;
}

/* ---- events ---- */

uint32_t rdi_new_version(rd_attributor *a) {
    rdi_regions *r = &a->regions;
    /* When all versions are used up, the cached regions of all blocks are invalidated, and the
     * numbers start at 1 again. */
    if (r->newest == RDI_VERSION_LAST) {
        rdi_touched_change_all(&a->touched);
        rdi_regions_change_all(r, 1);
        r->newest = 1;
    }
    return ++r->newest;
}

static rd_status change_modules(rd_attributor *a, const rd_event *event) {
    bool replaced = false;
    if (event->kind == RD_EVENT_MODULE)
        RD_TRY(rdi_modules_add(&a->modules, event, a->sites.epoch, &replaced));
    else
        rdi_modules_remove(&a->modules, event->address, a->sites.epoch);
    rdi_regions_change_all(&a->regions, rdi_new_version(a));
    a->regions.known = true;
    return replaced ? rdi_sites_forget(&a->sites) : RD_OK;
}

/* These numbers limit the cost of events. An event is large if it affects more than
 * CHANGES_AT_ANY_TIME blocks and more than BYTES_AT_ANY_TIME bytes. The blocks of an event are
 * invalidated one by one, unless the event is large and has more than one block per
 * REFERENCES_PER_CHANGE references since the last large event. Then all blocks are invalidated at
 * once, so that the cost does not grow with the memory of the event. */
#define REFERENCES_PER_CHANGE 8
#define CHANGES_AT_ANY_TIME   256
#define BYTES_AT_ANY_TIME     16384

static void change_blocks(rd_attributor *a, uint64_t from, uint64_t to) {
    uint64_t first = from >> a->block_bits, more = (to >> a->block_bits) - first;
    uint64_t earned = (a->references - a->changed_at) / REFERENCES_PER_CHANGE;
    if (more >= CHANGES_AT_ANY_TIME && to - from >= BYTES_AT_ANY_TIME) {
        a->changed_at = a->references;
        if (more >= earned) {
            rdi_regions_change_all(&a->regions, rdi_new_version(a));
            return;
        }
    }
    rdi_touched_change(&a->touched, first, more + 1);
}

/* Sets event->pc to the innermost call in the user's own code that led to the allocation, if its
 * calling context is known and has such a call. So memory that libraries allocate belongs to the
 * code that called them. */
static rd_status find_own_caller(rd_attributor *a, rd_event *event) {
    const rdi_contexts *c = &a->contexts;
    size_t context = c->ctx ? rdi_contexts_index(c, a->caller) : 0;
    a->caller = 0;
    if (context == 0 || context == SIZE_MAX)
        return RD_OK;
    rdi_own own = {a->config.own, a->config.n_own};
    RD_TRY(rdi_contexts_own_call(&a->contexts, &a->modules, &own, context));
    size_t caller = c->call[context].own;
    if (caller && caller != context)
        event->pc = c->call[caller].pc;
    return RD_OK;
}

static rd_status change_data(rd_attributor *a, const rd_event *event) {
    uint64_t last;
    rd_event changed = *event;
    if (event->kind == RD_EVENT_ALLOCATE) {
        RD_TRY(find_own_caller(a, &changed));
        event = &changed;
    }
    if (!rdi_regions_extent(&a->regions, event, &last))
        return RD_OK;
    change_blocks(a, event->address, last);
    return rdi_regions_event(&a->regions, event, last, a->sites.epoch);
}

rd_status rd_attributor_add_object(rd_attributor *a, const char *path, uint64_t address) {
    RDI_NEED(a ? a->ctx : NULL, a, path);
    rdi_object *object = NULL;
    uint64_t low, high;
    RD_TRY(rdi_object_open(a->ctx, path, &object));
    rdi_object_span(object, &low, &high);
    rdi_object_close(object);
    if (low == high)
        return rdi_fail(a->ctx, RD_EINVAL, "%s: this file cannot be read as a program or library",
                        path);
    if (address == RD_UNKNOWN && low == 0)
        return rdi_fail(
            a->ctx, RD_EINVAL,
            "%s: this file is position-independent: give the address at which it was loaded, "
            "for example %s@0x555555554000",
            path, path);
    uint64_t bias = address == RD_UNKNOWN || address == 0 ? 0 : address - low;
    rd_event event = {.kind = RD_EVENT_MODULE, .path = path, .pc = bias};
    return rd_attributor_event(a, &event);
}

rd_status rd_attributor_event(rd_attributor *a, const rd_event *event) {
    RDI_NEED(a ? a->ctx : NULL, a, event);
    RD_TRY(rdi_attributor_is_open(a));
    if (event->kind == RD_EVENT_SYNC_RELEASE || event->kind == RD_EVENT_SYNC_ACQUIRE)
        return RD_OK; /* these events give no names to addresses */
    if (event->kind < RD_EVENT_MODULE || event->kind > RD_EVENT_CALLER)
        return rdi_fail(a->ctx, RD_EINVAL, "an event has an unknown kind, %d", (int)event->kind);
    if (event->kind == RD_EVENT_MODULE && !event->path)
        return rdi_fail(a->ctx, RD_EINVAL, "the event of a module has no path");
    if (event->kind == RD_EVENT_MODULE || event->kind == RD_EVENT_UNLOAD)
        return change_modules(a, event);
    if (event->kind == RD_EVENT_CONTEXT && a->config.contexts)
        return rdi_contexts_define(&a->contexts, event, a->sites.epoch);
    if (event->kind == RD_EVENT_CALLER)
        a->caller = event->address;
    return event->kind == RD_EVENT_CONTEXT || event->kind == RD_EVENT_CALLER
               ? RD_OK
               : change_data(a, event);
}

/* ---- simulated caches ---- */

/* Returns whether `tag` can come from rd_attributor_feed(). */
static bool is_tag(const rd_attributor *a, uint64_t tag) {
    uint32_t site = rdi_key_reuse(tag), region = rdi_key_region(tag);
    return tag <= RDI_TAG_FIELD && site != RDI_FIRST && tag & RDI_REGION_FIELD &&
           (site < a->sites.n || site == RDI_OTHERS) &&
           (region < a->regions.n || region == RDI_OTHERS);
}

rd_status rd_attributor_misses(void *user, const rd_miss *misses, size_t n) {
    rd_attributor *a = user;
    RDI_NEED(a ? a->ctx : NULL, a);
    RD_TRY(rdi_attributor_is_open(a));
    if (n)
        RDI_NEED(a->ctx, misses);
    for (size_t i = 0; i < n; i++) {
        const rd_miss *m = &misses[i];
        if (m->cache >= a->config.caches || (unsigned)m->cause > RD_CAUSE_CONFLICT ||
            !is_tag(a, m->tag) || (m->was_evicted && !is_tag(a, m->evictor_tag)))
            return rdi_fail(a->ctx, RD_EINVAL,
                            "a miss has an unknown cache, cause or tag: pass misses of a simulator "
                            "that got the tags of rd_attributor_feed()");
        RD_TRY(rdi_misses_add(&a->misses, m));
    }
    return RD_OK;
}

/* ---- the result ---- */

uint64_t rd_attributor_word_bytes(const rd_attributor *a) {
    return a && a->words_per_block > 1 ? UINT64_C(1) << a->word_bits : 0;
}

rd_status rd_attributor_set_words(rd_attributor *a, rd_profile *words) {
    RDI_NEED(a ? a->ctx : NULL, a, words);
    const rd_profile_facts *facts = rd_profile_facts_of(words);
    rd_bin *bins = NULL;
    size_t n = 0;
    RD_TRY(rdi_profile_rows_as(a->ctx, words, (rd_binning){RD_BINS_LOG, 0}, &bins, &n));
    rdi_free(a->ctx, a->word_bins);
    a->word_bins = bins;
    a->n_word_bins = n;
    a->word_references = facts->references;
    a->word_infinite = facts->infinite;
    return RD_OK;
}

static rd_status copy_word_bins(const rd_attributor *a, rdi_arena *arena, rd_spatial *s) {
    rd_bin *bins = rdi_arena_alloc(arena, a->n_word_bins, sizeof *bins);
    if (!bins)
        return RD_ENOMEM;
    if (a->n_word_bins)
        memcpy(bins, a->word_bins, a->n_word_bins * sizeof *bins);
    s->word_references = a->word_references;
    s->word_infinite = a->word_infinite;
    s->word_bins = bins;
    s->n_word_bins = a->n_word_bins;
    return RD_OK;
}

static rd_status tell_levels(const rd_attributor *a, rdi_details *d) {
    rd_level *levels = rdi_arena_alloc(&d->arena, a->config.n_levels, sizeof *levels);
    if (!levels)
        return RD_ENOMEM;
    memcpy(levels, a->levels, a->config.n_levels * sizeof *levels);
    d->is.levels = levels;
    d->is.n_levels = a->config.n_levels;
    return RD_OK;
}

static rd_status tell_spatial(rd_attributor *a, rdi_details *d) {
    rdi_touched_drop_all(&a->touched);
    if (a->words_per_block <= 1)
        return RD_OK;
    rd_spatial *s = rdi_arena_alloc(&d->arena, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->word_bytes = UINT64_C(1) << a->word_bits;
    s->blocks_loaded = a->fetched[RDI_WORD_SETS - 1];
    s->words_used = a->words[RDI_WORD_SETS - 1];
    for (size_t k = 0; k < a->config.n_levels; k++) {
        s->levels[k].fetched = a->fetched[k];
        s->levels[k].words = a->words[k];
    }
    d->is.spatial = s;
    return copy_word_bins(a, &d->arena, s);
}

static rd_status tell_contexts(rd_attributor *a, rdi_details *d) {
    const rd_attribution *from = d->is.attribution;
    rd_share total = {0};
    for (size_t i = 0; i < from->n_functions; i++) {
        total.references += from->functions[i].share.references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            total.misses[k] += from->functions[i].share.misses[k];
    }
    rdi_arena scratch = {.ctx = a->ctx};
    rd_status status = rdi_call_tree_make(a, &total, &d->arena, &scratch, &d->is.contexts);
    rdi_arena_fini(&scratch);
    return status;
}

static rd_status tell_all(rd_attributor *a, rdi_details *d) {
    RD_TRY(rdi_count_rest(a));
    RD_TRY(tell_levels(a, d));
    RD_TRY(tell_spatial(a, d));
    RD_TRY(rdi_windows_finish(&a->windows, &a->steps, &d->arena, &d->is.windows));
    RD_TRY(rdi_breakdown(a, d));
    return tell_contexts(a, d);
}

rd_status rd_attributor_finish(rd_attributor *a, rd_profile *profile) {
    RDI_NEED(a ? a->ctx : NULL, a, profile);
    RD_TRY(rdi_attributor_is_open(a));
    if (rd_profile_facts_of(profile)->references != a->references)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "the profile has %" PRIu64 " references, but %" PRIu64
                        " were fed: pass the profile of the same analysis",
                        rd_profile_facts_of(profile)->references, a->references);
    a->finished = true;
    rdi_details *details = NULL;
    RD_TRY(rdi_details_new(a->ctx, &details));
    rd_status status = tell_all(a, details);
    if (status == RD_OK)
        rdi_profile_set_details(profile, details);
    else
        rdi_details_free(details);
    return status;
}
