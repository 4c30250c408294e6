/* Writes the tree of calling contexts for the page, without its small branches.
 *
 * The importance of a node is the largest share of the references, or of the misses of a cache, that the
 * node and all its descendants have. A parent is at least as important as its children. The page keeps the
 * most important nodes. The other children of a kept node become one node without a frame, so that all
 * sums stay the same. */
#include "report/html_data.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define NODES 8000 /* maximum number of kept nodes, for all profiles of the page together */

typedef struct tree_node {
    size_t index;   /* index on the page; RD_NO_INDEX: not kept */
    size_t dropped; /* number of nodes in its branches that are not kept */
    double share;   /* importance, from 0 to 1 */
    /* The counts of the node and all its descendants; after keep_nodes(), without its kept children. */
    rd_call_node inclusive;
} tree_node;

typedef struct tree {
    const rd_contexts *contexts;
    size_t n_levels;
    tree_node *nodes;
    size_t *frames;    /* index of each frame on the page; RD_NO_INDEX: not used */
    size_t *functions; /* for each frame, the index of its function on the page */
    size_t kept;       /* number of kept nodes */
} tree;

static void add_node(rd_call_node *to, const rd_call_node *part) {
    to->references += part->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += part->misses[k];
}

/* ---- kept nodes ---- */

static double share_of(const tree *t, const rd_call_node *node, const rd_call_node *all) {
    double share = all->references ? (double)node->references / (double)all->references : 0;
    for (size_t k = 0; k < t->n_levels; k++) {
        double part = all->misses[k] ? (double)node->misses[k] / (double)all->misses[k] : 0;
        share = part > share ? part : share;
    }
    return share;
}

