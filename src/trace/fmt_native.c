/* native: the project's own trace format, compact, checked and fast. docs/trace-format.md specifies
 * it.
 *
 * This file reads the frames and native_write.c writes them. native_head.c handles the header;
 * native_decode.c, native_encode.c, native_choose.c and native_events.c handle the contents of a
 * frame.
 */
#include "trace/checksum.h"
#include "trace/native.h"

#include <inttypes.h>
#include <string.h>

/* The beginning of a frame. */
typedef struct frame_place {
    uint64_t offset; /* offset of the frame in the file */
    uint64_t before; /* number of references in all earlier frames */
    uint64_t frame;  /* number of earlier frames */
} frame_place;

/* A column other than the address. */
typedef struct native_column {
    rdi_column_decoder decoder;
    uint64_t values[RDI_REFS_MAX]; /* the values of a batch */
} native_column;

typedef struct native_reader {
    rdi_reader *r;
    rdi_native_head head;
    frame_place last; /* where the frame that was read last begins; seeking forward starts there */
    uint64_t before;  /* number of references delivered so far; the seed of the next frame's
                           checksum contains it */
    uint64_t frame;   /* number of the current frame, from 1, for messages */
    size_t frame_bytes; /* number of bytes of the current frame in the input buffer; 0: they were
                           consumed */
    size_t left;        /* number of references of the current frame that were not yet delivered */
    bool ended;
    rdi_event_list events; /* the events before and inside the current frame */
    size_t events_told;    /* number of these events that were delivered */
    /* The position of decoding. Its number of events is also part of the seed of the next frame's
     * checksum. */
    rdi_event_place place;
    rdi_column_decoder addr;
    native_column *columns[RDI_NATIVE_COLUMNS]; /* the columns of head.columns, in the same order;
                                                   NULL: skipped */
    uint32_t fields;                            /* the fields of the head that are delivered */
} native_reader;

static int native_probe(const uint8_t *head, size_t n, bool whole) {
    (void)whole;
    /* A few bytes of the magic number are enough, so that a truncated file gets a message about the
     * truncation. */
    return n >= 4 && rdi_native_has_magic(head, n) ? RDI_PROBE_SURE : RDI_PROBE_NO;
}

/* Makes decoders for the columns that are delivered and have none yet. */
static rd_status make_columns(native_reader *f) {
    for (size_t i = 0; i < f->head.n_columns; i++) {
        const rdi_column_info *column = f->head.columns[i];
        bool wanted = column && column->field & f->fields && !f->columns[i];
        if (wanted && !(f->columns[i] = rdi_alloc(f->r->ctx, 1, sizeof *f->columns[i])))
            return RD_ENOMEM;
    }
    return RD_OK;
}

static rd_status native_select(void *self, uint32_t fields) {
    native_reader *f = self;
    f->fields |= f->head.fields & fields;
    return make_columns(f);
}

