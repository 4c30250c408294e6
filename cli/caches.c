/* Caches that were asked for, and those of this machine. See caches.h. */
#include "caches.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const rd_level *)a)->bytes, y = ((const rd_level *)b)->bytes;
    return (x > y) - (x < y);
}

/* ---- those that were asked for ---- */

/* One "NAME=SIZE" or "SIZE"; without a name it stays empty. */
static int parse_one(rd_ctx *ctx, char *text, rd_level *out) {
    char *equals = strchr(text, '='), *size = equals ? equals + 1 : text;
    if (equals) {
        *equals = '\0';
        if (equals == text || strlen(text) >= sizeof out->name)
            return fail_usage("--caches: '%.80s' is no name of a cache: 1 to %zu characters", text,
                              sizeof out->name - 1);
        strcpy(out->name, text);
    }
    if (rd_parse_size(ctx, size, &out->bytes) != RD_OK)
        return fail_usage("--caches: %s", rd_last_error(ctx));
    return out->bytes ? EXIT_OK : fail_usage("--caches: a cache of 0 bytes holds nothing");
}

static int parse_all(rd_ctx *ctx, char *text, cache_list *list) {
    for (char *item = text, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        if (list->n == RD_LEVELS_MAX)
            return fail_usage("--caches: more than %d caches", RD_LEVELS_MAX);
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
                return fail_usage("--caches: two caches are called %s", list->level[i].name);
    return EXIT_OK;
}

int caches_parse(rd_ctx *ctx, const char *text, cache_list *out) {
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

/* ---- those of this machine ---- */

/* The first word of a file that Linux keeps for a cache; false when there is none. */
static bool read_word(unsigned index, const char *file, char word[32]) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, file);
    FILE *in = fopen(path, "re");
    if (!in)
        return false;
    bool found = fscanf(in, "%31s", word) == 1;
    fclose(in);
    return found;
}

bool caches_of_machine(rd_ctx *ctx, cache_list *out) {
    cache_list list = {0};
    char type[32], level[32], size[32];
    for (unsigned i = 0; list.n < RD_LEVELS_MAX && read_word(i, "type", type); i++) {
        rd_level *next = &list.level[list.n];
        if (strcmp(type, "Instruction") == 0 || !read_word(i, "level", level) ||
            !read_word(i, "size", size) || rd_parse_size(ctx, size, &next->bytes) != RD_OK ||
            next->bytes == 0)
            continue;
        snprintf(next->name, sizeof next->name, "L%.8s", level);
        list.n++;
    }
    bool told = list.n > 0;
    if (!told)
        list = (cache_list){3, {{"L1", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}}};
    qsort(list.level, list.n, sizeof *list.level, by_bytes);
    *out = list;
    return told;
}
