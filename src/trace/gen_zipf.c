/* zipf: draws blocks independently, the k-th most popular block with a probability proportional to
 * 1 / k^alpha. */
#include "trace/generate.h"

#include <stddef.h>

typedef struct zipf_state {
    rdi_generator g;
    uint64_t blocks;
    double alpha;
    bool scramble;
    rdi_zipf zipf;
} zipf_state;

static const rd_opt zipf_opts[] = {
    RDI_BLOCKS_OPT(zipf_state, blocks, "64K"),
    {.name = "alpha",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(zipf_state, alpha),
     .def = "0.99",
     .min = 0,
     .max = 20,
     .help = "skew of the popularity; 0: all blocks are equally popular"},
    {.name = "scramble",
     .type = RD_OPT_BOOL,
     .offset = offsetof(zipf_state, scramble),
     .def = "on",
     .help = "give blocks of similar popularity unrelated addresses"},
    RDI_GENERATOR_OPTS(zipf_state, g),
    {.name = NULL},
};

static rd_status zipf_open(void *self, rdi_reader *r) {
    zipf_state *z = self;
    rdi_generator_open(&z->g, r);
    rdi_zipf_init(&z->zipf, z->blocks, z->alpha);
    return RD_OK;
}

static void zipf_fill(void *self, uint64_t *blocks, size_t n) {
    zipf_state *z = self;
    for (size_t i = 0; i < n; i++)
        blocks[i] = rdi_zipf_draw(&z->zipf, &z->g.rng);
    for (size_t i = 0; z->scramble && i < n; i++)
        blocks[i] = rdi_scramble(blocks[i], z->blocks);
}

static rd_status zipf_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, zipf_fill);
}

const rdi_format_ops rdi_generator_zipf = {
    .info =
        {
            .name = "zipf",
            .summary = "independent draws, few blocks popular and many rare",
            .card = "The k-th most popular block is drawn with a probability proportional to\n"
                    "1 / k^alpha, like the keys of caches and the words of languages.",
            .opts = zipf_opts,
        },
    .state_size = sizeof(zipf_state),
    .open = zipf_open,
    .read = zipf_read,
};