static rd_status native_open(void *self, rdi_reader *r) {
    native_reader *f = self;
    f->r = r;
    f->events.ctx = r->ctx;
    RD_TRY(rdi_native_head_read(r->in, &f->head));
    f->fields = f->head.fields & ~(uint32_t)(RD_REQUEST_FIELDS | RD_FIELD_CONTEXT);
    RD_TRY(make_columns(f));
    r->ids = f->head.ids;
    r->requests = f->head.fields & RD_REQUEST_FIELDS;
    r->sampled = f->head.sampled;
    r->processes = !f->head.ids && !f->head.no_processes;
    r->note = f->head.note[0] ? f->head.note : NULL;
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

/* Returns whether a frame can have `count` references and a payload of `payload` bytes. A frame
 * without references holds events or is the end mark. */
static bool is_possible_length(const native_reader *f, size_t count, size_t payload) {
    if (count == 0)
        return payload <= (f->head.has_events ? RDI_EVENTS_BYTES : 0);
    return count <= RDI_FRAME_REFS && payload <= RDI_NATIVE_PAYLOAD(count, f->head.described);
}

/* Reads the next frame into the input buffer and checks its checksum. Sets *count to its number of
 * references and *payload to the size of its payload. */
static rd_status load_frame(native_reader *f, size_t *count, size_t *payload) {
    rdi_input *in = f->r->in;
    RD_TRY(rdi_input_fill(in, RDI_NATIVE_FRAME, RDI_NATIVE_FRAME));
    if (in->avail < RDI_NATIVE_FRAME)
        return fail_truncated(f);
    *count = rdi_load_le32(in->data);
    *payload = rdi_load_le32(in->data + 4);
    if (!is_possible_length(f, *count, *payload))
        return fail_frame(f, "its length is invalid");
    size_t bytes = RDI_NATIVE_FRAME + *payload + RDI_NATIVE_CHECK;
    RD_TRY(rdi_input_fill(in, bytes, bytes));
    if (in->avail < bytes)
        return fail_truncated(f);
    uint64_t seed = rdi_native_seed(f->before, f->place.count);
    uint64_t sum = rdi_xxh64(in->data, bytes - RDI_NATIVE_CHECK, seed);
    if (rdi_load_le64(in->data + bytes - RDI_NATIVE_CHECK) != sum)
        return fail_frame(f, "its checksum is wrong");
    f->frame_bytes = bytes;
    return RD_OK;
}

/* Opens the block of the i-th column after the address. The length precedes the block of a
 * described column, and *used includes the length. Returns NULL, or a text that says what is
 * wrong. */
static const char *open_column(native_reader *f, size_t i, size_t count, const uint8_t *p, size_t n,
                               size_t *used) {
    if (i + f->head.described < f->head.n_columns)
        return rdi_column_open(&f->columns[i]->decoder, 0, count, p, n, used);
    size_t bytes = n < RDI_NATIVE_LENGTH ? 0 : rdi_load_le32(p), block = bytes;
    if (n < RDI_NATIVE_LENGTH || bytes > n - RDI_NATIVE_LENGTH || bytes > RDI_BLOCK_MAX(count))
        return "a column is cut off or too long";
    *used = RDI_NATIVE_LENGTH + bytes;
    const char *wrong = f->columns[i] ? rdi_column_open(&f->columns[i]->decoder, 0, count,
                                                        p + RDI_NATIVE_LENGTH, bytes, &block)
                                      : NULL;
    return wrong || block == bytes ? wrong : "a column is followed by extra bytes";
}

static rd_status open_columns(native_reader *f, size_t count, size_t payload) {
    const uint8_t *p = f->r->in->data + RDI_NATIVE_FRAME;
    size_t used = 0;
    const char *wrong = rdi_column_open(&f->addr, f->head.fields & (RD_FIELD_SIZE | RD_FIELD_KIND),
                                        count, p, payload, &used);
    for (size_t i = 0; i < f->head.n_columns && !wrong; i++) {
        p += used;
        payload -= used;
        wrong = open_column(f, i, count, p, payload, &used);
    }
    if (wrong)
        return fail_frame(f, wrong);
    return payload == used ? RD_OK : fail_frame(f, "its columns are followed by extra bytes");
}

static rd_status end_of_trace(native_reader *f) {
    rdi_input *in = f->r->in;
    rdi_input_consume(in, f->frame_bytes);
    f->frame_bytes = 0;
    RD_TRY(rdi_input_fill(in, 1, 1));
    if (in->avail > 0)
        return rdi_input_fail_byte(in, in->offset, "the end mark is followed by extra bytes");
    f->ended = true;
    return RD_OK;
}

static rd_status read_events(native_reader *f, size_t payload) {
    const char *wrong = NULL;
    rd_status status = rdi_events_decode(&f->events, &f->head.events, &f->place,
                                         f->r->in->data + RDI_NATIVE_FRAME, payload, &wrong);
    return wrong ? fail_frame(f, wrong) : status;
}

/* Checks the positions of the events: each must be before one of the `count` references of the
 * frame that follows or, at the end of the trace (`count` is 0), after the last reference. */
static rd_status check_events(native_reader *f, size_t count) {
    uint64_t room = count ? count : 1;
    return f->place.at - f->before < room
               ? RD_OK
               : fail_frame(f, "an event has a position after its frame");
}

static rd_status next_frame(native_reader *f) {
    size_t count = 0, payload = 0;
    rdi_event_list_clear(&f->events);
    f->events_told = 0;
    f->place.at = f->before;
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

/* Delivers the remaining events whose position is below `end`. */
static void deliver_events(native_reader *f, uint64_t end) {
    size_t first = f->events_told;
    while (f->events_told < f->events.n && f->events.items[f->events_told].at < end)
        f->events_told++;
    f->r->events = f->events.n ? f->events.items + first : NULL;
    f->r->event_count = f->events_told - first;
}

/* Decodes the next n references into the batch. Returns NULL, or a text that says what is wrong. */
static const char *decode_batch(native_reader *f, size_t n, rd_refs *refs) {
    rdi_columns *col = f->r->col;
    const char *wrong = rdi_column_next(&f->addr, n, col->addr, col->size, col->kind);
    *refs = (rd_refs){
        .n = n,
        .fields = f->fields,
        .addr = col->addr,
        .size = f->head.fields & RD_FIELD_SIZE ? col->size : NULL,
        .kind = f->head.fields & RD_FIELD_KIND ? col->kind : NULL,
    };
    for (size_t i = 0; i < f->head.n_columns && !wrong; i++) {
        native_column *c = f->columns[i];
        wrong = c ? rdi_column_next(&c->decoder, n, c->values, NULL, NULL) : NULL;
        if (c && !wrong)
            wrong = rdi_column_deliver(f->head.columns[i], c->values, n, col, refs);
    }
    return wrong;
}

static rd_status native_read(void *self, rd_refs *refs) {
    native_reader *f = self;
    if (f->left == 0 && !f->ended)
        RD_TRY(next_frame(f));
    size_t n = f->left < RDI_REFS_MAX ? f->left : RDI_REFS_MAX;
    refs->fields = f->fields;
    if (f->head.has_events)
        deliver_events(f, n ? f->before + n : UINT64_MAX);
    if (n == 0)
        return RD_OK;
    const char *wrong = decode_batch(f, n, refs);
    if (wrong)
        return fail_frame(f, wrong);
    f->left -= n;
    f->before += n;
    return RD_OK;
}

/* ---- seeking ---- */

/* Reads the number of references of the frame at *offset and moves *offset to the next frame.
 * Returns false if there is no frame or the number is invalid. */
static bool hop(const rdi_input *in, uint64_t *offset, uint64_t *count) {
    uint8_t head[RDI_NATIVE_FRAME];
    if (!rdi_input_peek(in, *offset, head, sizeof head))
        return false;
    *count = rdi_load_le32(head);
    *offset += RDI_NATIVE_FRAME + rdi_load_le32(head + 4) + RDI_NATIVE_CHECK;
    return *count <= RDI_FRAME_REFS;
}

/* Returns the number of references, or 0 for a damaged file and for a file with events. A file with
 * events can be read only from its beginning, because an event affects all references after it. */
static uint64_t native_count(void *self) {
    const native_reader *f = self;
    const rdi_input *in = f->r->in;
    uint64_t offset = f->head.bytes, all = 0, count = 1;
    if (f->head.has_events)
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
    if (at.offset == 0 ||
        first < at.before) /* no frame was read yet, or the reference is in an earlier frame */
        at = (frame_place){.offset = f->head.bytes};
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
    native_reader *f = self;
    rdi_event_list_free(&f->events);
    for (size_t i = 0; i < RDI_NATIVE_COLUMNS; i++)
        if (f->columns[i])
            rdi_free(f->r->ctx, f->columns[i]);
}

const rdi_format_ops rdi_format_native = {
    .info =
        {
            .name = "native",
            .summary = "reusedist's own compact format: delta-coded, checksummed, fast",
            .card =
                "Addresses are coded as differences from recent ones, together with size and "
                "kind,\n"
                "in one to two bytes per reference for program traces; program counter and\n"
                "thread are optional columns. Every frame of 65,536 references has a checksum\n"
                "and the file has an end mark: damage and truncation are detected, and all frames\n"
                "before them are still read. docs/trace-format.md specifies the format. When\n"
                "writing, native:frame=N makes frames of N references, so that fewer than N\n"
                "references before the damage are lost.",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND
#define RDI_COLUMN(name, field, required) | field
#include "trace/columns.def"
#undef RDI_COLUMN
#define RDI_EVENT(kind, name, field, has_path, required) | field
#include "trace/events.def"
#undef RDI_EVENT
            ,
            .writable = true,
            .binary = true,
        },
    .state_size = sizeof(native_reader),
    .probe = native_probe,
    .open = native_open,
    .select = native_select,
    .read = native_read,
    .count = native_count,
    .seek = native_seek,
    .close = native_close,
    .writer = &rdi_native_writer,
};
