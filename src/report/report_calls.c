/* Finds the call paths with the most misses. See report_calls.h. */
#include "report/report_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLERS_MAX 6 /* maximum number of calls in the name of a path */

static uint64_t all_misses(const rdi_call_path *path) {
    uint64_t sum = 0;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        sum += path->misses[k];
    return sum;
}

/* Compares by misses, then by references. Equal paths keep the order of their nodes. */
static int by_misses(const void *a, const void *b) {
    const rdi_call_path *x = a, *y = b;
    uint64_t of_x = all_misses(x), of_y = all_misses(y);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    if (x->references != y->references)
        return x->references < y->references ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

size_t rdi_call_paths_find(rd_ctx *ctx, const rd_details *d, rdi_call_path *out, size_t most) {
    const rd_contexts *c = d->contexts;
    rdi_call_path *paths = c ? rdi_calloc(ctx, c->n_nodes, sizeof *paths) : NULL;
    size_t *own = c ? rdi_alloc(ctx, c->n_nodes, sizeof *own) : NULL, n = 0;
    for (size_t i = 0; paths && own && i < c->n_nodes; i++) {
        const rd_call_node *node = &c->nodes[i];
        size_t around = node->parent == RD_NO_INDEX ? RD_NO_INDEX : own[node->parent];
        own[i] = c->frames[node->frame].own ? i : around;
        paths[i].node = i;
        if (own[i] == RD_NO_INDEX)
            continue;
        paths[own[i]].references += node->references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            paths[own[i]].misses[k] += node->misses[k];
    }
    if (paths && own) {
        qsort(paths, c->n_nodes, sizeof *paths, by_misses);
        while (n < most && n < c->n_nodes && all_misses(&paths[n]))
            n++;
        if (n)
            memcpy(out, paths, n * sizeof *out);
    }
    rdi_free(ctx, paths);
    rdi_free(ctx, own);
    return n;
}

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

void rdi_name_call_path(const rd_contexts *c, size_t node, const char *arrow, char *label,
                        size_t room) {
    const rd_call_frame *f = &c->frames[c->nodes[node].frame];
    int used = snprintf(label, room, "%.100s:%" PRIu64 " %.100s", base_name(f->file), f->line,
                        f->function);
    unsigned callers = 0;
    for (size_t at = c->nodes[node].parent; at != RD_NO_INDEX && callers < CALLERS_MAX;
         at = c->nodes[at].parent) {
        f = &c->frames[c->nodes[at].frame];
        if (!f->own || (size_t)used >= room)
            continue;
        used += snprintf(label + used, room - (size_t)used, " %s %.60s:%" PRIu64, arrow,
                         f->function, f->line);
        callers++;
    }
}
