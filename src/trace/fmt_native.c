/* native: the project's own trace format, compact, checked and fast. Specified byte by byte in
 * docs/trace-format.md.
 *
 * This file knows the header and the frames; native_decode.c, native_encode.c and native_events.c
 * know what is inside a frame.
 */
#include "trace/checksum.h"
#include "trace/format.h"
#include "trace/native_codec.h"

#include <inttypes.h>
#include <string.h>

#define VERSION      1
#define HEADER_BYTES 24
#define FRAME_BYTES  8 /* in front of the payload */
#define CHECK_BYTES  8 /* behind it */
#define FLAG_IDS     1
#define FLAG_SAMPLED 2
#define FLAG_EVENTS  4

#define EVENTS_MAX   65536 /* that a writer gathers; then the frame ends before it is full */

/* Most bytes a frame of n references can have. */
#define PAYLOAD_MAX(n) (3 * RDI_BLOCK_MAX(n))

static const uint8_t magic[8] = {0x89, 'R', 'D', 'T', '\r', '\n', 0x1a, '\n'};
static const uint32_t all_fields = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD;

/* Where a frame begins. */
typedef struct frame_place {
    uint64_t offset; /* in the file */
    uint64_t before; /* references in the frames before it */
    uint64_t frame;  /* how many those are */
} frame_place;

typedef struct native_reader {
    rdi_reader *r;
    uint32_t fields;
    frame_place last;   /* the frame read last, where seeking forward begins */
    uint64_t before;    /* references in the frames before this one: seed of its checksum */
    uint64_t frame;     /* number of the frame, from 1, for messages */
    size_t frame_bytes; /* of the frame in the window, still to be consumed; 0: none */
    size_t left;        /* references of it to be delivered */
    bool ended;
    rdi_event_list events;  /* of this frame of references */
    size_t events_told;     /* of those, the ones that were delivered */
    uint64_t events_before; /* in all frames before the next one: seed of its checksum, too */
    rdi_column_decoder addr, pc, thread;
} native_reader;

/* Ties a frame to its place. */
static uint64_t frame_seed(uint64_t references, uint64_t events) {
    return references + (events << 40);
}

static int native_probe(const uint8_t *head, size_t n, bool whole) {
    (void)whole;
    size_t seen = n < sizeof magic ? n : sizeof magic;
    /* Even a few bytes of the magic number: a truncated file deserves the right message. */
    return seen >= 4 && memcmp(head, magic, seen) == 0 ? RDI_PROBE_SURE : RDI_PROBE_NO;
}

static rd_status check_header(native_reader *f, const uint8_t *head) {
    rdi_input *in = f->r->in;
    if (memcmp(head, magic, sizeof magic) != 0)
        return rdi_input_fail_byte(in, 0, "this is no native trace: the magic number is missing");
    if (head[8] != VERSION)
        return rdi_input_fail_byte(
            in, 8, "native trace of version %d: this program reads version %d", head[8], VERSION);
    if (rdi_load_le64(head + 16) != rdi_xxh64(head, 16, 0))
        return rdi_input_fail_byte(in, 16, "the header is damaged: its checksum is wrong");
    uint64_t unused = rdi_load_le64(head + 8) >> 24;
    if ((head[9] & ~all_fields) || (head[10] & ~(FLAG_IDS | FLAG_SAMPLED | FLAG_EVENTS)) ||
        unused != 0)
        return rdi_input_fail_byte(in, 9, "the header has flags of an unknown meaning");
    return RD_OK;
}

static rd_status native_open(void *self, rdi_reader *r) {
    native_reader *f = self;
    f->r = r;
    f->events.ctx = r->ctx;
    RD_TRY(rdi_input_fill(r->in, HEADER_BYTES, HEADER_BYTES));
    if (r->in->avail < HEADER_BYTES)
        return rdi_input_fail_byte(r->in, r->in->avail, "the file ends inside its header");
    RD_TRY(check_header(f, r->in->data));
    f->fields = r->in->data[9] | (r->in->data[10] & FLAG_EVENTS ? RD_FIELD_EVENTS : 0);
    r->ids = (r->in->data[10] & FLAG_IDS) != 0;
    r->sampled = (r->in->data[10] & FLAG_SAMPLED) != 0;
    rdi_input_consume(r->in, HEADER_BYTES);
    return RD_OK;
}

