/* Feeds blocks and kinds to the simulation of caches. See hierarchy_feed.h.
 *
 * With a thread for the simulation, the caller's thread hands over jobs, which wait in a ring. Usually a
 * job is a buffer of references that were copied. A wake-up costs about as much as the simulation of
 * thousands of references. So a thread that waits sleeps until the ring is half full or half empty.
 * Without a thread, only the kinds are copied. */
#include "analysis/hierarchy_feed.h"

#include "analysis/block_kinds.h"
#include "base/threads.h"
#include "hierarchy/simulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALONE  4096  /* number of references in a buffer if the caller's thread simulates */
#define BEHIND 16384 /* number of references in a buffer if another thread simulates */
#define JOBS   8     /* maximum number of jobs in the ring */

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
    buffer buffers[JOBS]; /* without another thread, only the first one is used */
    rdi_crew *crew;       /* the other thread; NULL: the caller's thread simulates */
    rdi_monitor monitor;
    /* Both threads use these members, inside the monitor. Job number i, counted from 0, is
     * jobs[i % JOBS], and its references may be in buffers[i % JOBS]. */
    rdi_simulated jobs[JOBS];
    uint64_t handed, done; /* number of jobs handed over and finished */
    uint64_t target;       /* the caller's thread waits until at most this many jobs are not
                              finished */
    bool waits, idle;      /* true: the caller's thread sleeps; the other thread sleeps */
    bool ending;           /* true: no more jobs will come */
    rd_status status;      /* result of the finished jobs */
};

/* ---- jobs ---- */

/* Simulates n references. `distances` is NULL if the simulation does not need them. */
static rd_status simulate(rdi_hierarchy_feed *f, const uint64_t *blocks, const uint8_t *kinds,
                          const uint64_t *distances, size_t n) {
    return distances ? rdi_simulator_feed_distances(f->simulator, blocks, kinds, distances, n)
                     : rd_simulator_feed(f->simulator, blocks, kinds, n);
}

/* Simulates jobs until f->ending is true and all jobs are finished. The other thread runs this
 * function. After a failure, jobs are finished without simulation. */
static void simulate_jobs(void *arg, unsigned worker) {
    rdi_hierarchy_feed *f = arg;
    (void)worker;
    rdi_monitor_enter(&f->monitor);
    while (true) {
        while (f->handed == f->done && !f->ending) {
            f->idle = true;
            rdi_monitor_wait(&f->monitor);
        }
        f->idle = false;
        if (f->handed == f->done)
            break;
        rdi_simulated job = f->jobs[f->done % JOBS];
        rd_status status = f->status;
        rdi_monitor_leave(&f->monitor);
        if (status == RD_OK)
            status = simulate(f, job.blocks, job.kinds, job.distances, job.n);
        rdi_monitor_enter(&f->monitor);
        f->status = status;
        f->done++;
        if (f->waits && f->handed - f->done <= f->target)
            rdi_monitor_wake(&f->monitor);
    }
    rdi_monitor_leave(&f->monitor);
}

/* Waits until at most `most` jobs are not finished. Returns the result of the finished jobs. */
static rd_status wait_for_jobs(rdi_hierarchy_feed *f, uint64_t most) {
    rdi_monitor_enter(&f->monitor);
    f->target = most;
    while (f->handed - f->done > most) {
        if (f->idle)
            rdi_monitor_wake(&f->monitor);
        f->waits = true;
        rdi_monitor_wait(&f->monitor);
    }
    f->waits = false;
    rd_status status = f->status;
    rdi_monitor_leave(&f->monitor);
    return status;
}

/* Hands a job to the other thread, and wakes that thread if at least `enough` jobs are not
 * finished. Afterwards there is room for another job. */
static rd_status hand_over_job(rdi_hierarchy_feed *f, const rdi_simulated *job, uint64_t enough) {
    rdi_monitor_enter(&f->monitor);
    f->jobs[f->handed++ % JOBS] = *job;
    uint64_t left = f->handed - f->done;
    if (f->idle && left >= enough)
        rdi_monitor_wake(&f->monitor);
    rd_status status = f->status;
    rdi_monitor_leave(&f->monitor);
    return left == JOBS ? wait_for_jobs(f, JOBS / 2) : status;
}

/* Returns the buffer that is being filled. */
static buffer *filling(rdi_hierarchy_feed *f) {
    return &f->buffers[f->handed % JOBS];
}

