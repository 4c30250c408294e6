/* The interface of a generator, which is a format without an input: one const table in one source file,
 * and one line in generators.def.
 *
 * The same options give the same trace on every machine: random numbers are integers that follow from
 * a seed, and floating-point numbers are only added, subtracted, multiplied, divided, compared and
 * converted, which IEEE 754 defines exactly.
 */
#ifndef RDI_GENERATE_H
#define RDI_GENERATE_H

#include "trace/format.h"

#define RDI_BLOCKS_MAX (UINT64_C(1) << 40)

/* The first member of a generator's state. */
typedef struct rdi_generator {
    rdi_reader *r;
    rdi_rng rng;
    uint64_t refs, seed, stride; /* the options that all generators have */
} rdi_generator;

/* The rows of the option table that all generators have. `state` is the type of the state, and
 * `member` is its member of type rdi_generator. */
#define RDI_GENERATOR_OPTS(state, member)                                                          \
    {.name = "refs",                                                                               \
     .type = RD_OPT_SIZE,                                                                          \
     .offset = offsetof(state, member.refs),                                                       \
     .def = "1M",                                                                                  \
     .help = "number of references"},                                                              \
        {.name = "seed",                                                                           \
         .type = RD_OPT_U64,                                                                       \
         .offset = offsetof(state, member.seed),                                                   \
         .def = "1",                                                                               \
         .help = "seed of the random numbers; the same seed gives the same trace"},                \
    {                                                                                              \
        .name = "stride", .type = RD_OPT_SIZE, .offset = offsetof(state, member.stride),           \
        .def = "64", .min = 1, .max = 1 << 20, .help = "bytes from one block to the next"          \
    }

/* The row of the option table for the number of blocks. */
#define RDI_BLOCKS_OPT(state, field, initial)                                                      \
    {                                                                                              \
        .name = "blocks", .type = RD_OPT_SIZE, .offset = offsetof(state, field), .def = initial,   \
        .min = 1, .max = (double)RDI_BLOCKS_MAX, .help = "number of distinct blocks"               \
    }

/* Stores the next n block numbers in `blocks`. n is at most RDI_REFS_MAX. */
typedef void rdi_generator_fill(void *self, uint64_t *blocks, size_t n);

/* Connects the generator with r, seeds the random numbers, and sets r->total to the number of
 * references. */
void rdi_generator_open(rdi_generator *g, rdi_reader *r);
/* Makes a batch of references from block numbers that `fill` makes. An address is a block number
 * times the stride. */
rd_status rdi_generator_read(rdi_generator *g, rd_refs *refs, rdi_generator_fill *fill);

/* ---- distributions ---- */

/* These functions compute the natural logarithm (x > 0) and the exponential with only the four
 * basic operations. The exponential is 0 below -700 and constant above 700. */
double rdi_log(double x);
double rdi_exp(double x);

/* The distribution of numbers k from 0 to n-1 with probabilities proportional to (k + 1)^-alpha. */
typedef struct rdi_zipf {
    double alpha, n, h_first, h_last, shortcut;
} rdi_zipf;
void rdi_zipf_init(rdi_zipf *z, uint64_t n, double alpha);
uint64_t rdi_zipf_draw(const rdi_zipf *z, rdi_rng *rng);

/* A distribution of the numbers below n, each with a probability proportional to its weight. */
typedef struct rdi_choice {
    size_t n;
    uint64_t bound[RD_SIZES_MAX]; /* sum of the weights up to and including each number */
} rdi_choice;
/* Prepares to draw numbers below n. Without weights, all numbers are equally likely. Otherwise
 * there must be n weights below 2^32 that are not all 0; if not, the function returns RD_EINVAL.
 * `owner` names the generator in messages. */
rd_status rdi_choice_init(rd_ctx *ctx, const char *owner, rdi_choice *c, size_t n,
                          const rd_sizes *weights);
size_t rdi_choice_draw(const rdi_choice *c, rdi_rng *rng);

/* Returns the image of x < n under a permutation of 0 .. n-1 (n at most RDI_BLOCKS_MAX) that moves
 * neighbors apart. */
uint64_t rdi_scramble(uint64_t x, uint64_t n);

#endif
