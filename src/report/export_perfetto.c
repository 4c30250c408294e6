/* Exports the tree for Perfetto (ui.perfetto.dev): a trace of protobuf packets.
 *
 * Each value has a track of nested slices, one per node, whose duration in nanoseconds is the number
 * of references or misses. The names and source locations of slices are interned: the first packet
 * has the names of all functions and the source locations of all frames. Counter tracks show the misses of
 * each window over the references of the run.
 */
#include "report/export.h"
#include "report/protobuf.h"

#include <stdio.h>

/* Fields of the messages Trace, TracePacket, InternedData, EventName, SourceLocation, TrackDescriptor
 * and TrackEvent. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11 };
enum { PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_TRACK = 60 };
enum { INTERNED_NAME = 2, INTERNED_SOURCE = 4 };
enum { NAME_ID = 1, NAME_TEXT = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_COUNTER = 8 };
enum { EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11, EVENT_COUNTER = 30, EVENT_SOURCE = 34 };
enum { SOURCE_ID = 1, SOURCE_FILE = 2, SOURCE_FUNCTION = 3, SOURCE_LINE = 4 };
enum { BEGIN = 1, END = 2, COUNTER = 4 };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };

typedef struct packets {
    const rdi_export *e;
    rdi_functions f;
    rdi_text *out, packet, event, part;
    size_t value;
    uint64_t track, at;
} packets;

static void put_packet(packets *p, unsigned field) {
    rdi_pb_message(&p->packet, field, &p->event);
    rdi_pb_message(p->out, TRACE_PACKET, &p->packet);
}

/* Writes the names of all functions and the source locations of all frames. */
static void put_interned(packets *p) {
    const rdi_export *e = p->e;
    rdi_pb_number(&p->packet, PACKET_SEQUENCE, 1);
    rdi_pb_number(&p->packet, PACKET_FLAGS, STATE_CLEARED);
    for (size_t i = 0; i < p->f.n; i++) {
        rdi_pb_number(&p->part, NAME_ID, i + 1);
        rdi_pb_string(&p->part, NAME_TEXT, e->frames[p->f.frame[i]].function);
        rdi_pb_message(&p->event, INTERNED_NAME, &p->part);
    }
    for (size_t i = 0; i < e->n_frames; i++) {
        const rd_call_frame *f = &e->frames[i];
        if (!f->file)
            continue;
        rdi_pb_number(&p->part, SOURCE_ID, i + 1);
        rdi_pb_string(&p->part, SOURCE_FILE, f->file);
        rdi_pb_string(&p->part, SOURCE_FUNCTION, f->function);
        rdi_pb_number(&p->part, SOURCE_LINE, f->line);
        rdi_pb_message(&p->event, INTERNED_SOURCE, &p->part);
    }
    put_packet(p, PACKET_INTERNED);
}

static void put_track(packets *p, const char *name, bool counter) {
    p->track++;
    rdi_pb_number(&p->packet, PACKET_SEQUENCE, 1);
    rdi_pb_number(&p->event, TRACK_UUID, p->track);
    rdi_pb_string(&p->event, TRACK_NAME, name);
    if (counter)
        rdi_pb_message(&p->event, TRACK_COUNTER, &p->part);
    put_packet(p, PACKET_TRACK);
}

static void begin_event(packets *p, unsigned type) {
    rdi_pb_number(&p->packet, PACKET_TIME, p->at);
    rdi_pb_number(&p->packet, PACKET_SEQUENCE, 1);
    rdi_pb_number(&p->packet, PACKET_FLAGS, STATE_NEEDED);
    rdi_pb_number(&p->event, EVENT_TYPE, type);
    rdi_pb_number(&p->event, EVENT_TRACK, p->track);
}

static void put_slice(void *user, size_t node, size_t depth, bool enter) {
    packets *p = user;
    const rd_call_node *n = &p->e->nodes[node];
    const rd_call_frame *f = &p->e->frames[n->frame];
    (void)depth;
    if (!p->e->all[node][p->value])
        return;
    begin_event(p, enter ? BEGIN : END);
    if (enter) {
        rdi_pb_number(&p->event, EVENT_NAME, p->f.of[n->frame] + 1);
        if (f->file)
            rdi_pb_number(&p->event, EVENT_SOURCE, n->frame + 1);
        p->at += rdi_export_value(n, p->value);
    }
    put_packet(p, PACKET_EVENT);
}

static void put_windows(packets *p, size_t value) {
    const rd_windows *w = p->e->d->windows;
    char name[80];
    snprintf(name, sizeof name, "%.40s over the run", p->e->names[value]);
    put_track(p, name, true);
    for (size_t i = 0; i < w->n; i++) {
        p->at = w->rows[i].from;
        begin_event(p, COUNTER);
        rdi_pb_number(&p->event, EVENT_COUNTER, w->rows[i].share.misses[value - 1]);
        put_packet(p, PACKET_EVENT);
    }
}

static rd_status perfetto_write(const rdi_export *e, rdi_text *out) {
    rdi_arena arena = {.ctx = e->ctx};
    packets p = {.e = e,
                 .out = out,
                 .packet = rdi_text_start(e->ctx),
                 .event = rdi_text_start(e->ctx),
                 .part = rdi_text_start(e->ctx)};
    rd_status status = rdi_export_functions(e, &arena, &p.f);
    if (status == RD_OK)
        put_interned(&p);
    for (p.value = 0; status == RD_OK && p.value < e->n_values; p.value++) {
        p.at = 0;
        put_track(&p, e->names[p.value], false);
        rdi_export_walk(e, put_slice, &p);
    }
    for (size_t k = 1; e->d->windows && k < e->n_values; k++)
        put_windows(&p, k);
    rdi_text_drop(&p.packet);
    rdi_text_drop(&p.event);
    rdi_text_drop(&p.part);
    rdi_arena_fini(&arena);
    return status;
}

const rdi_exporter rdi_exporter_perfetto = {"perfetto", "a trace for ui.perfetto.dev",
                                            perfetto_write};
