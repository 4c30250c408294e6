/* Parses, checks and writes descriptions of cache hierarchies. See reusedist/hierarchy.h. */
#include "reusedist/hierarchy.h"

#include "base/common.h"
#include "base/sized.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The keys of a cache as the option table stores them. Enumerations have the width of uint32_t in
 * option tables, whatever the compiler chooses for the enumeration. */
typedef struct cache_keys {
    uint32_t policy, write, fill, prefetch, index;
    uint64_t latency, seed;
    bool shared;
} cache_keys;

#define FIELD(name) offsetof(cache_keys, name)

static const rd_opt key_table[] = {
    {.name = "policy",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(policy),
     .def = "lru",
     .choices = "lru|plru|rrip|random"},
    {.name = "write",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(write),
     .def = "back",
     .choices = "back|through"},
    {.name = "fill",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(fill),
     .def = "nine",
     .choices = "nine|inclusive|exclusive"},
    {.name = "prefetch",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(prefetch),
     .def = "none",
     .choices = "none|next|stream"},
    {.name = "index",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(index),
     .def = "mod",
     .choices = "mod|hash"},
    {.name = "latency", .type = RD_OPT_U64, .offset = FIELD(latency), .def = "0", .max = 1e9},
    {.name = "shared", .type = RD_OPT_BOOL, .offset = FIELD(shared), .def = "no"},
    {.name = "seed", .type = RD_OPT_U64, .offset = FIELD(seed), .def = "0"},
    {0}};

/* ---- parsing ---- */

/* Parses the name before '=' and ends `text` there. Sets *rest to the text after '='. In all
 * parsing functions, `where` is the beginning of messages: it names the cache as the user wrote
 * it. */
static rd_status parse_name(rd_ctx *ctx, const char *where, char *text, rd_cache *c, char **rest) {
    char *equals = strchr(text, '='), *colon = strchr(text, ':');
    if (!equals || (colon && colon < equals))
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: the name is missing: write NAME=SIZE, such as L1=32K:8", where);
    *equals = '\0';
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof c->name)
        return rdi_fail(ctx, RD_EINVAL, "%s: '%.80s' is not a valid name: use 1 to %zu characters",
                        where, text, sizeof c->name - 1);
    if (strpbrk(text, " \"\\") || !rdi_text_is_printable(text))
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: the name has a space, a quote, a backslash or a control character",
                        where);
    memcpy(c->name, text, n + 1);
    *rest = equals + 1;
    return RD_OK;
}

static rd_status parse_size(rd_ctx *ctx, const char *where, const char *text, uint64_t *out) {
    char cause[200];
    if (rd_parse_size(ctx, text, out) != RD_OK) {
        snprintf(cause, sizeof cause, "%s", rd_last_error(ctx));
        return rdi_fail(ctx, RD_EINVAL, "%s: %s", where, cause);
    }
    return *out ? RD_OK
                : rdi_fail(ctx, RD_EINVAL, "%s: the size is 0; give at least one block", where);
}

static rd_status parse_ways(rd_ctx *ctx, const char *where, const char *text, uint64_t *out) {
    if (rd_parse_size(ctx, text, out) != RD_OK)
        return rdi_fail(ctx, RD_EINVAL, "%s: '%.80s' is neither a number of ways nor KEY=VALUE",
                        where, text);
    return *out ? RD_OK
                : rdi_fail(ctx, RD_EINVAL,
                           "%s: a cache has at least 1 way; leave the ways out for a fully "
                           "associative cache",
                           where);
}

static const char *key_name(size_t index) {
    return key_table[index].name;
}

