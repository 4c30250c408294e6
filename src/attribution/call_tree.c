/* Makes the tree of calling contexts. See call_tree.h.
 *
 * The contexts of the recorder are a tree of call instructions, whose leaves are the pairs of a
 * context and a site. The tree of the result has call frames instead, so its nodes sum all pairs
 * whose frames are equal. Only the heaviest contexts and pairs make nodes, because nodes take
 * memory. All other contexts and pairs are counted below the nodes that they share with the
 * heaviest ones, so that each node, with all nodes below it, has its full counts. The result keeps
 * the heaviest nodes. A parent is at least as heavy as its children, so the parents of kept nodes
 * are kept too. All other nodes are counted in the node "(others)" below the nearest parent that is
 * kept.
 */
#include "attribution/call_tree.h"
#include "attribution/call_frames.h"

#include <stdlib.h>
#include <string.h>

#define MADE_PER_NODE                                                                              \
    8 /* maximum number of contexts and pairs that make nodes, per node of the result */

/* Inclusive counts, by which items are ranked. */
typedef struct weight {
    uint64_t misses, references;
    uint32_t item;
} weight;

/* A pair of a context and a site. */
typedef struct pair {
    uint64_t key, at[RDI_MISS_COUNTS];
} pair;

typedef struct tree {
    const rd_attributor *a;
    rdi_arena *scratch;
    pair *pairs; /* sorted by key */
    size_t n_pairs, n_contexts;
    /* For each context, then for each pair: whether it has references. */
    bool *used;
    /* For each context, then for each pair: whether it makes nodes. From choose_nodes() on, for
     * each node: whether the result keeps it. */
    bool *kept;
    rdi_code_place *places;
    size_t n_places;
    rdi_call_frames frames;
    uint32_t *place_of; /* for each context, then for each pair: if it is used, its index in
                           `places` */
    uint32_t others;    /* number of the frame "(others)" */
    rd_call_node *nodes;
    size_t n_nodes, nodes_room;
    rdi_block_map children; /* maps a parent and a frame to a node */
    uint64_t left_out;      /* number of pairs and nodes that are counted in nodes "(others)" */
} tree;

/* ---- ranking ---- */