static rd_status fail_truncated(native_reader *f) {
    rdi_input *in = f->r->in;
    return rdi_input_fail_byte(in, in->offset + in->avail,
                               "the file is truncated: it ends in frame %" PRIu64 " after %" PRIu64
                               " whole references",
                               f->frame, f->before);
}

static rd_status fail_frame(native_reader *f, const char *wrong) {
    rdi_input *in = f->r->in;
    return rdi_input_fail_byte(in, in->offset,
                               "frame %" PRIu64 " (from reference %" PRIu64 ") is damaged: %s",
                               f->frame, f->before + 1, wrong);
}

/* A frame without references holds events, or is the end mark. */
static bool is_possible_length(const native_reader *f, size_t count, size_t payload) {
    if (count == 0)
        return payload <= (f->fields & RD_FIELD_EVENTS ? RDI_EVENTS_BYTES : 0);
    return count <= RDI_FRAME_REFS && payload <= PAYLOAD_MAX(count);
}

/* Makes the window hold the next frame, checked as a whole. */
static rd_status load_frame(native_reader *f, size_t *count, size_t *payload) {
    rdi_input *in = f->r->in;
    RD_TRY(rdi_input_fill(in, FRAME_BYTES, FRAME_BYTES));
    if (in->avail < FRAME_BYTES)
        return fail_truncated(f);
    *count = rdi_load_le32(in->data);
    *payload = rdi_load_le32(in->data + 4);
    if (!is_possible_length(f, *count, *payload))
        return fail_frame(f, "impossible length");
    size_t bytes = FRAME_BYTES + *payload + CHECK_BYTES;
    RD_TRY(rdi_input_fill(in, bytes, bytes));
    if (in->avail < bytes)
        return fail_truncated(f);
    uint64_t seed = frame_seed(f->before, f->events_before);
    uint64_t sum = rdi_xxh64(in->data, bytes - CHECK_BYTES, seed);
    if (rdi_load_le64(in->data + bytes - CHECK_BYTES) != sum)
        return fail_frame(f, "its checksum is wrong");
    f->frame_bytes = bytes;
    return RD_OK;
}

static rd_status open_columns(native_reader *f, size_t count, size_t payload) {
    const uint8_t *p = f->r->in->data + FRAME_BYTES;
    struct {
        rdi_column_decoder *column;
        bool present;
        uint32_t fields;
    } columns[] = {
        {&f->addr, true, f->fields & (RD_FIELD_SIZE | RD_FIELD_KIND)},
        {&f->pc, (f->fields & RD_FIELD_PC) != 0, 0},
        {&f->thread, (f->fields & RD_FIELD_THREAD) != 0, 0},
    };
    for (size_t i = 0; i < RDI_COUNT(columns); i++) {
        if (!columns[i].present)
            continue;
        size_t used = 0;
        const char *wrong =
            rdi_column_open(columns[i].column, columns[i].fields, count, p, payload, &used);
        if (wrong)
            return fail_frame(f, wrong);
        p += used;
        payload -= used;
    }
    return payload == 0 ? RD_OK : fail_frame(f, "bytes are left over behind its columns");
}

static rd_status end_of_trace(native_reader *f) {
    rdi_input *in = f->r->in;
    rdi_input_consume(in, f->frame_bytes);
    f->frame_bytes = 0;
    RD_TRY(rdi_input_fill(in, 1, 1));
    if (in->avail > 0)
        return rdi_input_fail_byte(in, in->offset, "something follows the end of the trace");
    f->ended = true;
    return RD_OK;
}

