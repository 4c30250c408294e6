/* Groups sites into lines and functions by sorting them. See places.h. */
#include "attribution/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names a place, whose function is unknown, after `address`: the address in its file, as tools like
 * objdump show it, or the run-time address outside of modules. */
static rd_status name_by_address(rdi_arena *arena, uint64_t address, rdi_place *place) {
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    place->function = rdi_arena_strdup(arena, text);
    return place->function ? RD_OK : RD_ENOMEM;
}

/* Stores "FILE:LINE" of each call through which the location was inlined. */
static rd_status copy_calls(rdi_arena *arena, const rdi_location *from, rdi_place *place) {
    const char **calls = rdi_arena_alloc(arena, from->n_calls, sizeof *calls);
    const char **functions = rdi_arena_alloc(arena, from->n_calls, sizeof *functions);
    if (!calls || !functions)
        return RD_ENOMEM;
    for (size_t i = 0; i < from->n_calls; i++) {
        const char *source = from->calls[i].source ? from->calls[i].source : "?";
        size_t room = strlen(source) + 24;
        char *text = rdi_arena_alloc(arena, room, 1);
        if (!text)
            return RD_ENOMEM;
        snprintf(text, room, "%s:%" PRIu64, source, from->calls[i].line);
        calls[i] = text;
        functions[i] = from->calls[i].function ? from->calls[i].function : "?";
    }
    place->inlined_from = calls;
    place->inlined_functions = functions;
    place->n_inlined_from = from->n_calls;
    return RD_OK;
}

/* Returns the first own frame of a location, as rdi_place.own describes it. */
static size_t find_own(rdi_own own, const rdi_location *from, const char *module) {
    if (rdi_own_file(&own, from->source, module))
        return 0;
    for (size_t i = 0; i < from->n_calls; i++)
        if (rdi_own_file(&own, from->calls[i].source, module))
            return i + 1;
    return RDI_NO_OWN;
}

rdi_own rdi_attributor_own(const rd_attributor *a) {
    return (rdi_own){a->config.own, a->config.n_own};
}

rd_status rdi_place_of(const rdi_modules *modules, rdi_own own, rdi_arena *arena, uint64_t pc,
                       uint32_t epoch, rdi_place *out) {
    rdi_location location;
    *out = (rdi_place){.own = RDI_NO_OWN};
    RD_TRY(rdi_modules_find(modules, pc, epoch, &location, &out->module));
    if (!location.function) {
        const rdi_module *module = rdi_modules_of_code(modules, pc, epoch);
        return name_by_address(arena, module ? pc - module->bias : pc, out);
    }
    out->function = location.function;
    out->full_name = location.full_name;
    out->function_source = location.function_source;
    out->function_line = location.function_line;
    out->source = location.source;
    out->line = location.line;
    out->own = find_own(own, &location, rdi_modules_path(modules, pc, epoch));
    return location.n_calls ? copy_calls(arena, &location, out) : RD_OK;
}

rd_status rdi_place_own_line(const rdi_place *place, rdi_arena *arena, const char **file,
                             uint64_t *number) {
    *file = place->source;
    *number = place->line;
    if (place->own == 0 || place->own == RDI_NO_OWN)
        return RD_OK;
    const char *call = place->inlined_from[place->own - 1];
    size_t n = (size_t)(strrchr(call, ':') - call);
    char *name = rdi_arena_alloc(arena, n + 1, 1);
    if (!name)
        return RD_ENOMEM;
    memcpy(name, call, n);
    *file = name;
    *number = strtoull(call + n + 1, NULL, 10);
    return RD_OK;
}

/* ---- order ---- */