/* Compares by weight. Equal items keep their order, so that parents come before their children. */
static int by_weight(const void *a, const void *b) {
    const weight *x = a, *y = b;
    if (x->misses != y->misses)
        return x->misses < y->misses ? 1 : -1;
    if (x->references != y->references)
        return x->references < y->references ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

static void add_weight(weight *to, const weight *from) {
    to->misses += from->misses;
    to->references += from->references;
}

#define GRADES 130

/* Returns the grade of an item, a number below GRADES. A heavier item has the same grade or a
 * higher one. */
static unsigned grade_of(const weight *w) {
    return w->misses ? 65 + rdi_bit_width(w->misses) - 1 : rdi_bit_width(w->references);
}

/* Sets kept[i] for the `most` heaviest of n items. Items without references are not kept. Changes
 * the order of `weights`. Sorts only one grade, the highest one of which not all items are kept,
 * because there may be millions of items. */
static void keep_heaviest(weight *weights, size_t n, size_t most, bool *kept) {
    size_t count[GRADES] = {0}, heavier = 0, n_last = 0;
    unsigned last = GRADES - 1; /* the highest grade of which not all items are kept */
    for (size_t i = 0; i < n; i++)
        count[grade_of(&weights[i])]++;
    while (last > 0 && heavier + count[last] <= most)
        heavier += count[last--];
    for (size_t i = 0; i < n; i++) {
        weight w = weights[i];
        if (grade_of(&w) > last)
            kept[w.item] = true;
        else if (grade_of(&w) == last)
            weights[n_last++] = w;
    }
    qsort(weights, n_last, sizeof *weights, by_weight);
    for (size_t i = 0; i < n_last && heavier + i < most; i++)
        kept[weights[i].item] = weights[i].references > 0;
}

/* ---- pairs ---- */

/* Returns the site of a slot. A site that stands for all further program counters counts as
 * RDI_FOLDED. */
static uint32_t site_of(const tree *t, const rdi_context_counts *slot) {
    return (uint32_t)slot->key <= t->a->sites.max ? (uint32_t)slot->key : RDI_FOLDED;
}

/* Replaces each of n counts by the sum of the counts before it. */
static void sum_before(uint32_t *counts, size_t n) {
    for (size_t i = 0, sum = 0; i < n; i++) {
        uint32_t count = counts[i];
        counts[i] = (uint32_t)sum;
        sum += count;
    }
}

/* Lists the pairs. They are sorted by counting, first by site and then by context. */
static rd_status list_pairs(tree *t) {
    const rdi_contexts *c = &t->a->contexts;
    size_t slots = (size_t)1 << c->bits, n_sites = t->a->sites.max + 1;
    uint32_t *by_site = rdi_arena_alloc(t->scratch, c->used, sizeof *by_site);
    uint32_t *next_of_site = rdi_arena_alloc(t->scratch, n_sites, sizeof *next_of_site);
    uint32_t *next_of_context = rdi_arena_alloc(t->scratch, c->n, sizeof *next_of_context);
    t->pairs = rdi_arena_alloc(t->scratch, c->used, sizeof *t->pairs);
    if (!by_site || !next_of_site || !next_of_context || !t->pairs)
        return RD_ENOMEM;
    for (size_t i = 0; i < slots; i++)
        if (c->slot[i].key) {
            next_of_site[site_of(t, &c->slot[i])]++;
            next_of_context[rdi_key_context(c->slot[i].key)]++;
        }
    sum_before(next_of_site, n_sites);
    sum_before(next_of_context, c->n);
    for (size_t i = 0; i < slots; i++)
        if (c->slot[i].key)
            by_site[next_of_site[site_of(t, &c->slot[i])]++] = (uint32_t)i;
    for (size_t i = 0; i < c->used; i++) {
        const rdi_context_counts *slot = &c->slot[by_site[i]];
        size_t context = rdi_key_context(slot->key);
        pair *p = &t->pairs[next_of_context[context]++];
        p->key = rdi_context_key(context, site_of(t, slot));
        rdi_contexts_read(c, slot, p->at);
    }
    t->n_pairs = c->used;
    t->n_contexts = c->n;
    return RD_OK;
}

static weight weight_of_pair(const pair *p, uint32_t item) {
    weight w = {.item = item};
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++) {
        w.references += p->at[k];
        w.misses += k * p->at[k];
    }
    return w;
}

/* Chooses the contexts and pairs that make nodes. */
static rd_status choose(tree *t) {
    size_t n = t->n_contexts + t->n_pairs;
    weight *weights = rdi_arena_alloc(t->scratch, n, sizeof *weights);
    t->kept = rdi_arena_alloc(t->scratch, n, sizeof *t->kept);
    t->used = rdi_arena_alloc(t->scratch, n, sizeof *t->used);
    if (!weights || !t->kept || !t->used)
        return RD_ENOMEM;
    for (size_t i = 0; i < t->n_contexts; i++)
        weights[i].item = (uint32_t)i;
    for (size_t i = 0; i < t->n_pairs; i++) {
        size_t item = t->n_contexts + i;
        weights[item] = weight_of_pair(&t->pairs[i], (uint32_t)item);
        add_weight(&weights[rdi_key_context(t->pairs[i].key)], &weights[item]);
    }
    for (size_t i = t->n_contexts; i-- > 1;)
        add_weight(&weights[t->a->contexts.call[i].parent], &weights[i]);
    for (size_t i = 0; i < n; i++)
        t->used[i] = weights[i].references > 0;
    keep_heaviest(weights, n, t->a->config.max_call_nodes * MADE_PER_NODE, t->kept);
    return RD_OK;
}

/* ---- names ---- */

/* Returns whether item i is a pair without a site. */
static bool is_folded(const tree *t, size_t i) {
    return i >= t->n_contexts && (uint32_t)t->pairs[i - t->n_contexts].key == RDI_FOLDED;
}

