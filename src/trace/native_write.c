/* Writes the native trace format: collects references and events, and writes them as frames. See
 * native.h and docs/trace-format.md.
 *
 * While references are collected for a frame, another thread encodes the previous frame, because
 * collecting and encoding take about the same time. Only the caller's thread writes to the file.
 */
#include "base/threads.h"
#include "trace/checksum.h"
#include "trace/native.h"

#include <string.h>

#define EVENTS_MAX  65536 /* maximum number of events that are collected before they are written */
#define THREAD_REFS 4096  /* minimum number of references for which the encoding thread pays off */

/* The references of a frame, and its encoded form. */
typedef struct frame {
    uint64_t addr[RDI_FRAME_REFS];
    uint32_t size[RDI_FRAME_REFS];
    uint8_t kind[RDI_FRAME_REFS];
    uint64_t (*values)[RDI_FRAME_REFS]; /* one array for each of head.columns */
    size_t count;                       /* number of references */
    uint64_t seed;                      /* seed of the checksum */
    uint8_t *bytes;                     /* the encoded frame */
    size_t n_bytes;
} frame;

typedef struct native_writer {
    rdi_writer *w;
    rdi_native_head head;
    rdi_column_encoder *encoder;
    frame *filling;         /* the frame that is being collected */
    frame *encoding;        /* the previous frame; n_bytes is 0 until it is encoded and after it is
                               written */
    rdi_background *thread; /* encoding thread; NULL: there was no long frame so far */
    bool started;           /* true: the thread encodes `encoding` */
    uint64_t frame_refs;    /* option: number of references per frame */
    bool sampled;           /* option: the recorder skipped references */
    bool processes;         /* option: the top 16 bits of addresses name processes */
    uint64_t before;        /* number of references in the frames before `filling` */
    rdi_event_list events;  /* events of the frame that is being collected */
    uint64_t events_before; /* number of events in the frames already written */
} native_writer;

static const rd_opt native_writer_opts[] = {
    {.name = "frame",
     .type = RD_OPT_SIZE,
     .offset = offsetof(native_writer, frame_refs),
     .def = "64K",
     .min = 1,
     .max = RDI_FRAME_REFS,
     .help = "references per frame when writing; a damaged frame and all later frames are lost"},
    {.name = "sampled",
     .type = RD_OPT_BOOL,
     .offset = offsetof(native_writer, sampled),
     .def = "off",
     .help = "mark the new file as sampled: its recorder skipped references"},
    {.name = "processes",
     .type = RD_OPT_BOOL,
     .offset = offsetof(native_writer, processes),
     .def = "on",
     .help = "off: state in the new file that the top 16 bits of addresses do not name processes"},
    {0},
};

static rd_status new_frame(native_writer *f, frame **out) {
    rd_ctx *ctx = f->w->ctx;
    size_t payload = RDI_NATIVE_PAYLOAD(RDI_FRAME_REFS, f->head.described);
    *out = rdi_alloc(ctx, 1, sizeof **out);
    if (!*out)
        return RD_ENOMEM;
    (*out)->count = (*out)->n_bytes = 0;
    (*out)->bytes = rdi_alloc(ctx, RDI_NATIVE_FRAME + payload + RDI_NATIVE_CHECK, 1);
    (*out)->values =
        rdi_alloc(ctx, f->head.n_columns ? f->head.n_columns : 1, sizeof *(*out)->values);
    return (*out)->bytes && (*out)->values ? RD_OK : RD_ENOMEM;
}

static void free_frame(native_writer *f, frame *x) {
    if (!x)
        return;
    rdi_free(f->w->ctx, x->values);
    rdi_free(f->w->ctx, x->bytes);
    rdi_free(f->w->ctx, x);
}

static rd_status native_writer_open(void *self, rdi_writer *w) {
    native_writer *f = self;
    f->w = w;
    f->events.ctx = w->ctx;
    f->head = (rdi_native_head){.fields = w->fields,
                                .ids = w->ids,
                                .sampled = f->sampled,
                                /* object ids need no mark: they never name processes */
                                .no_processes = !f->processes && !w->ids};
    RD_TRY(rdi_native_head_write(w->out, &f->head));
    RD_TRY(new_frame(f, &f->filling));
    RD_TRY(new_frame(f, &f->encoding));
    return rdi_column_encoder_new(w->ctx, &f->encoder);
}

/* Writes the block of head.columns[i] to p, and returns its size. The block of a described column
 * has its length before it, which the size includes. */
static size_t encode_column(const native_writer *f, const frame *x, size_t i, uint8_t *p) {
    if (i + f->head.described < f->head.n_columns)
        return rdi_column_encode(f->encoder, x->count, x->values[i], NULL, NULL, p);
    size_t bytes =
        rdi_column_encode(f->encoder, x->count, x->values[i], NULL, NULL, p + RDI_NATIVE_LENGTH);
    rdi_store_le32(p, (uint32_t)bytes);
    return RDI_NATIVE_LENGTH + bytes;
}

static size_t encode_columns(const native_writer *f, const frame *x, uint8_t *p) {
    uint32_t fields = f->head.fields;
    size_t bytes =
        rdi_column_encode(f->encoder, x->count, x->addr, fields & RD_FIELD_SIZE ? x->size : NULL,
                          fields & RD_FIELD_KIND ? x->kind : NULL, p);
    for (size_t i = 0; i < f->head.n_columns; i++)
        bytes += encode_column(f, x, i, p + bytes);
    return bytes;
}

