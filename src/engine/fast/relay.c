/* relay: runs `stream` on two threads without dividing the trace into chunks, so that it also suits
 * references from a running program.
 *
 * The work of `stream` is divided between two threads, such that the first thread needs no result
 * of the second:
 *   front on   The feeding thread keeps the front, the 64 most recent blocks, and answers the
 *              reuses that it finds there. The misses of the front go in packets to the second
 *              thread, which has table and axis. The feeding thread alone decides which block each
 *              miss replaces in the front. A packet begins with a copy of the front as it was
 *              before the packet's misses, because the second thread needs that state of the front
 *              whenever it moves table entries.
 *   front off  The feeding thread has the table, which gives the slot of the previous reference to
 *              each block. The second thread has the axis, which gives the distance. The two
 *              threads synchronize before the table grows or slots are renumbered.
 * If distances are requested, the feeding thread does all the work, because feed() must return the
 * distances.
 *
 * Packets wait in a ring. A thread that waits sleeps until the ring is half full or half empty.
 * If the references come from a running program, that program and the two threads usually
 * share two processors. The ring is then long, so that a waiting thread sleeps for milliseconds and
 * leaves its processor to another thread.
 *
 * Time: O(1) per reference. Memory: that of `stream`, and up to 19 MiB for packets.
 */
#include "base/threads.h"
#include "engine/fast/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const rdi_engine_ops rdi_engine_stream;

#define PACKETS_LIVE  1024
#define PACKETS       64
#define PACKETS_LEAST 4

typedef enum way { TOGETHER, BY_FRONT, BY_TABLE } way;

typedef struct relay_engine {
    rdi_stream stream; /* must be the first member, because the options of `stream` are also the
                          options of `relay` */
    rdi_crew *crew;    /* the second thread; NULL: the feeding thread works alone */
    rdi_stream_packet *packet;
    uint64_t room;                  /* capacity of the ring, in packets */
    way way;                        /* how the work is divided; changes only while the second thread
                                       waits */
    uint64_t packets[BY_TABLE + 1]; /* packets sent for each value of `way`, for the note */
    /* Used by the feeding thread: */
    rdi_stream_front front;
    size_t (*scan)(rdi_stream_front *, const uint64_t *, size_t, rdi_stream_packet *, uint64_t *);
    uint64_t hits[RDI_STREAM_FRONT]; /* hits of the front by distance, not yet added to the counts
                                        of the stream */
    uint64_t window_refs, window_near;
    /* Used by the second thread: */
    rdi_slot_axis axis; /* BY_TABLE: a copy of the stream's axis, made when the work was divided */
    /* Used by both threads, inside the monitor: */
    rdi_monitor monitor;
    uint64_t sent, done;     /* number of packets sent and processed */
    uint64_t measured, near; /* BY_TABLE: number of distances since the last check, and how many of
                                them are below RDI_STREAM_FRONT */
    bool urgent, leaving;    /* urgent: the second thread must not wait for more packets; leaving:
                                it must end */
    rd_status status;        /* status of the second thread */
} relay_engine;

/* ---- the second thread ---- */

static rd_status work_off(relay_engine *r, const rdi_stream_packet *packet, uint64_t *near) {
    rdi_stream *e = &r->stream;
    if (r->way == BY_TABLE) {
        e->window_near = 0;
        e->kernel->measured(e, &r->axis, packet);
        *near = e->window_near;
        return RD_OK;
    }
    e->front = packet->before;
    RD_TRY(rdi_stream_make_room(e));
    e->kernel->missed(e, packet);
    return RD_OK;
}