static rd_status find_names(tree *t) {
    const rd_attributor *a = t->a;
    size_t n = t->n_contexts + t->n_pairs, used = 0;
    for (size_t i = 1; i < n; i++)
        used += t->used[i];
    t->places = rdi_arena_alloc(t->scratch, used, sizeof *t->places);
    t->place_of = rdi_arena_alloc(t->scratch, n, sizeof *t->place_of);
    if (!t->places || !t->place_of)
        return RD_ENOMEM;
    for (size_t i = 1; i < n; i++) {
        if (!t->used[i] || is_folded(t, i))
            continue;
        rdi_code_place place = {.user = (uint32_t)i};
        if (i < t->n_contexts) {
            place.pc = a->contexts.call[i].pc;
            place.epoch = a->contexts.call[i].epoch;
        } else {
            const rdi_site *site = &a->sites.site[(uint32_t)t->pairs[i - t->n_contexts].key];
            place.pc = site->pc;
            place.epoch = site->epoch;
        }
        t->places[t->n_places++] = place;
    }
    rdi_own own = {a->config.own, a->config.n_own};
    RD_TRY(rdi_call_frames_find(&a->modules, &own, t->places, t->n_places, t->scratch, &t->frames));
    t->others = (uint32_t)t->frames.n_frames;
    for (size_t i = 0; i < t->n_places; i++)
        t->place_of[t->places[i].user] = (uint32_t)i;
    return RD_OK;
}

/* ---- nodes ---- */

#define NO_NODE UINT32_MAX

static rd_status child_of(tree *t, uint32_t parent, uint32_t frame, uint32_t *out) {
    uint64_t key = (uint64_t)(parent + 1) << 32 | frame, old;
    const uint64_t *known = rdi_block_map_find(&t->children, key);
    if (known) {
        *out = (uint32_t)*known;
        return RD_OK;
    }
    if (t->n_nodes == t->nodes_room) {
        size_t room = t->nodes_room ? 2 * t->nodes_room : 1024;
        rd_call_node *grown = rdi_resize(t->a->ctx, t->nodes, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        t->nodes = grown;
        t->nodes_room = room;
    }
    RD_TRY(rdi_block_map_exchange(&t->children, key, t->n_nodes, &old));
    t->nodes[t->n_nodes] =
        (rd_call_node){.parent = parent == NO_NODE ? RD_NO_INDEX : parent, .frame = frame};
    *out = (uint32_t)t->n_nodes++;
    return RD_OK;
}

/* Sets *out to the node of the innermost frame of context or pair `item`. The frames of the item
 * are a chain of nodes below `parent`; missing nodes are made. */
static rd_status descend(tree *t, uint32_t parent, size_t item, uint32_t *out) {
    const rdi_code_place *place = &t->places[t->place_of[item]];
    *out = parent;
    for (uint32_t i = 0; i < place->n; i++)
        RD_TRY(child_of(t, *out, t->frames.of[place->first + i], out));
    return RD_OK;
}

/* Goes from node *at down the chain of the frames of context or pair `item`, as far as it exists.
 * Returns whether all of the chain exists. */
static bool follow(const tree *t, size_t item, uint32_t *at) {
    const rdi_code_place *place = &t->places[t->place_of[item]];
    for (uint32_t i = 0; i < place->n; i++) {
        uint64_t key = (uint64_t)(*at + 1) << 32 | t->frames.of[place->first + i];
        const uint64_t *known = rdi_block_map_find(&t->children, key);
        if (!known)
            return false;
        *at = (uint32_t)*known;
    }
    return true;
}

static void add_pair(rd_call_node *node, const pair *p) {
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++) {
        node->references += p->at[k];
        for (unsigned level = 0; level < k; level++)
            node->misses[level] += p->at[k];
    }
}

/* Makes the nodes of the heaviest contexts and pairs. node_of[i] is the node of context i. */
static rd_status make_heaviest(tree *t, uint32_t *node_of) {
    node_of[0] = NO_NODE;
    for (size_t i = 1; i < t->n_contexts; i++)
        if (t->kept[i])
            RD_TRY(descend(t, node_of[t->a->contexts.call[i].parent], i, &node_of[i]));
    for (size_t i = 0; i < t->n_pairs; i++) {
        uint32_t node, above = node_of[rdi_key_context(t->pairs[i].key)];
        if (t->kept[t->n_contexts + i] && !is_folded(t, t->n_contexts + i))
            RD_TRY(descend(t, above, t->n_contexts + i, &node));
    }
    return RD_OK;
}

/* Sets node_of[i], for each context i that makes no nodes, to the innermost node of its chain of
 * frames that exists, and whole[i] to whether the whole chain exists. */
