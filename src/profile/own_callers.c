/* Finds the lines of own code to which the counts of library code move, in the tree of calling contexts. See
 * own_view.h.
 *
 * Every node of the tree has one innermost call frame of own code, or none. So the references and misses of a
 * library line that are in the tree are divided exactly. The same is true for lines beyond the limit of the list,
 * which the line "(others)" sums. The limits of the recorder and of the tree leave
 * some contexts without their inner frames (nodes "(others)"). The references of a library line that are
 * missing in the tree are in these nodes. They are divided among the lines of own code that call the same
 * function elsewhere in the tree or, if there are none, in proportion to the references of these nodes. */
#include "profile/own_view.h"

#include <stdlib.h>
#include <string.h>

#define FOLDED_MAX 16 /* maximum number of own frames whose nodes "(others)" are considered */
#define CLASSES    (RD_LEVELS_MAX + 1)

/* References of an old line that an own call frame causes. The element k of `at` is the number of references
 * that miss in the k smallest caches and hit in the next one. */
typedef struct claim {
    size_t line, frame; /* frame RD_NO_INDEX: no own call frame is known */
    uint64_t at[CLASSES];
} claim;

typedef struct callers {
    rdi_own_view *v;
    uint64_t (*left)[CLASSES]; /* for each old line: the references without a claim */
    size_t others;             /* the line that sums all further lines, or RD_NO_INDEX */
    claim *list;
    size_t n, room;
    /* The references of nodes "(others)", which have lost their inner frames, by the innermost call
     * frame of own code that encloses the node. The first entry is for nodes that no own code encloses,
     * and for contexts that the tree does not have. */
    claim folded[FOLDED_MAX + 1];
    size_t n_folded;
} callers;

/* ---- own frames ---- */

