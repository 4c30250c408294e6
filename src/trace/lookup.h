/* Shared by reading, writing and generating traces.
 *
 * A generator is a format without a file: the same table of hooks, a reader without an input. So
 * are running programs.
 */
#ifndef RDI_TRACE_H
#define RDI_TRACE_H

#include "trace/format.h"

/* The format of that name, or RD_EINVAL with the list of valid ones. */
rd_status rdi_format_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out);
rd_status rdi_generator_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out);

/* Opens a trace whose references come from `source` through `ops`, without a file. `source` is
 * borrowed until the trace closes. */
rd_status rdi_trace_open_from(rd_ctx *ctx, const rdi_format_ops *ops, void *source, rd_trace **out);

#endif