static void find_nodes(const tree *t, uint32_t *node_of, bool *whole) {
    whole[0] = true;
    for (size_t i = 1; i < t->n_contexts; i++) {
        uint32_t parent = t->a->contexts.call[i].parent;
        whole[i] = whole[parent];
        if (t->kept[i] || !t->used[i])
            continue;
        node_of[i] = node_of[parent];
        if (whole[i])
            whole[i] = follow(t, i, &node_of[i]);
    }
}

static rd_status make_nodes(tree *t) {
    uint32_t *node_of = rdi_arena_alloc(t->scratch, t->n_contexts, sizeof *node_of);
    bool *whole = rdi_arena_alloc(t->scratch, t->n_contexts, sizeof *whole);
    if (!node_of || !whole)
        return RD_ENOMEM;
    RD_TRY(make_heaviest(t, node_of));
    find_nodes(t, node_of, whole);
    for (size_t i = 0; i < t->n_pairs; i++) {
        size_t context = rdi_key_context(t->pairs[i].key), item = t->n_contexts + i;
        uint32_t node = node_of[context];
        if (is_folded(t, item) || !whole[context] || !follow(t, item, &node)) {
            RD_TRY(child_of(t, node, t->others, &node));
            t->left_out += !t->kept[item];
        }
        add_pair(&t->nodes[node], &t->pairs[i]);
    }
    return RD_OK;
}

/* Sets kept[i] for the heaviest nodes. If some nodes must be left out, the limit on the number of
 * nodes also has room for a node "(others)" below each kept node and for one without a parent. */
static rd_status choose_nodes(tree *t) {
    weight *weights = rdi_arena_alloc(t->scratch, t->n_nodes, sizeof *weights);
    t->kept = rdi_arena_alloc(t->scratch, t->n_nodes, sizeof *t->kept);
    if (!weights || !t->kept)
        return RD_ENOMEM;
    for (size_t i = t->n_nodes; i-- > 0;) {
        const rd_call_node *node = &t->nodes[i];
        weight own = {.references = node->references};
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            own.misses += node->misses[k];
        add_weight(&weights[i], &own);
        weights[i].item = (uint32_t)i;
        if (node->parent != RD_NO_INDEX)
            add_weight(&weights[node->parent], &weights[i]);
    }
    size_t most = t->a->config.max_call_nodes;
    keep_heaviest(weights, t->n_nodes, t->n_nodes > most ? (most - 1) / 2 : most, t->kept);
    for (size_t i = 0; i < t->n_nodes; i++)
        t->kept[i] = t->kept[i] && t->nodes[i].frame != t->others;
    return RD_OK;
}

/* Adds the counts of all nodes that are not kept to the nodes "(others)" below the nearest parents
 * that are kept. others[i] is the node "(others)" below node i, and others[t->n_nodes] the one
 * without a parent. */
static rd_status combine_others(tree *t, rd_call_node **out) {
    rd_call_node *others = rdi_arena_alloc(t->scratch, t->n_nodes + 1, sizeof *others);
    if (!others)
        return RD_ENOMEM;
    for (size_t i = 0; i < t->n_nodes; i++) {
        const rd_call_node *node = &t->nodes[i];
        size_t parent = node->parent;
        if (t->kept[i] || !node->references)
            continue;
        while (parent != RD_NO_INDEX && !t->kept[parent])
            parent = t->nodes[parent].parent;
        rd_call_node *to = &others[parent == RD_NO_INDEX ? t->n_nodes : parent];
        to->references += node->references;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            to->misses[k] += node->misses[k];
        t->left_out += node->frame != t->others;
    }
    *out = others;
    return RD_OK;
}

/* ---- the result ---- */

/* Subtracts the counts of a node from out->other_references and out->other_misses. */
static void subtract(rd_contexts *out, const rd_call_node *node) {
    out->other_references -= node->references;
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        out->other_misses[k] -= node->misses[k];
}

static rd_status copy_text(rdi_arena *arena, const char **text) {
    const char *copy = *text ? rdi_arena_strdup(arena, *text) : NULL;
    bool good = copy || !*text;
    *text = copy;
    return good ? RD_OK : RD_ENOMEM;
}

