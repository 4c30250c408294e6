/* Moves the counts of library code to the user's own code. See rd_profile_show_own().
 *
 * A line of the profile has one chain of inlined calls, so the whole line moves to the innermost call
 * frame of own code in this chain. A line of a library function that was called, not inlined, moves if all
 * its references have the same innermost call frame of own code in the tree of calling contexts.
 * Otherwise the line stays where it is, and the profile names the caller with the most misses. So every
 * sum stays exact.
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

/* ---- calling contexts ---- */

/* The references and misses of a library line that one call frame of own code has caused. */
typedef struct called {
    size_t line, frame; /* frame RD_NO_INDEX: no call frame of own code led to the line */
    uint64_t references, misses;
} called;

static int by_line_and_frame(const void *a, const void *b) {
    const called *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Returns the index of the profile's line that a call frame is at, or RD_NO_INDEX if there is none or
 * find_inlined() has already placed the line. */
static size_t line_of_frame(const rdi_own_view *v, const rd_call_frame *f) {
    for (size_t i = 0; i < v->old->n_lines; i++) {
        const rd_code_line *line = &v->old->lines[i];
        if (line->line == f->line && line->function != RD_NO_INDEX &&
            is_same_text(file_of(v->old, line), f->file) &&
            strcmp(v->old->functions[line->function].name, f->function) == 0)
            return v->at[i].file ? RD_NO_INDEX : i;
    }
    return RD_NO_INDEX;
}

static bool frame_is_own(const rdi_own_view *v, const rd_call_frame *f) {
    return v->own->n ? rdi_own_file(v->own, f->file, f->module) : f->own;
}

/* Makes an unsorted list of the references of library lines, with the call frame of own code that caused
 * them. */
static rd_status list_calls(const rdi_own_view *v, called **out, size_t *n) {
    const rd_contexts *c = v->d->contexts;
    size_t *line_of = rdi_arena_alloc(v->arena, c->n_frames, sizeof *line_of);
    size_t *own_of = rdi_arena_alloc(v->arena, c->n_nodes, sizeof *own_of);
    called *list = rdi_arena_alloc(v->arena, c->n_nodes, sizeof *list);
    if (!line_of || !own_of || !list)
        return RD_ENOMEM;
    for (size_t i = 0; i < c->n_frames; i++)
        line_of[i] = line_of_frame(v, &c->frames[i]);
    for (size_t i = 0; i < c->n_nodes; i++) {
        const rd_call_node *node = &c->nodes[i];
        bool own = frame_is_own(v, &c->frames[node->frame]);
        own_of[i] = own                           ? node->frame
                    : node->parent == RD_NO_INDEX ? RD_NO_INDEX
                                                  : own_of[node->parent];
        if (own || !node->references || line_of[node->frame] == RD_NO_INDEX)
            continue;
        list[*n] = (called){line_of[node->frame], own_of[i], node->references, 0};
        for (size_t k = 0; k < v->d->n_levels; k++)
            list[*n].misses += node->misses[k];
        (*n)++;
    }
    *out = list;
    return RD_OK;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Moves a library line to its caller if it has only one, and all its references are known to come from
 * this caller. Otherwise stores the caller with the most misses, `best`, in its called_from. Does nothing
 * if `best` is no call frame of own code. `all` has the sum over all callers, whose number is `callers`. */
static rd_status settle(rdi_own_view *v, const called *best, const called *all, size_t callers) {
    const rd_code_line *line = &v->old->lines[best->line];
    rdi_shown_line *at = &v->at[best->line];
    if (best->frame == RD_NO_INDEX)
        return RD_OK;
    const rd_call_frame *f = &v->d->contexts->frames[best->frame];
    if (callers == 1 && all->references == line->share.references) {
        at->function = f->function;
        at->module = f->module ? file_name(f->module) : NULL;
        at->file = f->file;
        at->line = f->line;
        at->moved = true;
        return RD_OK;
    }
    const char *name = file_name(f->file);
    size_t room = strlen(name) + strlen(f->function) + 32;
    char *text = rdi_arena_alloc(v->arena, room, 1);
    if (!text)
        return RD_ENOMEM;
    snprintf(text, room, "%s:%" PRIu64 " %s", name, f->line, f->function);
    v->lines[best->line].called_from = text; /* `lines` has the old order at this time */
    return RD_OK;
}

static rd_status find_callers(rdi_own_view *v) {
    called *list = NULL;
    size_t n = 0;
    RD_TRY(list_calls(v, &list, &n));
    if (n)
        qsort(list, n, sizeof *list, by_line_and_frame);
    for (size_t i = 0; i < n;) {
        called all = {.line = list[i].line}, best = {.frame = RD_NO_INDEX};
        size_t callers = 0, line = list[i].line;
        while (i < n && list[i].line == line) {
            called one = list[i];
            for (i++; i < n && by_line_and_frame(&list[i], &one) == 0; i++) {
                one.references += list[i].references;
                one.misses += list[i].misses;
            }
            callers++;
            all.references += one.references;
            if (callers == 1 || one.misses > best.misses ||
                (one.misses == best.misses && one.references > best.references))
                best = one;
        }
        RD_TRY(settle(v, &best, &all, callers));
    }
    return RD_OK;
}

/* ---- new lines and functions ---- */

static int compare_shown(const void *a, const void *b) {
    const rdi_shown_line *x = a, *y = b;
    int order = (x->file != NULL) - (y->file != NULL);
    if (x->file && y->file) {
        order = strcmp(x->file, y->file);
        order = order ? order : (x->line > y->line) - (x->line < y->line);
        order = order ? order : strcmp(x->function, y->function);
    }
    return order ? order : (x->old > y->old) - (x->old < y->old);
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

/* Moves the counts of an old line from its library function to function `to` of own code. */
static void move_to_function(rdi_own_view *v, const rd_code_line *line, size_t old, size_t to) {
    size_t from = line->function, n = v->causes ? v->causes->n_caches : 0;
    if (from == to || v->functions[from].share.references < line->share.references)
        return; /* the second case occurs only in a damaged profile */
    take_share(&v->functions[from].share, &line->share);
    add_share(&v->functions[to].share, &line->share);
    for (size_t k = 0; k < n; k++) {
        const rd_causes *c = &v->d->causes->lines[old * n + k];
        rd_causes *less = &v->function_causes[from * n + k],
                  *more = &v->function_causes[to * n + k];
        less->cold -= c->cold, less->capacity -= c->capacity, less->conflict -= c->conflict;
        more->cold += c->cold, more->capacity += c->capacity, more->conflict += c->conflict;
    }
}

/* Adds the counts of an old line to the new line `to`. `*most` is the largest number of misses, summed
 * over the levels, of an old line of `to` so far; a line with more sets the library function of `to`. */
static void add_line(rdi_own_view *v, const rdi_shown_line *s, rd_code_line *to, uint64_t *most) {
    const rd_code_line *line = &v->old->lines[s->old];
    uint64_t weight = 0;
    for (size_t k = 0; k < v->d->n_levels; k++)
        weight += line->share.misses[k];
    if (!to->share.references || weight > *most) {
        to->library = s->moved ? v->old->functions[line->function].name : line->library;
        *most = weight;
    }
    if (s->moved)
        move_to_function(v, line, s->old, to->function);
    else
        to->text = line->text;
    add_share(&to->share, &line->share);
}

/* Returns the text of a line, or NULL if no snippet shows the line. */
static const char *snippet_text(const rd_attribution *a, size_t source, uint64_t line) {
    for (size_t i = 0; i < a->n_snippets; i++)
        if (a->snippets[i].source == source && line >= a->snippets[i].first &&
            line - a->snippets[i].first < a->snippets[i].n)
            return a->snippets[i].lines[line - a->snippets[i].first];
    return NULL;
}

/* Makes a new line from all old lines, beginning with `s`, that are shown at the same place. Returns the
 * number of these old lines. */
static size_t make_line(rdi_own_view *v, rdi_shown_line *s, size_t n, rd_code_line *out) {
    size_t members = 1;
    uint64_t most = 0;
    const rd_code_line *first = &v->old->lines[s->old];
    if (!s->file) {
        const char *called_from = v->lines[s->old].called_from;
        *out = *first;
        out->called_from = called_from;
        return 1;
    }
    while (members < n && is_same_place(s, &s[members]))
        members++;
    size_t source = find_source(v, s->file);
    *out = (rd_code_line){.source = source, .line = s->line};
    out->function = s->moved ? find_function(v, s->function, s->module, source) : first->function;
    for (size_t i = 0; i < members; i++)
        add_line(v, &s[i], out, &most);
    if (members == 1 && !s->moved) {
        out->inlined_from = first->inlined_from;
        out->n_inlined_from = first->n_inlined_from;
        out->inlined_functions = first->inlined_functions;
    }
    if (!out->text)
        out->text = snippet_text(v->old, source, s->line);
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

static void add_line_causes(rdi_own_view *v, size_t old, size_t into) {
    size_t n = v->causes ? v->causes->n_caches : 0;
    for (size_t k = 0; k < n; k++) {
        const rd_causes *from = &v->d->causes->lines[old * n + k];
        rd_causes *to = &v->line_causes[into * n + k];
        to->cold += from->cold, to->capacity += from->capacity, to->conflict += from->conflict;
    }
}

/* Makes the new lines from groups of old lines, and sorts them. */
static rd_status make_lines(rdi_own_view *v) {
    size_t n = v->old->n_lines, made = 0;
    rd_code_line *lines = rdi_arena_alloc(v->arena, n, sizeof *lines);
    rd_code_line *sorted = rdi_arena_alloc(v->arena, n, sizeof *sorted);
    rdi_weighed *order = rdi_arena_alloc(v->arena, n, sizeof *order);
    size_t *to = rdi_arena_alloc(v->arena, n, sizeof *to);
    size_t *into = rdi_arena_alloc(v->arena, n, sizeof *into);
    if (!lines || !sorted || !order || !to || !into)
        return RD_ENOMEM;
    qsort(v->at, n, sizeof *v->at, compare_shown);
    for (size_t i = 0, members; i < n; i += members, made++) {
        members = make_line(v, &v->at[i], n - i, &lines[made]);
        for (size_t k = 0; k < members; k++)
            into[v->at[i + k].old] = made;
    }
    for (size_t i = 0; i < made; i++)
        order[i] = weigh(&lines[i].share, i, lines[i].function == RD_NO_INDEX);
    qsort(order, made, sizeof *order, rdi_by_weight);
    for (size_t i = 0; i < made; i++) {
        sorted[i] = lines[order[i].index];
        to[order[i].index] = i;
    }
    for (size_t i = 0; i < n; i++) {
        v->at[i].into = to[into[i]]; /* unlike the other members, `into` is in the old order */
        add_line_causes(v, i, v->at[i].into);
    }
    v->lines = sorted;
    v->is->lines = sorted;
    v->is->n_lines = made;
    return sort_functions(v, made);
}

/* ---- all ---- */

/* Copies the lists that change. There are at most as many new functions and files as old lines. */
static rd_status copy_old(rdi_own_view *v) {
    const rd_attribution *old = v->old;
    const rd_miss_causes *causes = v->d->causes;
    size_t functions = old->n_functions + old->n_lines, n = causes ? causes->n_caches : 0;
    const char **sources =
        rdi_arena_alloc(v->arena, old->n_sources + old->n_lines, sizeof *sources);
    v->is = rdi_arena_alloc(v->arena, 1, sizeof *v->is);
    v->at = rdi_arena_alloc(v->arena, old->n_lines, sizeof *v->at);
    v->lines = rdi_arena_alloc(v->arena, old->n_lines, sizeof *v->lines);
    v->functions = rdi_arena_alloc(v->arena, functions, sizeof *v->functions);
    v->line_causes = rdi_arena_alloc(v->arena, old->n_lines * n + 1, sizeof *v->line_causes);
    v->function_causes = rdi_arena_alloc(v->arena, functions * n + 1, sizeof *v->function_causes);
    if (!sources || !v->is || !v->at || !v->lines || !v->functions || !v->line_causes ||
        !v->function_causes)
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

static rd_status show_own(rdi_own_view *v) {
    RD_TRY(copy_old(v));
    for (size_t i = 0; i < v->old->n_lines; i++) {
        v->at[i].old = i;
        RD_TRY(find_inlined(v, &v->old->lines[i], &v->at[i]));
    }
    if (v->d->contexts)
        RD_TRY(find_callers(v));
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
    rdi_own paths = {own, n};
    rdi_own_view v = {
        .arena = &details->arena, .d = &details->is, .old = details->is.attribution, .own = &paths};
    RD_TRY(show_own(&v));
    details->is.attribution = v.is;
    if (v.causes)
        details->is.causes = v.causes;
    return RD_OK;
}
