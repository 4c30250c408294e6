/* Moves the counts of library code to the user's own code. See rd_profile_show_own().
 *
 * A line of the profile has one chain of inlined calls, so the whole line moves to the innermost call
 * frame of own code in this chain. A line of a library function that was called, not inlined, is divided
 * among the innermost call frames of own code in the tree of calling contexts. A library line that no own
 * code has called stays where it is, and so does every line of a library if the profile has no calling
 * contexts. Every sum stays exact.
 */
#include "profile/own_view.h"

#include "profile/hist.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- own files ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_own(const rdi_own_view *v, const char *file) {
    if (v->own->n || !v->old->n_own)
        return rdi_own_file(v->own, file, NULL);
    return bsearch(&file, v->old->own, v->old->n_own, sizeof *v->old->own, compare_names) != NULL;
}

/* Splits "FILE:LINE" into *file, which is allocated in the arena, and *line. */
static rd_status split_place(const rdi_own_view *v, const char *text, const char **file,
                             uint64_t *line) {
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    char *name = rdi_arena_alloc(v->arena, n + 1, 1);
    if (!name)
        return RD_ENOMEM;
    memcpy(name, text, n);
    *file = name;
    *line = colon ? strtoull(colon + 1, NULL, 10) : 0;
    return RD_OK;
}

static const char *file_of(const rd_attribution *a, const rd_code_line *line) {
    return line->source == RD_NO_INDEX ? NULL : a->sources[line->source];
}

/* Sets *out to the innermost call frame of own code among the line itself and the calls through which it
 * was inlined. If there is none, *out does not change. */
static rd_status find_inlined(const rdi_own_view *v, const rd_code_line *line,
                              rdi_shown_line *out) {
    const char *file = file_of(v->old, line);
    if (line->function == RD_NO_INDEX)
        return RD_OK;
    if (file && is_own(v, file)) {
        out->function = v->old->functions[line->function].name;
        out->module = v->old->functions[line->function].module;
        out->file = file;
        out->line = line->line;
        return RD_OK;
    }
    for (size_t i = 0; i < line->n_inlined_from; i++) {
        uint64_t number;
        RD_TRY(split_place(v, line->inlined_from[i], &file, &number));
        if (!is_own(v, file))
            continue;
        out->function = line->inlined_functions ? line->inlined_functions[i] : "?";
        out->module = v->old->functions[line->function].module;
        out->file = file;
        out->line = number;
        out->moved = true;
        return RD_OK;
    }
    return RD_OK;
}

/* ---- new lines and functions ---- */

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int compare_shown(const void *a, const void *b) {
    const rdi_shown_line *x = *(rdi_shown_line *const *)a, *y = *(rdi_shown_line *const *)b;
    int order = (x->file != NULL) - (y->file != NULL);
    if (x->file && y->file) {
        order = strcmp(x->file, y->file);
        order = order ? order : (x->line > y->line) - (x->line < y->line);
        order = order ? order : strcmp(x->function, y->function);
    }
    return order ? order : (x > y) - (x < y); /* the shares are in the order of the old lines */
}

static bool is_same_place(const rdi_shown_line *a, const rdi_shown_line *b) {
    return a->file && b->file && strcmp(a->file, b->file) == 0 && a->line == b->line &&
           strcmp(a->function, b->function) == 0;
}

static void add_share(rd_share *to, const rd_share *from) {
    to->references += from->references;
    to->infinite += from->infinite;
    rdi_sum_add(&to->distance_sum, from->distance_sum);
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += from->misses[k];
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        to->bins[k] += from->bins[k];
}

static void take_share(rd_share *to, const rd_share *from) {
    to->references -= from->references;
    to->infinite -= from->infinite;
    to->distance_sum =
        rdi_sum_narrow(rdi_sum_wide(to->distance_sum) - rdi_sum_wide(from->distance_sum));
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] -= from->misses[k];
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        to->bins[k] -= from->bins[k];
}

static size_t find_source(rdi_own_view *v, const char *file) {
    const char **names = (const char **)(uintptr_t)v->is->sources; /* copy_old() made this array */
    for (size_t i = 0; i < v->is->n_sources; i++)
        if (strcmp(names[i], file) == 0)
            return i;
    names[v->is->n_sources] = file;
    return v->is->n_sources++;
}

/* Returns the index of the function with this name in the module or in the source file, and adds the
 * function if it is new. */