static int compare_texts(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int by_function(const void *a, const void *b) {
    const rdi_place *x = a, *y = b;
    int order = compare_texts(x->module, y->module);
    order = order ? order : compare_texts(x->function, y->function);
    order = order ? order : compare_texts(x->full_name, y->full_name);
    order = order ? order : compare_texts(x->function_source, y->function_source);
    return order ? order : compare_numbers(x->function_line, y->function_line);
}

/* Returns how many calls distinguish a place from other places on its source line: all of them for
 * library code that is inlined into own code, otherwise none. So the profile tells which
 * line of own code such library code belongs to. */
static size_t calls_that_matter(const rdi_place *place) {
    return place->own == 0 || place->own == RDI_NO_OWN ? 0 : place->n_inlined_from;
}

static int compare_chains(const rdi_place *x, const rdi_place *y) {
    size_t n = calls_that_matter(x);
    int order = compare_numbers(n, calls_that_matter(y));
    for (size_t i = 0; i < n && order == 0; i++)
        order = strcmp(x->inlined_from[i], y->inlined_from[i]);
    return order;
}

static int by_line(const void *a, const void *b) {
    const rdi_place *x = a, *y = b;
    int order = by_function(x, y);
    order = order ? order : compare_texts(x->source, y->source);
    order = order ? order : compare_numbers(x->line, y->line);
    return order ? order : compare_chains(x, y);
}

static bool is_same_chain(const rdi_place *a, const rdi_place *b) {
    bool same = a->n_inlined_from == b->n_inlined_from;
    for (size_t i = 0; i < a->n_inlined_from && same; i++)
        same = strcmp(a->inlined_from[i], b->inlined_from[i]) == 0;
    return same;
}

/* ---- grouping ---- */

/* Groups the places of all sites into lines and functions. The places must be in the order of
 * by_line(), and lines and functions stay in this order. If the sites of a line were inlined
 * through different calls, the line names no calls. */
static void group(rdi_places *p, const rdi_place *sorted, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const rdi_place *site = &sorted[i];
        if (i == 0 || by_function(site, &sorted[i - 1]) != 0)
            p->functions[p->n_functions++] = *site;
        if (i == 0 || by_line(site, &sorted[i - 1]) != 0) {
            p->lines[p->n_lines] = *site;
            p->lines[p->n_lines++].function_number = (uint32_t)p->n_functions - 1;
        }
        rdi_place *line = &p->lines[p->n_lines - 1];
        if (!is_same_chain(line, site))
            line->n_inlined_from = 0;
        p->line_of[site->site] = (uint32_t)p->n_lines - 1;
    }
}

rd_status rdi_places_find(const rd_attributor *a, rdi_arena *arena, rdi_places *out) {
    size_t sites = a->sites.n, end = sites <= a->sites.max ? sites : a->sites.max + 1;
    size_t told = end - 1; /* numbers count from 1 */
    rdi_place *place = rdi_arena_alloc(arena, told, sizeof *place);
    *out = (rdi_places){.lines = rdi_arena_alloc(arena, told, sizeof *place),
                        .functions = rdi_arena_alloc(arena, told, sizeof *place),
                        .line_of = rdi_arena_alloc(arena, sites, sizeof *out->line_of)};
    if (!place || !out->lines || !out->functions || !out->line_of)
        return RD_ENOMEM;
    for (size_t i = 0; i < told; i++) {
        const rdi_site *site = &a->sites.site[i + 1];
        RD_TRY(rdi_place_of(&a->modules, rdi_attributor_own(a), arena, site->pc, site->epoch,
                            &place[i]));
        place[i].site = (uint32_t)i + 1;
    }
    qsort(place, told, sizeof *place, by_line);
    group(out, place, told);
    if (end < sites)
        out->line_of[end] = RDI_OTHERS;
    return RD_OK;
}

uint32_t rdi_places_line(const rdi_places *p, const rdi_place *place) {
    const rdi_place *found =
        p->n_lines ? bsearch(place, p->lines, p->n_lines, sizeof *p->lines, by_line) : NULL;
    return found ? (uint32_t)(found - p->lines) : RDI_OTHERS;
}
