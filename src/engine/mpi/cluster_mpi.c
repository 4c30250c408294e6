/* Implements ranks that are processes and send messages by MPI. Only reusedist-mpi contains this
 * file, which replaces cluster.c there.
 *
 * Sending waits only if too many references of the trace are on their way to the receiver. Every
 * message is kept until MPI has sent it. A waiting thread takes in every message that has arrived,
 * for itself or for the other thread of its process, because rank 0 distributes the trace and
 * analyzes at the same time. In between it yields the processor, because there may be more ranks
 * than processors. A long message moves only while both ends are inside MPI, so a progress thread
 * drives the transfers while the rank computes. All MPI calls that concern messages are made inside
 * the monitor.
 *
 * A process that fails during an analysis ends all processes with MPI_Abort(). If a process dies,
 * the launcher ends all others. So no process waits forever.
 */
#include "base/threads.h"
#include "engine/papers/parda_job.h"
#include "reusedist/cluster.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define LOOKS          200   /* number of checks for messages before the first nap */
#define NAP_LEAST_NS   20000 /* shortest nap between two further checks */
#define NAP_MOST_NS    200000
#define ROUND_LEAST_NS 100000 /* shortest pause between two checks of the progress thread */
#define ROUND_MOST_NS  2000000

/* A message that is being sent. */
typedef struct outgoing {
    struct outgoing *next;
    MPI_Request request;
    unsigned to;
    uint64_t references; /* number of references of the trace in the message */
    rdi_u64_list list;
} outgoing;

struct rd_cluster {
    rdi_ranks ranks;
    rd_ctx *ctx;
    rdi_monitor monitor; /* guards the following fields, and all MPI calls for messages */
    rdi_inbox box;       /* messages for this rank */
    outgoing *out;
    rd_status status;   /* status of the first failure in this process */
    rdi_crew *progress; /* the progress thread */
    bool leaving;
};

/* ---- inside the monitor ---- */

/* Frees the messages that have been sent. Returns whether there were any. */
static bool clear_sent(rd_cluster *c) {
    bool some = false;
    for (outgoing **link = &c->out; *link;) {
        outgoing *o = *link;
        int done = 0;
        MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            link = &o->next;
            continue;
        }
        *link = o->next;
        rdi_u64_list_free(c->ctx, &o->list);
        rdi_free(c->ctx, o);
        some = true;
    }
    return some;
}

