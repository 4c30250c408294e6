/* A trace file that several readers share: each maps its own part to blocks. */
#ifndef RD_TRACE_PARTS_H
#define RD_TRACE_PARTS_H

#include "cli.h"

/* How to read; `references` and `what` are still to be filled in. */
extern const rd_parts trace_parts;

/* What a reader needs to know, as text: caller frees. `format` as for rd_trace_open(), NULL: by
 * content. NULL when memory is out. */
char *trace_parts_describe(const char *path, const char *format, const rd_mapping *mapping);

#endif
