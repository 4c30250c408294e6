/* Parses --caches. See caches.h. */
#include "caches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const rd_level *)a)->bytes, y = ((const rd_level *)b)->bytes;
    return (x > y) - (x < y);
}

/* Parses one "NAME=SIZE" or "SIZE". Without a name, out->name stays empty. Reports a mistake and
 * returns the exit status. */
static int parse_one(rd_ctx *ctx, char *text, rd_level *out) {
    char *equals = strchr(text, '='), *size = equals ? equals + 1 : text;
    if (equals) {
        *equals = '\0';
        if (equals == text || strlen(text) >= sizeof out->name)
            return fail_usage(
                "--caches: '%.80s' is not a valid name of a cache; use 1 to %zu characters", text,
                sizeof out->name - 1);
        if (rd_text_escape(text, NULL, 0) != strlen(text))
            return fail_usage("--caches: the name '%.80s' has a control character", text);
        strcpy(out->name, text);
    }
    if (rd_parse_size(ctx, size, &out->bytes) != RD_OK)
        return fail_usage("--caches: %s; write NAME=SIZE, such as L1=32K", rd_last_error(ctx));
    return out->bytes ? EXIT_OK
                      : fail_usage("--caches: the size of a cache is 0; give at least one block");
}

static int parse_all(rd_ctx *ctx, char *text, cache_list *list) {
    for (char *item = text, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        if (list->n == RD_LEVELS_MAX)
            return fail_usage("--caches: at most %d caches are supported", RD_LEVELS_MAX);
        list->has_unit = list->has_unit || (*item && strchr("KMGTkmgt", item[strlen(item) - 1]));
        int status = parse_one(ctx, item, &list->level[list->n++]);
        if (status != EXIT_OK)
            return status;
    }
    return EXIT_OK;
}

static int check_distinct(const cache_list *list) {
    for (size_t i = 0; i < list->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(list->level[i].name, list->level[k].name) == 0)
                return fail_usage(
                    "--caches: two caches have the name %s; give each a name of its own",
                    list->level[i].name);
    return EXIT_OK;
}

/* A size with a unit is refused if blocks have no size, because K, M, G and T are units of bytes everywhere
 * else. */
int caches_in_blocks(const char *option, const rd_sizes *sizes, const rd_profile *profile,
                     uint64_t *blocks) {
    uint64_t bytes = rd_profile_facts_of(profile)->block_bytes;
    if (bytes == 0 && sizes->has_unit)
        return fail_usage("%s: " CACHES_IN_OBJECTS, option);
    for (size_t i = 0; i < sizes->n && bytes; i++)
        if (sizes->value[i] < bytes)
            return fail_usage("%s: a cache of %" PRIu64
                              " byte%s is smaller than a block, which has "
                              "%" PRIu64 " bytes; give at least one block",
                              option, sizes->value[i], sizes->value[i] == 1 ? "" : "s", bytes);
    for (size_t i = 0; i < sizes->n; i++)
        blocks[i] = bytes ? sizes->value[i] / bytes : sizes->value[i];
    return EXIT_OK;
}

/* Fills the list with the first RD_LEVELS_MAX caches of a machine, whose misses attribution counts,
 * in ascending order of size. */
static void take_machine(const rd_machine *m, cache_list *out) {
    const rd_hierarchy *h = &m->caches;
    *out = (cache_list){.has_unit = true, .has_machine = true, .machine = *m};
    for (size_t i = 0; i < h->n && i < RD_LEVELS_MAX; i++) {
        out->level[i].bytes = h->cache[i].bytes;
        strcpy(out->level[i].name, h->cache[i].name);
        out->n++;
    }
    qsort(out->level, out->n, sizeof *out->level, by_bytes);
}

/* Parses caches with ways or other keys. */
static int parse_hierarchy(rd_ctx *ctx, const char *text, cache_list *out) {
    rd_machine m = {.size = sizeof m, .line_bytes = 64};
    if (rd_hierarchy_parse(ctx, text, &m.caches) != RD_OK)
        return fail_usage("--caches: %s", rd_last_error(ctx));
    take_machine(&m, out);
    out->has_unit = m.caches.has_unit;
    return EXIT_OK;
}

int caches_choose(rd_ctx *ctx, const char *caches, const char *machine, cache_list *out) {
    rd_machine m;
    if (caches && machine)
        return fail_usage("--caches and --machine cannot be combined; give only one of them");
    if (caches)
        return caches_parse(ctx, caches, out);
    rd_status status = rd_machine_find(ctx, machine, &m);
    if (status != RD_OK)
        return fail_status(ctx, status);
    take_machine(&m, out);
    return EXIT_OK;
}

int caches_parse(rd_ctx *ctx, const char *text, cache_list *out) {
    if (strchr(text, ':'))
        return parse_hierarchy(ctx, text, out);
    cache_list list = {0};
    char *copy = strdup(text);
    if (!copy)
        return fail("out of memory");
    int status = parse_all(ctx, copy, &list);
    free(copy);
    if (status != EXIT_OK)
        return status;
    qsort(list.level, list.n, sizeof *list.level, by_bytes);
    for (size_t i = 0; i < list.n; i++)
        if (!list.level[i].name[0])
            snprintf(list.level[i].name, sizeof list.level[i].name, "L%u", (unsigned)i + 1);
    status = check_distinct(&list);
    if (status == EXIT_OK)
        *out = list;
    return status;
}
