/* Makes the tree of calls for exports. See export.h. */
#include "report/export.h"

#include "profile/profile_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a tree of lines, for profiles without calling contexts ---- */

typedef struct line_tree {
    rdi_export *e;
    rd_call_frame *frames;
    rd_call_node *nodes;
    /* Element i + 1 is 1 plus the index of the child that was last added to node i, or 0 if there is none.
     * Element 0 is the same for the outermost nodes. Only this child is compared with a new frame. Lines of
     * one function are usually neighbors in the profile; equal nodes that are not neighbors stay
     * separate. */
    size_t *newest;
} line_tree;

static bool is_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Returns the newest child of `parent` (RD_NO_INDEX: the newest outermost node) if it has this frame.
 * Otherwise adds a child with this frame and returns it. */
static size_t add_node(line_tree *t, size_t parent, const rd_call_frame *frame) {
    rdi_export *e = t->e;
    size_t *newest = &t->newest[parent == RD_NO_INDEX ? 0 : parent + 1], node = *newest;
    if (node) {
        const rd_call_frame *f = &t->frames[node - 1];
        if (f->line == frame->line && is_same(f->function, frame->function) &&
            is_same(f->file, frame->file) && is_same(f->module, frame->module))
            return node - 1;
    }
    t->frames[e->n_nodes] = *frame;
    t->nodes[e->n_nodes] = (rd_call_node){.parent = parent, .frame = e->n_nodes};
    e->n_nodes++;
    *newest = e->n_nodes;
    return e->n_nodes - 1;
}

static bool is_own(const rd_attribution *a, const char *file) {
    for (size_t i = 0; file && i < a->n_own; i++)
        if (strcmp(a->own[i], file) == 0)
            return true;
    return false;
}

/* Makes the frame of inlined call `i` of a line from its text "FILE:LINE". */
static rd_status call_frame(line_tree *t, const rd_code_line *line, size_t i, rd_call_frame *out) {
    const rd_attribution *a = t->e->d->attribution;
    const char *call = line->inlined_from[i], *colon = strrchr(call, ':');
    size_t n = colon ? (size_t)(colon - call) : strlen(call);
    char *file = rdi_arena_alloc(&t->e->arena, n + 1, 1);
    if (!file)
        return RD_ENOMEM;
    memcpy(file, call, n);
    *out = (rd_call_frame){.function = line->inlined_functions ? line->inlined_functions[i] : "?",
                           .file = file,
                           .line = colon ? strtoull(colon + 1, NULL, 10) : 0,
                           .module = a->functions[line->function].module,
                           .own = is_own(a, file),
                           .inlined = i + 1 < line->n_inlined_from};
    return RD_OK;
}

static rd_status add_line(line_tree *t, const rd_code_line *line) {
    const rd_attribution *a = t->e->d->attribution;
    size_t node = RD_NO_INDEX;
    rd_call_frame frame = {.function = "(others)"};
    if (line->function != RD_NO_INDEX) {
        for (size_t i = line->n_inlined_from; i-- > 0;) {
            RD_TRY(call_frame(t, line, i, &frame));
            node = add_node(t, node, &frame);
        }
        const rd_code_function *f = &a->functions[line->function];
        const char *file = line->source == RD_NO_INDEX ? NULL : a->sources[line->source];
        frame = (rd_call_frame){.function = f->name,
                                .file = file,
                                .line = line->line,
                                .module = f->module,
                                .own = is_own(a, file),
                                .inlined = line->n_inlined_from > 0};
    }
    node = add_node(t, node, &frame);
    t->nodes[node].references += line->share.references;
    for (size_t k = 0; k < t->e->d->n_levels; k++)
        t->nodes[node].misses[k] += line->share.misses[k];
    return RD_OK;
}

static rd_status tree_of_lines(rdi_export *e) {
    const rd_attribution *a = e->d->attribution;
    size_t most = 0;
    for (size_t i = 0; i < a->n_lines; i++)
        most += a->lines[i].n_inlined_from + 1;
    line_tree t = {.e = e,
                   .frames = rdi_arena_alloc(&e->arena, most, sizeof *t.frames),
                   .nodes = rdi_arena_alloc(&e->arena, most, sizeof *t.nodes),
                   .newest = rdi_arena_alloc(&e->arena, most + 1, sizeof *t.newest)};
    if (!t.frames || !t.nodes || !t.newest)
        return RD_ENOMEM;
    for (size_t i = 0; i < a->n_lines; i++)
        RD_TRY(add_line(&t, &a->lines[i]));
    e->frames = t.frames;
    e->n_frames = e->n_nodes;
    e->nodes = t.nodes;
    return RD_OK;
}

/* ---- the tree of calling contexts ---- */

/* Copies the tree, and adds a node for the references whose calling contexts are unknown, if there are
 * any. */
static rd_status tree_of_contexts(rdi_export *e) {
    const rd_contexts *c = e->d->contexts;
    rd_call_frame *frames = rdi_arena_alloc(&e->arena, c->n_frames + 1, sizeof *frames);
    rd_call_node *nodes = rdi_arena_alloc(&e->arena, c->n_nodes + 1, sizeof *nodes);
    if (!frames || !nodes)
        return RD_ENOMEM;
    memcpy(frames, c->frames, c->n_frames * sizeof *frames);
    memcpy(nodes, c->nodes, c->n_nodes * sizeof *nodes);
    frames[c->n_frames] = (rd_call_frame){.function = "(other contexts)"};
    nodes[c->n_nodes] = (rd_call_node){
        .parent = RD_NO_INDEX, .frame = c->n_frames, .references = c->other_references};
    memcpy(nodes[c->n_nodes].misses, c->other_misses, sizeof c->other_misses);
    e->frames = frames;
    e->n_frames = c->n_frames + 1;
    e->nodes = nodes;
    e->n_nodes = c->n_nodes + (c->other_references > 0);
    return RD_OK;
}

