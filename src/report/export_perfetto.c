/* Exports the tree for Perfetto (ui.perfetto.dev): a trace of protobuf packets.
 *
 * Each value has a track of nested slices, one per node, whose duration in nanoseconds is the number
 * of references or misses. Counter tracks show the misses of each window over the references of the
 * run.
 */
#include "report/export.h"
#include "report/protobuf.h"

#include <stdio.h>

/* Fields of the messages Trace, TracePacket, TrackDescriptor, TrackEvent and SourceLocation. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_TRACK = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_COUNTER = 8 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNTER = 30, EVENT_SOURCE = 33 };
enum { SOURCE_FILE = 2, SOURCE_FUNCTION = 3, SOURCE_LINE = 4 };
enum { BEGIN = 1, END = 2, COUNTER = 4 };

typedef struct packets {
    const rdi_export *e;
    rdi_text *out, packet, event, part;
    size_t value;
    uint64_t track, at;
} packets;

static void put_packet(packets *p, unsigned field) {
    rdi_pb_message(&p->packet, field, &p->event);
    rdi_pb_message(p->out, TRACE_PACKET, &p->packet);
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
        rdi_pb_string(&p->event, EVENT_NAME, f->function);
        if (f->file) {
            rdi_pb_string(&p->part, SOURCE_FILE, f->file);
            rdi_pb_string(&p->part, SOURCE_FUNCTION, f->function);
            rdi_pb_number(&p->part, SOURCE_LINE, f->line);
            rdi_pb_message(&p->event, EVENT_SOURCE, &p->part);
        }
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
    packets p = {.e = e,
                 .out = out,
                 .packet = rdi_text_start(e->ctx),
                 .event = rdi_text_start(e->ctx),
                 .part = rdi_text_start(e->ctx)};
    for (p.value = 0; p.value < e->n_values; p.value++) {
        p.at = 0;
        put_track(&p, e->names[p.value], false);
        rdi_export_walk(e, put_slice, &p);
    }
    for (size_t k = 1; e->d->windows && k < e->n_values; k++)
        put_windows(&p, k);
    rdi_text_drop(&p.packet);
    rdi_text_drop(&p.event);
    rdi_text_drop(&p.part);
    return RD_OK;
}

const rdi_exporter rdi_exporter_perfetto = {"perfetto", "a trace for ui.perfetto.dev",
                                            perfetto_write};
