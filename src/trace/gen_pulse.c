/* pulse: makes time distances that are concentrated at a few values, the pulses (Shen, Shaw,
 * Meeker, Ding, POPL 2007).
 *
 * Each pulse has a group of blocks that are used cyclically. Groups get references in proportion to
 * their weights. A group has as many blocks as it gets references within its time distance, so each
 * block is reused after this time distance: exactly in regular order if the numbers divide evenly, on
 * average in random order.
 */
#include "trace/generate.h"

#include <inttypes.h>
#include <stddef.h>

enum { ORDER_RANDOM, ORDER_REGULAR };

/* The blocks of one pulse. */
typedef struct group {
    uint64_t first, blocks, next;
    int64_t credit; /* regular order: number of references that the group is owed, times the sum of
                       all weights */
} group;

typedef struct pulse_state {
    rdi_generator g;
    rd_sizes at, weights;
    uint32_t order;
    rdi_choice choice;
    group groups[RD_SIZES_MAX];
} pulse_state;

static const rd_opt pulse_opts[] = {
    {.name = "at",
     .type = RD_OPT_SIZES,
     .offset = offsetof(pulse_state, at),
     .def = "64:1K:16K",
     .help = "time distances, separated by ':'"},
    {.name = "weights",
     .type = RD_OPT_SIZES,
     .offset = offsetof(pulse_state, weights),
     .help = "relative frequencies of the time distances, separated by ':' [all equal]"},
    {.name = "order",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(pulse_state, order),
     .choices = "random|regular",
     .def = "random",
     .help = "how the next time distance is chosen; random: independently, so that measured time "
             "distances vary around the given ones; regular: in turns, by weight"},
    RDI_GENERATOR_OPTS(pulse_state, g),
    {.name = NULL},
};

static uint64_t weight_of(const pulse_state *p, size_t i) {
    return p->choice.bound[i] - (i ? p->choice.bound[i - 1] : 0);
}

static uint64_t sum_of_weights(const pulse_state *p) {
    return p->choice.bound[p->choice.n - 1];
}

static rd_status pulse_open(void *self, rdi_reader *r) {
    pulse_state *p = self;
    rdi_generator_open(&p->g, r);
    RD_TRY(rdi_choice_init(r->ctx, "pulse", &p->choice, p->at.n, &p->weights));
    uint64_t first = 0, sum = sum_of_weights(p);
    for (size_t i = 0; i < p->at.n; i++) {
        uint64_t distance = p->at.value[i];
        if (distance == 0 || distance > RDI_BLOCKS_MAX)
            return rdi_fail(r->ctx, RD_EINVAL,
                            "generator pulse: a time distance of %" PRIu64
                            " references is not from 1 to 1T",
                            distance);
        unsigned __int128 share = (unsigned __int128)distance * weight_of(p, i) + sum / 2;
        uint64_t blocks = (uint64_t)(share / sum);
        p->groups[i] = (group){.first = first, .blocks = blocks ? blocks : 1};
        first += p->groups[i].blocks;
    }
    return RD_OK;
}

/* Chooses a group by smooth weighted round-robin: the credit of every group grows by its weight,
 * and the group with the largest credit is chosen and pays the sum of all weights. */
static size_t next_regular(pulse_state *p) {
    size_t most = 0;
    for (size_t i = 0; i < p->at.n; i++) {
        p->groups[i].credit += (int64_t)weight_of(p, i);
        if (p->groups[i].credit > p->groups[most].credit)
            most = i;
    }
    p->groups[most].credit -= (int64_t)sum_of_weights(p);
    return most;
}

static void pulse_fill(void *self, uint64_t *blocks, size_t n) {
    pulse_state *p = self;
    for (size_t i = 0; i < n; i++) {
        size_t which =
            p->order == ORDER_REGULAR ? next_regular(p) : rdi_choice_draw(&p->choice, &p->g.rng);
        group *g = &p->groups[which];
        blocks[i] = g->first + g->next;
        g->next = g->next + 1 < g->blocks ? g->next + 1 : 0;
    }
}

static rd_status pulse_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, pulse_fill);
}

const rdi_format_ops rdi_generator_pulse = {
    .info =
        {
            .name = "pulse",
            .summary = "time distances concentrated at a few values",
            .card = "Each time distance of at= has a group of blocks that are used cyclically, as "
                    "often\n"
                    "as its weight says. The number of blocks follows from the distances; a time\n"
                    "distance that is too short for the given weights becomes a little longer.",
            .opts = pulse_opts,
        },
    .state_size = sizeof(pulse_state),
    .open = pulse_open,
    .read = pulse_read,
};