static void follow(void *arg, unsigned worker) {
    relay_engine *r = arg;
    (void)worker;
    rdi_monitor_enter(&r->monitor);
    for (;;) {
        while (r->sent - r->done < r->room / 2 && !(r->urgent && r->sent > r->done) && !r->leaving)
            rdi_monitor_wait(&r->monitor);
        if (r->leaving)
            break;
        for (; r->done < r->sent; r->done++) {
            const rdi_stream_packet *packet = &r->packet[r->done % r->room];
            rd_status status = r->status;
            uint64_t near = 0;
            rdi_monitor_leave(&r->monitor);
            if (status == RD_OK)
                status = work_off(r, packet, &near);
            rdi_monitor_enter(&r->monitor);
            r->status = status;
            r->measured += packet->n;
            r->near += near;
            if (r->sent - r->done - 1 == r->room / 2)
                rdi_monitor_wake(&r->monitor);
        }
        rdi_monitor_wake(&r->monitor); /* tells the feeding thread that all packets are done */
    }
    rdi_monitor_leave(&r->monitor);
}

/* ---- the feeding thread ---- */

static rdi_stream_packet *open_packet(relay_engine *r) {
    return &r->packet[r->sent % r->room]; /* only this thread changes `sent` */
}

static void begin_packet(relay_engine *r) {
    rdi_stream_packet *packet = open_packet(r);
    packet->before = r->front;
    packet->n = 0;
}

/* Hands the open packet to the second thread, waits until the ring has room for the next packet,
 * and begins that packet. Returns the status of the second thread. */
static rd_status hand_over(relay_engine *r) {
    r->packets[r->way]++;
    rdi_monitor_enter(&r->monitor);
    r->sent++;
    if (r->sent - r->done >= r->room / 2)
        rdi_monitor_wake(&r->monitor);
    if (r->sent - r->done == r->room)
        while (r->sent - r->done > r->room / 2)
            rdi_monitor_wait(&r->monitor);
    rd_status status = r->status;
    rdi_monitor_leave(&r->monitor);
    begin_packet(r);
    return status;
}

static void begin_window(relay_engine *r) {
    r->window_refs = r->window_near = r->measured = r->near = 0;
}

/* Divides the work by front or by table, depending on whether the stream's front is on. */
static void part(relay_engine *r) {
    const rdi_stream *e = &r->stream;
    r->way = e->front_on ? BY_FRONT : BY_TABLE;
    r->front = e->front;
    r->scan = e->kernel->scan;
    r->axis = e->axis;
    begin_packet(r);
}

static void count_hits(relay_engine *r) {
    rdi_stream *e = &r->stream;
    for (unsigned d = 0; d < RDI_STREAM_FRONT; d++) {
        if (d < e->bound)
            e->counts.count[d] += r->hits[d];
        else
            e->counts.infinite += r->hits[d];
        r->hits[d] = 0;
    }
}

/* Ends the division of work: hands over the open packet and waits until the second thread has
 * processed all packets. The stream's state is then complete again. */
static rd_status come_together(relay_engine *r) {
    if (r->way == TOGETHER)
        return RD_OK;
    rd_status status = open_packet(r)->n ? hand_over(r) : RD_OK;
    rdi_monitor_enter(&r->monitor);
    r->urgent = true;
    rdi_monitor_wake(&r->monitor);
    while (r->done < r->sent)
        rdi_monitor_wait(&r->monitor);
    r->urgent = false;
    status = status == RD_OK ? r->status : status;
    rdi_monitor_leave(&r->monitor);
    if (r->way == BY_FRONT)
        r->stream.front = r->front;
    r->way = TOGETHER;
    count_hits(r);
    return status;
}

/* Replaces the statistics of the window by the numbers that the second thread has measured. If that
 * thread has not measured a whole window yet, the window counts as one without near reuse, so that
 * way_pays() keeps the division. */
static void look_behind(relay_engine *r) {
    rdi_monitor_enter(&r->monitor);
    bool enough = r->measured >= RDI_STREAM_WINDOW;
    r->window_refs = enough ? r->measured : 1;
    r->window_near = enough ? r->near : 0;
    if (enough)
        r->measured = r->near = 0;
    rdi_monitor_leave(&r->monitor);
}

