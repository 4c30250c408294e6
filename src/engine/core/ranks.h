/* Ranks: those who work on one trace together, and how they write to each other.
 *
 * The algorithm (parda_rank.c) knows ranks 0 .. n - 1 and letters between them. What carries the
 * letters is a transport: queues between threads (ranks_threads.c), or MPI (mpi/cluster_mpi.c).
 *
 * A letter is a list of numbers of some kind, and its memory travels with it. Letters of one kind
 * from one rank to another arrive in the order in which they were sent. Sending does not wait for
 * the receiver, except that pieces of the trace pile up only so far.
 */
#ifndef RDI_RANKS_H
#define RDI_RANKS_H

#include "base/u64_list.h"

typedef enum rdi_mail {
    RDI_MAIL_JOB,        /* to another process: what it shall do; empty: go home */
    RDI_MAIL_PHASE,      /* a phase begins; empty: there are no more */
    RDI_MAIL_PIECE,      /* of the receiver's chunk; empty: that was all of it */
    RDI_MAIL_INFINITE,   /* local infinities */
    RDI_MAIL_STATE,      /* blocks of the sender's LRU stack, oldest first */
    RDI_MAIL_RESULT,     /* what the sender has counted */
    RDI_MAIL_KEPT,       /* likewise, for a checkpoint ... */
    RDI_MAIL_KEPT_STATE, /* ... and the LRU stack */
    RDI_MAIL_KINDS
} rdi_mail;

typedef struct rdi_ranks rdi_ranks;

typedef struct rdi_ranks_ops {
    rd_status (*send)(rdi_ranks *r, unsigned from, unsigned to, rdi_mail kind, rdi_u64_list *list);
    rd_status (*receive)(rdi_ranks *r, unsigned me, unsigned from, rdi_mail kind,
                         rdi_u64_list *list);
    void (*fail)(rdi_ranks *r, rd_status status);
    void (*close)(rdi_ranks *r);
} rdi_ranks_ops;

struct rdi_ranks {
    const rdi_ranks_ops *ops;
    const char *transport; /* its name, for people */
    unsigned n;            /* ranks in all */
    unsigned first, here;  /* in this process: `here` of them, from `first` on */
    uint64_t most_waiting; /* references that may wait in pieces for one rank */
    bool busy;             /* a job was sent to other processes, and is not through */
};

/* Takes the list's memory, also on failure, and leaves it empty. */
static inline rd_status rdi_ranks_send(rdi_ranks *r, unsigned from, unsigned to, rdi_mail kind,
                                       rdi_u64_list *list) {
    return r->ops->send(r, from, to, kind, list);
}

/* Waits for the next letter; the caller frees the list. Fails once any rank has failed. */
static inline rd_status rdi_ranks_receive(rdi_ranks *r, unsigned me, unsigned from, rdi_mail kind,
                                          rdi_u64_list *list) {
    return r->ops->receive(r, me, from, kind, list);
}

/* From now on nobody waits any more: sending and receiving fail with the first such status. */
static inline void rdi_ranks_fail(rdi_ranks *r, rd_status status) {
    r->ops->fail(r, status);
}

static inline void rdi_ranks_close(rdi_ranks *r) {
    if (r)
        r->ops->close(r);
}

/* n ranks of this process, which may run on threads. */
rd_status rdi_ranks_threads(rd_ctx *ctx, unsigned n, rdi_ranks **out);

/* ---- for transports: letters that have arrived ---- */

typedef struct rdi_letter rdi_letter;

/* A zeroed one is empty. */
typedef struct rdi_mailbox {
    rdi_letter *first, *last;
    uint64_t waiting; /* references in pieces */
    uint64_t arrived; /* letters, ever */
} rdi_mailbox;

/* Takes the list's memory, also on failure. */
rd_status rdi_mailbox_put(rd_ctx *ctx, rdi_mailbox *box, unsigned from, rdi_mail kind,
                          rdi_u64_list *list);
/* The oldest letter of that kind from that rank, if there is one. */
bool rdi_mailbox_get(rd_ctx *ctx, rdi_mailbox *box, unsigned from, rdi_mail kind,
                     rdi_u64_list *list);
void rdi_mailbox_empty(rd_ctx *ctx, rdi_mailbox *box);

#endif