rd_status rdi_own_view_frames(rdi_own_view *v) {
    const rd_contexts *old = v->d->contexts;
    rd_call_frame *frames = rdi_arena_alloc(v->arena, old->n_frames, sizeof *frames);
    v->contexts = rdi_arena_alloc(v->arena, 1, sizeof *v->contexts);
    if (!frames || !v->contexts)
        return RD_ENOMEM;
    for (size_t i = 0; i < old->n_frames; i++) {
        frames[i] = old->frames[i];
        if (v->own->n)
            frames[i].own = rdi_own_file(v->own, frames[i].file, frames[i].module);
    }
    *v->contexts = *old;
    v->contexts->frames = frames;
    return RD_OK;
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_folded(const rd_call_frame *f) {
    return !f->file && strcmp(f->function, "(others)") == 0;
}

/* ---- claims ---- */

static bool is_line_of(const rdi_own_view *v, size_t i, const rd_call_frame *f) {
    const rd_code_line *line = &v->old->lines[i];
    const char *file = line->source == RD_NO_INDEX ? NULL : v->old->sources[line->source];
    if (line->line != f->line || line->function == RD_NO_INDEX)
        return false;
    const rd_code_function *function = &v->old->functions[line->function];
    return is_same_text(file, f->file) && strcmp(function->name, f->function) == 0 &&
           (!function->module || !f->module ||
            strcmp(file_name(function->module), file_name(f->module)) == 0);
}

/* Returns whether the code of a node is inlined into own code. */
static bool is_inlined_into_own(const rd_contexts *c, const rd_call_node *node) {
    while (c->frames[node->frame].inlined && node->parent != RD_NO_INDEX) {
        node = &c->nodes[node->parent];
        if (c->frames[node->frame].own)
            return true;
    }
    return false;
}

/* Claims references of an old line for an own frame: of each class, as many as `at` has, but at most as many as the
 * line has left. Subtracts the claimed references from `at`. */
static void claim_some(callers *c, size_t line, size_t frame, uint64_t *at) {
    claim one = {.line = line, .frame = frame};
    bool any = false;
    for (size_t k = 0; k <= c->v->d->n_levels; k++) {
        one.at[k] = at[k] < c->left[line][k] ? at[k] : c->left[line][k];
        any = any || one.at[k];
    }
    if (!any || c->n == c->room)
        return;
    c->list[c->n++] = one;
    for (size_t k = 0; k <= c->v->d->n_levels; k++) {
        at[k] -= one.at[k];
        c->left[line][k] -= one.at[k];
    }
}

/* Claims the references of a node for an own frame. Does nothing if they belong to lines that are already
 * placed: lines of own code, and lines that are inlined into own code. `first` is the first line of the
 * node's frame. */
static void claim_node(callers *c, const rd_call_node *node, size_t first, size_t own,
                       uint64_t *at) {
    const rdi_own_view *v = c->v;
    const rd_call_frame *frame = &v->contexts->frames[node->frame];
    bool placed = frame->own || is_inlined_into_own(v->contexts, node);
    for (size_t i = first; i < v->old->n_lines && placed; i++)
        if (v->placed[i].file && is_line_of(v, i, frame))
            return;
    for (size_t i = first; i < v->old->n_lines; i++)
        if (!v->placed[i].file && is_line_of(v, i, frame))
            claim_some(c, i, own, at);
    if (c->others != RD_NO_INDEX)
        claim_some(c, c->others, own, at);
}

/* Compares claims by misses, summed over the levels, then by references. */
static int by_weight(const void *a, const void *b) {
    const claim *x = a, *y = b;
    rdi_weighed p = {.index = x->frame}, q = {.index = y->frame};
    for (size_t k = 0; k < CLASSES; k++) {
        p.misses += k * x->at[k], p.references += x->at[k];
        q.misses += k * y->at[k], q.references += y->at[k];
    }
    return rdi_by_weight(&p, &q);
}

static int by_line_and_frame(const void *a, const void *b) {
    const claim *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static void add_classes(claim *to, const uint64_t *at) {
    for (size_t k = 0; k < CLASSES; k++)
        to->at[k] += at[k];
}

/* Claims the references of all nodes except nodes "(others)". `folded` has an entry per frame. Adds the references of
 * a node "(others)" to the entry of the innermost own frame that encloses the node, or to c->folded[0] if no own
 * frame encloses it. */
static rd_status claim_nodes(callers *c, claim *folded) {
    const rd_contexts *contexts = c->v->contexts;
    size_t *first = rdi_arena_alloc(c->v->arena, contexts->n_frames, sizeof *first);
    size_t *own = rdi_arena_alloc(c->v->arena, contexts->n_nodes, sizeof *own);
    if (!first || !own)
        return RD_ENOMEM;
    for (size_t i = 0; i < contexts->n_frames; i++)
        while (first[i] < c->v->old->n_lines && !is_line_of(c->v, first[i], &contexts->frames[i]))
            first[i]++;
    for (size_t i = 0; i < contexts->n_nodes; i++) {
        const rd_call_node *node = &contexts->nodes[i];
        const rd_call_frame *frame = &contexts->frames[node->frame];
        uint64_t at[CLASSES] = {0};
        own[i] = frame->own                    ? node->frame
                 : node->parent == RD_NO_INDEX ? RD_NO_INDEX
                                               : own[node->parent];
        if (!node->references)
            continue;
        rdi_classes_of(c->v->d->n_levels, node->references, node->misses, at);
        if (is_folded(frame)) {
            add_classes(own[i] == RD_NO_INDEX ? &c->folded[0] : &folded[own[i]], at);
            continue;
        }
        claim_node(c, node, first[node->frame], own[i], at);
    }
    return RD_OK;
}

/* Copies the heaviest entries of `folded`, which has an entry per frame, to c->folded, after the
 * first entry. Adds the references in contexts that the tree does not have to the first entry. */
static void keep_folded(callers *c, claim *folded) {
    uint64_t at[CLASSES] = {0};
    const rd_contexts *contexts = c->v->contexts;
    rdi_classes_of(c->v->d->n_levels, contexts->other_references, contexts->other_misses, at);
    add_classes(&c->folded[0], at);
    c->folded[0].frame = RD_NO_INDEX;
    for (size_t i = 0; i < contexts->n_frames; i++)
        folded[i].frame = i;
    if (contexts->n_frames)
        qsort(folded, contexts->n_frames, sizeof *folded, by_weight);
    for (c->n_folded = 1; c->n_folded <= FOLDED_MAX && c->n_folded <= contexts->n_frames;
         c->n_folded++)
        c->folded[c->n_folded] = folded[c->n_folded - 1];
}

/* Returns an array with a row per function: element j is the number of references of the function that the own frame
 * of c->folded[j] has claimed so far. Returns NULL if memory is exhausted. */
static uint64_t (*count_known(callers *c))[FOLDED_MAX + 1] {
    const rd_attribution *old = c->v->old;
    uint64_t(*known)[FOLDED_MAX + 1] =
        rdi_arena_alloc(c->v->arena, old->n_functions + 1, sizeof *known);
    for (size_t i = 0; i < c->n && known; i++)
        for (size_t j = 0; j < c->n_folded; j++)
            for (size_t k = 0; k < CLASSES && c->list[i].frame == c->folded[j].frame; k++) {
                size_t function = old->lines[c->list[i].line].function;
                if (function != RD_NO_INDEX)
                    known[function][j] += c->list[i].at[k];
            }
    return known;
}

/* Claims the remaining references of a line for the own frames in c->folded. With `known`, divides them in proportion
 * to `known`, but claims at most as many as c->folded has; if `known` is NULL, divides them in proportion to the
 * references in c->folded. Subtracts the claimed references from c->folded. */
static void claim_rest(callers *c, size_t line, const uint64_t *known) {
    claim rest[FOLDED_MAX + 1] = {0};
    for (size_t k = 0; k <= c->v->d->n_levels; k++) {
        uint64_t weights[FOLDED_MAX + 1], out[FOLDED_MAX + 1], sum = 0;
        for (size_t i = 0; i < c->n_folded; i++) {
            uint64_t has = c->folded[i].at[k];
            weights[i] = !known ? has : has ? known[i] : 0;
            sum |= weights[i];
        }
        if (known && !sum)
            continue;
        rdi_deal(c->left[line][k], weights, c->n_folded, out);
        for (size_t i = 0; i < c->n_folded; i++) {
            uint64_t has = c->folded[i].at[k];
            rest[i].at[k] = known && out[i] > has ? has : out[i];
            c->folded[i].at[k] -= rest[i].at[k] < has ? rest[i].at[k] : has;
        }
    }
    for (size_t i = 0; i < c->n_folded; i++)
        claim_some(c, line, c->folded[i].frame, rest[i].at);
}

/* Claims the references of library lines that no node has claimed: first the references of
 * functions whose callers are known. */
static rd_status claim_folded(callers *c) {
    const rdi_own_view *v = c->v;
    uint64_t(*known)[FOLDED_MAX + 1] = count_known(c);
    if (!known)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_lines; i++)
        if (!v->placed[i].file && v->old->lines[i].function != RD_NO_INDEX)
            claim_rest(c, i, known[v->old->lines[i].function]);
    for (size_t i = 0; i < v->old->n_lines; i++)
        if (!v->placed[i].file)
            claim_rest(c, i, NULL);
    return RD_OK;
}

/* Makes the claims for all references of library lines. */
static rd_status make_claims(callers *c) {
    rdi_own_view *v = c->v;
    size_t n_lines = v->old->n_lines;
    claim *folded = rdi_arena_alloc(v->arena, v->contexts->n_frames, sizeof *folded);
    c->left = rdi_arena_alloc(v->arena, n_lines, sizeof *c->left);
    c->room = 2 * v->contexts->n_nodes + n_lines; /* few nodes have references of several lines */
    c->list = rdi_arena_alloc(v->arena, c->room + 2 * (FOLDED_MAX + 1) * n_lines, sizeof *c->list);
    if (!folded || !c->left || !c->list)
        return RD_ENOMEM;
    for (size_t i = 0; i < n_lines; i++) {
        const rd_share *share = &v->old->lines[i].share;
        rdi_classes_of(v->d->n_levels, share->references, share->misses, c->left[i]);
        if (v->old->lines[i].function == RD_NO_INDEX)
            c->others = i;
    }
    RD_TRY(claim_nodes(c, folded));
    keep_folded(c, folded);
    c->room += 2 * (FOLDED_MAX + 1) * n_lines;
    RD_TRY(claim_folded(c));
    size_t n = 0;
    if (c->n)
        qsort(c->list, c->n, sizeof *c->list, by_line_and_frame);
    for (size_t i = 0; i < c->n; i++) {
        if (n == 0 || by_line_and_frame(&c->list[n - 1], &c->list[i]) != 0)
            c->list[n++] = c->list[i];
        else
            add_classes(&c->list[n - 1], c->list[i].at);
    }
    c->n = n;
    return RD_OK;
}

/* ---- shares ---- */

/* Adds the shares of an old line: one for each of its n claims, the heaviest first. */
static rd_status add_parts(rdi_own_view *v, size_t old, claim *claims, size_t n) {
    const rd_miss_causes *causes = v->d->causes;
    size_t caches = causes ? causes->n_caches : 0;
    rdi_shown_line *parts = &v->at[v->n_at];
    rd_share *shares = rdi_arena_alloc(v->arena, n, sizeof *shares);
    rd_causes *divided = rdi_arena_alloc(v->arena, n * caches + 1, sizeof *divided);
    if (!shares || !divided)
        return RD_ENOMEM;
    qsort(claims, n, sizeof *claims, by_weight);
    for (size_t i = 0; i < n; i++) {
        parts[i] = v->placed[old];
        parts[i].share = &shares[i];
        parts[i].causes = &divided[i * caches];
        shares[i].references =
            rdi_classes_to_misses(v->d->n_levels, claims[i].at, shares[i].misses);
        if (claims[i].frame == RD_NO_INDEX)
            continue;
        const rd_call_frame *f = &v->contexts->frames[claims[i].frame];
        parts[i].function = f->function;
        parts[i].module = f->module ? file_name(f->module) : NULL;
        parts[i].file = f->file;
        parts[i].line = f->line;
        parts[i].moved = true;
    }
    v->n_at += n;
    RD_TRY(rdi_divide_share(v, &v->old->lines[old].share, shares, n));
    return causes ? rdi_divide_causes(v, &causes->lines[old * caches], shares, n, divided) : RD_OK;
}

rd_status rdi_own_view_divide(rdi_own_view *v) {
    callers c = {.v = v, .others = RD_NO_INDEX};
    size_t n_lines = v->old->n_lines;
    if (v->contexts)
        RD_TRY(make_claims(&c));
    v->at = rdi_arena_alloc(v->arena, n_lines + c.n, sizeof *v->at);
    v->first = rdi_arena_alloc(v->arena, n_lines + 1, sizeof *v->first);
    if (!v->at || !v->first)
        return RD_ENOMEM;
    for (size_t line = 0, i = 0; line < n_lines; line++) {
        size_t begin = i;
        while (i < c.n && c.list[i].line == line)
            i++;
        v->first[line] = v->n_at;
        if (i == begin)
            v->at[v->n_at++] = v->placed[line];
        else
            RD_TRY(add_parts(v, line, &c.list[begin], i - begin));
    }
    v->first[n_lines] = v->n_at;
    return RD_OK;
}
