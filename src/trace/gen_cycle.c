/* cycle: references all blocks in order, again and again. */
#include "trace/generate.h"

#include <stddef.h>

typedef struct cycle_state {
    rdi_generator g;
    uint64_t blocks, next;
} cycle_state;

static const rd_opt cycle_opts[] = {
    RDI_BLOCKS_OPT(cycle_state, blocks, "1K"),
    RDI_GENERATOR_OPTS(cycle_state, g),
    {.name = NULL},
};

static rd_status cycle_open(void *self, rdi_reader *r) {
    rdi_generator_open(self, r);
    return RD_OK;
}

static void cycle_fill(void *self, uint64_t *blocks, size_t n) {
    cycle_state *c = self;
    for (size_t i = 0; i < n; i++) {
        blocks[i] = c->next++;
        if (c->next == c->blocks)
            c->next = 0;
    }
}

static rd_status cycle_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, cycle_fill);
}

const rdi_format_ops rdi_generator_cycle = {
    .info =
        {
            .name = "cycle",
            .summary = "all blocks in order, again and again: the worst case of LRU",
            .card =
                "The references are 0 1 2 3 0 1 2 3 ... Every reuse has the distance blocks - 1.",
            .opts = cycle_opts,
        },
    .state_size = sizeof(cycle_state),
    .open = cycle_open,
    .read = cycle_read,
};
