/* Writes traces: finds the format, opens the file, and hands over batches of at most RDI_REFS_MAX
 * references that have all columns of the file. */
#include "trace/events.h"
#include "trace/lookup.h"

#include <stdio.h>
#include <string.h>

struct rd_trace_writer {
    rd_ctx *ctx;
    const rdi_format_ops *format;
    const rdi_writer_ops *ops;
    char *spec;            /* name and option text; string options point into it */
    void *state;           /* state of the format */
    rdi_writer core;       /* the members that the format sees */
    rdi_columns *defaults; /* default values for columns that a batch lacks */
    rd_status broken;      /* status of the first failure, after which nothing is written */
    bool finished;
};

static const char *next_writable(size_t index) {
    const rd_format_info *info;
    for (size_t i = 0; (info = rd_format_info_at(i)) != NULL; i++)
        if (info->writable && index-- == 0)
            return info->name;
    return NULL;
}

static rd_status require_writable(rd_trace_writer *w) {
    if (w->format->writer)
        return RD_OK;
    char valid[512];
    rdi_list_names(valid, sizeof valid, next_writable);
    return rdi_fail(w->ctx, RD_EINVAL, "format %s can only be read; choose one of %s",
                    w->format->info.name, valid);
}

static rd_status alloc_defaults(rd_trace_writer *w) {
    w->defaults = rdi_calloc(w->ctx, 1, sizeof *w->defaults);
    if (!w->defaults)
        return RD_ENOMEM;
    for (size_t i = 0; i < RDI_REFS_MAX; i++)
        w->defaults->size[i] = 1;
    memset(w->defaults->kind, RD_LOAD, sizeof w->defaults->kind);
    return RD_OK;
}

/* Finds the format, parses its options, and only then opens the file, so that an invalid request
 * changes no file. */
static rd_status open_writer(rd_trace_writer *w, const char *path, const char *spec) {
    char *options = NULL;
    RD_TRY(rdi_spec_split(w->ctx, spec ? spec : "native", &w->spec, &options));
    RD_TRY(rdi_format_require(w->ctx, w->spec, &w->format));
    RD_TRY(require_writable(w));
    w->ops = w->format->writer;
    w->state = rdi_calloc(w->ctx, 1, w->ops->state_size ? w->ops->state_size : 1);
    if (!w->state)
        return RD_ENOMEM;
    RD_TRY(alloc_defaults(w));
    char owner[64];
    snprintf(owner, sizeof owner, "format %s", w->format->info.name);
    RD_TRY(rdi_opts_parse(w->ctx, owner, w->ops->opts, w->state, options));
    RD_TRY(rdi_output_open(w->ctx, path, &w->core.out));
    return w->ops->open(w->state, &w->core);
}

rd_status rd_trace_writer_open(rd_ctx *ctx, const char *path, const char *spec, uint32_t fields,
                               bool ids, rd_trace_writer **out) {
    RDI_NEED(ctx, ctx, path, out);
    rd_trace_writer *w = rdi_calloc(ctx, 1, sizeof *w);
    if (!w)
        return RD_ENOMEM;
    w->ctx = ctx;
    w->core = (rdi_writer){.ctx = ctx, .fields = fields, .ids = ids};
    rd_status status = open_writer(w, path, spec);
    if (status != RD_OK) {
        rd_trace_writer_close(w);
        return status;
    }
    *out = w;
    return RD_OK;
}

/* Returns the range [at, at + n) of the caller's batch with exactly the columns that are written.
 * Columns that the batch lacks have default values. */
static rd_refs range_of(const rd_trace_writer *w, const rd_refs *refs, size_t at, size_t n) {
    const rdi_columns *def = w->defaults;
    uint32_t fields = w->core.fields;
    rd_refs given = rd_refs_slice(refs, at, n), part = {.n = n, .fields = fields};
    part.addr = given.addr;
    if (fields & RD_FIELD_SIZE)
        part.size = given.size ? given.size : def->size;
    if (fields & RD_FIELD_KIND)
        part.kind = given.kind ? given.kind : def->kind;
    if (fields & RD_FIELD_PC)
        part.pc = given.pc ? given.pc : def->pc;
    if (fields & RD_FIELD_THREAD)
        part.thread = given.thread ? given.thread : def->thread;
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        if (fields & RD_FIELD_MORE(i)) /* the default is 0, as for program counters */
            part.more[i] = given.more[i] ? given.more[i] : def->pc;
    return part;
}