/* Returns whether the work should stay divided in the same way. Within a window, and if the option
 * `front` is on or off, the answer is true. At the end of a window, the share of near reuses
 * decides; with BY_TABLE, this is the share among the distances that the second thread has measured
 * so far. If the division stays, a new window begins. */
static bool way_pays(relay_engine *r) {
    if (r->window_refs < RDI_STREAM_WINDOW)
        return true;
    if (r->way == BY_TABLE)
        look_behind(r);
    uint64_t percent = r->window_near * 100 / r->window_refs;
    if (r->stream.front_option == RDI_STREAM_FRONT_AUTO &&
        (r->way == BY_FRONT ? percent < RDI_STREAM_FRONT_OFF_PERCENT
                            : percent >= RDI_STREAM_FRONT_ON_PERCENT))
        return false;
    r->window_refs = r->window_near = 0;
    return true;
}

/* Ends the division of work and hands the statistics to the stream, so that the stream's next check
 * of the front has the same result as way_pays(). */
static rd_status change_way(relay_engine *r) {
    RD_TRY(come_together(r));
    r->stream.window_refs = r->window_refs;
    r->stream.window_near = r->window_near;
    return RD_OK;
}

/* Answers references from the front, puts the misses into the packet, and hands the packet over
 * when it is full. *n is the number of references on entry, and the number of references consumed
 * on return. */
static rd_status feed_front(relay_engine *r, const uint64_t *blk, size_t *n) {
    rdi_stream_packet *packet = open_packet(r);
    size_t before = packet->n, most = *n < RDI_STREAM_STEP ? *n : RDI_STREAM_STEP;
    *n = r->scan(&r->front, blk, most, packet, r->hits);
    r->window_near += *n - (packet->n - before);
    return packet->n == RDI_STREAM_STEP ? hand_over(r) : RD_OK;
}

/* Looks up references in the table, as many as fit into the packet, and hands the packet over when
 * it is full. If table and axis have no room for a new packet, first waits for the second thread
 * and makes room. *n is the number of references on entry, and the number of references looked up
 * on return. */
static rd_status feed_table(relay_engine *r, const uint64_t *blk, size_t *n) {
    rdi_stream *e = &r->stream;
    if (open_packet(r)->n == 0 && !rdi_stream_has_room(e)) {
        RD_TRY(come_together(r));
        RD_TRY(rdi_stream_make_room(e));
        part(r);
    }
    rdi_stream_packet *packet = open_packet(r);
    size_t room = RDI_STREAM_STEP - packet->n;
    *n = *n < room ? *n : room;
    e->kernel->slots(e, blk, *n, packet);
    return packet->n == RDI_STREAM_STEP ? hand_over(r) : RD_OK;
}

static rd_status feed_parted(relay_engine *r, const uint64_t *blk, size_t n, size_t *used) {
    const uint64_t *begin = blk, *end = blk + n;
    while (r->way != TOGETHER && blk < end) {
        size_t taken = (size_t)(end - blk);
        RD_TRY(r->way == BY_FRONT ? feed_front(r, blk, &taken) : feed_table(r, blk, &taken));
        blk += taken;
        r->window_refs += taken;
        if (r->way == BY_TABLE && (blk == end || r->window_refs >= RDI_STREAM_WINDOW))
            rdi_stream_remember(&r->stream, begin, (size_t)(blk - begin));
        if (!way_pays(r))
            RD_TRY(change_way(r));
    }
    *used = (size_t)(blk - begin);
    return RD_OK;
}

/* ---- the engine ---- */

/* Returns the capacity of the ring in packets. The ring takes at most a sixteenth of the memory
 * limit. */
static uint64_t packets_for(const rdi_run *run) {
    uint64_t n = run->in->mem_bytes / 16 / sizeof(rdi_stream_packet);
    uint64_t most = run->in->live ? PACKETS_LIVE : PACKETS;
    return n < most ? n : most;
}