/* Completes the frame of `count` references whose payload is already in `bytes`. Returns the size
 * of the frame. */
static size_t seal_frame(uint8_t *bytes, size_t count, size_t payload, uint64_t seed) {
    rdi_store_le32(bytes, (uint32_t)count);
    rdi_store_le32(bytes + 4, (uint32_t)payload);
    size_t checked = RDI_NATIVE_FRAME + payload;
    rdi_store_le64(bytes + checked, rdi_xxh64(bytes, checked, seed));
    return checked + RDI_NATIVE_CHECK;
}

/* Encodes f->encoding, usually in the encoding thread. The function does not use the context, which
 * belongs to the caller's thread. */
static void encode_frame(void *arg) {
    const native_writer *f = arg;
    frame *x = f->encoding;
    size_t payload = encode_columns(f, x, x->bytes + RDI_NATIVE_FRAME);
    x->n_bytes = seal_frame(x->bytes, x->count, payload, x->seed);
}

/* Waits until the thread has encoded f->encoding, if it was started, and writes the encoded frame,
 * if there is one. */
static rd_status write_encoded(native_writer *f) {
    if (f->started)
        rdi_background_wait(f->thread);
    f->started = false;
    size_t n = f->encoding->n_bytes;
    f->encoding->n_bytes = 0;
    return n ? rdi_output_write(f->w->out, f->encoding->bytes, n) : RD_OK;
}

/* Writes the events whose position is below `end`, and removes them from f->events. All earlier
 * frames must have been written, because the memory of `encoding` is reused. */
static rd_status write_events(native_writer *f, uint64_t end) {
    uint8_t *bytes = f->encoding->bytes;
    uint64_t at = f->before;
    size_t next = 0;
    while (next < f->events.n && f->events.items[next].at < end) {
        size_t first = next;
        size_t payload = rdi_events_encode(&f->events, &next, at, end, bytes + RDI_NATIVE_FRAME);
        size_t n = seal_frame(bytes, 0, payload, rdi_native_seed(f->before, f->events_before));
        RD_TRY(rdi_output_write(f->w->out, bytes, n));
        f->events_before += next - first;
        at = f->events.items[next - 1].at;
    }
    rdi_event_list_drop(&f->events, next);
    return RD_OK;
}

/* Writes the previous frame, and the events before the last collected reference. Then encodes the
 * collected references, or makes the encoding thread do it. Does nothing if no references were
 * collected. */
static rd_status end_frame(native_writer *f) {
    if (f->filling->count == 0)
        return RD_OK;
    RD_TRY(write_encoded(f));
    RD_TRY(write_events(f, f->before + f->filling->count));
    frame *free = f->encoding;
    f->encoding = f->filling;
    f->filling = free;
    f->filling->count = 0;
    f->encoding->seed = rdi_native_seed(f->before, f->events_before);
    f->before += f->encoding->count;
    bool handed_over = f->encoding->count >= THREAD_REFS;
    if (handed_over && !f->thread)
        RD_TRY(rdi_background_new(f->w->ctx, &f->thread));
    f->started = handed_over;
    if (handed_over)
        rdi_background_start(f->thread, encode_frame, f);
    else
        encode_frame(f);
    return RD_OK;
}

/* Writes everything that has been collected. */
static rd_status write_all(native_writer *f) {
    RD_TRY(end_frame(f));
    RD_TRY(write_encoded(f));
    return write_events(f, UINT64_MAX);
}

static rd_status native_write_event(void *self, const rd_event *event) {
    native_writer *f = self;
    if (f->events.n == EVENTS_MAX)
        RD_TRY(write_all(f));
    rd_event placed = *event;
    placed.at = f->before + f->filling->count;
    return rdi_event_list_add(&f->events, &placed, event->path ? strlen(event->path) : 0);
}

/* Appends references [at, at + n) of a batch to the frame that is being collected. */
static void gather(native_writer *f, const rd_refs *refs, size_t at, size_t n) {
    frame *x = f->filling;
    memcpy(x->addr + x->count, refs->addr + at, n * sizeof *x->addr);
    if (refs->size)
        memcpy(x->size + x->count, refs->size + at, n * sizeof *x->size);
    if (refs->kind)
        memcpy(x->kind + x->count, refs->kind + at, n * sizeof *x->kind);
    for (size_t i = 0; i < f->head.n_columns; i++)
        rdi_column_gather(f->head.columns[i], refs, at, n, x->values[i] + x->count);
    x->count += n;
}

static rd_status native_write(void *self, const rd_refs *refs) {
    native_writer *f = self;
    for (size_t at = 0; at < refs->n;) {
        size_t room = f->frame_refs - f->filling->count, left = refs->n - at;
        size_t n = left < room ? left : room;
        gather(f, refs, at, n);
        at += n;
        if (f->filling->count == f->frame_refs)
            RD_TRY(end_frame(f));
    }
    return RD_OK;
}

static rd_status native_finish(void *self) {
    native_writer *f = self;
    RD_TRY(write_all(f));
    uint8_t *bytes = f->encoding->bytes; /* the end mark is an empty frame */
    size_t n = seal_frame(bytes, 0, 0, rdi_native_seed(f->before, f->events_before));
    return rdi_output_write(f->w->out, bytes, n);
}

static void native_writer_close(void *self) {
    native_writer *f = self;
    if (!f->w)
        return;
    rdi_background_free(f->thread);
    rdi_event_list_free(&f->events);
    rdi_column_encoder_free(f->encoder);
    free_frame(f, f->filling);
    free_frame(f, f->encoding);
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
