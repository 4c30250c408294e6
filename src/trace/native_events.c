/* Events in the native trace format. See native_codec.h and docs/trace-format.md.
 *
 * Numbers of seven bits per byte, because most are small or differ little from those of the event
 * of the same kind before.
 */
#include "trace/native_codec.h"

#include <string.h>

#define NUMBER_BYTES 10 /* of 64 bits, at most */
#define NUMBERS      5  /* of every event, behind its kind */
#define EVENT_BYTES  (1 + NUMBERS * NUMBER_BYTES + NUMBER_BYTES + RDI_EVENT_PATH_MAX)

/* What differences are taken from. */
typedef struct last_of_kind {
    uint64_t address, pc;
} last_of_kind;

/* Differences of either sign as numbers that are small when they are. */
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

static uint8_t *put_event(uint8_t *p, const rd_event *e, uint64_t at, last_of_kind *last) {
    *p++ = (uint8_t)e->kind;
    p = put_number(p, e->at - at);
    p = put_number(p, e->thread);
    p = put_number(p, fold(e->address - last->address));
    p = put_number(p, e->size);
    p = put_number(p, fold(e->pc - last->pc));
    *last = (last_of_kind){e->address, e->pc};
    if (e->kind != RD_EVENT_MODULE)
        return p;
    size_t bytes = strlen(e->path);
    p = put_number(p, bytes);
    memcpy(p, e->path, bytes);
    return p + bytes;
}

size_t rdi_events_encode(const rdi_event_list *list, size_t *next, uint64_t before, uint64_t end,
                         uint8_t *out) {
    last_of_kind last[RDI_EVENT_KINDS + 1] = {0};
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

/* Bytes that remain; `p` NULL: something was wrong. */
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

/* *path_bytes are behind the cursor, which is moved over them. */
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

static const char *take_event(cursor *c, rd_event *e, last_of_kind *lasts, size_t *path_bytes) {
    uint64_t at = e->at;
    unsigned kind = *c->p++;
    if (kind < RD_EVENT_MODULE || kind > RDI_EVENT_KINDS)
        return "an event has no known kind";
    last_of_kind *last = &lasts[kind];
    uint64_t step = take_number(c), thread = take_number(c);
    last->address += unfold(take_number(c));
    uint64_t size = take_number(c);
    last->pc += unfold(take_number(c));
    if (!c->p)
        return "an event is cut off";
    if (thread > UINT32_MAX)
        return "a thread number has more than 32 bits";
    if (step >= RDI_FRAME_REFS)
        return "an event lies behind its frame";
    *e = (rd_event){.at = at + step,
                    .kind = (rd_event_kind)kind,
                    .thread = (uint32_t)thread,
                    .address = last->address,
                    .size = size,
                    .pc = last->pc};
    return kind == RD_EVENT_MODULE ? take_path(c, e, path_bytes) : NULL;
}

rd_status rdi_events_decode(rdi_event_list *list, const uint8_t *bytes, size_t n, uint64_t before,
                            const char **wrong) {
    last_of_kind lasts[RDI_EVENT_KINDS + 1] = {0};
    cursor c = {bytes, bytes + n};
    rd_event event = {.at = before};
    while (c.p < c.end) {
        size_t path_bytes = 0;
        *wrong = take_event(&c, &event, lasts, &path_bytes);
        if (*wrong)
            return RD_EFORMAT;
        RD_TRY(rdi_event_list_add(list, &event, path_bytes));
    }
    return RD_OK;
}
