/* Reads parts of a trace. See trace_parts.h. */
#include "analysis/trace_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL_AFTER 65536 /* number of references after which a reader reports progress */

/* ---- the watch ---- */

void rdi_parts_watch_init(rdi_parts_watch *w) {
    *w = (rdi_parts_watch){.processes = 1};
    pthread_mutex_init(&w->lock, NULL);
}

void rdi_parts_watch_start(rdi_parts_watch *w, rdi_parts_watcher watcher, void *user,
                           unsigned processes) {
    w->watcher = watcher;
    w->user = user;
    w->processes = processes;
}

void rdi_parts_watch_end(rdi_parts_watch *w) {
    pthread_mutex_lock(&w->lock);
    w->watcher = NULL;
    pthread_mutex_unlock(&w->lock);
}

void rdi_parts_watch_fini(rdi_parts_watch *w) {
    pthread_mutex_destroy(&w->lock);
}

static rd_status add_read(rdi_parts_watch *w, uint64_t references, uint64_t block_references) {
    rd_status status = RD_OK;
    pthread_mutex_lock(&w->lock);
    w->references += references;
    w->block_references += block_references;
    if (w->watcher)
        status =
            w->watcher(w->user, w->references * w->processes, w->block_references * w->processes);
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* ---- a reader ---- */

typedef struct part_reader {
    rd_ctx *ctx;
    rd_trace *trace;
    rd_mapper *mapper;
    rdi_parts_watch *watch;                /* NULL: no watch */
    uint64_t references, block_references; /* numbers of references and block references that were
                                              read but not yet reported */
} part_reader;

static rd_status tell(part_reader *p) {
    uint64_t references = p->references, block_references = p->block_references;
    p->references = p->block_references = 0;
    return p->watch ? add_read(p->watch, references, block_references) : RD_OK;
}

/* Makes the text "BLOCK_BYTES KINDS LENGTH:FORMATPATH", where LENGTH is the length of FORMAT. */
char *rdi_trace_parts_describe(rd_ctx *ctx, const char *path, const char *format,
                               const rd_mapping *mapping) {
    const char *spec = format ? format : "auto";
    size_t room = strlen(path) + strlen(spec) + 80;
    char *text = rdi_alloc(ctx, room, 1);
    if (text)
        snprintf(text, room, "%" PRIu64 " %" PRIu32 " %zu:%s%s", mapping->block_bytes,
                 mapping->kinds, strlen(spec), spec, path);
    return text;
}

static rd_status open_described(part_reader *p, const char *what) {
    char *end;
    rd_mapping mapping = {.size = sizeof mapping, .block_bytes = strtoull(what, &end, 10)};
    mapping.kinds = (uint32_t)strtoul(end, &end, 10);
    size_t n = strtoul(end, &end, 10);
    const char *spec = end + 1, *path = spec + n;
    char *format = rdi_alloc(p->ctx, n + 1, 1);
    if (!format)
        return RD_ENOMEM;
    memcpy(format, spec, n);
    format[n] = '\0';
    rd_status status = rd_trace_open(p->ctx, path, format, &p->trace);
    rdi_free(p->ctx, format);
    return status == RD_OK ? rd_mapper_new(p->ctx, &mapping, &p->mapper) : status;
}

static void close_reader(void *reader) {
    part_reader *p = reader;
    if (!p)
        return;
    rd_mapper_free(p->mapper);
    rd_trace_close(p->trace);
    rdi_free(p->ctx, p);
}

static rd_status open_reader(rd_ctx *ctx, const char *what, void *user, void **out) {
    part_reader *p = rdi_calloc(ctx, 1, sizeof *p);
    if (!p)
        return RD_ENOMEM;
    p->ctx = ctx;
    p->watch = user;
    rd_status status = open_described(p, what);
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
        RD_TRY(rd_mapper_next(p->mapper, &blocks, &n));
        if (n == 0)
            break;
        RD_TRY(sink(user, blocks, n));
        p->block_references += n;
    }
    p->references += refs->n;
    return p->references >= TELL_AFTER ? tell(p) : RD_OK;
}

static rd_status read_part(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                           void *user) {
    part_reader *p = reader;
    RD_TRY(rd_trace_seek(p->trace, first, n));
    rd_mapper_seek(p->mapper, first);
    while (true) {
        const rd_refs *refs = NULL;
        RD_TRY(rd_trace_read(p->trace, &refs));
        if (refs->n == 0)
            return tell(p);
        RD_TRY(read_batch(p, refs, sink, user));
    }
}

const rd_parts rdi_trace_parts = {.open = open_reader, .read = read_part, .close = close_reader};