static size_t find_function(rdi_own_view *v, const char *name, const char *module, size_t source) {
    for (size_t i = 0; i < v->is->n_functions; i++)
        if (strcmp(v->functions[i].name, name) == 0 &&
            (is_same_text(v->functions[i].module, module) || v->functions[i].source == source))
            return i;
    v->functions[v->is->n_functions] =
        (rd_code_function){.name = name, .module = module, .source = source};
    return v->is->n_functions++;
}

/* Moves the counts of a share from its library function `from` to function `to` of own code. */
static void move_to_function(rdi_own_view *v, const rdi_shown_line *s, size_t from, size_t to) {
    size_t n = v->causes ? v->causes->n_caches : 0;
    if (from == to || v->functions[from].share.references < s->share->references)
        return; /* the second case occurs only in a damaged profile */
    take_share(&v->functions[from].share, s->share);
    add_share(&v->functions[to].share, s->share);
    for (size_t k = 0; k < n; k++) {
        const rd_causes *c = &s->causes[k];
        rd_causes *less = &v->function_causes[from * n + k],
                  *more = &v->function_causes[to * n + k];
        less->cold -= c->cold, less->capacity -= c->capacity, less->conflict -= c->conflict;
        more->cold += c->cold, more->capacity += c->capacity, more->conflict += c->conflict;
    }
}

static uint64_t all_misses(const rdi_own_view *v, const rd_share *share) {
    uint64_t sum = 0;
    for (size_t k = 0; k < v->d->n_levels; k++)
        sum += share->misses[k];
    return sum;
}

/* Adds the counts of a share to the new line `to`. `*most` is the largest number of misses, summed over
 * the levels, of a share of `to` so far; a share with more sets the library function of `to`. */
static void add_line(rdi_own_view *v, const rdi_shown_line *s, rd_code_line *to, uint64_t *most) {
    const rd_code_line *line = &v->old->lines[s->old];
    uint64_t weight = all_misses(v, s->share);
    if (!to->share.references || weight > *most) {
        to->library = s->moved && line->function != RD_NO_INDEX
                          ? v->old->functions[line->function].name
                          : line->library;
        *most = weight;
    }
    if (!s->moved)
        to->text = line->text;
    else if (line->function != RD_NO_INDEX) /* the functions of "(others)" are not known */
        move_to_function(v, s, line->function, to->function);
    add_share(&to->share, s->share);
}

/* Adds "and others" to the library function of a new line if less than nine tenths of the misses, summed over
 * the levels, are in this function. */
static rd_status name_library(rdi_own_view *v, rdi_shown_line **parts, size_t n,
                              rd_code_line *line) {
    uint64_t within = 0;
    for (size_t i = 0; i < n && line->library; i++) {
        size_t function = v->old->lines[parts[i]->old].function;
        if (function != RD_NO_INDEX && parts[i]->moved &&
            strcmp(v->old->functions[function].name, line->library) == 0)
            within += all_misses(v, parts[i]->share);
    }
    uint64_t all = all_misses(v, &line->share);
    if (!line->library || within >= all - all / 10)
        return RD_OK;
    size_t room = strlen(line->library) + sizeof " and others";
    char *name = rdi_arena_alloc(v->arena, room, 1);
    if (!name)
        return RD_ENOMEM;
    snprintf(name, room, "%s and others", line->library);
    line->library = name;
    return RD_OK;
}

/* Returns the text of a line, or NULL if the profile does not have it. */
static const char *text_of(const rd_attribution *a, size_t source, uint64_t line) {
    for (size_t i = 0; i < a->n_lines; i++)
        if (a->lines[i].source == source && a->lines[i].line == line && a->lines[i].text)
            return a->lines[i].text;
    for (size_t i = 0; i < a->n_snippets; i++)
        if (a->snippets[i].source == source && line >= a->snippets[i].first &&
            line - a->snippets[i].first < a->snippets[i].n)
            return a->snippets[i].lines[line - a->snippets[i].first];
    return NULL;
}

/* Makes a new line from all shares, beginning with parts[0], that are shown at the same place. Returns
 * the number of these shares. */
