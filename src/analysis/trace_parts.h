/* A trace file that several readers share, in this process and in other processes. Each reader maps
 * its own part of the references to blocks. */
#ifndef RDI_TRACE_PARTS_H
#define RDI_TRACE_PARTS_H

#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/trace.h"

#include <pthread.h>

/* Receives the numbers of references and block references that all readers have read so far. The
 * numbers of other processes are estimated. If the function fails, reading ends. */
typedef rd_status (*rdi_parts_watcher)(void *user, uint64_t references, uint64_t block_references);

/* A watch counts the references that the readers of this process have read, and calls its watcher
 * from time to time. Any thread may call the watcher, but only one at a time. */
typedef struct rdi_parts_watch {
    pthread_mutex_t lock;
    rdi_parts_watcher watcher; /* receives the reports; NULL: no reports */
    void *user;
    unsigned processes; /* number of processes that read; their progress is assumed to be equal */
    uint64_t references, block_references;
} rdi_parts_watch;

void rdi_parts_watch_init(rdi_parts_watch *w); /* makes a watch without a watcher */
void rdi_parts_watch_start(rdi_parts_watch *w, rdi_parts_watcher watcher, void *user,
                           unsigned processes);
/* Ends the reports. When the function returns, the watcher is not running and will not be called
 * again. */
void rdi_parts_watch_end(rdi_parts_watch *w);
void rdi_parts_watch_fini(rdi_parts_watch *w);

/* The functions that read parts. In a copy of this struct, the caller sets `references`, `what`, and
 * `user`, which is a watch or NULL. */
extern const rd_parts rdi_trace_parts;

/* Returns the data that a reader needs, as a text to be freed with rdi_free(), or NULL if memory is
 * exhausted. `format` is the argument `spec` of rd_trace_open(). */
char *rdi_trace_parts_describe(rd_ctx *ctx, const char *path, const char *format,
                               const rd_mapping *mapping);

#endif
