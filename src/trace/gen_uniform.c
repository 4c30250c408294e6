/* uniform: draws blocks independently, all with the same probability. */
#include "trace/generate.h"

#include <stddef.h>

typedef struct uniform_state {
    rdi_generator g;
    uint64_t blocks;
} uniform_state;

static const rd_opt uniform_opts[] = {
    RDI_BLOCKS_OPT(uniform_state, blocks, "64K"),
    RDI_GENERATOR_OPTS(uniform_state, g),
    {.name = NULL},
};

static rd_status uniform_open(void *self, rdi_reader *r) {
    rdi_generator_open(self, r);
    return RD_OK;
}

static void uniform_fill(void *self, uint64_t *blocks, size_t n) {
    uniform_state *u = self;
    for (size_t i = 0; i < n; i++)
        blocks[i] = rdi_rng_below(&u->g.rng, u->blocks);
}

static rd_status uniform_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, uniform_fill);
}

const rdi_format_ops rdi_generator_uniform = {
    .info =
        {
            .name = "uniform",
            .summary = "independent draws, all blocks equally likely: no locality at all",
            .card = "Every distance below the number of blocks is equally likely.",
            .opts = uniform_opts,
        },
    .state_size = sizeof(uniform_state),
    .open = uniform_open,
    .read = uniform_read,
};