static size_t make_line(rdi_own_view *v, rdi_shown_line **parts, size_t n, rd_code_line *out) {
    const rdi_shown_line *s = parts[0];
    size_t members = 1;
    uint64_t most = 0;
    const rd_code_line *first = &v->old->lines[s->old];
    if (!s->file) {
        *out = *first;
        out->share = *s->share;
        return 1;
    }
    while (members < n && is_same_place(s, parts[members]))
        members++;
    size_t source = find_source(v, s->file);
    *out = (rd_code_line){.source = source, .line = s->line};
    out->function = s->moved ? find_function(v, s->function, s->module, source) : first->function;
    for (size_t i = 0; i < members; i++)
        add_line(v, parts[i], out, &most);
    if (members == 1 && !s->moved) {
        out->inlined_from = first->inlined_from;
        out->n_inlined_from = first->n_inlined_from;
        out->inlined_functions = first->inlined_functions;
    }
    if (!out->text)
        out->text = text_of(v->old, source, s->line);
    return members;
}

/* ---- order ---- */

int rdi_by_weight(const void *a, const void *b) {
    const rdi_weighed *x = a, *y = b;
    if (x->last != y->last)
        return x->last ? 1 : -1;
    if (x->misses != y->misses)
        return x->misses > y->misses ? -1 : 1;
    if (x->references != y->references)
        return x->references > y->references ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static rdi_weighed weigh(const rd_share *s, size_t index, bool last) {
    rdi_weighed w = {.references = s->references, .index = index, .last = last};
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        w.misses += s->misses[k];
    return w;
}

/* Sorts the functions, and renumbers them in the lines. */
static rd_status sort_functions(rdi_own_view *v, size_t n_lines) {
    size_t n = v->is->n_functions, caches = v->causes ? v->causes->n_caches : 0;
    rdi_weighed *order = rdi_arena_alloc(v->arena, n, sizeof *order);
    size_t *to = rdi_arena_alloc(v->arena, n, sizeof *to);
    rd_code_function *sorted = rdi_arena_alloc(v->arena, n, sizeof *sorted);
    rd_causes *causes = rdi_arena_alloc(v->arena, n * caches + 1, sizeof *causes);
    if (!order || !to || !sorted || !causes)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        order[i] = weigh(&v->functions[i].share, i, strcmp(v->functions[i].name, "(others)") == 0);
    qsort(order, n, sizeof *order, rdi_by_weight);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = v->functions[order[i].index];
        to[order[i].index] = i;
        if (caches)
            memcpy(&causes[i * caches], &v->function_causes[order[i].index * caches],
                   caches * sizeof *causes);
    }
    for (size_t i = 0; i < n_lines; i++)
        if (v->lines[i].function != RD_NO_INDEX)
            v->lines[i].function = to[v->lines[i].function];
    v->is->functions = sorted;
    if (v->causes) {
        v->causes->functions = causes;
        v->causes->n_functions = n;
    }
    return RD_OK;
}

static void add_line_causes(rdi_own_view *v, const rdi_shown_line *s) {
    size_t n = v->causes ? v->causes->n_caches : 0;
    for (size_t k = 0; k < n; k++) {
        rd_causes *to = &v->line_causes[s->into * n + k];
        to->cold += s->causes[k].cold, to->capacity += s->causes[k].capacity,
            to->conflict += s->causes[k].conflict;
    }
}

/* Makes a new line of all shares that are shown at the same place, and sorts the new lines. */
static rd_status make_lines(rdi_own_view *v) {
    size_t n = v->n_at, made = 0;
    rdi_shown_line **parts = rdi_arena_alloc(v->arena, n, sizeof *parts);
    rd_code_line *lines = rdi_arena_alloc(v->arena, n, sizeof *lines);
    rd_code_line *sorted = rdi_arena_alloc(v->arena, n, sizeof *sorted);
    rdi_weighed *order = rdi_arena_alloc(v->arena, n, sizeof *order);
    size_t *to = rdi_arena_alloc(v->arena, n, sizeof *to);
    if (!parts || !lines || !sorted || !order || !to)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        parts[i] = &v->at[i];
    qsort(parts, n, sizeof *parts, compare_shown);
    for (size_t i = 0, members; i < n; i += members, made++) {
        members = make_line(v, &parts[i], n - i, &lines[made]);
        if (v->contexts)
            RD_TRY(name_library(v, &parts[i], members, &lines[made]));
        for (size_t k = 0; k < members; k++)
            parts[i + k]->into = made;
    }
    for (size_t i = 0; i < made; i++)
        order[i] = weigh(&lines[i].share, i, lines[i].function == RD_NO_INDEX);
    qsort(order, made, sizeof *order, rdi_by_weight);
    for (size_t i = 0; i < made; i++) {
        sorted[i] = lines[order[i].index];
        to[order[i].index] = i;
    }
    for (size_t i = 0; i < n; i++) {
        v->at[i].into = to[v->at[i].into];
        add_line_causes(v, &v->at[i]);
    }
    v->lines = sorted;
    v->is->lines = sorted;
    v->is->n_lines = made;
    return sort_functions(v, made);
}