/* Adds up the counts, from the leaves to the outermost frames, and computes the shares. */
static void add_up(tree *t) {
    const rd_contexts *c = t->contexts;
    rd_call_node all = {0};
    for (size_t i = 0; i < c->n_nodes; i++)
        t->nodes[i].inclusive = c->nodes[i];
    for (size_t i = c->n_nodes; i-- > 0;) {
        const rd_call_node *node = &t->nodes[i].inclusive;
        add_node(node->parent == RD_NO_INDEX ? &all : &t->nodes[node->parent].inclusive, node);
    }
    for (size_t i = 0; i < c->n_nodes; i++)
        t->nodes[i].share = share_of(t, &t->nodes[i].inclusive, &all);
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Sets *least to the share above which a node is kept, so that at most `max` nodes are kept. */
static rd_status find_least(const tree *t, rdi_arena *arena, size_t max, double *least) {
    size_t n = t->contexts->n_nodes;
    *least = 0;
    if (n <= max)
        return RD_OK;
    double *shares = rdi_arena_alloc(arena, n, sizeof *shares);
    if (!shares)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        shares[i] = t->nodes[i].share;
    qsort(shares, n, sizeof *shares, descending);
    *least = shares[max];
    return RD_OK;
}

static void subtract_node(rd_call_node *from, const rd_call_node *part) {
    from->references -= part->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        from->misses[k] -= part->misses[k];
}

/* Numbers the nodes that are kept, and subtracts their counts from the counts of their parents. */
static void keep_nodes(tree *t, double least) {
    for (size_t i = 0; i < t->contexts->n_nodes; i++) {
        tree_node *node = &t->nodes[i];
        size_t parent = node->inclusive.parent;
        bool in = parent == RD_NO_INDEX || t->nodes[parent].index != RD_NO_INDEX;
        node->index = in && node->share > least ? t->kept++ : RD_NO_INDEX;
        if (node->index != RD_NO_INDEX && parent != RD_NO_INDEX)
            subtract_node(&t->nodes[parent].inclusive, &node->inclusive);
    }
    for (size_t i = t->contexts->n_nodes; i-- > 0;) {
        tree_node *node = &t->nodes[i];
        size_t parent = node->inclusive.parent;
        if (node->index == RD_NO_INDEX && parent != RD_NO_INDEX)
            t->nodes[parent].dropped += node->dropped + 1;
    }
}

/* ---- frames and functions ---- */

static int by_text(const char *a, const char *b) {
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_function(const void *a, const void *b) {
    const rd_call_frame *x = *(const rd_call_frame *const *)a,
                        *y = *(const rd_call_frame *const *)b;
    int order = strcmp(x->function, y->function);
    order = order ? order : by_text(x->file, y->file);
    return order ? order : by_text(x->module, y->module);
}

/* Writes the functions of the frames that are used, and numbers them. */
static rd_status put_functions(rd_json_writer *w, tree *t, rdi_arena *arena) {
    const rd_contexts *c = t->contexts;
    const rd_call_frame **used = rdi_arena_alloc(arena, c->n_frames + 1, sizeof *used);
    size_t n = 0, functions = 0;
    if (!used)
        return RD_ENOMEM;
    for (size_t i = 0; i < c->n_frames; i++)
        if (t->frames[i] != RD_NO_INDEX)
            used[n++] = &c->frames[i];
    qsort(used, n, sizeof *used, by_function);
    rd_json_begin_array(w, "functions", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_function(&used[i - 1], &used[i]) != 0) {
            rd_json_begin_object(w, NULL, RD_JSON_INLINE);
            rd_json_put_string(w, "name", used[i]->function);
            rd_json_put_string(w, "file", used[i]->file);
            rd_json_put_string(w, "module", used[i]->module);
            rd_json_put_bool(w, "own", used[i]->own);
            rd_json_end_object(w);
            functions++;
        }
        t->functions[used[i] - c->frames] = functions - 1;
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* Numbers the frames of kept nodes. */
static void number_frames(tree *t) {
    const rd_contexts *c = t->contexts;
    size_t n = 0;
    for (size_t i = 0; i < c->n_frames; i++)
        t->frames[i] = RD_NO_INDEX;
    for (size_t i = 0; i < c->n_nodes; i++)
        if (t->nodes[i].index != RD_NO_INDEX)
            t->frames[c->nodes[i].frame] = 0;
    for (size_t i = 0; i < c->n_frames; i++)
        if (t->frames[i] != RD_NO_INDEX)
            t->frames[i] = n++;
}

/* Writes the frames as [function, line, 1 if the call is inlined]. */
static void put_frames(rd_json_writer *w, const tree *t) {
    const rd_contexts *c = t->contexts;
    rd_json_begin_array(w, "frames", RD_JSON_INLINE);
    for (size_t i = 0; i < c->n_frames; i++) {
        if (t->frames[i] == RD_NO_INDEX)
            continue;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, t->functions[i]);
        rd_json_put_u64(w, NULL, c->frames[i].line);
        rd_json_put_u64(w, NULL, c->frames[i].inlined);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

/* ---- nodes ---- */

static void put_counts(rd_json_writer *w, const tree *t, const rd_call_node *node) {
    rd_json_put_u64(w, NULL, node->references);
    for (size_t k = 0; k < t->n_levels; k++)
        rd_json_put_u64(w, NULL, node->misses[k]);
}

/* Writes the nodes as [parent or null, frame, references, misses ...] with exclusive counts. The
 * branches that are not kept follow as [parent, number of nodes, references, misses ...]. */
static void put_nodes(rd_json_writer *w, const tree *t) {
    const rd_contexts *c = t->contexts;
    rd_json_begin_array(w, "nodes", RD_JSON_INLINE);
    for (size_t i = 0; i < c->n_nodes; i++) {
        if (t->nodes[i].index == RD_NO_INDEX)
            continue;
        size_t parent = c->nodes[i].parent;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rdi_json_put_u64_or_null(w, NULL, parent == RD_NO_INDEX ? parent : t->nodes[parent].index,
                                 RD_NO_INDEX);
        rd_json_put_u64(w, NULL, t->frames[c->nodes[i].frame]);
        put_counts(w, t, &c->nodes[i]);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
    rd_json_begin_array(w, "rests", RD_JSON_INLINE);
    for (size_t i = 0; i < c->n_nodes; i++) {
        const tree_node *node = &t->nodes[i];
        if (node->index == RD_NO_INDEX || node->dropped == 0)
            continue;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, node->index);
        rd_json_put_u64(w, NULL, node->dropped);
        rd_call_node rest = node->inclusive;
        subtract_node(&rest, &c->nodes[i]);
        put_counts(w, t, &rest);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

/* Writes [contexts, references, misses ...] for the references without a node on the page: references with an unknown
 * calling context, and references of branches whose outermost frame is not kept. `contexts` also counts the pairs of
 * a calling context and an instruction that the nodes "(others)" of the profile sum. */
static void put_other(rd_json_writer *w, const tree *t) {
    const rd_contexts *c = t->contexts;
    rd_call_node other = {.references = c->other_references};
    uint64_t contexts = c->other_contexts;
    memcpy(other.misses, c->other_misses, sizeof other.misses);
    for (size_t i = 0; i < c->n_nodes; i++)
        if (t->nodes[i].index == RD_NO_INDEX && c->nodes[i].parent == RD_NO_INDEX) {
            add_node(&other, &t->nodes[i].inclusive);
            contexts += t->nodes[i].dropped + 1;
        }
    rd_json_begin_array(w, "other", RD_JSON_INLINE);
    rd_json_put_u64(w, NULL, contexts);
    put_counts(w, t, &other);
    rd_json_end_array(w);
}

static rd_status put_tree(rd_json_writer *w, tree *t, rdi_arena *arena, size_t max) {
    const rd_contexts *c = t->contexts;
    double least;
    t->nodes = rdi_arena_alloc(arena, c->n_nodes + 1, sizeof *t->nodes);
    t->frames = rdi_arena_alloc(arena, c->n_frames + 1, sizeof *t->frames);
    t->functions = rdi_arena_alloc(arena, c->n_frames + 1, sizeof *t->functions);
    if (!t->nodes || !t->frames || !t->functions)
        return RD_ENOMEM;
    add_up(t);
    RD_TRY(find_least(t, arena, max, &least));
    keep_nodes(t, least);
    number_frames(t);
    rd_json_begin_object(w, "contexts", RD_JSON_INLINE);
    rd_json_put_u64(w, "all", c->n_nodes);
    RD_TRY(put_functions(w, t, arena));
    put_frames(w, t);
    put_nodes(w, t);
    put_other(w, t);
    rd_json_end_object(w);
    return RD_OK;
}

rd_status rdi_html_contexts(rd_json_writer *w, const rd_profile *p, size_t n_profiles) {
    const rd_details *details = rd_profile_details(p);
    if (!details || !details->contexts)
        return RD_OK;
    tree t = {.contexts = details->contexts, .n_levels = details->n_levels};
    rdi_arena arena = {.ctx = w->text.ctx};
    rd_status status = put_tree(w, &t, &arena, NODES / n_profiles + 1);
    rdi_arena_fini(&arena);
    return status;
}
