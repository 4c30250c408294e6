/* phases: references the blocks of several working sets in turn. */
#include "trace/generate.h"

#include <inttypes.h>
#include <stddef.h>

enum { PATTERN_UNIFORM, PATTERN_CYCLE };

typedef struct phases_state {
    rdi_generator g;
    rd_sizes sets;   /* number of blocks of each working set */
    uint64_t length; /* number of references per phase */
    uint32_t pattern;
    size_t set;     /* index of the current working set */
    uint64_t first; /* first block of the current working set */
    uint64_t done;  /* number of references made in the current phase */
} phases_state;

static const rd_opt phases_opts[] = {
    {.name = "sets",
     .type = RD_OPT_SIZES,
     .offset = offsetof(phases_state, sets),
     .def = "1K:4K:16K",
     .help = "number of blocks of each working set, separated by ':'"},
    {.name = "length",
     .type = RD_OPT_SIZE,
     .offset = offsetof(phases_state, length),
     .def = "100000",
     .min = 1,
     .max = 1e15,
     .help = "number of references per phase"},
    {.name = "pattern",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(phases_state, pattern),
     .choices = "uniform|cycle",
     .def = "uniform",
     .help =
         "which blocks a phase references; uniform: random blocks of its set; cycle: all blocks of "
         "its set in turn"},
    RDI_GENERATOR_OPTS(phases_state, g),
    {.name = NULL},
};

static rd_status phases_open(void *self, rdi_reader *r) {
    phases_state *p = self;
    for (size_t i = 0; i < p->sets.n; i++)
        if (p->sets.value[i] == 0 || p->sets.value[i] > RDI_BLOCKS_MAX)
            return rdi_fail(r->ctx, RD_EINVAL,
                            "generator phases: a working set of %" PRIu64
                            " blocks: the number must be from 1 to 1T",
                            p->sets.value[i]);
    rdi_generator_open(&p->g, r);
    return RD_OK;
}

static void next_phase(phases_state *p) {
    p->done = 0;
    p->first += p->sets.value[p->set];
    if (++p->set == p->sets.n) {
        p->set = 0;
        p->first = 0;
    }
}

static void phases_fill(void *self, uint64_t *blocks, size_t n) {
    phases_state *p = self;
    for (size_t i = 0; i < n; i++) {
        if (p->done == p->length)
            next_phase(p);
        uint64_t size = p->sets.value[p->set];
        uint64_t within =
            p->pattern == PATTERN_CYCLE ? p->done % size : rdi_rng_below(&p->g.rng, size);
        blocks[i] = p->first + within;
        p->done++;
    }
}

static rd_status phases_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, phases_fill);
}

const rdi_format_ops rdi_generator_phases = {
    .info =
        {
            .name = "phases",
            .summary = "several working sets in turn",
            .card = "The phases use the working sets in turn, and begin again with the first one "
                    "after\n"
                    "the last. The sets do not overlap.",
            .opts = phases_opts,
        },
    .state_size = sizeof(phases_state),
    .open = phases_open,
    .read = phases_read,
};
