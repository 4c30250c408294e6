/* relay: `stream` on two threads, for references that come from a program running beside it.
 *
 * The feeding thread keeps the front, the 16 most recent blocks, and answers what it can from
 * there. What the front misses goes on in packets to a second thread, which has the table and the
 * axis. The first needs nothing the second finds out: which block leaves the front for which is
 * known from the blocks alone. A packet begins with the front as it was before, because the second
 * thread has to know it whenever it moves table entries.
 *
 * The two have about the same work where most references are answered by the front. Where few are,
 * `stream` switches its front off, and where distances are wanted they come in order: then all is
 * done by the feeding thread.
 *
 * Packets wait in a long ring, and whoever sleeps does so until it is half full or half empty: on
 * two processors three are at work with the program, and only one that sleeps for milliseconds
 * leaves its processor to another.
 *
 * Time O(1) per reference, memory as `stream` and up to 19 MB of packets.
 */
#include "base/threads.h"
#include "engine/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const rdi_engine_ops rdi_engine_stream;

#define PACKETS_MOST  1024
#define PACKETS_LEAST 4

typedef struct relay_engine {
    rdi_stream stream; /* first: its options are ours */
    rdi_crew *crew;    /* the second thread; NULL: there is none */
    rdi_stream_missed *packet;
    uint64_t room; /* for so many of them */
    /* The feeding thread's, while it runs ahead: */
    bool ahead;
    rdi_stream_front front;
    size_t (*scan)(rdi_stream_front *, const uint64_t *, size_t, rdi_stream_missed *, uint64_t *);
    uint64_t hits[RDI_STREAM_FRONT]; /* not yet in the stream's counts */
    uint64_t window_refs, window_near;
    uint64_t packets; /* for the note */
    /* Of both, in the monitor: */
    rdi_monitor monitor;
    uint64_t sent, done;  /* packets */
    bool urgent, leaving; /* the second thread shall not wait for more */
    rd_status status;     /* of its work */
} relay_engine;

/* ---- the second thread ---- */

static rd_status work_off(rdi_stream *e, const rdi_stream_missed *packet) {
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
            const rdi_stream_missed *packet = &r->packet[r->done % r->room];
            rd_status status = r->status;
            rdi_monitor_leave(&r->monitor);
            if (status == RD_OK)
                status = work_off(&r->stream, packet);
            rdi_monitor_enter(&r->monitor);
            r->status = status;
            if (r->sent - r->done - 1 == r->room / 2)
                rdi_monitor_wake(&r->monitor);
        }
        rdi_monitor_wake(&r->monitor); /* all is done */
    }
    rdi_monitor_leave(&r->monitor);
}

/* ---- the feeding thread ---- */

static rdi_stream_missed *open_packet(relay_engine *r) {
    return &r->packet[r->sent % r->room]; /* only we change `sent` */
}

static void begin_packet(relay_engine *r) {
    rdi_stream_missed *packet = open_packet(r);
    packet->before = r->front;
    packet->n = 0;
}

/* The packet goes on; returns when there is room for the next. */
static rd_status hand_over(relay_engine *r) {
    r->packets++;
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

static void run_ahead(relay_engine *r) {
    r->ahead = true;
    r->front = r->stream.front;
    r->scan = r->stream.kernel->scan;
    r->window_refs = r->window_near = 0;
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

/* Waits for the second thread: the stream is whole again. */
static rd_status come_together(relay_engine *r) {
    if (!r->ahead)
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
    r->stream.front = r->front;
    r->ahead = false;
    count_hits(r);
    return status;
}

/* Whether the front still pays; looked at once per window. */
static bool front_pays(relay_engine *r) {
    if (r->window_refs < RDI_STREAM_WINDOW)
        return true;
    if (r->stream.front_option != RDI_STREAM_FRONT_ON &&
        r->window_near * 100 / r->window_refs < RDI_STREAM_FRONT_OFF_PERCENT)
        return false;
    r->window_refs = r->window_near = 0;
    return true;
}

/* Answers from the front; *n is how many references were taken. */
static rd_status feed_ahead(relay_engine *r, const uint64_t *blk, size_t *n) {
    rdi_stream_missed *packet = open_packet(r);
    size_t before = packet->n, most = *n < RDI_STREAM_CHUNK ? *n : RDI_STREAM_CHUNK;
    *n = r->scan(&r->front, blk, most, packet, r->hits);
    r->window_refs += *n;
    r->window_near += *n - (packet->n - before);
    return packet->n == RDI_STREAM_CHUNK ? hand_over(r) : RD_OK;
}

/* The stream's own next look at its front is due, and comes to the same result. */
static rd_status give_up_front(relay_engine *r) {
    RD_TRY(come_together(r));
    r->stream.window_refs = r->window_refs;
    r->stream.window_near = r->window_near;
    return RD_OK;
}

/* ---- the engine ---- */

/* A small part of what may be used. */
static uint64_t packets_in(uint64_t mem_bytes) {
    uint64_t n = mem_bytes / 16 / sizeof(rdi_stream_missed);
    return n < PACKETS_MOST ? n : PACKETS_MOST;
}

static rd_status relay_open(void *self, rdi_run *run) {
    relay_engine *r = self;
    RD_TRY(rdi_engine_stream.open(&r->stream, run));
    r->room = packets_in(run->mem_bytes);
    if (run->threads < 2 || !run->counts_itself || r->room < PACKETS_LEAST)
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

static rd_status relay_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    relay_engine *r = self;
    rdi_stream *e = &r->stream;
    bool alone = dist || e->run->first || rdi_crew_size(r->crew) == 0;
    if (!r->ahead && e->front_on && e->window_refs < e->window && !alone)
        run_ahead(r);
    if (r->ahead && alone)
        RD_TRY(come_together(r));
    while (r->ahead && n) {
        size_t used = n;
        RD_TRY(feed_ahead(r, blk, &used));
        blk += used;
        n -= used;
        if (!front_pays(r))
            RD_TRY(give_up_front(r));
    }
    return n ? rdi_engine_stream.feed(e, blk, n, dist) : RD_OK;
}

static rd_status relay_finish(void *self) {
    relay_engine *r = self;
    RD_TRY(come_together(r));
    RD_TRY(rdi_engine_stream.finish(&r->stream));
    char *note = r->stream.run->note, inner[sizeof r->stream.run->note];
    memcpy(inner, note, sizeof inner);
    snprintf(note, sizeof inner, "relay: %" PRIu64 " packets to a second thread; %.*s", r->packets,
             180, inner);
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
    "front=on", "isa=plain", "isa=avx2,front=on", "compact=6K,front=on", NULL,
};

const rdi_engine_ops rdi_engine_relay = {
    .abi = RDI_ENGINE_ABI,
    .info =
        {
            .name = "relay",
            .summary = "stream on two threads: one keeps the front, the other all the rest",
            .card =
                "The feeding thread answers very recent reuse from registers, a second one looks\n"
                "up what is left, as stream does both. For references that arrive from a program\n"
                "running at the same time: the second thread uses what that leaves of its\n"
                "processor. Of a trace in a file, chunks makes more. Where little reuse is very\n"
                "recent, or every distance is wanted, it works on one thread.\n"
                "\n"
                "Time O(1) per reference, memory as stream and up to 19 MB.",
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
