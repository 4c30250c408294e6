/* `planted`: an engine with deliberate mistakes in rare circumstances, to prove that verify detects
 * the mistakes.
 *
 * It keeps a recency list like `stack`, and pretends to have a time axis with 100 slots more than
 * live blocks: a reference takes a slot, and a full axis is renumbered so that only the live blocks
 * keep a slot. The mistakes are in places where real mistakes occur.
 */
#include "engine/core/plugin.h"

#include <string.h>

#define AXIS_SLOTS 100

enum { MISTAKE_RENUMBER, MISTAKE_BOUND, MISTAKE_COUNT, MISTAKE_BLOCKS, MISTAKE_NONE };

typedef struct planted_engine {
    rdi_run *run;
    uint32_t mistake;
    uint64_t *block; /* the blocks, newest last */
    size_t n, room;
    size_t slots_used;
} planted_engine;

static const rd_opt planted_opts[] = {
    {.name = "mistake",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(planted_engine, mistake),
     .def = "renumber",
     .choices = "renumber|bound|count|blocks|none",
     .help = "the error to make"},
    {0},
};

static rd_status planted_open(void *self, rdi_run *run) {
    planted_engine *e = self;
    e->run = run;
    run->out.counter = RDI_ENGINE_COUNTS;
    return RD_OK;
}

/* Moves the block to the end of the list, and stores its distance, or RD_COLD, in *distance. Returns
 * RD_ENOMEM if the list cannot grow. */
static rd_status reference(planted_engine *e, uint64_t block, uint64_t *distance) {
    size_t at = e->n;
    while (at > 0 && e->block[at - 1] != block)
        at--;
    *distance = at ? e->n - at : RD_COLD;
    if (at == 0) {
        if (e->n == e->room) {
            size_t room = e->room ? 2 * e->room : 64;
            uint64_t *grown = rdi_resize(e->run->ctx, e->block, room, sizeof *grown);
            if (!grown)
                return RD_ENOMEM;
            e->block = grown;
            e->room = room;
        }
        e->block[e->n++] = block;
    } else {
        memmove(&e->block[at - 1], &e->block[at], (e->n - at) * sizeof *e->block);
        e->block[e->n - 1] = block;
    }
    return RD_OK;
}

/* Takes a slot of the axis. Returns true if this filled the axis, so that it was renumbered. */
static bool renumbered(planted_engine *e) {
    if (++e->slots_used < AXIS_SLOTS + e->n)
        return false;
    e->slots_used = e->n;
    return true;
}

static rd_status planted_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    planted_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        uint64_t d = 0;
        RD_TRY(reference(e, blk[i], &d));
        if (renumbered(e) && e->mistake == MISTAKE_RENUMBER && d != RD_COLD && d > 2)
            d--;
        bool at_bound = e->mistake == MISTAKE_BOUND && d == e->run->in->bound;
        if (d >= e->run->in->bound && !at_bound)
            d = RD_COLD;
        if (dist)
            dist[i] = d;
        /* MISTAKE_COUNT: counts a distance of 7 twice if it is at index 11 of a batch and
         * no distances are requested. */
        bool twice = !dist && e->mistake == MISTAKE_COUNT && d == 7 && i == 11;
        if (!dist || e->run->count_too)
            RD_TRY(rdi_hist_add_many(e->run->out.hist, d, twice ? 2 : 1));
    }
    return RD_OK;
}

static rd_status planted_finish(void *self) {
    planted_engine *e = self;
    if (e->mistake == MISTAKE_BLOCKS && e->n >= 3)
        e->run->out.blocks = e->n - 1;
    return RD_OK;
}

static void planted_close(void *self) {
    planted_engine *e = self;
    if (e->run)
        rdi_free(e->run->ctx, e->block);
}

const rdi_engine_ops rdi_engine_planted = {
    .info =
        {
            .name = "planted",
            .summary = "deliberately wrong",
            .card = "Exists in tests only.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = planted_opts,
        },
    .state_size = sizeof(planted_engine),
    .open = planted_open,
    .feed = planted_feed,
    .finish = planted_finish,
    .close = planted_close,
};
