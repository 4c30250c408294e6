/* Declares ranks, which analyze one trace together, and the messages that they send to each other.
 *
 * A rank (papers/parda_rank.h) knows the other ranks only by their numbers, 0 to n - 1, and shares
 * nothing with them except messages. A transport carries the messages: through inboxes of threads
 * (ranks_threads.c), or with MPI (mpi/cluster_mpi.c).
 *
 * A message is a list of numbers with a kind. Sending a message also hands over its memory.
 * Messages of one kind from one rank to another arrive in the order in which they were sent. A
 * sender waits only if too many references of the trace already wait for the receiver.
 */
#ifndef RDI_RANKS_H
#define RDI_RANKS_H

#include "base/u64_list.h"

typedef enum rdi_message_kind {
    RDI_MESSAGE_JOB,        /* a job for another process; empty: the process must end */
    RDI_MESSAGE_ROUND,      /* a round begins; empty: there are no more rounds or, if the ranks read
                               the trace, the next round may begin */
    RDI_MESSAGE_BATCH,      /* references of the receiver's chunk; empty: end of the chunk */
    RDI_MESSAGE_OPEN,       /* open first touches; empty: there are no more in this round */
    RDI_MESSAGE_STATE,      /* blocks of the sender's LRU stack, oldest first */
    RDI_MESSAGE_RESULT,     /* the sender's counts */
    RDI_MESSAGE_KEPT,       /* the sender's counts, for a checkpoint */
    RDI_MESSAGE_KEPT_STATE, /* the sender's LRU stack, for a checkpoint */
    RDI_MESSAGE_KINDS
} rdi_message_kind;

typedef struct rdi_ranks rdi_ranks;

typedef struct rdi_ranks_ops {
    rd_status (*send)(rdi_ranks *r, unsigned from, unsigned to, rdi_message_kind kind,
                      rdi_u64_list *list);
    rd_status (*receive)(rdi_ranks *r, unsigned me, unsigned from, rdi_message_kind kind,
                         rdi_u64_list *list);
    void (*fail)(rdi_ranks *r, rd_status status);
    void (*close)(rdi_ranks *r);
} rdi_ranks_ops;

struct rdi_ranks {
    const rdi_ranks_ops *ops;
    const char *transport; /* name of the transport, for messages to the user */
    unsigned n;            /* number of ranks */
    unsigned first, here;  /* this process has the ranks first to first + here - 1 */
    uint64_t most_waiting; /* largest number of references of the trace that may wait for one
                              rank */
    bool busy;             /* true: a job was sent to other processes and is not finished */
};

/* Sends the list from rank `from` to rank `to` and leaves it empty. Afterwards, the transport owns
 * the list's memory, even if sending fails. */
static inline rd_status rdi_ranks_send(rdi_ranks *r, unsigned from, unsigned to,
                                       rdi_message_kind kind, rdi_u64_list *list) {
    return r->ops->send(r, from, to, kind, list);
}

/* Waits for the next message of this kind from rank `from` to rank `me`, and moves its contents to
 * *list, which the caller frees. Fails if a rank of this process has failed. */
static inline rd_status rdi_ranks_receive(rdi_ranks *r, unsigned me, unsigned from,
                                          rdi_message_kind kind, rdi_u64_list *list) {
    return r->ops->receive(r, me, from, kind, list);
}

/* Makes the ranks of this process stop waiting. From now on, rdi_ranks_send() and
 * rdi_ranks_receive() fail for these ranks, with the status of the first failure in this process;
 * `status` is that status unless a rank has failed before. */
static inline void rdi_ranks_fail(rdi_ranks *r, rd_status status) {
    r->ops->fail(r, status);
}

static inline void rdi_ranks_close(rdi_ranks *r) {
    if (r)
        r->ops->close(r);
}

/* Creates n ranks in this process. Each rank may run on its own thread. */
rd_status rdi_ranks_threads(rd_ctx *ctx, unsigned n, rdi_ranks **out);

/* ---- for transports: messages that have arrived ---- */

typedef struct rdi_message rdi_message;

/* The messages that have arrived for one rank. A zeroed inbox is empty. */
typedef struct rdi_inbox {
    rdi_message *first, *last;
    uint64_t waiting; /* number of references of the trace in the waiting messages */
    uint64_t arrived; /* number of messages that have arrived so far */
} rdi_inbox;

/* Adds a message. The inbox takes over the list's memory, even on failure. */
rd_status rdi_inbox_put(rd_ctx *ctx, rdi_inbox *box, unsigned from, rdi_message_kind kind,
                        rdi_u64_list *list);
/* Removes the oldest message of this kind from rank `from` and moves its contents to *list. Returns
 * false if there is no such message. */
bool rdi_inbox_get(rd_ctx *ctx, rdi_inbox *box, unsigned from, rdi_message_kind kind,
                   rdi_u64_list *list);
void rdi_inbox_empty(rd_ctx *ctx, rdi_inbox *box);

#endif