/* ---- both ---- */

static rd_status link_nodes(rdi_export *e) {
    size_t n = e->n_nodes;
    e->first = rdi_arena_alloc(&e->arena, n + 1, sizeof *e->first);
    e->next = rdi_arena_alloc(&e->arena, n + 1, sizeof *e->next);
    e->all = rdi_arena_alloc(&e->arena, n + 1, sizeof *e->all);
    if (!e->first || !e->next || !e->all)
        return RD_ENOMEM;
    for (size_t i = 0; i <= n; i++)
        e->first[i] = e->next[i] = RD_NO_INDEX;
    for (size_t i = n; i-- > 0;) {
        size_t parent = e->nodes[i].parent == RD_NO_INDEX ? n : e->nodes[i].parent;
        e->next[i] = e->first[parent];
        e->first[parent] = i;
        for (size_t k = 0; k < e->n_values; k++) {
            e->all[i][k] += rdi_export_value(&e->nodes[i], k);
            e->all[parent][k] += e->all[i][k];
        }
    }
    memcpy(e->total, e->all[n], sizeof e->total);
    return RD_OK;
}

rd_status rdi_export_init(rdi_export *e, rd_profile *p) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    *e = (rdi_export){.ctx = ctx, .p = p, .d = rd_profile_details(p), .arena = {.ctx = ctx}};
    if (!e->d || (!e->d->attribution && !e->d->contexts))
        return rdi_fail(ctx, RD_EINVAL,
                        "the profile has no information about code; record it with --attribute");
    e->n_values = 1 + e->d->n_levels;
    strcpy(e->names[0], "references");
    for (size_t k = 0; k < e->d->n_levels; k++)
        snprintf(e->names[k + 1], sizeof e->names[0], "%.15s misses", e->d->levels[k].name);
    RD_TRY(e->d->contexts ? tree_of_contexts(e) : tree_of_lines(e));
    return link_nodes(e);
}

void rdi_export_fini(rdi_export *e) {
    rdi_arena_fini(&e->arena);
}

void rdi_export_walk(const rdi_export *e,
                     void (*visit)(void *user, size_t node, size_t depth, bool enter), void *user) {
    size_t node = e->first[e->n_nodes], depth = 0;
    while (node != RD_NO_INDEX) {
        visit(user, node, depth, true);
        if (e->first[node] != RD_NO_INDEX) {
            node = e->first[node];
            depth++;
            continue;
        }
        visit(user, node, depth, false);
        while (e->next[node] == RD_NO_INDEX && e->nodes[node].parent != RD_NO_INDEX) {
            node = e->nodes[node].parent;
            visit(user, node, --depth, false);
        }
        node = e->next[node];
    }
}

void rdi_export_place(const rd_call_frame *f, char text[RDI_PLACE_ROOM]) {
    const char *path = f->file ? f->file : f->module ? f->module : "";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (f->file && f->line)
        snprintf(text, RDI_PLACE_ROOM, "%.250s:%" PRIu64, name, f->line);
    else
        snprintf(text, RDI_PLACE_ROOM, "%.250s", name);
}

/* ---- functions ---- */

static int compare_texts(const char *a, const char *b) {
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_function(const void *a, const void *b) {
    const rd_call_frame *x = *(const rd_call_frame *const *)a;
    const rd_call_frame *y = *(const rd_call_frame *const *)b;
    int order = compare_texts(x->module, y->module);
    order = order ? order : compare_texts(x->file, y->file);
    return order ? order : compare_texts(x->function, y->function);
}

static void add_function(const rdi_export *e, size_t frame, rdi_functions *out) {
    size_t n = out->n++;
    out->frame[n] = frame;
    if (n == 0)
        return;
    const rd_call_frame *before = &e->frames[out->frame[n - 1]], *now = &e->frames[frame];
    bool same = compare_texts(before->module, now->module) == 0;
    out->module[n] = out->module[n - 1] + !same;
    out->file[n] = out->file[n - 1] + !(same && compare_texts(before->file, now->file) == 0);
}

rd_status rdi_export_functions(const rdi_export *e, rdi_arena *arena, rdi_functions *out) {
    const rd_call_frame **sorted = rdi_arena_alloc(arena, e->n_frames, sizeof *sorted);
    out->of = rdi_arena_alloc(arena, e->n_frames, sizeof *out->of);
    out->frame = rdi_arena_alloc(arena, e->n_frames, sizeof *out->frame);
    out->module = rdi_arena_alloc(arena, e->n_frames, sizeof *out->module);
    out->file = rdi_arena_alloc(arena, e->n_frames, sizeof *out->file);
    if (!sorted || !out->of || !out->frame || !out->module || !out->file)
        return RD_ENOMEM;
    for (size_t i = 0; i < e->n_frames; i++)
        sorted[i] = &e->frames[i];
    if (e->n_frames)
        qsort(sorted, e->n_frames, sizeof *sorted, by_function);
    for (size_t i = 0; i < e->n_frames; i++) {
        size_t frame = (size_t)(sorted[i] - e->frames);
        if (i == 0 || by_function(&sorted[i - 1], &sorted[i]) != 0)
            add_function(e, frame, out);
        out->of[frame] = (uint32_t)(out->n - 1);
    }
    return RD_OK;
}