static rd_status fail_unknown_key(rd_ctx *ctx, const char *where, const char *key) {
    char valid[128], room[RD_SUGGESTION_ROOM];
    rd_suggestion close = rd_suggest(key, strlen(key));
    if (strcmp(key, "line") == 0 || strcmp(key, "block") == 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: unknown key '%s': all caches have blocks of one size, which -b sets",
                        where, key);
    rdi_list_names(valid, sizeof valid, key_name);
    for (const rd_opt *o = key_table; o->name; o++)
        rd_suggest_offer(&close, o->name, strlen(o->name));
    return rdi_fail(ctx, RD_EINVAL, "%s: unknown key '%.80s'%s (valid: %s)", where, key,
                    rd_suggest_text(&close, "", room), valid);
}

static rd_status parse_key(rd_ctx *ctx, const char *where, char *text, cache_keys *keys) {
    char *value = strchr(text, '=');
    if (!value)
        return rdi_fail(ctx, RD_EINVAL, "%s: '%.80s' is not KEY=VALUE", where, text);
    *value++ = '\0';
    for (const rd_opt *o = key_table; o->name; o++)
        if (strcmp(o->name, text) == 0)
            return rd_opts_set(ctx, where, key_table, keys, text, value);
    return fail_unknown_key(ctx, where, text);
}

/* Ends `text` at the next ':' and returns the text after it, or NULL if there is none. */
static char *split(char *text) {
    char *colon = strchr(text, ':');
    if (colon)
        *colon++ = '\0';
    return colon;
}

/* Returns whether a size is written with a unit. */
static bool has_unit(const char *size) {
    size_t n = strlen(size);
    return n > 0 && strchr("KMGTkmgt", size[n - 1]) != NULL;
}

static void store_keys(const cache_keys *keys, rd_cache *c) {
    c->policy = (rd_cache_policy)keys->policy;
    c->write = (rd_cache_write)keys->write;
    c->fill = (rd_cache_fill)keys->fill;
    c->prefetch = (rd_cache_prefetch)keys->prefetch;
    c->index = (rd_cache_index)keys->index;
    c->latency = (uint32_t)keys->latency;
    c->shared = keys->shared;
    c->seed = keys->seed;
}

/* Parses the description of one cache, which is split in place. Sets *unit to true if its size has
 * a unit. */
static rd_status parse_parts(rd_ctx *ctx, const char *where, char *text, rd_cache *c, bool *unit) {
    cache_keys keys = {0};
    char *size = NULL;
    RD_TRY(rd_opts_default(ctx, key_table, &keys));
    RD_TRY(parse_name(ctx, where, text, c, &size));
    char *part = split(size);
    RD_TRY(parse_size(ctx, where, size, &c->bytes));
    *unit = *unit || has_unit(size);
    for (bool first = true; part; first = false) {
        char *next = split(part);
        RD_TRY(first && !strchr(part, '=') ? parse_ways(ctx, where, part, &c->ways)
                                           : parse_key(ctx, where, part, &keys));
        part = next;
    }
    store_keys(&keys, c);
    return RD_OK;
}

static rd_status parse_cache(rd_ctx *ctx, const char *text, size_t n, rd_hierarchy *h) {
    char where[100];
    snprintf(where, sizeof where, "cache '%.*s'", (int)(n < 80 ? n : 80), text);
    if (h->n == RD_CACHES_MAX)
        return rdi_fail(ctx, RD_EINVAL, "%s: at most %d caches are supported", where,
                        RD_CACHES_MAX);
    char *copy = rdi_alloc(ctx, n + 1, 1);
    if (!copy)
        return RD_ENOMEM;
    memcpy(copy, text, n);
    copy[n] = '\0';
    rd_status status = parse_parts(ctx, where, copy, &h->cache[h->n++], &h->has_unit);
    rdi_free(ctx, copy);
    return status;
}

/* ---- checks ---- */

bool rd_hierarchy_is_split(const rd_hierarchy *h) {
    if (!h || h->n < 2)
        return false;
    const char *a = h->cache[0].name, *b = h->cache[1].name;
    return (strcmp(a, "L1I") == 0 && strcmp(b, "L1D") == 0) ||
           (strcmp(a, "L1D") == 0 && strcmp(b, "L1I") == 0);
}

