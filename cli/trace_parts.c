/* Readers of parts. See trace_parts.h. */
#include "trace_parts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TELL_AFTER 65536 /* references */

typedef struct part_reader {
    rd_trace *trace;
    rd_mapper *mapper;
    uint64_t untold; /* references read and not told of yet */
} part_reader;

/* Of the process, because a reader knows nothing but a text. */
static struct {
    pthread_mutex_t lock;
    trace_parts_watcher watcher; /* or NULL */
    void *user;
    uint64_t references; /* told of */
    unsigned processes;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .processes = 1};

void trace_parts_watch(trace_parts_watcher watcher, void *user) {
    pthread_mutex_lock(&watch.lock);
    watch.watcher = watcher;
    watch.user = user;
    watch.references = 0;
    pthread_mutex_unlock(&watch.lock);
}

void trace_parts_set_processes(unsigned n) {
    watch.processes = n;
}

static void tell(part_reader *p) {
    pthread_mutex_lock(&watch.lock);
    watch.references += p->untold;
    if (watch.watcher)
        watch.watcher(watch.user, watch.references * watch.processes);
    pthread_mutex_unlock(&watch.lock);
    p->untold = 0;
}

/* "BLOCK_BYTES KINDS LENGTH:FORMATPATH" */
char *trace_parts_describe(const char *path, const char *format, const rd_mapping *mapping) {
    const char *spec = format ? format : "auto";
    size_t room = strlen(path) + strlen(spec) + 80;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, "%" PRIu64 " %" PRIu32 " %zu:%s%s", mapping->block_bytes,
                 mapping->kinds, strlen(spec), spec, path);
    return text;
}

static rd_status open_described(rd_ctx *ctx, const char *what, part_reader *p) {
    char *end;
    rd_mapping mapping = {.block_bytes = strtoull(what, &end, 10)};
    mapping.kinds = (uint32_t)strtoul(end, &end, 10);
    size_t n = strtoul(end, &end, 10);
    const char *spec = end + 1, *path = spec + n;
    char *format = strndup(spec, n);
    rd_status status = format ? rd_trace_open(ctx, path, format, &p->trace) : RD_ENOMEM;
    free(format);
    return status == RD_OK ? rd_mapper_new(ctx, &mapping, &p->mapper) : status;
}

static void close_reader(void *reader) {
    part_reader *p = reader;
    if (!p)
        return;
    rd_mapper_free(p->mapper);
    rd_trace_close(p->trace);
    free(p);
}

static rd_status open_reader(rd_ctx *ctx, const char *what, void *user, void **out) {
    (void)user;
    part_reader *p = calloc(1, sizeof *p);
    rd_status status = p ? open_described(ctx, what, p) : RD_ENOMEM;
    if (status != RD_OK) {
        close_reader(p);
        return status;
    }
    *out = p;
    return RD_OK;
}

static rd_status read_batch(part_reader *p, const rd_refs *refs, rd_block_sink sink, void *user) {
    rd_mapper_feed(p->mapper, refs);
    while (true) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        rd_status status = rd_mapper_next(p->mapper, &blocks, &n);
        if (status != RD_OK || n == 0)
            return status;
        status = sink(user, blocks, n);
        if (status != RD_OK)
            return status;
    }
}

static rd_status read_part(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                           void *user) {
    part_reader *p = reader;
    rd_status status = rd_trace_seek(p->trace, first, n);
    rd_mapper_seek(p->mapper, first);
    while (status == RD_OK) {
        const rd_refs *refs = NULL;
        status = rd_trace_read(p->trace, &refs);
        if (status != RD_OK || refs->n == 0)
            break;
        status = read_batch(p, refs, sink, user);
        p->untold += refs->n;
        if (p->untold >= TELL_AFTER)
            tell(p);
    }
    tell(p);
    return status;
}

const rd_parts trace_parts = {.open = open_reader, .read = read_part, .close = close_reader};