static rd_status read_events(native_reader *f, size_t payload) {
    const char *wrong = NULL;
    size_t n = f->events.n;
    rd_status status = rdi_events_decode(&f->events, f->r->in->data + FRAME_BYTES, payload,
                                         n ? f->events.items[n - 1].at : f->before, &wrong);
    f->events_before += f->events.n - n;
    return wrong ? fail_frame(f, wrong) : status;
}

/* Events are among or in front of the references that follow them; at the end, behind the last. */
static rd_status check_events(native_reader *f, size_t count) {
    size_t n = f->events.n;
    uint64_t room = count ? count : 1;
    if (n > 0 && f->events.items[n - 1].at - f->before >= room)
        return fail_frame(f, "an event lies behind its frame");
    return RD_OK;
}

static rd_status next_frame(native_reader *f) {
    size_t count = 0, payload = 0;
    rdi_event_list_clear(&f->events);
    f->events_told = 0;
    do {
        rdi_input_consume(f->r->in, f->frame_bytes);
        f->frame_bytes = 0;
        f->last = (frame_place){f->r->in->offset, f->before, f->frame};
        f->frame++;
        RD_TRY(load_frame(f, &count, &payload));
        if (count == 0 && payload > 0)
            RD_TRY(read_events(f, payload));
    } while (count == 0 && payload > 0);
    RD_TRY(check_events(f, count));
    if (count == 0)
        return end_of_trace(f);
    RD_TRY(open_columns(f, count, payload));
    f->left = count;
    return RD_OK;
}

/* Those before reference `end`. */
static void deliver_events(native_reader *f, uint64_t end) {
    size_t first = f->events_told;
    while (f->events_told < f->events.n && f->events.items[f->events_told].at < end)
        f->events_told++;
    f->r->events = f->events.n ? f->events.items + first : NULL;
    f->r->event_count = f->events_told - first;
}

/* Threads are 32 bits wide, the column could hold more. */
static const char *next_threads(native_reader *f, size_t n) {
    rdi_columns *col = f->r->col;
    uint64_t wide[RDI_REFS_MAX], seen = 0;
    const char *wrong = rdi_column_next(&f->thread, n, wide, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        col->thread[i] = (uint32_t)wide[i];
        seen |= wide[i];
    }
    return wrong ? wrong : seen > UINT32_MAX ? "a thread number has more than 32 bits" : NULL;
}

static rd_status native_read(void *self, rd_refs *refs) {
    native_reader *f = self;
    rdi_columns *col = f->r->col;
    if (f->left == 0 && !f->ended)
        RD_TRY(next_frame(f));
    size_t n = f->left < RDI_REFS_MAX ? f->left : RDI_REFS_MAX;
    refs->fields = f->fields;
    if (f->fields & RD_FIELD_EVENTS)
        deliver_events(f, n ? f->before + n : UINT64_MAX);
    if (n == 0)
        return RD_OK;
    const char *wrong = rdi_column_next(&f->addr, n, col->addr, col->size, col->kind);
    if (!wrong && f->fields & RD_FIELD_PC)
        wrong = rdi_column_next(&f->pc, n, col->pc, NULL, NULL);
    if (!wrong && f->fields & RD_FIELD_THREAD)
        wrong = next_threads(f, n);
    if (wrong)
        return fail_frame(f, wrong);
    f->left -= n;
    f->before += n;
    *refs = (rd_refs){
        .n = n,
        .fields = f->fields,
        .addr = col->addr,
        .size = f->fields & RD_FIELD_SIZE ? col->size : NULL,
        .kind = f->fields & RD_FIELD_KIND ? col->kind : NULL,
        .pc = f->fields & RD_FIELD_PC ? col->pc : NULL,
        .thread = f->fields & RD_FIELD_THREAD ? col->thread : NULL,
    };
    return RD_OK;
}

/* ---- beginning in the middle ---- */

