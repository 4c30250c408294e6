/* The registry of event kinds, which have one line each in events.def, and lists of events, which
 * own the paths of their events. */
#ifndef RDI_EVENTS_H
#define RDI_EVENTS_H

#include "base/common.h"
#include "reusedist/trace.h"

#define RDI_EVENT_KINDS    32   /* kinds are numbers from 1 to RDI_EVENT_KINDS - 1 */
#define RDI_EVENT_PATH_MAX 4095 /* maximum length of a module's path in bytes */

typedef struct rdi_event_info {
    const char *name; /* name in the descriptions of a native file */
    uint32_t field;   /* the RD_FIELD_* that is set in rd_refs.fields if a trace can have events of
                         this kind */
    bool has_path;
    bool required; /* true: a reader that does not know the kind refuses the file */
} rdi_event_info;

/* Returns the description of a kind, or NULL if there is no such kind. */
const rdi_event_info *rdi_event_info_of(unsigned kind);

typedef struct rdi_event_list {
    rd_ctx *ctx;
    rd_event *items;
    size_t n, room;
} rdi_event_list;

/* Returns NULL if the event is valid, or a text that says what is wrong with it ("has ..."). */
const char *rdi_event_check(const rd_event *event);

/* Appends a copy of the event, whose kind must be known, with a copy of the first `path_bytes`
 * bytes of its path if its kind has a path. */
rd_status rdi_event_list_add(rdi_event_list *list, const rd_event *event, size_t path_bytes);
/* Removes every allocation and every release of size 0 that is followed, in the list, by another
 * allocation or another release of size 0 at the same address, and the RD_EVENT_CALLER before every
 * removed allocation. No reference may lie between the events of the list, because it could refer
 * to memory of a removed allocation. Also replaces the events of synchronization with other ones,
 * usually fewer, that order references at least as strictly. Returns RD_ENOMEM if memory is
 * exhausted; the list is then valid, but may still have all its events. */
rd_status rdi_event_list_compact(rdi_event_list *list);
/* Removes the first n events. */
void rdi_event_list_drop(rdi_event_list *list, size_t n);
/* Removes all events and keeps the memory of the list. */
void rdi_event_list_clear(rdi_event_list *list);
void rdi_event_list_free(rdi_event_list *list);

#endif
