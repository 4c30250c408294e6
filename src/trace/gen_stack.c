/* stack: makes a trace whose reuse distances are drawn from a distribution.
 *
 * The LRU stack is an array of slots in the order of the last use, with the most recent block at
 * the end. A Fenwick tree counts the occupied slots, so that the d-th most recent block is found in
 * logarithmic time. When the array is full, it is compacted.
 */
#include "trace/generate.h"

#include <stddef.h>
#include <string.h>

#define STACK_MAX (UINT64_C(1) << 31)

typedef struct stack_state {
    rdi_generator g;
    uint64_t blocks;      /* option: maximum number of distinct blocks */
    double mean, cold;    /* options: mean distance; fraction of references to new blocks */
    rd_sizes at, weights; /* options: distances to draw from, and their weights */
    rdi_choice choice;    /* used with at=; otherwise distances are geometrically distributed */
    double log_fail;
    size_t room, next, live; /* number of slots; next slot to use; number of occupied slots */
    uint32_t *slot;          /* block + 1, or 0 if the slot is empty; indices begin at 1 */
    uint32_t *count;         /* Fenwick tree over occupied slots */
} stack_state;

static const rd_opt stack_opts[] = {
    {.name = "blocks",
     .type = RD_OPT_SIZE,
     .offset = offsetof(stack_state, blocks),
     .def = "64K",
     .min = 1,
     .max = (double)STACK_MAX,
     .help = "maximum number of distinct blocks"},
    {.name = "mean",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(stack_state, mean),
     .def = "1000",
     .min = 0,
     .max = 1e9,
     .help = "mean of the geometric distribution that distances are drawn from"},
    {.name = "at",
     .type = RD_OPT_SIZES,
     .offset = offsetof(stack_state, at),
     .help = "distances to draw from instead of mean=, separated by ':'"},
    {.name = "weights",
     .type = RD_OPT_SIZES,
     .offset = offsetof(stack_state, weights),
     .help = "how often each distance of at= is drawn, separated by ':' [all equally]"},
    {.name = "cold",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(stack_state, cold),
     .def = "0",
     .min = 0,
     .max = 1,
     .help =
         "fraction of references that go to a new block, until all `blocks` blocks have been used"},
    RDI_GENERATOR_OPTS(stack_state, g),
    {.name = NULL},
};

static rd_status stack_open(void *self, rdi_reader *r) {
    stack_state *s = self;
    rdi_generator_open(&s->g, r);
    if (s->at.n > 0)
        RD_TRY(rdi_choice_init(r->ctx, "stack", &s->choice, s->at.n, &s->weights));
    else if (s->weights.n > 0)
        return rdi_fail(
            r->ctx, RD_EINVAL,
            "generator stack: weights= is given without at=; name the distances with at=");
    s->log_fail = s->mean > 0 ? rdi_log(s->mean / (s->mean + 1)) : 0;
    s->room = 2 * (size_t)s->blocks + 1024;
    s->next = 1;
    s->slot = rdi_calloc(r->ctx, s->room + 1, sizeof *s->slot);
    s->count = rdi_calloc(r->ctx, s->room + 1, sizeof *s->count);
    return s->slot && s->count ? RD_OK : RD_ENOMEM;
}

static void add(stack_state *s, size_t at, uint32_t change) {
    for (; at <= s->room; at += at & (0 - at))
        s->count[at] += change;
}

/* Returns the slot of the rank-th oldest block, counted from 1. */
static size_t find_rank(const stack_state *s, size_t rank) {
    size_t at = 0, step = (size_t)1 << (rdi_bit_width(s->room) - 1);
    for (; step > 0; step /= 2)
        if (at + step <= s->room && s->count[at + step] < rank) {
            at += step;
            rank -= s->count[at];
        }
    return at + 1;
}

/* Moves all blocks, in their order, to the first slots, and rebuilds the tree. */
static void pack(stack_state *s) {
    size_t to = 1;
    for (size_t from = 1; from < s->next; from++)
        if (s->slot[from])
            s->slot[to++] = s->slot[from];
    memset(s->slot + to, 0, (s->room + 1 - to) * sizeof *s->slot);
    memset(s->count, 0, (s->room + 1) * sizeof *s->count);
    for (size_t at = 1; at <= s->room; at++) {
        s->count[at] += s->slot[at] != 0;
        size_t parent = at + (at & (0 - at));
        if (parent <= s->room)
            s->count[parent] += s->count[at];
    }
    s->next = to;
}

static void push(stack_state *s, uint32_t entry) {
    if (s->next > s->room)
        pack(s);
    s->slot[s->next] = entry;
    add(s, s->next++, 1);
}

/* Draws a distance. UINT64_MAX means a reference to a new block. */
static uint64_t draw_distance(stack_state *s) {
    if (s->cold > 0 && rdi_rng_unit(&s->g.rng) < s->cold)
        return UINT64_MAX;
    if (s->at.n > 0)
        return s->at.value[rdi_choice_draw(&s->choice, &s->g.rng)];
    if (s->mean <= 0)
        return 0;
    return (uint64_t)(rdi_log(1 - rdi_rng_unit(&s->g.rng)) / s->log_fail);
}

static void stack_fill(void *self, uint64_t *blocks, size_t n) {
    stack_state *s = self;
    for (size_t i = 0; i < n; i++) {
        uint64_t distance = draw_distance(s);
        uint32_t entry;
        if (distance >= s->live && s->live < s->blocks) {
            entry = (uint32_t)++s->live;
        } else {
            size_t depth = distance < s->live ? (size_t)distance : s->live - 1;
            size_t at = find_rank(s, s->live - depth);
            entry = s->slot[at];
            s->slot[at] = 0;
            add(s, at, UINT32_MAX); /* adds -1 */
        }
        push(s, entry);
        blocks[i] = entry - 1;
    }
}

static rd_status stack_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, stack_fill);
}

static void stack_close(void *self) {
    stack_state *s = self;
    if (s->g.r) {
        rdi_free(s->g.r->ctx, s->slot);
        rdi_free(s->g.r->ctx, s->count);
    }
}

const rdi_format_ops rdi_generator_stack = {
    .info =
        {
            .name = "stack",
            .summary = "reuse distances drawn from a given distribution",
            .card =
                "Each reference goes to the block at the drawn depth of the LRU stack. If the\n"
                "stack is not that deep, a new block is used. Once there are as many blocks as\n"
                "blocks= says, the deepest block is used instead.",
            .opts = stack_opts,
        },
    .state_size = sizeof(stack_state),
    .open = stack_open,
    .read = stack_read,
    .close = stack_close,
};
