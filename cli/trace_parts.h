/* A trace file that several readers share: each maps its own part to blocks. */
#ifndef RD_TRACE_PARTS_H
#define RD_TRACE_PARTS_H

#include "cli.h"

/* How to read; `references` and `what` are still to be filled in. */
extern const rd_parts trace_parts;

/* What a reader needs to know, as text: caller frees. `format` as for rd_trace_open(), NULL: by
 * content. NULL when memory is out. */
char *trace_parts_describe(const char *path, const char *format, const rd_mapping *mapping);

/* Has the readers tell every now and then how many references all of them have read, counted from
 * here: one at a time, but from any thread. NULL: no more, and when this returns nobody is telling.
 */
typedef void (*trace_parts_watcher)(void *user, uint64_t references);
void trace_parts_watch(trace_parts_watcher watcher, void *user);
/* How many processes read: those that cannot be watched are taken to be as far as this one. */
void trace_parts_set_processes(unsigned n);

#endif