/* The frame at *offset: how many references it has, and where the next one is. False: no frame. */
static bool hop(const rdi_input *in, uint64_t *offset, uint64_t *count) {
    uint8_t head[FRAME_BYTES];
    if (!rdi_input_peek(in, *offset, head, sizeof head))
        return false;
    *count = rdi_load_le32(head);
    *offset += FRAME_BYTES + rdi_load_le32(head + 4) + CHECK_BYTES;
    return *count <= RDI_FRAME_REFS;
}

/* What events tell holds for everything behind them: such a file is read from its beginning. */
static uint64_t native_count(void *self) {
    const native_reader *f = self;
    const rdi_input *in = f->r->in;
    uint64_t offset = HEADER_BYTES, all = 0, count = 1;
    if (f->fields & RD_FIELD_EVENTS)
        return 0;
    while (count > 0) {
        if (!hop(in, &offset, &count))
            return 0;
        all += count;
    }
    return offset == rdi_input_size(in) ? all : 0;
}

static rd_status native_seek(void *self, uint64_t first, uint64_t *skip) {
    native_reader *f = self;
    frame_place at = f->last;
    if (at.offset == 0 || first < at.before) /* nothing has been read, or it lies behind */
        at = (frame_place){.offset = HEADER_BYTES};
    uint64_t next = at.offset, count = 0;
    while (hop(f->r->in, &next, &count) && count > 0 && at.before + count <= first)
        at = (frame_place){next, at.before + count, at.frame + 1};
    f->last = at;
    f->before = at.before;
    f->frame = at.frame;
    f->frame_bytes = f->left = 0;
    f->ended = false;
    *skip = first - at.before;
    return rdi_input_seek(f->r->in, at.offset);
}

static void native_close(void *self) {
    rdi_event_list_free(&((native_reader *)self)->events);
}

/* ---- writing ---- */

/* References of the frame being gathered. */
typedef struct frame_columns {
    uint64_t addr[RDI_FRAME_REFS];
    uint64_t pc[RDI_FRAME_REFS];
    uint64_t thread[RDI_FRAME_REFS];
    uint32_t size[RDI_FRAME_REFS];
    uint8_t kind[RDI_FRAME_REFS];
} frame_columns;

typedef struct native_writer {
    rdi_writer *w;
    rdi_column_encoder *encoder;
    frame_columns *col;
    uint8_t *bytes;         /* one encoded frame */
    size_t count;           /* references in col */
    uint64_t frame_refs;    /* option: references per frame */
    bool sampled;           /* option: the recorder left references out */
    uint64_t before;        /* references in the frames written */
    rdi_event_list events;  /* of the frame being gathered */
    uint64_t events_before; /* in the frames written */
} native_writer;

static const rd_opt native_writer_opts[] = {
    {.name = "frame",
     .type = RD_OPT_SIZE,
     .offset = offsetof(native_writer, frame_refs),
     .def = "64K",
     .min = 1,
     .max = RDI_FRAME_REFS,
     .help = "references per frame when writing: what damage or a full disk can take at most"},
    {.name = "sampled",
     .type = RD_OPT_BOOL,
     .offset = offsetof(native_writer, sampled),
     .def = "off",
     .help = "say in the new file that references were left out when it was recorded"},
    {0},
};

static rd_status native_writer_open(void *self, rdi_writer *w) {
    native_writer *f = self;
    f->w = w;
    f->events.ctx = w->ctx;
    f->col = rdi_alloc(w->ctx, 1, sizeof *f->col);
    f->bytes = rdi_alloc(w->ctx, FRAME_BYTES + PAYLOAD_MAX(RDI_FRAME_REFS) + CHECK_BYTES, 1);
    if (!f->col || !f->bytes)
        return RD_ENOMEM;
    RD_TRY(rdi_column_encoder_new(w->ctx, &f->encoder));
    uint8_t head[HEADER_BYTES] = {0};
    memcpy(head, magic, sizeof magic);
    head[8] = VERSION;
    head[9] = (uint8_t)(w->fields & all_fields);
    head[10] = (uint8_t)((w->ids ? FLAG_IDS : 0) | (f->sampled ? FLAG_SAMPLED : 0) |
                         (w->fields & RD_FIELD_EVENTS ? FLAG_EVENTS : 0));
    rdi_store_le64(head + 16, rdi_xxh64(head, 16, 0));
    return rdi_output_write(w->out, head, sizeof head);
}

