/* Kinds of events, one line each in events.def, and a list of events that owns their paths. */
#ifndef RDI_EVENTS_H
#define RDI_EVENTS_H

#include "base/common.h"
#include "reusedist/trace.h"

#define RDI_EVENT_KINDS    32   /* kinds are numbers from 1 to below this */
#define RDI_EVENT_PATH_MAX 4095 /* bytes of a module's path */

typedef struct rdi_event_info {
    const char *name; /* in the descriptions of a native file */
    uint32_t field;   /* one RD_FIELD_*: traces with this kind of event have it */
    bool has_path;
    bool required; /* a reader that does not know the kind refuses the file */
} rdi_event_info;

/* Returns NULL if there is no such kind. */
const rdi_event_info *rdi_event_info_of(unsigned kind);

typedef struct rdi_event_list {
    rd_ctx *ctx;
    rd_event *items;
    size_t n, room;
} rdi_event_list;

/* Returns NULL if the event is valid, else what is wrong with it: "has ..." */
const char *rdi_event_check(const rd_event *event);

/* Appends a copy of the event with the first `path_bytes` bytes of its path. */
rd_status rdi_event_list_add(rdi_event_list *list, const rd_event *event, size_t path_bytes);
/* Removes allocations and releases that a later event at the same address makes useless. All events
 * of the list must have happened before the same reference. */
rd_status rdi_event_list_compact(rdi_event_list *list);
/* Removes the first n events. */
void rdi_event_list_drop(rdi_event_list *list, size_t n);
/* Removes all events and keeps the memory of the list. */
void rdi_event_list_clear(rdi_event_list *list);
void rdi_event_list_free(rdi_event_list *list);

#endif