/* ---- all ---- */

/* Copies the lists that change. There are at most as many new functions and files as shares. */
static rd_status copy_old(rdi_own_view *v) {
    const rd_attribution *old = v->old;
    const rd_miss_causes *causes = v->d->causes;
    size_t functions = old->n_functions + v->n_at, n = causes ? causes->n_caches : 0;
    const char **sources = rdi_arena_alloc(v->arena, old->n_sources + v->n_at, sizeof *sources);
    v->is = rdi_arena_alloc(v->arena, 1, sizeof *v->is);
    v->functions = rdi_arena_alloc(v->arena, functions, sizeof *v->functions);
    v->line_causes = rdi_arena_alloc(v->arena, v->n_at * n + 1, sizeof *v->line_causes);
    v->function_causes = rdi_arena_alloc(v->arena, functions * n + 1, sizeof *v->function_causes);
    if (!sources || !v->is || !v->functions || !v->line_causes || !v->function_causes)
        return RD_ENOMEM;
    *v->is = *old;
    memcpy(sources, old->sources, old->n_sources * sizeof *sources);
    memcpy(v->functions, old->functions, old->n_functions * sizeof *v->functions);
    v->is->sources = sources;
    if (!causes)
        return RD_OK;
    if (!(v->causes = rdi_arena_alloc(v->arena, 1, sizeof *v->causes)))
        return RD_ENOMEM;
    *v->causes = *causes;
    memcpy(v->function_causes, causes->functions,
           causes->n_functions * n * sizeof *v->function_causes);
    return RD_OK;
}

/* Lists the own files among the sources of the new lines. */
static rd_status list_own(rdi_own_view *v) {
    size_t n = 0;
    const char **own = rdi_arena_alloc(v->arena, v->is->n_sources, sizeof *own);
    if (!own)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->is->n_sources; i++)
        if (is_own(v, v->is->sources[i]))
            own[n++] = v->is->sources[i];
    if (n)
        qsort(own, n, sizeof *own, compare_names);
    v->is->own = own;
    v->is->n_own = n;
    return RD_OK;
}

static rd_status place_lines(rdi_own_view *v) {
    const rd_miss_causes *causes = v->d->causes;
    v->placed = rdi_arena_alloc(v->arena, v->old->n_lines, sizeof *v->placed);
    if (!v->placed)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_lines; i++) {
        v->placed[i].old = i;
        v->placed[i].share = &v->old->lines[i].share;
        v->placed[i].causes = causes ? &causes->lines[i * causes->n_caches] : NULL;
        RD_TRY(find_inlined(v, &v->old->lines[i], &v->placed[i]));
    }
    return RD_OK;
}

static rd_status show_own(rdi_own_view *v) {
    RD_TRY(place_lines(v));
    if (v->d->contexts)
        RD_TRY(rdi_own_view_frames(v));
    RD_TRY(rdi_own_view_divide(v));
    RD_TRY(copy_old(v));
    RD_TRY(make_lines(v));
    RD_TRY(list_own(v));
    return rdi_own_view_renumber(v);
}

rd_status rd_profile_show_own(rd_profile *p, const char *const *own, size_t n) {
    RDI_NEED(rdi_profile_ctx(p), p);
    if (n)
        RDI_NEED(rdi_profile_ctx(p), own);
    rdi_details *details = rdi_profile_section(p, &rdi_section_levels);
    if (!details || !details->is.attribution || !details->is.attribution->n_lines)
        return RD_OK;
    if (!details->shown)
        details->recorded = details->is;
    details->shown = true;
    rdi_own paths = {own, n};
    rdi_own_view v = {.arena = &details->arena,
                      .d = &details->recorded,
                      .old = details->recorded.attribution,
                      .own = &paths};
    RD_TRY(show_own(&v));
    details->is.attribution = v.is;
    if (v.causes)
        details->is.causes = v.causes;
    if (v.contexts)
        details->is.contexts = v.contexts;
    return RD_OK;
}
