/* Feeds blocks and kinds to the simulation of caches. See hierarchy_feed.h.
 *
 * With a thread for the simulation there are two buffers of references: one is filled while the other
 * one is simulated. Otherwise only the kinds are copied. */
#include "analysis/hierarchy_feed.h"

#include "analysis/block_kinds.h"
#include "base/threads.h"
#include "hierarchy/simulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALONE  4096  /* number of references in a buffer if the caller's thread simulates */
#define BEHIND 16384 /* number of references in a buffer if another thread simulates */

typedef struct buffer {
    uint64_t *blocks, *distances; /* distances: NULL if they are not needed */
    uint8_t *kinds;
    size_t n;
} buffer;

struct rdi_hierarchy_feed {
    rd_ctx *ctx;
    rd_simulator *simulator;
    rd_simulation result; /* its counts are filled in at the end */
    bool is_private, processes;
    char order[RDI_ORDER_ROOM];
    uint64_t *threads; /* private caches: threads of the references in the buffer; NULL: none */
    size_t room;       /* number of references that fit into a buffer */
    bool wants_distances, wants_tags;
    buffer buffers[2];
    buffer *filling;
    rdi_simulated current;      /* the references that the other thread simulates */
    rdi_background *background; /* NULL: the caller's thread simulates */
    rd_status status;           /* result of the simulation so far */
};

static rd_status init_buffer(rdi_hierarchy_feed *f, buffer *b) {
    if (!(b->kinds = rdi_alloc(f->ctx, f->room, sizeof *b->kinds)))
        return RD_ENOMEM;
    if (f->room == ALONE)
        return RD_OK;
    if (!(b->blocks = rdi_alloc(f->ctx, f->room, sizeof *b->blocks)))
        return RD_ENOMEM;
    if (f->wants_distances)
        b->distances = rdi_alloc(f->ctx, f->room, sizeof *b->distances);
    return b->distances || !f->wants_distances ? RD_OK : RD_ENOMEM;
}

void rdi_name_order(const rd_interleave *i, char order[RDI_ORDER_ROOM]) {
    if (i)
        snprintf(order, RDI_ORDER_ROOM, "lockstep:%" PRIu64, i->turn ? i->turn : 1);
    else
        snprintf(order, RDI_ORDER_ROOM, "recorded");
}

static rd_status init(rdi_hierarchy_feed *f, const rd_analysis_config *config, uint64_t block_bytes,
                      bool exact, rd_miss_sink misses, void *misses_user) {
    /* Only the caller's thread may call `misses`. */
    bool behind = config->threads > 1 && !misses && !f->is_private;
    rd_simulator_config simulation = {.size = sizeof simulation,
                                      .block_bytes = block_bytes,
                                      .without_causes = config->without_causes,
                                      .misses = misses,
                                      .misses_user = misses_user,
                                      .private_caches = f->is_private};
    f->wants_tags = misses != NULL;
    RD_TRY(rd_simulator_new(f->ctx, config->hierarchy, &simulation, &f->simulator));
    f->wants_distances = exact && rdi_simulator_takes_distances(f->simulator);
    f->room = behind ? BEHIND : ALONE;
    f->filling = &f->buffers[0];
    RD_TRY(init_buffer(f, &f->buffers[0]));
    if (f->is_private && !(f->threads = rdi_alloc(f->ctx, f->room, sizeof *f->threads)))
        return RD_ENOMEM;
    if (!behind)
        return RD_OK;
    RD_TRY(init_buffer(f, &f->buffers[1]));
    return rdi_background_new(f->ctx, &f->background);
}

rd_status rdi_hierarchy_feed_new(rd_ctx *ctx, const rd_analysis_config *config,
                                 uint64_t block_bytes, bool exact, rd_miss_sink misses,
                                 void *misses_user, bool processes, rdi_hierarchy_feed **out) {
    rdi_hierarchy_feed *f = rdi_calloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    f->result = (rd_simulation){.size = sizeof f->result,
                                .hierarchy = *config->hierarchy,
                                .causes = !config->without_causes};
    f->is_private = config->private_caches;
    f->processes = processes;
    rdi_name_order(config->interleave, f->order);
    rd_status status = init(f, config, block_bytes, exact, misses, misses_user);
    if (status != RD_OK) {
        rdi_hierarchy_feed_free(f);
        return status;
    }
    *out = f;
    return RD_OK;
}

bool rdi_hierarchy_feed_wants_distances(const rdi_hierarchy_feed *f) {
    return f && f->wants_distances;
}

/* Simulates n references. `distances` is NULL if the simulation does not need them. */
static rd_status simulate(rdi_hierarchy_feed *f, const uint64_t *blocks, const uint8_t *kinds,
                          const uint64_t *distances, size_t n) {
    return distances ? rdi_simulator_feed_distances(f->simulator, blocks, kinds, distances, n)
                     : rd_simulator_feed(f->simulator, blocks, kinds, n);
}

