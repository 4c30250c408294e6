/* Groups sites by sorting. See places.h. */
#include "attribution/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program counter of which nothing else is known is a function and a line of its own. */
static rd_status name_by_address(rdi_arena *arena, uint64_t pc, rdi_place *place) {
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, pc);
    place->function = rdi_arena_strdup(arena, text);
    return place->function ? RD_OK : RD_ENOMEM;
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
    order = order ? order : compare_texts(x->function_source, y->function_source);
    return order ? order : compare_numbers(x->function_line, y->function_line);
}

static int by_line(const void *a, const void *b) {
    const rdi_place *x = a, *y = b;
    int order = by_function(x, y);
    order = order ? order : compare_texts(x->source, y->source);
    return order ? order : compare_numbers(x->line, y->line);
}

static bool is_same_chain(const rdi_place *a, const rdi_place *b) {
    bool same = a->n_inlined_from == b->n_inlined_from;
    for (size_t i = 0; i < a->n_inlined_from && same; i++)
        same = strcmp(a->inlined_from[i], b->inlined_from[i]) == 0;
    return same;
}

/* ---- grouping ---- */

/* `sorted`: a place per site. Lines and functions are made in place order. */
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
    size_t sites = a->sites.n, told = sites < a->sites.max ? sites : a->sites.max;
    rdi_place *place = rdi_arena_alloc(arena, told, sizeof *place);
    *out = (rdi_places){.lines = rdi_arena_alloc(arena, told, sizeof *place),
                        .functions = rdi_arena_alloc(arena, told, sizeof *place),
                        .line_of = rdi_arena_alloc(arena, sites, sizeof *out->line_of)};
    if (!place || !out->lines || !out->functions || !out->line_of)
        return RD_ENOMEM;
    for (size_t i = 0; i < told; i++) {
        place[i].site = (uint32_t)i;
        RD_TRY(name_by_address(arena, a->sites.site[i].pc, &place[i]));
    }
    qsort(place, told, sizeof *place, by_line);
    group(out, place, told);
    if (told < sites)
        out->line_of[told] = RDI_OTHERS;
    return RD_OK;
}
