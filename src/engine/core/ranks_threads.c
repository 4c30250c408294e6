/* Implements ranks on threads of one process. A monitor guards the inbox of each rank. See
 * ranks.h. */
#include "base/threads.h"
#include "engine/core/ranks.h"

/* ---- inboxes ---- */

struct rdi_message {
    rdi_message *next;
    unsigned from;
    rdi_message_kind kind;
    rdi_u64_list list;
};

rd_status rdi_inbox_put(rd_ctx *ctx, rdi_inbox *box, unsigned from, rdi_message_kind kind,
                        rdi_u64_list *list) {
    rdi_message *message = rdi_alloc(ctx, 1, sizeof *message);
    if (!message) {
        rdi_u64_list_free(ctx, list);
        return RD_ENOMEM;
    }
    *message = (rdi_message){.from = from, .kind = kind, .list = *list};
    *list = (rdi_u64_list){0};
    if (box->last)
        box->last->next = message;
    else
        box->first = message;
    box->last = message;
    box->arrived++;
    box->waiting += kind == RDI_MESSAGE_BATCH ? message->list.n : 0;
    return RD_OK;
}

bool rdi_inbox_get(rd_ctx *ctx, rdi_inbox *box, unsigned from, rdi_message_kind kind,
                   rdi_u64_list *list) {
    rdi_message *before = NULL, *message = box->first;
    while (message && (message->from != from || message->kind != kind)) {
        before = message;
        message = message->next;
    }
    if (!message)
        return false;
    if (before)
        before->next = message->next;
    else
        box->first = message->next;
    if (!message->next)
        box->last = before;
    box->waiting -= kind == RDI_MESSAGE_BATCH ? message->list.n : 0;
    *list = message->list;
    rdi_free(ctx, message);
    return true;
}

void rdi_inbox_empty(rd_ctx *ctx, rdi_inbox *box) {
    for (rdi_message *message = box->first, *next; message; message = next) {
        next = message->next;
        rdi_u64_list_free(ctx, &message->list);
        rdi_free(ctx, message);
    }
    *box = (rdi_inbox){0};
}

/* ---- the transport ---- */

/* The inbox of one rank. Threads that wait for a message or for room in the inbox wait at the
 * monitor. */
typedef struct seat {
    rdi_monitor monitor;
    rdi_inbox box;
    rd_status status; /* RD_OK, or the status of the first rank that failed */
} seat;

typedef struct thread_ranks {
    rdi_ranks ranks;
    rd_ctx *ctx;
    seat seat[];
} thread_ranks;

static rd_status threads_send(rdi_ranks *r, unsigned from, unsigned to, rdi_message_kind kind,
                              rdi_u64_list *list) {
    thread_ranks *t = (thread_ranks *)r;
    seat *s = &t->seat[to];
    rdi_monitor_enter(&s->monitor);
    while (kind == RDI_MESSAGE_BATCH && s->box.waiting >= r->most_waiting && s->status == RD_OK)
        rdi_monitor_wait(&s->monitor);
    rd_status status = s->status;
    if (status == RD_OK)
        status = rdi_inbox_put(t->ctx, &s->box, from, kind, list);
    else
        rdi_u64_list_free(t->ctx, list);
    rdi_monitor_wake(&s->monitor);
    rdi_monitor_leave(&s->monitor);
    return status;
}

static rd_status threads_receive(rdi_ranks *r, unsigned me, unsigned from, rdi_message_kind kind,
                                 rdi_u64_list *list) {
    thread_ranks *t = (thread_ranks *)r;
    seat *s = &t->seat[me];
    rdi_monitor_enter(&s->monitor);
    while (s->status == RD_OK && !rdi_inbox_get(t->ctx, &s->box, from, kind, list))
        rdi_monitor_wait(&s->monitor);
    rd_status status = s->status;
    if (kind == RDI_MESSAGE_BATCH) /* A sender may be waiting for room. */
        rdi_monitor_wake(&s->monitor);
    rdi_monitor_leave(&s->monitor);
    return status;
}

static void threads_fail(rdi_ranks *r, rd_status status) {
    thread_ranks *t = (thread_ranks *)r;
    for (unsigned i = 0; i < r->n; i++) {
        rdi_monitor_enter(&t->seat[i].monitor);
        if (t->seat[i].status == RD_OK)
            t->seat[i].status = status;
        rdi_monitor_wake(&t->seat[i].monitor);
        rdi_monitor_leave(&t->seat[i].monitor);
    }
}

static void threads_close(rdi_ranks *r) {
    thread_ranks *t = (thread_ranks *)r;
    for (unsigned i = 0; i < r->n; i++) {
        rdi_inbox_empty(t->ctx, &t->seat[i].box);
        rdi_monitor_fini(&t->seat[i].monitor);
    }
    rdi_free(t->ctx, t);
}

rd_status rdi_ranks_threads(rd_ctx *ctx, unsigned n, rdi_ranks **out) {
    static const rdi_ranks_ops ops = {
        .send = threads_send,
        .receive = threads_receive,
        .fail = threads_fail,
        .close = threads_close,
    };
    thread_ranks *t = rdi_calloc(ctx, 1, sizeof *t + n * sizeof t->seat[0]);
    if (!t)
        return RD_ENOMEM;
    t->ranks = (rdi_ranks){
        .ops = &ops, .transport = "threads", .n = n, .here = n, .most_waiting = UINT64_MAX};
    t->ctx = ctx;
    for (unsigned i = 0; i < n; i++)
        rdi_monitor_init(&t->seat[i].monitor);
    *out = &t->ranks;
    return RD_OK;
}
