/* Declares the tree of calls and the functions that all exporters share. Exporters write profiles
 * in the formats of other tools.
 *
 * All exporters except csv write a tree of calls whose nodes have references and misses of each cache. It
 * is the tree of calling contexts. If a profile has no calling contexts, the tree is made from its lines
 * and the calls through which they were inlined. In both trees, the counts of all nodes add up to the
 * totals of the profile.
 */
#ifndef RDI_EXPORT_H
#define RDI_EXPORT_H

#include "base/arena.h"
#include "base/text.h"
#include "reusedist/attribution.h"
#include "reusedist/report.h"

#define RDI_EXPORT_VALUES (1 + RD_LEVELS_MAX)

typedef struct rdi_export {
    rd_ctx *ctx;
    const rd_profile *p;
    const rd_details *d;
    rdi_arena arena;
    const rd_call_frame *frames;
    size_t n_frames;
    const rd_call_node *nodes; /* parents come before their children */
    size_t n_nodes;
    size_t *first, *next; /* for each node, its first child and next sibling; the last element of
                             `first` is the first outermost node; RD_NO_INDEX: none */
    uint64_t (*all)[RDI_EXPORT_VALUES]; /* for each node, the sums over it and its descendants */
    /* The values: references, and misses of each cache. */
    size_t n_values;
    char names[RDI_EXPORT_VALUES][48]; /* names, such as "references" and "L1 misses" */
    uint64_t total[RDI_EXPORT_VALUES];
    size_t chosen; /* index of the value that the user chose */
} rdi_export;

typedef struct rdi_exporter {
    const char *name, *summary;
    rd_status (*write)(const rdi_export *e, rdi_text *out);
} rdi_exporter;

/* Makes the tree. Call rdi_export_fini() even after a failure. (export_tree.c) */
rd_status rdi_export_init(rdi_export *e, rd_profile *p);
void rdi_export_fini(rdi_export *e);

/* The functions of the frames, sorted by module, file and name. */
typedef struct rdi_functions {
    uint32_t *of;            /* the function of each frame */
    size_t *frame;           /* a frame of each function */
    uint32_t *module, *file; /* numbers of the module and of the file of each function */
    size_t n;
} rdi_functions;

/* Numbers the functions. The arrays are in the arena. (export_tree.c) */
rd_status rdi_export_functions(const rdi_export *e, rdi_arena *arena, rdi_functions *out);

static inline uint64_t rdi_export_value(const rd_call_node *node, size_t value) {
    return value ? node->misses[value - 1] : node->references;
}

/* Calls `visit` for every node, before its children with `enter` true and after them with `enter`
 * false. `depth` is 0 for outermost nodes. */
void rdi_export_walk(const rdi_export *e,
                     void (*visit)(void *user, size_t node, size_t depth, bool enter), void *user);

/* Writes "file:line" of a frame, without folders, to `text`. Without a known line, writes only the file; without
 * a known file, the module, or "" if the module is unknown, too. */
#define RDI_PLACE_ROOM 300
void rdi_export_place(const rd_call_frame *f, char text[RDI_PLACE_ROOM]);

#endif
