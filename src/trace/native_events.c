/* Encodes and decodes events in the native trace format. See native_codec.h and
 * docs/trace-format.md.
 *
 * Numbers are written with seven bits per byte, because most of them are small, or differ little
 * from the number of the previous event of the same kind.
 */
#include "trace/native.h"

#include <string.h>

#define NUMBER_BYTES 10 /* maximum number of bytes of a 64-bit number */
/* Maximum number of numbers after an event's kind, including the lengths of body and path. */
#define NUMBERS     7
#define EVENT_BYTES (1 + NUMBERS * NUMBER_BYTES + RDI_EVENT_PATH_MAX)

/* The values of the previous event of the same kind, from which differences are taken. */
typedef struct last_of_kind {
    uint64_t address, pc;
} last_of_kind;

/* Maps positive and negative differences to unsigned numbers, such that small differences become
 * small numbers (zigzag coding). */
static uint64_t fold(uint64_t difference) {
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t x) {
    return x >> 1 ^ (x & 1 ? UINT64_MAX : 0);
}

/* ---- writing ---- */

static uint8_t *put_number(uint8_t *p, uint64_t x) {
    for (; x >= 0x80; x >>= 7)
        *p++ = (uint8_t)(x | 0x80);
    *p++ = (uint8_t)x;
    return p;
}

/* Writes to p those fields of an event that follow its position and thread, updates *last, and
 * returns the end of the written fields. */
static uint8_t *put_body(uint8_t *p, const rd_event *e, last_of_kind *last) {
    p = put_number(p, fold(e->address - last->address));
    p = put_number(p, e->size);
    p = put_number(p, fold(e->pc - last->pc));
    *last = (last_of_kind){e->address, e->pc};
    if (!rdi_event_info_of(e->kind)->has_path)
        return p;
    size_t bytes = strlen(e->path);
    p = put_number(p, bytes);
    memcpy(p, e->path, bytes);
    return p + bytes;
}

static uint8_t *put_event(uint8_t *p, const rd_event *e, uint64_t at, last_of_kind *last) {
    *p++ = (uint8_t)e->kind;
    p = put_number(p, e->at - at);
    p = put_number(p, e->thread);
    if (e->kind <= RDI_NATIVE_PLAIN_EVENT)
        return put_body(p, e, last);
    uint8_t *body = p + NUMBER_BYTES; /* leaves room for the length of the body, which is known
                                         later */
    size_t bytes = (size_t)(put_body(body, e, last) - body);
    p = put_number(p, bytes);
    memmove(p, body, bytes);
    return p + bytes;
}

size_t rdi_events_encode(const rdi_event_list *list, size_t *next, uint64_t before, uint64_t end,
                         uint8_t *out) {
    last_of_kind last[RDI_EVENT_KINDS] = {0};
    uint8_t *p = out;
    uint64_t at = before;
    while (*next < list->n && list->items[*next].at < end &&
           (size_t)(p - out) <= RDI_EVENTS_BYTES - EVENT_BYTES) {
        const rd_event *e = &list->items[(*next)++];
        p = put_event(p, e, at, &last[e->kind]);
        at = e->at;
    }
    return (size_t)(p - out);
}

/* ---- reading ---- */

/* The bytes that are left to read. `p` is NULL after an error. */
typedef struct cursor {
    const uint8_t *p, *end;
} cursor;

static uint64_t take_number(cursor *c) {
    uint64_t x = 0;
    for (unsigned shift = 0; c->p && c->p < c->end && shift < 64; shift += 7) {
        uint64_t byte = *c->p++;
        if (shift == 63 && byte > 1)
            break;
        x |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return x;
    }
    c->p = NULL;
    return 0;
}

/* Sets e->path to the path at the cursor and *path_bytes to its length, and moves the cursor after
 * the path. Returns NULL, or a text that says what is wrong. */
static const char *take_path(cursor *c, rd_event *e, size_t *path_bytes) {
    uint64_t bytes = take_number(c);
    if (!c->p || bytes > (size_t)(c->end - c->p))
        return "an event is cut off";
    if (bytes == 0 || bytes > RDI_EVENT_PATH_MAX || memchr(c->p, 0, (size_t)bytes))
        return "an event has no valid path";
    e->path = (const char *)c->p;
    *path_bytes = (size_t)bytes;
    c->p += bytes;
    return NULL;
}

static const char *take_body(cursor *c, rd_event *e, last_of_kind *last, size_t *path_bytes) {
    last->address += unfold(take_number(c));
    e->size = take_number(c);
    last->pc += unfold(take_number(c));
    if (!c->p)
        return "an event is cut off";
    e->address = last->address;
    e->pc = last->pc;
    return rdi_event_info_of(e->kind)->has_path ? take_path(c, e, path_bytes) : NULL;
}

/* Reads a body that has its length before it, or skips the body if e->kind is RDI_EVENT_SKIPPED.
 * Returns NULL, or a text that says what is wrong. */
static const char *take_described(cursor *c, rd_event *e, last_of_kind *last, size_t *path_bytes) {
    uint64_t bytes = take_number(c);
    if (!c->p || bytes > (size_t)(c->end - c->p))
        return "an event is cut off";
    cursor body = {c->p, c->p + bytes};
    c->p += bytes;
    if (e->kind == RDI_EVENT_SKIPPED)
        return NULL;
    const char *wrong = take_body(&body, e, last, path_bytes);
    return wrong || body.p == body.end ? wrong : "an event is followed by extra bytes";
}

/* Reads one event into *e; e->at must be the position of the previous event. For an event to skip,
 * sets e->kind to RDI_EVENT_SKIPPED. Returns NULL, or a text that says what is wrong. */
static const char *take_event(cursor *c, const rdi_event_numbers *numbers, rd_event *e,
                              last_of_kind *lasts, size_t *path_bytes) {
    unsigned number = *c->p++;
    if (number >= RDI_EVENT_KINDS || numbers->kind[number] == 0)
        return "an event has an unknown kind";
    uint64_t step = take_number(c), thread = take_number(c);
    if (thread > UINT32_MAX)
        return "a thread number has more than 32 bits";
    if (step >= RDI_FRAME_REFS)
        return "an event has a position after its frame";
    *e = (rd_event){.at = e->at + step,
                    .kind = (rd_event_kind)numbers->kind[number],
                    .thread = (uint32_t)thread};
    return number <= RDI_NATIVE_PLAIN_EVENT ? take_body(c, e, &lasts[number], path_bytes)
                                            : take_described(c, e, &lasts[number], path_bytes);
}

rd_status rdi_events_decode(rdi_event_list *list, const rdi_event_numbers *numbers,
                            rdi_event_place *place, const uint8_t *bytes, size_t n,
                            const char **wrong) {
    last_of_kind lasts[RDI_EVENT_KINDS] = {0};
    cursor c = {bytes, bytes + n};
    rd_event event = {.at = place->at};
    while (c.p < c.end) {
        size_t path_bytes = 0;
        *wrong = take_event(&c, numbers, &event, lasts, &path_bytes);
        if (*wrong)
            return RD_EFORMAT;
        if (event.kind != RDI_EVENT_SKIPPED)
            RD_TRY(rdi_event_list_add(list, &event, path_bytes));
        place->at = event.at;
        place->count++;
    }
    return RD_OK;
}
