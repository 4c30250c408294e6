/* Functions that reading, writing and generating traces share.
 *
 * Generators and running programs are formats without a file: each has a table of type
 * rdi_format_ops and a reader without an input.
 */
#ifndef RDI_TRACE_H
#define RDI_TRACE_H

#include "trace/format.h"

/* These functions find the format or generator with the name `name`. For an unknown name they
 * return RD_EINVAL, and the message lists the valid names. */
rd_status rdi_format_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out);
rd_status rdi_generator_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out);

/* Opens a trace whose references come from `source` through `ops`, without a file. `source` is
 * borrowed until the trace closes. */
rd_status rdi_trace_open_from(rd_ctx *ctx, const rdi_format_ops *ops, void *source, rd_trace **out);
/* Returns the state of a trace that was opened with `ops`, or NULL for any other trace. */
const void *rdi_trace_state(const rd_trace *t, const rdi_format_ops *ops);

#endif