static rd_status check_columns(rd_trace_writer *w, const rd_refs *part) {
    bool empty = false;
    uint8_t unknown = 0;
    for (size_t i = 0; part->size && i < part->n; i++)
        empty |= part->size[i] == 0;
    for (size_t i = 0; part->kind && i < part->n; i++) { /* a valid kind is a single bit, at most
                                                            RD_FETCH */
        uint8_t kind = part->kind[i], below = (uint8_t)(kind - 1);
        unknown |= (kind & below) | (below & (uint8_t) ~(RD_FETCH - 1));
    }
    if (empty || unknown)
        return rdi_fail(w->ctx, RD_EINVAL, "trace writer: a reference has %s",
                        empty ? "size 0; sizes begin at 1"
                              : "an unknown kind; kinds are RD_LOAD, RD_STORE and RD_FETCH");
    return RD_OK;
}

static rd_status write_slices(rd_trace_writer *w, const rd_refs *refs) {
    for (size_t at = 0; at < refs->n; at += RDI_REFS_MAX) {
        size_t left = refs->n - at;
        rd_refs part = range_of(w, refs, at, left < RDI_REFS_MAX ? left : RDI_REFS_MAX);
        RD_TRY(check_columns(w, &part));
        RD_TRY(w->ops->write(w->state, &part));
    }
    return RD_OK;
}

rd_status rd_trace_writer_write(rd_trace_writer *w, const rd_refs *refs) {
    RDI_NEED(w ? w->ctx : NULL, w, refs);
    if (refs->n)
        RDI_NEED(w->ctx, refs->addr);
    if (w->finished)
        return rdi_fail(
            w->ctx, RD_ESTATE,
            "trace writer: references cannot be written after rd_trace_writer_finish()");
    if (w->broken == RD_OK)
        w->broken = write_slices(w, refs);
    return w->broken;
}

static rd_status write_event(rd_trace_writer *w, const rd_event *event) {
    const char *wrong = rdi_event_check(event);
    if (wrong)
        return rdi_fail(w->ctx, RD_EINVAL, "trace writer: an event %s", wrong);
    if (!w->ops->write_event || !(w->core.fields & rdi_event_info_of(event->kind)->field))
        return RD_OK;
    return w->ops->write_event(w->state, event);
}

rd_status rd_trace_writer_event(rd_trace_writer *w, const rd_event *event) {
    RDI_NEED(w ? w->ctx : NULL, w, event);
    if (w->finished)
        return rdi_fail(w->ctx, RD_ESTATE,
                        "trace writer: events cannot be written after rd_trace_writer_finish()");
    if (w->broken == RD_OK)
        w->broken = write_event(w, event);
    return w->broken;
}

rd_status rd_trace_writer_keep(rd_trace_writer *w) {
    RDI_NEED(NULL, w);
    return rdi_output_keep(w->core.out);
}

const char *rd_trace_writer_kept(const rd_trace_writer *w) {
    return w ? rdi_output_kept(w->core.out) : NULL;
}

static rd_status finish(rd_trace_writer *w) {
    if (w->ops->finish)
        RD_TRY(w->ops->finish(w->state));
    return rdi_output_finish(w->core.out);
}

rd_status rd_trace_writer_finish(rd_trace_writer *w) {
    RDI_NEED(NULL, w);
    if (w->finished)
        return rdi_fail(w->ctx, RD_ESTATE, "the trace writer is already finished");
    if (w->broken == RD_OK)
        w->broken = finish(w);
    w->finished = w->broken == RD_OK;
    return w->broken;
}

void rd_trace_writer_close(rd_trace_writer *w) {
    if (!w)
        return;
    if (w->ops && w->state && w->ops->close)
        w->ops->close(w->state);
    rdi_output_close(w->core.out);
    rdi_free(w->ctx, w->defaults);
    rdi_free(w->ctx, w->state);
    rdi_free(w->ctx, w->spec);
    rdi_free(w->ctx, w);
}
