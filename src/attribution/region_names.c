/* Names regions and places. See region_names.h. */
#include "attribution/region_names.h"

#include "symbols/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static rd_status copy_text(rdi_arena *arena, const char *text, const char **out) {
    *out = rdi_arena_strdup(arena, text);
    return *out ? RD_OK : RD_ENOMEM;
}

/* Names a place "FILE:LINE", by the first frame in the user's own code if there is one. Sets
 * *function to the function of that frame. */
static rd_status name_frame(rdi_arena *arena, const rdi_place *place, const char **function,
                            const char **out) {
    bool inlined = place->own != 0 && place->own != RDI_NO_OWN;
    *function = inlined ? place->inlined_functions[place->own - 1] : place->function;
    const char *file = file_name(inlined ? place->inlined_from[place->own - 1] : place->source);
    if (inlined)
        return copy_text(arena, file, out);
    size_t room = strlen(file) + 24;
    char *name = rdi_arena_alloc(arena, room, 1);
    if (!name)
        return RD_ENOMEM;
    snprintf(name, room, "%s:%" PRIu64, file, place->line);
    *out = name;
    return RD_OK;
}

static rd_status name_heap(rdi_arena *arena, const rdi_place *place, const char **out) {
    const char *function, *line;
    if (!place->source)
        return copy_text(arena, place->function, out);
    RD_TRY(name_frame(arena, place, &function, &line));
    size_t room = strlen(function) + strlen(line) + 4;
    char *name = rdi_arena_alloc(arena, room, 1);
    if (!name)
        return RD_ENOMEM;
    snprintf(name, room, "%s (%s)", function, line);
    *out = name;
    return RD_OK;
}

static rd_status name_stack(rdi_arena *arena, const rdi_region *region, const char **out) {
    char text[80];
    uint32_t process = (uint32_t)(region->key >> 32), thread = (uint32_t)region->key;
    if (process)
        snprintf(text, sizeof text, "stack of thread %" PRIu32 " of process %" PRIu32, thread,
                 process + 1);
    else
        snprintf(text, sizeof text, "stack of thread %" PRIu32, thread);
    return copy_text(arena, text, out);
}

static rd_status name_static(rdi_arena *arena, rdi_arena *scratch, const rdi_region *region,
                             const char **out) {
    static const char before[] = "other data of ";
    if (region->most) {
        const char *full, *readable;
        RD_TRY(rdi_symbol_names(scratch, region->name, &full, &readable));
        return copy_text(arena, readable, out);
    }
    char *name = rdi_arena_alloc(arena, sizeof before + strlen(region->name), 1);
    if (!name)
        return RD_ENOMEM;
    strcpy(stpcpy(name, before), region->name);
    *out = name;
    return RD_OK;
}

rd_status rdi_region_name(const rdi_modules *modules, rdi_own own, rdi_arena *arena,
                          rdi_arena *scratch, const rdi_region *region, rdi_place *place,
                          const char **out) {
    *place = (rdi_place){0};
    switch (region->kind) {
    case RD_DATA_HEAP:
        if (region->key == 0)
            return copy_text(arena, "heap", out);
        RD_TRY(rdi_place_of(modules, own, scratch, region->key, region->epoch, place));
        return name_heap(arena, place, out);
    case RD_DATA_STACK:
        return name_stack(arena, region, out);
    case RD_DATA_GLOBAL:
        return name_static(arena, scratch, region, out);
    default:
        return copy_text(arena, "other memory", out);
    }
}

rd_status rdi_place_name(rdi_arena *arena, const rdi_place *place, const char **out) {
    const char *function;
    return place->source ? name_frame(arena, place, &function, out)
                         : copy_text(arena, place->function, out);
}