/* A repeat hits in the innermost cache and changes nothing there: the block is the most recent one
 * already, and dirty after the first store. This is true if no prefetch evicts the block, no
 * reference changes the value of a block (rrip), no store is written through, and data and
 * instruction fetches have the same innermost cache. */
bool rd_hierarchy_takes_repeats(const rd_hierarchy *h) {
    if (!h || h->n == 0 || rd_hierarchy_is_split(h))
        return false;
    bool good = h->cache[0].policy != RD_POLICY_RRIP && h->cache[0].write == RD_WRITE_BACK;
    for (size_t i = 0; i < h->n; i++)
        good = good && h->cache[i].prefetch == RD_PREFETCH_NONE;
    return good;
}

static rd_status check_names(rd_ctx *ctx, const rd_hierarchy *h) {
    for (size_t i = 0; i < h->n; i++) {
        size_t n = strnlen(h->cache[i].name, sizeof h->cache[i].name);
        if (n == 0 || n == sizeof h->cache[i].name)
            return rdi_fail(ctx, RD_EINVAL, "cache %zu has no valid name: use 1 to %zu characters",
                            i + 1, sizeof h->cache[i].name - 1);
        for (size_t k = 0; k < i; k++)
            if (strcmp(h->cache[i].name, h->cache[k].name) == 0)
                return rdi_fail(ctx, RD_EINVAL,
                                "two caches have the name %s; give each a name of its own",
                                h->cache[i].name);
    }
    return RD_OK;
}

/* Checks that no cache is smaller than a cache inside it. L1I and L1D stand side by side, so either
 * of them may be the larger one. */
static rd_status check_order(rd_ctx *ctx, const rd_hierarchy *h) {
    const char *unit = h->has_unit ? " bytes" : ""; /* otherwise sizes may be numbers of blocks */
    for (size_t i = rd_hierarchy_is_split(h) ? 2 : 1; i < h->n; i++)
        for (size_t k = 0; k < i; k++)
            if (h->cache[i].bytes < h->cache[k].bytes)
                return rdi_fail(ctx, RD_EINVAL,
                                "%s, of size %" PRIu64 "%s, is smaller than %s, of size %" PRIu64
                                "%s; list the caches innermost first",
                                h->cache[i].name, h->cache[i].bytes, unit, h->cache[k].name,
                                h->cache[k].bytes, unit);
    return RD_OK;
}

/* Returns RD_EINVAL for an enumeration value that does not exist. Only a caller of the library can
 * set such a value; the parser accepts only valid words. */
static rd_status check_words(rd_ctx *ctx, const rd_cache *c) {
    bool good = c->policy <= RD_POLICY_RANDOM && c->write <= RD_WRITE_THROUGH &&
                c->fill <= RD_FILL_EXCLUSIVE && c->prefetch <= RD_PREFETCH_STREAM &&
                c->index <= RD_INDEX_HASH;
    return good ? RD_OK
                : rdi_fail(ctx, RD_EINVAL,
                           "%s: policy, write, fill, prefetch or index has an unknown value",
                           c->name);
}

static rd_status check_exclusive(rd_ctx *ctx, const rd_hierarchy *h) {
    size_t innermost = rd_hierarchy_is_split(h) ? 2 : 1;
    for (size_t i = 0; i < h->n; i++) {
        const rd_cache *c = &h->cache[i];
        if (c->fill == RD_FILL_EXCLUSIVE && i < innermost)
            return rdi_fail(ctx, RD_EINVAL,
                            "%s: the innermost cache cannot be exclusive, because no other cache "
                            "could fill it",
                            c->name);
        if (c->fill == RD_FILL_EXCLUSIVE && c->prefetch != RD_PREFETCH_NONE)
            return rdi_fail(ctx, RD_EINVAL,
                            "%s: an exclusive cache cannot prefetch, because only blocks that an "
                            "inner cache evicts enter it",
                            c->name);
    }
    return RD_OK;
}