/* Receives one message that has arrived, and puts it into the inbox. */
static rd_status take_in(rd_cluster *c, const MPI_Status *message) {
    int n = 0;
    rdi_u64_list list = {0};
    MPI_Get_count(message, MPI_UINT64_T, &n);
    RD_TRY(rdi_u64_list_reserve(c->ctx, &list, (size_t)n));
    MPI_Recv(list.at, n, MPI_UINT64_T, message->MPI_SOURCE, message->MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    list.n = (size_t)n;
    return rdi_inbox_put(c->ctx, &c->box, (unsigned)message->MPI_SOURCE,
                         (rdi_message_kind)message->MPI_TAG, &list);
}

/* Frees sent messages, and takes in every message that has arrived. Messages with references of the
 * trace must wait while too many references are in the inbox. */
static rd_status take_in_all(rd_cluster *c) {
    clear_sent(c);
    for (int kind = 0; kind < RDI_MESSAGE_KINDS; kind++) {
        int there = 1;
        while (there && (kind != RDI_MESSAGE_BATCH || c->box.waiting < c->ranks.most_waiting)) {
            MPI_Status message;
            MPI_Iprobe(MPI_ANY_SOURCE, kind, MPI_COMM_WORLD, &there, &message);
            if (there)
                RD_TRY(take_in(c, &message));
        }
    }
    return RD_OK;
}

/* Returns the number of references on their way to rank `to` or, if `to` is this rank, waiting in
 * its inbox. */
static uint64_t waiting_for(const rd_cluster *c, unsigned to) {
    uint64_t n = to == c->ranks.first ? c->box.waiting : 0;
    for (const outgoing *o = c->out; o; o = o->next)
        n += o->to == to ? o->references : 0;
    return n;
}

/* Starts to send a message, or puts it into the inbox if `to` is this rank. */
static rd_status post(rd_cluster *c, unsigned to, rdi_message_kind kind, rdi_u64_list *list) {
    if (to == c->ranks.first)
        return rdi_inbox_put(c->ctx, &c->box, to, kind, list);
    outgoing *o = list->n <= INT_MAX ? rdi_alloc(c->ctx, 1, sizeof *o) : NULL;
    if (!o) {
        bool too_long = list->n > INT_MAX;
        rdi_u64_list_free(c->ctx, list);
        return too_long ? rdi_fail(c->ctx, RD_ERANGE,
                                   "a message has more than 2^31 - 1 blocks, which MPI cannot "
                                   "send; set a bound")
                        : RD_ENOMEM;
    }
    *o = (outgoing){.next = c->out, .to = to, .list = *list};
    o->references = kind == RDI_MESSAGE_BATCH ? list->n : 0;
    *list = (rdi_u64_list){0};
    c->out = o;
    MPI_Isend(o->list.at, (int)o->list.n, MPI_UINT64_T, (int)to, (int)kind, MPI_COMM_WORLD,
              &o->request);
    rdi_monitor_wake(&c->monitor);
    return RD_OK;
}

static void sleep_outside(rd_cluster *c, long ns) {
    rdi_monitor_leave(&c->monitor);
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    rdi_monitor_enter(&c->monitor);
}

/* Runs the progress thread, which lets MPI move the messages of this process. A rank that computes
 * receives nothing for a long time, so the thread checks less and less often while no message has
 * been sent completely. */
static void drive_transfers(void *arg, unsigned worker) {
    rd_cluster *c = arg;
    long ns = ROUND_LEAST_NS;
    (void)worker;
    rdi_monitor_enter(&c->monitor);
    while (!c->leaving) {
        bool moving = clear_sent(c);
        ns = moving ? ROUND_LEAST_NS : 2 * ns < ROUND_MOST_NS ? 2 * ns : ROUND_MOST_NS;
        if (c->out)
            sleep_outside(c, ns);
        else
            rdi_monitor_wait(&c->monitor);
    }
    rdi_monitor_leave(&c->monitor);
}

/* ---- the transport ---- */

/* The state of a thread that waits for a message, or for messages to be sent. */
typedef struct patience {
    unsigned looks;
    long nap_ns;
} patience;

/* Waits for a short time: at first without sleeping, so that a message about to arrive is received
 * at once, and then with longer and longer naps. */
static void give_way(rd_cluster *c, patience *p) {
    if (p->looks++ < LOOKS) {
        rdi_monitor_leave(&c->monitor);
        sched_yield();
        rdi_monitor_enter(&c->monitor);
        return;
    }
    p->nap_ns = p->nap_ns ? 2 * p->nap_ns : NAP_LEAST_NS;
    if (p->nap_ns > NAP_MOST_NS)
        p->nap_ns = NAP_MOST_NS;
    sleep_outside(c, p->nap_ns);
}

static void note_failure(rd_cluster *c, rd_status status) {
    if (c->status == RD_OK)
        c->status = status;
}

static rd_status mpi_send(rdi_ranks *r, unsigned from, unsigned to, rdi_message_kind kind,
                          rdi_u64_list *list) {
    rd_cluster *c = (rd_cluster *)r;
    patience p = {0};
    (void)from; /* MPI reports the sender. */
    rdi_monitor_enter(&c->monitor);
    note_failure(c, take_in_all(c));
    while (kind == RDI_MESSAGE_BATCH && c->status == RD_OK &&
           waiting_for(c, to) >= r->most_waiting) {
        give_way(c, &p);
        note_failure(c, take_in_all(c));
    }
    rd_status status = c->status;
    if (status == RD_OK)
        status = post(c, to, kind, list);
    else
        rdi_u64_list_free(c->ctx, list);
    rdi_monitor_leave(&c->monitor);
    return status;
}

static rd_status mpi_receive(rdi_ranks *r, unsigned me, unsigned from, rdi_message_kind kind,
                             rdi_u64_list *list) {
    rd_cluster *c = (rd_cluster *)r;
    patience p = {0};
    (void)me;
    rdi_monitor_enter(&c->monitor);
    while (c->status == RD_OK && !rdi_inbox_get(c->ctx, &c->box, from, kind, list)) {
        uint64_t before = c->box.arrived;
        note_failure(c, take_in_all(c));
        if (c->box.arrived == before && c->status == RD_OK)
            give_way(c, &p);
    }
    rd_status status = c->status;
    rdi_monitor_leave(&c->monitor);
    return status;
}

static void mpi_fail(rdi_ranks *r, rd_status status) {
    rd_cluster *c = (rd_cluster *)r;
    rdi_monitor_enter(&c->monitor);
    note_failure(c, status);
    rdi_monitor_leave(&c->monitor);
}

/* Does nothing, because the ranks outlive each analysis. */
static void mpi_close(rdi_ranks *r) {
    (void)r;
}

/* ---- joining and leaving ---- */

static rd_status start_mpi(rd_ctx *ctx, int *rank, int *size) {
    int provided = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return rdi_fail(ctx, RD_EDEVICE,
                        "MPI cannot be initialized; check the MPI installation, or use the command "
                        "reusedist, which needs no MPI");
    if (provided < MPI_THREAD_SERIALIZED)
        return rdi_fail(ctx, RD_EUNSUPPORTED,
                        "this MPI library does not support calls from several threads; use a "
                        "library with MPI_THREAD_SERIALIZED, or the command reusedist");
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return RD_OK;
}

rd_status rd_cluster_join(rd_ctx *ctx, rd_cluster **out) {
    static const rdi_ranks_ops ops = {
        .send = mpi_send, .receive = mpi_receive, .fail = mpi_fail, .close = mpi_close};
    int rank = 0, size = 0;
    RDI_NEED(ctx, ctx, out);
    RD_TRY(start_mpi(ctx, &rank, &size));
    rd_cluster *c = rdi_calloc(ctx, 1, sizeof *c);
    if (!c)
        return RD_ENOMEM;
    c->ctx = ctx;
    c->ranks = (rdi_ranks){.ops = &ops,
                           .transport = "MPI",
                           .n = (unsigned)size,
                           .first = (unsigned)rank,
                           .here = 1,
                           .most_waiting = UINT64_MAX};
    rdi_monitor_init(&c->monitor);
    *out = c;
    if (size == 1) /* A single process sends no messages. */
        return RD_OK;
    rdi_ctx_set_ranks(ctx, &c->ranks, c->ranks.n);
    return rdi_crew_new(ctx, 1, drive_transfers, c, &c->progress);
}

unsigned rd_cluster_rank(const rd_cluster *c) {
    return c ? c->ranks.first : 0;
}

unsigned rd_cluster_size(const rd_cluster *c) {
    return c ? c->ranks.n : 1;
}

/* Serves jobs. After a failure, even before a job has been read, marks the ranks as busy, so that
 * leaving the cluster aborts all processes. */
rd_status rd_cluster_serve(rd_cluster *c, const rd_parts *parts) {
    if (!c)
        return RD_OK;
    RDI_NEED(c->ctx, parts);
    rd_status status = rdi_parda_serve(c->ctx, &c->ranks, parts);
    c->ranks.busy = status != RD_OK;
    return status;
}

/* Makes the other processes end, by sending each of them an empty job. They wait for this message,
 * so sending blocks only briefly. The function allocates nothing, because memory may be
 * exhausted. */
static void send_home(const rd_cluster *c) {
    for (unsigned i = 1; i < c->ranks.n; i++)
        MPI_Send(NULL, 0, MPI_UINT64_T, (int)i, RDI_MESSAGE_JOB, MPI_COMM_WORLD);
}

void rd_cluster_leave(rd_cluster *c) {
    if (!c)
        return;
    rdi_monitor_enter(&c->monitor);
    if (c->ranks.busy)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (c->ranks.first == 0)
        send_home(c);
    patience p = {0};
    for (clear_sent(c); c->out; clear_sent(c))
        give_way(c, &p);
    c->leaving = true;
    rdi_monitor_wake(&c->monitor);
    rdi_monitor_leave(&c->monitor);
    rdi_crew_free(c->progress);
    MPI_Finalize();
    rdi_ctx_set_ranks(c->ctx, NULL, 0);
    rdi_inbox_empty(c->ctx, &c->box);
    rdi_monitor_fini(&c->monitor);
    rdi_free(c->ctx, c);
}
