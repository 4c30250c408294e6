/* Parses the options of attribution. See attribute.h. */
#include "attribute.h"

#include <stdlib.h>
#include <string.h>

/* Parses "PATH" or "PATH@ADDRESS". The caller frees *path. Returns false if memory is exhausted. */
static bool parse_object(const char *text, char **path, rd_object_file *out) {
    const char *at = strrchr(text, '@');
    char *end = NULL;
    *path = strdup(text);
    *out = (rd_object_file){.path = *path, .address = RD_UNKNOWN};
    if (!*path || !at)
        return *path != NULL;
    uint64_t address = strtoull(at + 1, &end, 0);
    if (at[1] && !*end) { /* otherwise the '@' belongs to the path */
        out->address = address;
        (*path)[at - text] = '\0';
    }
    return true;
}

int attribute_parse(rd_ctx *ctx, const attribute_options *o, attribute_choice *out) {
    *out = (attribute_choice){.config = {.size = sizeof out->config,
                                         .windows = (size_t)o->windows,
                                         .spatial = o->spatial,
                                         .own = o->own.value,
                                         .n_own = o->own.n,
                                         .contexts = o->contexts == CONTEXTS_ON,
                                         .objects = out->objects,
                                         .n_objects = o->objects.n}};
    for (size_t i = 0; i < o->objects.n; i++)
        if (!parse_object(o->objects.value[i], &out->paths[i], &out->objects[i]))
            return fail("out of memory");
    if (!o->caches && !o->machine)
        return EXIT_OK;
    int status = caches_choose(ctx, o->caches, o->machine, &out->caches);
    out->config.levels = out->caches.level;
    out->config.n_levels = out->caches.n;
    out->config.levels_in_bytes = out->caches.has_unit;
    return status;
}

void attribute_free(attribute_choice *choice) {
    for (size_t i = 0; i < RD_STRINGS_MAX; i++)
        free(choice->paths[i]);
}