/* Hands the buffer that is being filled to the other thread, if it has references. */
static rd_status hand_over(rdi_hierarchy_feed *f) {
    buffer *b = filling(f);
    rdi_simulated full = {b->blocks, b->distances, b->kinds, b->n};
    b->n = 0;
    return full.n ? hand_over_job(f, &full, JOBS / 2) : RD_OK;
}

/* ---- opening ---- */

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
    /* An engine that returns distances uses one thread. If it can use several threads instead, that
     * gains more than the simulation saves by distances. */
    f->wants_distances =
        exact && rdi_simulator_takes_distances(f->simulator) && (!behind || config->live);
    f->room = behind ? BEHIND : ALONE;
    for (size_t i = 0; i < (behind ? JOBS : 1); i++)
        RD_TRY(init_buffer(f, &f->buffers[i]));
    if (f->is_private && !(f->threads = rdi_alloc(f->ctx, f->room, sizeof *f->threads)))
        return RD_ENOMEM;
    if (!behind)
        return RD_OK;
    RD_TRY(rdi_crew_new(f->ctx, 1, simulate_jobs, f, &f->crew));
    if (rdi_crew_size(f->crew) > 0)
        return RD_OK;
    rdi_crew_free(f->crew); /* the system cannot start a thread */
    f->crew = NULL;
    f->room = ALONE;
    return RD_OK;
}

rd_status rdi_hierarchy_feed_new(rd_ctx *ctx, const rd_analysis_config *config,
                                 uint64_t block_bytes, bool exact, rd_miss_sink misses,
                                 void *misses_user, bool processes, rdi_hierarchy_feed **out) {
    rdi_hierarchy_feed *f = rdi_calloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    rdi_monitor_init(&f->monitor);
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

/* ---- references ---- */

rd_status rdi_hierarchy_feed_start(rdi_hierarchy_feed *f, const rdi_simulated *refs) {
    if (!f->crew)
        return simulate(f, refs->blocks, refs->kinds, refs->distances, refs->n);
    RD_TRY(hand_over(f)); /* the buffer may have references of an earlier trace */
    RD_TRY(hand_over_job(f, refs, 1));
    return wait_for_jobs(f, RDI_SIMULATED_LATER);
}

rd_status rdi_hierarchy_feed_wait(rdi_hierarchy_feed *f) {
    return f->crew ? wait_for_jobs(f, 0) : RD_OK;
}

rd_status rdi_hierarchy_feed_blocks(rdi_hierarchy_feed *f, const rd_refs *refs,
                                    const uint32_t *origins, const uint64_t *blocks,
                                    const uint64_t *distances, const uint64_t *tags, size_t n) {
    for (size_t at = 0, some; at < n; at += some) {
        buffer *b = filling(f);
        const uint64_t *known = f->wants_distances ? distances + at : NULL;
        some = f->room - b->n < n - at ? f->room - b->n : n - at;
        rdi_block_kinds(refs, origins + at, some, b->kinds + b->n);
        if (f->is_private) {
            rdi_block_threads(refs, origins + at, some, f->processes, f->threads);
            RD_TRY(
                rd_simulator_feed_threads(f->simulator, blocks + at, b->kinds, f->threads, some));
            continue;
        }
        if (!f->crew) {
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
    RD_TRY(hand_over(f));
    RD_TRY(rdi_hierarchy_feed_wait(f));
    RD_TRY(rd_simulator_counts(f->simulator, f->result.counts));
    f->result.counts[0].references += repeats;
    return rd_profile_set_simulation(profile, &f->result);
}

void rdi_hierarchy_feed_free(rdi_hierarchy_feed *f) {
    if (!f)
        return;
    rdi_monitor_enter(&f->monitor);
    f->ending = true;
    rdi_monitor_wake(&f->monitor);
    rdi_monitor_leave(&f->monitor);
    rdi_crew_free(f->crew);
    rdi_monitor_fini(&f->monitor);
    for (size_t i = 0; i < JOBS; i++) {
        rdi_free(f->ctx, f->buffers[i].blocks);
        rdi_free(f->ctx, f->buffers[i].distances);
        rdi_free(f->ctx, f->buffers[i].kinds);
    }
    rd_simulator_free(f->simulator);
    rdi_free(f->ctx, f->threads);
    rdi_free(f->ctx, f);
}
