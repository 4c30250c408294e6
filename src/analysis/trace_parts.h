/* A trace file that several readers share, in this process and in others: each maps its own part to
 * blocks. */
#ifndef RDI_TRACE_PARTS_H
#define RDI_TRACE_PARTS_H

#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/trace.h"

#include <pthread.h>

/* Hears how many references and block references all readers together have read. A failure ends the
 * reading. */
typedef rd_status (*rdi_parts_watcher)(void *user, uint64_t references, uint64_t block_references);

/* Counts what the readers of this process have read, and tells the watcher every now and then: from
 * any thread, but one at a time. */
typedef struct rdi_parts_watch {
    pthread_mutex_t lock;
    rdi_parts_watcher watcher; /* NULL: nobody is told */
    void *user;
    unsigned processes; /* that read; those that cannot be watched count as being as far */
    uint64_t references, block_references;
} rdi_parts_watch;

void rdi_parts_watch_init(rdi_parts_watch *w); /* nobody is told yet */
void rdi_parts_watch_start(rdi_parts_watch *w, rdi_parts_watcher watcher, void *user,
                           unsigned processes);
/* When this returns nobody is being told, and nobody will be. */
void rdi_parts_watch_end(rdi_parts_watch *w);
void rdi_parts_watch_fini(rdi_parts_watch *w);

/* How to read; `references`, `what` and `user`, a watch or NULL, are still to be filled in. */
extern const rd_parts rdi_trace_parts;

/* What a reader needs to know, as text: free with rdi_free(). `format` as for rd_trace_open().
 * NULL: out of memory. */
char *rdi_trace_parts_describe(rd_ctx *ctx, const char *path, const char *format,
                               const rd_mapping *mapping);

#endif