static size_t encode_columns(native_writer *f, uint8_t *p) {
    uint32_t fields = f->w->fields;
    frame_columns *col = f->col;
    size_t bytes = rdi_column_encode(f->encoder, f->count, col->addr,
                                     fields & RD_FIELD_SIZE ? col->size : NULL,
                                     fields & RD_FIELD_KIND ? col->kind : NULL, p);
    if (fields & RD_FIELD_PC)
        bytes += rdi_column_encode(f->encoder, f->count, col->pc, NULL, NULL, p + bytes);
    if (fields & RD_FIELD_THREAD)
        bytes += rdi_column_encode(f->encoder, f->count, col->thread, NULL, NULL, p + bytes);
    return bytes;
}

/* Writes the frame whose payload is already in its place. */
static rd_status seal_frame(native_writer *f, size_t count, size_t payload) {
    rdi_store_le32(f->bytes, (uint32_t)count);
    rdi_store_le32(f->bytes + 4, (uint32_t)payload);
    size_t checked = FRAME_BYTES + payload;
    uint64_t seed = frame_seed(f->before, f->events_before);
    rdi_store_le64(f->bytes + checked, rdi_xxh64(f->bytes, checked, seed));
    return rdi_output_write(f->w->out, f->bytes, checked + CHECK_BYTES);
}

/* Those before reference `end`. */
static rd_status write_events(native_writer *f, uint64_t end) {
    uint64_t at = f->before;
    size_t next = 0;
    while (next < f->events.n && f->events.items[next].at < end) {
        size_t first = next;
        size_t payload = rdi_events_encode(&f->events, &next, at, end, f->bytes + FRAME_BYTES);
        RD_TRY(seal_frame(f, 0, payload));
        f->events_before += next - first;
        at = f->events.items[next - 1].at;
    }
    rdi_event_list_drop(&f->events, next);
    return RD_OK;
}

/* Writes what was gathered. */
static rd_status write_frame(native_writer *f) {
    if (f->count == 0)
        return RD_OK;
    RD_TRY(write_events(f, f->before + f->count));
    size_t payload = encode_columns(f, f->bytes + FRAME_BYTES);
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
    if (refs->pc)
        memcpy(col->pc + f->count, refs->pc + at, n * sizeof *col->pc);
    for (size_t i = 0; refs->thread && i < n; i++)
        col->thread[f->count + i] = refs->thread[at + i];
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
    rdi_free(f->w->ctx, f->bytes);
    rdi_free(f->w->ctx, f->col);
}

static const rdi_writer_ops native_writer_ops = {
    .state_size = sizeof(native_writer),
    .opts = native_writer_opts,
    .open = native_writer_open,
    .write = native_write,
    .write_event = native_write_event,
    .finish = native_finish,
    .close = native_writer_close,
};

const rdi_format_ops rdi_format_native = {
    .info =
        {
            .name = "native",
            .summary = "reusedist's own compact format: delta-coded, checksummed, fast",
            .card = "Addresses are coded against a few recent ones, together with size and kind,\n"
                    "in one to two bytes per reference for program traces; program counter and\n"
                    "thread are optional columns. Every frame of 65536 references has a checksum\n"
                    "and the file an end mark: damage and truncation are found, and everything\n"
                    "before them is still read. Specified in docs/trace-format.md. When writing,\n"
                    "native:frame=N makes frames of N references: what damage can take at most.",
            .fields =
                RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS,
            .writable = true,
            .binary = true,
        },
    .state_size = sizeof(native_reader),
    .probe = native_probe,
    .open = native_open,
    .read = native_read,
    .count = native_count,
    .seek = native_seek,
    .close = native_close,
    .writer = &native_writer_ops,
};