static rd_status check_sets(rd_ctx *ctx, const rd_cache *c, uint64_t block_bytes) {
    uint64_t unit = block_bytes ? block_bytes : 1, blocks = c->bytes / unit;
    if (blocks == 0 || c->bytes % unit)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: %" PRIu64 " bytes are not a whole number of blocks of %" PRIu64
                        " bytes",
                        c->name, c->bytes, block_bytes);
    if (c->ways > blocks)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: %" PRIu64 " ways do not fit into a cache of %" PRIu64
                        " blocks; use at most %" PRIu64,
                        c->name, c->ways, blocks, blocks);
    if (c->ways && blocks % c->ways)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: %" PRIu64 " blocks are not a whole number of sets of %" PRIu64 " ways",
                        c->name, blocks, c->ways);
    return RD_OK;
}

static rd_status check_shape(rd_ctx *ctx, const rd_hierarchy *h) {
    if (h->n == 0 || h->n > RD_CACHES_MAX)
        return rdi_fail(ctx, RD_EINVAL, "a hierarchy has 1 to %d caches, not %zu", RD_CACHES_MAX,
                        h->n);
    RD_TRY(check_names(ctx, h));
    for (size_t i = 0; i < h->n; i++)
        RD_TRY(check_words(ctx, &h->cache[i]));
    RD_TRY(check_exclusive(ctx, h));
    return check_order(ctx, h);
}

rd_status rd_hierarchy_check(rd_ctx *ctx, const rd_hierarchy *h, uint64_t block_bytes) {
    RDI_NEED(ctx, ctx, h);
    rd_hierarchy own;
    RD_TRY(rdi_sized_copy(ctx, "rd_hierarchy", h, &own, sizeof own));
    RD_TRY(check_shape(ctx, &own));
    if (block_bytes == 0 && own.has_unit)
        return rdi_fail(ctx, RD_EINVAL,
                        "K, M, G and T are units of bytes, but here a block is an address or an "
                        "object without a size: give the number of blocks, such as L1=1000:10");
    for (size_t i = 0; i < own.n; i++)
        RD_TRY(check_sets(ctx, &own.cache[i], block_bytes));
    return RD_OK;
}

rd_status rd_hierarchy_check_private(rd_ctx *ctx, const rd_hierarchy *h) {
    RDI_NEED(ctx, ctx, h);
    rd_hierarchy own;
    RD_TRY(rdi_sized_copy(ctx, "rd_hierarchy", h, &own, sizeof own));
    RD_TRY(check_shape(ctx, &own));
    if (rd_hierarchy_is_split(&own) && own.cache[0].shared != own.cache[1].shared)
        return rdi_fail(
            ctx, RD_EINVAL,
            "one of %s and %s is shared by all threads and the other one is private; add "
            "shared=yes to both or to neither",
            own.cache[0].name, own.cache[1].name);
    for (size_t i = 1; i < own.n; i++)
        if (own.cache[i - 1].shared && !own.cache[i].shared)
            return rdi_fail(
                ctx, RD_EINVAL,
                "%s is private to each thread, but %s, inside it, is shared by all threads; "
                "add shared=yes to %s, or omit it from %s",
                own.cache[i].name, own.cache[i - 1].name, own.cache[i].name, own.cache[i - 1].name);
    if (own.cache[0].shared)
        return rdi_fail(ctx, RD_EINVAL,
                        "all caches are shared; private caches of threads need at least one cache "
                        "without shared=yes");
    return RD_OK;
}

rd_status rd_hierarchy_parse(rd_ctx *ctx, const char *text, rd_hierarchy *out) {
    RDI_NEED(ctx, ctx, text, out);
    rd_hierarchy h = {.size = sizeof h};
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        RD_TRY(parse_cache(ctx, at, n, &h));
        at += n;
        if (!*at)
            break;
    }
    RD_TRY(check_shape(ctx, &h));
    *out = h;
    return RD_OK;
}

/* ---- text ---- */

