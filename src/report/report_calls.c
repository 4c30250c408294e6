/* Finds the call paths with the most misses. See report_calls.h.
 *
 * A path has the frames of own code of a node and its ancestors. Names of different frames can be the same after
 * template arguments were folded, and contexts can differ in library code only. Rows with the same names would
 * not show the difference, so paths whose innermost 1 + CALLERS_MAX frames have the same names are one path.
 */
#include "report/report_calls.h"

#include "base/arena.h"
#include "report/paper.h"
#include "report/report_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLERS_MAX 6 /* maximum number of calls in the name of a path */
#define NO_NAME     UINT32_MAX

/* A path and the numbers of the names of its frames, innermost first. NO_NAME: no further frame. */
typedef struct named_path {
    uint32_t names[1 + CALLERS_MAX];
    rdi_call_path path;
} named_path;

static uint64_t all_misses(const rdi_call_path *path) {
    uint64_t sum = 0;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        sum += path->misses[k];
    return sum;
}

/* Compares by misses, then by references. Equal paths keep the order of their nodes. */
static int by_misses(const void *a, const void *b) {
    const rdi_call_path *x = &((const named_path *)a)->path, *y = &((const named_path *)b)->path;
    uint64_t of_x = all_misses(x), of_y = all_misses(y);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    if (x->references != y->references)
        return x->references < y->references ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static int compare_names(const named_path *x, const named_path *y) {
    for (size_t i = 0; i < RDI_COUNT(x->names); i++)
        if (x->names[i] != y->names[i])
            return x->names[i] < y->names[i] ? -1 : 1;
    return 0;
}

static int by_names(const void *a, const void *b) {
    const named_path *x = a, *y = b;
    int order = compare_names(x, y);
    return order ? order : (x->path.node > y->path.node) - (x->path.node < y->path.node);
}

static int compare_texts(const char *a, const char *b) {
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_place(const void *a, const void *b) {
    const rd_call_frame *x = *(const rd_call_frame *const *)a;
    const rd_call_frame *y = *(const rd_call_frame *const *)b;
    int order = compare_texts(x->file, y->file);
    order = order ? order : (x->line > y->line) - (x->line < y->line);
    return order ? order : compare_texts(x->function, y->function);
}

/* Gives frames with the same file, line and function the same number. */
static rd_status number_names(const rd_contexts *c, rdi_arena *arena, uint32_t **out) {
    const rd_call_frame **sorted = rdi_arena_alloc(arena, c->n_frames, sizeof *sorted);
    uint32_t *names = rdi_arena_alloc(arena, c->n_frames, sizeof *names), name = 0;
    if (!sorted || !names)
        return RD_ENOMEM;
    for (size_t i = 0; i < c->n_frames; i++)
        sorted[i] = &c->frames[i];
    if (c->n_frames)
        qsort(sorted, c->n_frames, sizeof *sorted, by_place);
    for (size_t i = 0; i < c->n_frames; i++) {
        name += i > 0 && by_place(&sorted[i - 1], &sorted[i]) != 0;
        names[sorted[i] - c->frames] = name;
    }
    *out = names;
    return RD_OK;
}

/* Makes a path for each node with an own frame. Each path has the counts of its node, and of the library code
 * that it calls. */
static rd_status list_paths(const rd_contexts *c, rdi_arena *arena, named_path **out, size_t *n) {
    named_path *paths = rdi_arena_alloc(arena, c->n_nodes, sizeof *paths);
    size_t *of = rdi_arena_alloc(arena, c->n_nodes, sizeof *of); /* the path of each node */
    uint32_t *names = NULL;
    if (!paths || !of)
        return RD_ENOMEM;
    RD_TRY(number_names(c, arena, &names));
    *n = 0;
    for (size_t i = 0; i < c->n_nodes; i++) {
        const rd_call_node *node = &c->nodes[i];
        of[i] = node->parent == RD_NO_INDEX ? RD_NO_INDEX : of[node->parent];
        if (c->frames[node->frame].own) {
            named_path *path = &paths[*n];
            for (size_t k = 0; k < RDI_COUNT(path->names); k++)
                path->names[k] = NO_NAME;
            if (of[i] != RD_NO_INDEX)
                memcpy(path->names + 1, paths[of[i]].names, CALLERS_MAX * sizeof *path->names);
            path->names[0] = names[node->frame];
            path->path = (rdi_call_path){.node = i};
            of[i] = (*n)++;
        }
        if (of[i] == RD_NO_INDEX)
            continue;
        paths[of[i]].path.references += node->references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            paths[of[i]].path.misses[k] += node->misses[k];
    }
    *out = paths;
    return RD_OK;
}

/* Sums equal paths, and returns how many are left. */
static size_t sum_equal(named_path *paths, size_t n) {
    size_t kept = 0;
    if (n)
        qsort(paths, n, sizeof *paths, by_names);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || compare_names(&paths[kept - 1], &paths[i]) != 0) {
            paths[kept++] = paths[i];
            continue;
        }
        rdi_call_path *sum = &paths[kept - 1].path;
        sum->references += paths[i].path.references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            sum->misses[k] += paths[i].path.misses[k];
    }
    return kept;
}

size_t rdi_call_paths_find(rd_ctx *ctx, const rd_details *d, rdi_call_path *out, size_t most) {
    rdi_arena arena = {.ctx = ctx};
    named_path *paths = NULL;
    size_t all = 0, n = 0;
    if (d->contexts && list_paths(d->contexts, &arena, &paths, &all) == RD_OK) {
        all = sum_equal(paths, all);
        if (all)
            qsort(paths, all, sizeof *paths, by_misses);
        for (; n < most && n < all && all_misses(&paths[n].path); n++)
            out[n] = paths[n].path;
    }
    rdi_arena_fini(&arena);
    return n;
}

/* ---- names ---- */

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

void rdi_name_node(const rd_contexts *c, size_t node, rdi_text *label) {
    const rd_call_frame *f = &c->frames[c->nodes[node].frame];
    rdi_text_printf(label, "%s:%" PRIu64 " %s", base_name(f->file), f->line, f->function);
}

/* Adds the innermost calls, at most `most`, and `dots` if there are more. Returns the number of calls that it has
 * added. */
static unsigned put_calls(const rd_contexts *c, size_t node, const char *arrow, const char *dots,
                          unsigned most, bool scopes, rdi_text *label) {
    unsigned calls = 0;
    for (size_t at = c->nodes[node].parent; at != RD_NO_INDEX; at = c->nodes[at].parent) {
        const rd_call_frame *f = &c->frames[c->nodes[at].frame];
        if (!f->own)
            continue;
        rdi_text_printf(label, "%s%s ", calls ? " " : "", arrow);
        if (calls == most) {
            rdi_text_puts(label, dots);
            break;
        }
        (scopes ? rdi_text_puts : rdi_text_without_scopes)(label, f->function);
        rdi_text_printf(label, ":%" PRIu64, f->line);
        calls++;
    }
    return calls;
}

void rdi_name_calls(const rd_contexts *c, size_t node, const char *arrow, const char *dots,
                    unsigned width, rdi_text *label) {
    unsigned most = CALLERS_MAX;
    for (bool scopes = true, done = false; !done; scopes = false) {
        rdi_text name = rdi_text_start(label->ctx);
        unsigned calls = put_calls(c, node, arrow, dots, most, scopes, &name);
        done = !name.data || rdi_text_columns(name.data) <= width || (!scopes && calls <= 1);
        if (done && name.data)
            rdi_text_add(label, name.data, name.n);
        rdi_text_drop(&name);
        most = scopes ? most : calls - 1;
    }
}
