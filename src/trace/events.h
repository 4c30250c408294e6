/* A list of events that owns what they point to, and what is a possible event. */
#ifndef RDI_EVENTS_H
#define RDI_EVENTS_H

#include "base/common.h"
#include "reusedist/trace.h"

#define RDI_EVENT_KINDS    RD_EVENT_UNLOAD /* 1 to this */
#define RDI_EVENT_PATH_MAX 4095            /* bytes of a module's path */

typedef struct rdi_event_list {
    rd_ctx *ctx;
    rd_event *items;
    size_t n, room;
} rdi_event_list;

/* NULL, or what is wrong with it: "has ..." */
const char *rdi_event_check(const rd_event *event);

/* A copy of the event, of its path the first `path_bytes`. */
rd_status rdi_event_list_add(rdi_event_list *list, const rd_event *event, size_t path_bytes);
/* Of a list whose events all happened before the same reference: takes out those on memory at an
 * address that a later one is about as well. */
rd_status rdi_event_list_compact(rdi_event_list *list);
/* Takes the first n out. */
void rdi_event_list_drop(rdi_event_list *list, size_t n);
/* Empties the list; its room stays. */
void rdi_event_list_clear(rdi_event_list *list);
void rdi_event_list_free(rdi_event_list *list);

#endif