/* Adds ":KEY=WORD", where WORD is the key's choice with index `value`. Adds nothing for index 0,
 * the default. */
static void add_choice(rdi_text *t, const char *key, uint32_t value) {
    const rd_opt *o = key_table;
    while (strcmp(o->name, key) != 0)
        o++;
    const char *word = o->choices;
    for (uint32_t i = 0; i < value; i++)
        word = strchr(word, '|') + 1;
    if (value)
        rdi_text_printf(t, ":%s=%.*s", key, (int)strcspn(word, "|"), word);
}

/* Adds the description of a cache. With `unit`, a size that is a whole number of KiB gets the unit
 * K. */
static void add_cache(rdi_text *t, const rd_cache *c, bool unit) {
    bool whole = unit && c->bytes % 1024 == 0;
    rdi_text_printf(t, "%s=%" PRIu64 "%s", c->name, whole ? c->bytes / 1024 : c->bytes,
                    whole ? "K" : "");
    if (c->ways)
        rdi_text_printf(t, ":%" PRIu64, c->ways);
    add_choice(t, "policy", c->policy);
    add_choice(t, "write", c->write);
    add_choice(t, "fill", c->fill);
    add_choice(t, "prefetch", c->prefetch);
    add_choice(t, "index", c->index);
    if (c->latency)
        rdi_text_printf(t, ":latency=%" PRIu32, c->latency);
    if (c->shared)
        rdi_text_puts(t, ":shared=yes");
    if (c->seed)
        rdi_text_printf(t, ":seed=%" PRIu64, c->seed);
}

rd_status rd_hierarchy_text(rd_ctx *ctx, const rd_hierarchy *h, char **out) {
    RDI_NEED(ctx, ctx, h, out);
    rd_hierarchy own;
    RD_TRY(rdi_sized_copy(ctx, "rd_hierarchy", h, &own, sizeof own));
    RD_TRY(check_shape(ctx, &own));
    rdi_text t = rdi_text_start(ctx);
    for (size_t i = 0; i < own.n; i++) {
        if (i)
            rdi_text_putc(&t, ',');
        add_cache(&t, &own.cache[i], own.has_unit);
    }
    size_t n;
    return rdi_text_take(&t, out, &n);
}

/* ---- geometry ---- */

uint64_t rd_cache_blocks(const rd_cache *c, uint64_t block_bytes) {
    return c ? c->bytes / (block_bytes ? block_bytes : 1) : 0;
}

uint64_t rd_cache_ways(const rd_cache *c, uint64_t block_bytes) {
    return c && c->ways ? c->ways : rd_cache_blocks(c, block_bytes);
}

uint64_t rd_cache_sets(const rd_cache *c, uint64_t block_bytes) {
    uint64_t ways = rd_cache_ways(c, block_bytes);
    return ways ? rd_cache_blocks(c, block_bytes) / ways : 0;
}

/* ---- counters ---- */

void rd_cache_counts_add(rd_cache_counts *sum, const rd_cache_counts *c) {
    if (!sum || !c)
        return;
    sum->references += c->references;
    sum->misses += c->misses;
    sum->cold += c->cold;
    sum->capacity += c->capacity;
    sum->conflict += c->conflict;
    sum->writebacks += c->writebacks;
    sum->far_hits += c->far_hits;
    sum->prefetches += c->prefetches;
    sum->useful += c->useful;
    sum->useless += c->useless;
    sum->invalidations += c->invalidations;
}

void rd_level_counts_add(rd_level_counts *sum, const rd_level_counts *c) {
    if (!sum || !c)
        return;
    rd_cache_counts_add(&sum->cache, &c->cache);
    sum->coherence.coherence += c->coherence.coherence;
    sum->coherence.removals += c->coherence.removals;
    sum->coherence.upgrades += c->coherence.upgrades;
    sum->coherence.transfers += c->coherence.transfers;
    sum->coherence.dirty_transfers += c->coherence.dirty_transfers;
}