/* Simulates f->current. The thread of the simulation runs this function. */
static void simulate_current(void *arg) {
    rdi_hierarchy_feed *f = arg;
    const rdi_simulated *c = &f->current;
    if (f->status == RD_OK)
        f->status = simulate(f, c->blocks, c->kinds, c->distances, c->n);
}

rd_status rdi_hierarchy_feed_wait(rdi_hierarchy_feed *f) {
    if (!f->background)
        return RD_OK;
    rdi_background_wait(f->background);
    return f->status;
}

/* Makes the other thread simulate references. */
static rd_status begin(rdi_hierarchy_feed *f, const rdi_simulated *refs) {
    RD_TRY(rdi_hierarchy_feed_wait(f));
    f->current = *refs;
    rdi_background_start(f->background, simulate_current, f);
    return RD_OK;
}

/* Hands the buffer that is being filled to the other thread, and continues with the other buffer. */
static rd_status hand_over(rdi_hierarchy_feed *f) {
    const buffer *b = f->filling;
    rdi_simulated full = {b->blocks, b->distances, b->kinds, b->n};
    RD_TRY(begin(f, &full));
    f->filling = &f->buffers[b == &f->buffers[0]];
    f->filling->n = 0;
    return RD_OK;
}

rd_status rdi_hierarchy_feed_start(rdi_hierarchy_feed *f, const rdi_simulated *refs) {
    if (!f->background)
        return simulate(f, refs->blocks, refs->kinds, refs->distances, refs->n);
    if (f->filling->n > 0) /* the buffer still has references of an earlier trace */
        RD_TRY(hand_over(f));
    return begin(f, refs);
}

rd_status rdi_hierarchy_feed_blocks(rdi_hierarchy_feed *f, const rd_refs *refs,
                                    const uint32_t *origins, const uint64_t *blocks,
                                    const uint64_t *distances, const uint64_t *tags, size_t n) {
    for (size_t at = 0, some; at < n; at += some) {
        buffer *b = f->filling;
        const uint64_t *known = f->wants_distances ? distances + at : NULL;
        some = f->room - b->n < n - at ? f->room - b->n : n - at;
        rdi_block_kinds(refs, origins + at, some, b->kinds + b->n);
        if (f->is_private) {
            rdi_block_threads(refs, origins + at, some, f->processes, f->threads);
            RD_TRY(
                rd_simulator_feed_threads(f->simulator, blocks + at, b->kinds, f->threads, some));
            continue;
        }
        if (!f->background) {
            RD_TRY(f->wants_tags ? rd_simulator_feed_tagged(f->simulator, blocks + at, b->kinds,
                                                            tags + at, some)
                                 : simulate(f, blocks + at, b->kinds, known, some));
            continue;
        }
        memcpy(b->blocks + b->n, blocks + at, some * sizeof *blocks);
        if (known)
            memcpy(b->distances + b->n, known, some * sizeof *known);
        b->n += some;
        if (b->n == f->room)
            RD_TRY(hand_over(f));
    }
    return RD_OK;
}

/* Stores the counters of all threads in the profile. */
static rd_status finish_private(rdi_hierarchy_feed *f, rd_profile *profile) {
    size_t n = rd_simulator_threads(f->simulator);
    rd_thread_caches *threads = rdi_alloc(f->ctx, n + 1, sizeof *threads);
    rd_status status = threads ? RD_OK : RD_ENOMEM;
    for (size_t i = 0; i < n && status == RD_OK; i++) {
        uint64_t number = 0;
        status = rd_simulator_thread_counts(f->simulator, i, &number, threads[i].levels);
        threads[i].process = (uint32_t)(number >> 32);
        threads[i].thread = (uint32_t)number;
    }
    rd_private_simulation result = {.size = sizeof result,
                                    .hierarchy = f->result.hierarchy,
                                    .causes = f->result.causes,
                                    .interleave = f->order,
                                    .threads = threads,
                                    .n_threads = n};
    if (status == RD_OK)
        status = rd_profile_set_private_simulation(profile, &result);
    rdi_free(f->ctx, threads);
    return status;
}

rd_status rdi_hierarchy_feed_finish(rdi_hierarchy_feed *f, uint64_t repeats, rd_profile *profile) {
    if (f->is_private)
        return finish_private(f, profile);
    if (f->background)
        RD_TRY(hand_over(f));
    RD_TRY(rdi_hierarchy_feed_wait(f));
    RD_TRY(rd_simulator_counts(f->simulator, f->result.counts));
    f->result.counts[0].references += repeats;
    return rd_profile_set_simulation(profile, &f->result);
}

void rdi_hierarchy_feed_free(rdi_hierarchy_feed *f) {
    if (!f)
        return;
    rdi_background_free(f->background);
    for (size_t i = 0; i < 2; i++) {
        rdi_free(f->ctx, f->buffers[i].blocks);
        rdi_free(f->ctx, f->buffers[i].distances);
        rdi_free(f->ctx, f->buffers[i].kinds);
    }
    rd_simulator_free(f->simulator);
    rdi_free(f->ctx, f->threads);
    rdi_free(f->ctx, f);
}
