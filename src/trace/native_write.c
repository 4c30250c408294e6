/* Writes the native trace format: collects references and events, and writes them as frames. See
 * native.h and docs/trace-format.md.
 */
#include "trace/checksum.h"
#include "trace/native.h"

#include <string.h>

#define EVENTS_MAX 65536 /* with so many events a frame ends before it is full */

/* The references that are collected for a frame. */
typedef struct frame_columns {
    uint64_t addr[RDI_FRAME_REFS];
    uint32_t size[RDI_FRAME_REFS];
    uint8_t kind[RDI_FRAME_REFS];
} frame_columns;

typedef struct native_writer {
    rdi_writer *w;
    rdi_native_head head;
    rdi_column_encoder *encoder;
    frame_columns *col;
    uint64_t (*values)[RDI_FRAME_REFS]; /* one array for each of head.columns */
    uint8_t *bytes;                     /* one encoded frame */
    size_t count;                       /* references in col */
    uint64_t frame_refs;                /* option: references per frame */
    bool sampled;                       /* option: the recorder skipped references */
    uint64_t before;                    /* references in the frames written */
    rdi_event_list events;              /* events of the frame that is being collected */
    uint64_t events_before;             /* events in the frames written */
} native_writer;

static const rd_opt native_writer_opts[] = {
    {.name = "frame",
     .type = RD_OPT_SIZE,
     .offset = offsetof(native_writer, frame_refs),
     .def = "64K",
     .min = 1,
     .max = RDI_FRAME_REFS,
     .help = "references per frame when writing; damage or a full disk loses at most one frame"},
    {.name = "sampled",
     .type = RD_OPT_BOOL,
     .offset = offsetof(native_writer, sampled),
     .def = "off",
     .help = "mark the new file as sampled: its recorder skipped references"},
    {0},
};

static rd_status native_writer_open(void *self, rdi_writer *w) {
    native_writer *f = self;
    f->w = w;
    f->events.ctx = w->ctx;
    f->head = (rdi_native_head){.fields = w->fields, .ids = w->ids, .sampled = f->sampled};
    RD_TRY(rdi_native_head_write(w->out, &f->head));
    size_t payload = RDI_NATIVE_PAYLOAD(RDI_FRAME_REFS, f->head.described);
    f->col = rdi_alloc(w->ctx, 1, sizeof *f->col);
    f->bytes = rdi_alloc(w->ctx, RDI_NATIVE_FRAME + payload + RDI_NATIVE_CHECK, 1);
    f->values = rdi_alloc(w->ctx, f->head.n_columns ? f->head.n_columns : 1, sizeof *f->values);
    if (!f->col || !f->bytes || !f->values)
        return RD_ENOMEM;
    return rdi_column_encoder_new(w->ctx, &f->encoder);
}

/* Encodes the block of the i-th column after the address. The block of a described column has its length
 * before it. */
static size_t encode_column(native_writer *f, size_t i, uint8_t *p) {
    if (i + f->head.described < f->head.n_columns)
        return rdi_column_encode(f->encoder, f->count, f->values[i], NULL, NULL, p);
    size_t bytes =
        rdi_column_encode(f->encoder, f->count, f->values[i], NULL, NULL, p + RDI_NATIVE_LENGTH);
    rdi_store_le32(p, (uint32_t)bytes);
    return RDI_NATIVE_LENGTH + bytes;
}

static size_t encode_columns(native_writer *f, uint8_t *p) {
    uint32_t fields = f->head.fields;
    frame_columns *col = f->col;
    size_t bytes = rdi_column_encode(f->encoder, f->count, col->addr,
                                     fields & RD_FIELD_SIZE ? col->size : NULL,
                                     fields & RD_FIELD_KIND ? col->kind : NULL, p);
    for (size_t i = 0; i < f->head.n_columns; i++)
        bytes += encode_column(f, i, p + bytes);
    return bytes;
}

