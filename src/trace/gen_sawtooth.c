/* sawtooth: references all blocks forwards, then backwards. */
#include "trace/generate.h"

#include <stddef.h>

typedef struct sawtooth_state {
    rdi_generator g;
    uint64_t blocks, next; /* `next` is the position in a period of 2 * blocks */
} sawtooth_state;

static const rd_opt sawtooth_opts[] = {
    RDI_BLOCKS_OPT(sawtooth_state, blocks, "1K"),
    RDI_GENERATOR_OPTS(sawtooth_state, g),
    {.name = NULL},
};

static rd_status sawtooth_open(void *self, rdi_reader *r) {
    rdi_generator_open(self, r);
    return RD_OK;
}

static void sawtooth_fill(void *self, uint64_t *blocks, size_t n) {
    sawtooth_state *s = self;
    for (size_t i = 0; i < n; i++) {
        blocks[i] = s->next < s->blocks ? s->next : 2 * s->blocks - 1 - s->next;
        if (++s->next == 2 * s->blocks)
            s->next = 0;
    }
}

static rd_status sawtooth_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, sawtooth_fill);
}

const rdi_format_ops rdi_generator_sawtooth = {
    .info =
        {
            .name = "sawtooth",
            .summary = "all blocks forwards, then backwards: every distance equally often",
            .card = "The references are 0 1 2 3 3 2 1 0 0 1 ... Each sweep has the distances 0, 1, "
                    "2 ... blocks - 1.",
            .opts = sawtooth_opts,
        },
    .state_size = sizeof(sawtooth_state),
    .open = sawtooth_open,
    .read = sawtooth_read,
};
