/* A trace file that several readers share, in this process and in others. Each reader maps its own
 * part to blocks. */
#ifndef RDI_TRACE_PARTS_H
#define RDI_TRACE_PARTS_H

#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/trace.h"

#include <pthread.h>

/* Receives the number of references and block references that all readers together have read. A
 * failure ends the reading. */
typedef rd_status (*rdi_parts_watcher)(void *user, uint64_t references, uint64_t block_references);

/* Counts what the readers of this process have read, and calls the watcher now and then: from any
 * thread, but from one at a time. */
typedef struct rdi_parts_watch {
    pthread_mutex_t lock;
    rdi_parts_watcher watcher; /* NULL: no reports */
    void *user;
    unsigned processes; /* that read; progress of other processes is assumed to be equal */
    uint64_t references, block_references;
} rdi_parts_watch;

void rdi_parts_watch_init(rdi_parts_watch *w); /* without a watcher */
void rdi_parts_watch_start(rdi_parts_watch *w, rdi_parts_watcher watcher, void *user,
                           unsigned processes);
/* Ends the reports: the watcher is not running when this returns, and will not be called again. */
void rdi_parts_watch_end(rdi_parts_watch *w);
void rdi_parts_watch_fini(rdi_parts_watch *w);

/* Functions that read parts. The caller sets `references`, `what`, and `user` (a watch or NULL). */
extern const rd_parts rdi_trace_parts;

/* The data that a reader needs, as text to be freed with rdi_free(). `format` as for
 * rd_trace_open(). NULL: out of memory. */
char *rdi_trace_parts_describe(rd_ctx *ctx, const char *path, const char *format,
                               const rd_mapping *mapping);

#endif