static rd_status relay_open(void *self, rdi_run *run) {
    relay_engine *r = self;
    RD_TRY(rdi_engine_stream.open(&r->stream, run));
    r->room = packets_for(run);
    if (run->in->threads < 2 || !r->stream.counts_itself || r->room < PACKETS_LEAST)
        return RD_OK;
    r->packet = rdi_alloc(run->ctx, (size_t)r->room, sizeof *r->packet);
    if (!r->packet)
        return RD_ENOMEM;
    rdi_monitor_init(&r->monitor);
    rd_status status = rdi_crew_new(run->ctx, 1, follow, r, &r->crew);
    if (status != RD_OK)
        rdi_monitor_fini(&r->monitor);
    return status;
}

/* Returns whether the work may be divided. The stream works alone until it has decided for the
 * first time whether it uses a front, and while its next decision is due. With front=on it also
 * works alone as long as it has too few blocks for a front. */
static bool may_part(const relay_engine *r) {
    const rdi_stream *e = &r->stream;
    return e->window_refs < e->window && (e->front_on || e->window == RDI_STREAM_WINDOW) &&
           (e->front_on || e->front_option != RDI_STREAM_FRONT_ON);
}

static rd_status relay_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    relay_engine *r = self;
    rdi_stream *e = &r->stream;
    bool alone = dist || e->run->first || rdi_crew_size(r->crew) == 0;
    size_t used = 0;
    if (alone) {
        RD_TRY(come_together(r));
    } else if (r->way == TOGETHER && may_part(r)) {
        begin_window(r);
        part(r);
    }
    if (r->way != TOGETHER)
        RD_TRY(feed_parted(r, blk, n, &used));
    return used < n ? rdi_engine_stream.feed(e, blk + used, n - used, dist) : RD_OK;
}

static rd_status relay_finish(void *self) {
    relay_engine *r = self;
    RD_TRY(come_together(r));
    RD_TRY(rdi_engine_stream.finish(&r->stream));
    char packets[160];
    snprintf(packets, sizeof packets,
             "the first thread sent %" PRIu64 " packets with the front on, and %" PRIu64
             " with the front off",
             r->packets[BY_FRONT], r->packets[BY_TABLE]);
    rdi_engine_note_before(r->stream.run, packets);
    return RD_OK;
}

static rd_status relay_check(void *self, const char **why) {
    relay_engine *r = self;
    RD_TRY(come_together(r));
    return rdi_engine_stream.check(&r->stream, why);
}

static void relay_close(void *self) {
    relay_engine *r = self;
    if (r->crew) {
        rdi_monitor_enter(&r->monitor);
        r->leaving = true;
        rdi_monitor_wake(&r->monitor);
        rdi_monitor_leave(&r->monitor);
        rdi_crew_free(r->crew);
        rdi_monitor_fini(&r->monitor);
    }
    if (r->stream.run)
        rdi_free(r->stream.run->ctx, r->packet);
    rdi_engine_stream.close(&r->stream);
}

static const char *const variants[] = {
    "front=on",   "front=off",           "isa=plain", "isa=avx2,front=on",
    "compact=6K", "compact=6K,front=on", NULL,
};

const rdi_engine_ops rdi_engine_relay = {
    .info =
        {
            .name = "relay",
            .summary = "runs stream on two threads: one thread passes work on to the other",
            .role = RD_ROLE_STRATEGY,
            .card =
                "If much reuse is very recent, the feeding thread answers it from registers, and\n"
                "a second thread looks up the rest. Otherwise the first thread looks up time\n"
                "slots, and the second one measures distances. Use it for references from a\n"
                "running program, and for traces with little locality on two threads. With more\n"
                "locality, or on more threads, chunks is faster. If every distance is requested,\n"
                "one thread does all the work.\n"
                "\n"
                "Time: O(1) per reference. Memory: that of stream, and up to 19 MiB.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = rdi_stream_opts,
            .variants = variants,
        },
    .state_size = sizeof(relay_engine),
    .open = relay_open,
    .feed = relay_feed,
    .finish = relay_finish,
    .check = relay_check,
    .close = relay_close,
};
