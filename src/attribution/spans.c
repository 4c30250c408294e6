/* Ranges of addresses in a treap. See spans.h. */
#include "attribution/spans.h"

#define FIRST_NODES 64
#define NODES_MAX   (UINT32_MAX - 1)

void rdi_spans_init(rdi_spans *s, rd_ctx *ctx) {
    *s = (rdi_spans){.ctx = ctx, .used = 1};
}

void rdi_spans_fini(rdi_spans *s) {
    if (s->ctx)
        rdi_free(s->ctx, s->node);
    *s = (rdi_spans){0};
}

static uint64_t key(const rdi_spans *s, uint32_t n) {
    return s->node[n].span.from;
}

/* Whether a is to be above b. */
static bool is_above(const rdi_spans *s, uint32_t a, uint32_t b) {
    return rdi_mix64(key(s, a)) > rdi_mix64(key(s, b));
}

static rd_status take_node(rdi_spans *s, uint32_t *out) {
    if (!s->free && s->used >= s->room) {
        uint32_t room = s->room ? s->room * 2 : FIRST_NODES;
        if (s->room > NODES_MAX / 2)
            return rdi_fail(s->ctx, RD_ERANGE, "too many allocations at a time");
        rdi_span_node *grown = rdi_resize(s->ctx, s->node, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        s->node = grown;
        s->room = room;
    }
    *out = s->free ? s->free : s->used++;
    if (s->free)
        s->free = s->node[s->free].child[0];
    return RD_OK;
}

/* Cuts the tree `at` into what is below `from` and what is above. */
static void split(rdi_spans *s, uint32_t at, uint64_t from, uint32_t *low, uint32_t *high) {
    uint32_t *to[2] = {low, high};
    while (at) {
        bool higher = key(s, at) > from;
        *to[higher] = at;
        to[higher] = &s->node[at].child[!higher];
        at = s->node[at].child[!higher];
    }
    *to[0] = *to[1] = 0;
}

rd_status rdi_spans_insert(rdi_spans *s, rdi_span span) {
    uint32_t new = 0;
    RD_TRY(take_node(s, &new));
    s->node[new].span = span;
    uint32_t *at = &s->root;
    while (*at && !is_above(s, new, *at))
        at = &s->node[*at].child[key(s, *at) < span.from];
    uint32_t below = *at;
    *at = new;
    split(s, below, span.from, &s->node[new].child[0], &s->node[new].child[1]);
    s->n++;
    return RD_OK;
}

const rdi_span *rdi_spans_first(const rdi_spans *s, uint64_t from, uint64_t to) {
    const rdi_span *found = NULL;
    for (uint32_t at = s->root; at;) { /* the lowest that ends at `from` or later */
        const rdi_span *span = &s->node[at].span;
        bool late = span->to < from;
        if (!late)
            found = span;
        at = s->node[at].child[late];
    }
    return found && found->from <= to ? found : NULL;
}

/* One tree of two, all of `low` being below `high`. */
static uint32_t join(rdi_spans *s, uint32_t low, uint32_t high) {
    uint32_t root = 0, *at = &root;
    while (low && high) {
        bool left = is_above(s, low, high);
        *at = left ? low : high;
        at = &s->node[*at].child[left];
        if (left)
            low = *at;
        else
            high = *at;
    }
    *at = low ? low : high;
    return root;
}

void rdi_spans_remove(rdi_spans *s, uint64_t from) {
    uint32_t *at = &s->root;
    while (key(s, *at) != from)
        at = &s->node[*at].child[key(s, *at) < from];
    uint32_t gone = *at;
    *at = join(s, s->node[gone].child[0], s->node[gone].child[1]);
    s->node[gone].child[0] = s->free;
    s->free = gone;
    s->n--;
}