/* Writes the frame whose payload is already in `bytes`. */
static rd_status seal_frame(native_writer *f, size_t count, size_t payload) {
    rdi_store_le32(f->bytes, (uint32_t)count);
    rdi_store_le32(f->bytes + 4, (uint32_t)payload);
    size_t checked = RDI_NATIVE_FRAME + payload;
    uint64_t seed = rdi_native_seed(f->before, f->events_before);
    rdi_store_le64(f->bytes + checked, rdi_xxh64(f->bytes, checked, seed));
    return rdi_output_write(f->w->out, f->bytes, checked + RDI_NATIVE_CHECK);
}

/* Writes the events before reference `end`. */
static rd_status write_events(native_writer *f, uint64_t end) {
    uint64_t at = f->before;
    size_t next = 0;
    while (next < f->events.n && f->events.items[next].at < end) {
        size_t first = next;
        size_t payload = rdi_events_encode(&f->events, &next, at, end, f->bytes + RDI_NATIVE_FRAME);
        RD_TRY(seal_frame(f, 0, payload));
        f->events_before += next - first;
        at = f->events.items[next - 1].at;
    }
    rdi_event_list_drop(&f->events, next);
    return RD_OK;
}

/* Writes the collected references and events. */
static rd_status write_frame(native_writer *f) {
    if (f->count == 0)
        return RD_OK;
    RD_TRY(write_events(f, f->before + f->count));
    size_t payload = encode_columns(f, f->bytes + RDI_NATIVE_FRAME);
    RD_TRY(seal_frame(f, f->count, payload));
    f->before += f->count;
    f->count = 0;
    return RD_OK;
}

static rd_status native_write_event(void *self, const rd_event *event) {
    native_writer *f = self;
    if (f->events.n == EVENTS_MAX) {
        RD_TRY(write_frame(f));
        RD_TRY(write_events(f, UINT64_MAX));
    }
    rd_event placed = *event;
    placed.at = f->before + f->count;
    return rdi_event_list_add(&f->events, &placed, event->path ? strlen(event->path) : 0);
}

/* Appends references [at, at + n) of a batch to the frame. */
static void gather(native_writer *f, const rd_refs *refs, size_t at, size_t n) {
    frame_columns *col = f->col;
    memcpy(col->addr + f->count, refs->addr + at, n * sizeof *col->addr);
    if (refs->size)
        memcpy(col->size + f->count, refs->size + at, n * sizeof *col->size);
    if (refs->kind)
        memcpy(col->kind + f->count, refs->kind + at, n * sizeof *col->kind);
    for (size_t i = 0; i < f->head.n_columns; i++)
        rdi_column_gather(f->head.columns[i], refs, at, n, f->values[i] + f->count);
    f->count += n;
}

static rd_status native_write(void *self, const rd_refs *refs) {
    native_writer *f = self;
    for (size_t at = 0; at < refs->n;) {
        size_t room = f->frame_refs - f->count, left = refs->n - at;
        size_t n = left < room ? left : room;
        gather(f, refs, at, n);
        at += n;
        if (f->count == f->frame_refs)
            RD_TRY(write_frame(f));
    }
    return RD_OK;
}

static rd_status native_finish(void *self) {
    native_writer *f = self;
    RD_TRY(write_frame(f));
    RD_TRY(write_events(f, UINT64_MAX));
    return seal_frame(f, 0, 0); /* the end mark */
}

static void native_writer_close(void *self) {
    native_writer *f = self;
    if (!f->w)
        return;
    rdi_event_list_free(&f->events);
    rdi_column_encoder_free(f->encoder);
    rdi_free(f->w->ctx, f->values);
    rdi_free(f->w->ctx, f->bytes);
    rdi_free(f->w->ctx, f->col);
}

const rdi_writer_ops rdi_native_writer = {
    .state_size = sizeof(native_writer),
    .opts = native_writer_opts,
    .open = native_writer_open,
    .write = native_write,
    .write_event = native_write_event,
    .finish = native_finish,
    .close = native_writer_close,
};
