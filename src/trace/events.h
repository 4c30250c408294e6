/* Kinds of events, one line each in events.def; and a list of events that owns what they point to.
 */
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

/* NULL: there is no such kind. */
const rdi_event_info *rdi_event_info_of(unsigned kind);

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