/* Appends frame `number` to the *n frames of the result, unless it is there already. index_of[i] is
 * 1 + the index of frame i in the result, or 0. */
static rd_status use_frame(const tree *t, size_t number, rd_call_frame *frames, size_t *n,
                           uint32_t *index_of, rdi_arena *arena) {
    if (index_of[number])
        return RD_OK;
    rd_call_frame *f = &frames[(*n)++];
    index_of[number] = (uint32_t)*n;
    *f = t->frames.frame[number];
    RD_TRY(copy_text(arena, &f->function));
    RD_TRY(copy_text(arena, &f->file));
    return copy_text(arena, &f->module);
}

/* Appends the nodes "(others)" to the result. */
static void deliver_others(const tree *t, const rd_call_node *others, const size_t *index_of,
                           size_t frame, rd_contexts *out, rd_call_node *nodes) {
    for (size_t i = 0; i <= t->n_nodes; i++) {
        if (!others[i].references)
            continue;
        rd_call_node *node = &nodes[out->n_nodes++];
        *node = others[i];
        node->frame = frame;
        node->parent = i < t->n_nodes ? index_of[i] : RD_NO_INDEX;
        subtract(out, node);
    }
}

static rd_status deliver(tree *t, rdi_arena *arena, rd_contexts *out) {
    size_t kept = 0, n = 0, n_frames = 0;
    rd_call_node *others = NULL;
    RD_TRY(combine_others(t, &others));
    for (size_t i = 0; i < t->n_nodes; i++)
        kept += t->kept[i] + (others[i].references > 0);
    kept += others[t->n_nodes].references > 0;
    rd_call_node *nodes = rdi_arena_alloc(arena, kept, sizeof *nodes);
    rd_call_frame *frames = rdi_arena_alloc(arena, kept + 1, sizeof *frames);
    size_t *index_of = rdi_arena_alloc(t->scratch, t->n_nodes, sizeof *index_of);
    uint32_t *frame_of = rdi_arena_alloc(t->scratch, t->frames.n_frames, sizeof *frame_of);
    if (!nodes || !frames || !index_of || !frame_of)
        return RD_ENOMEM;
    for (size_t i = 0; i < t->n_nodes; i++) {
        const rd_call_node *node = &t->nodes[i];
        if (!t->kept[i])
            continue;
        RD_TRY(use_frame(t, node->frame, frames, &n_frames, frame_of, arena));
        subtract(out, node);
        nodes[n] = *node;
        nodes[n].frame = frame_of[node->frame] - 1;
        if (node->parent != RD_NO_INDEX)
            nodes[n].parent = index_of[node->parent];
        index_of[i] = n++;
    }
    out->frames = frames;
    out->nodes = nodes;
    out->n_nodes = n;
    deliver_others(t, others, index_of, n_frames, out, nodes);
    if (out->n_nodes > n)
        frames[n_frames++] = (rd_call_frame){.function = "(others)"};
    out->n_frames = n_frames;
    out->other_contexts = t->a->contexts.folded + t->left_out;
    return RD_OK;
}

static rd_status make(tree *t, rdi_arena *arena, rd_contexts *out) {
    RD_TRY(rdi_block_map_init(&t->children, t->a->ctx));
    RD_TRY(list_pairs(t));
    RD_TRY(choose(t));
    RD_TRY(find_names(t));
    RD_TRY(make_nodes(t));
    RD_TRY(choose_nodes(t));
    return deliver(t, arena, out);
}

rd_status rdi_call_tree_make(const rd_attributor *a, const rd_share *total, rdi_arena *arena,
                             rdi_arena *scratch, const rd_contexts **out) {
    tree t = {.a = a, .scratch = scratch};
    *out = NULL;
    if (!a->contexts.seen)
        return RD_OK;
    rd_contexts *result = rdi_arena_alloc(arena, 1, sizeof *result);
    if (!result)
        return RD_ENOMEM;
    result->other_references = total->references;
    memcpy(result->other_misses, total->misses, sizeof result->other_misses);
    rd_status status = make(&t, arena, result);
    rdi_block_map_fini(&t.children);
    rdi_free(a->ctx, t.nodes);
    if (status == RD_OK)
        *out = result;
    return status;
}
