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

/* References of running programs, reader->live. */
extern const rdi_format_ops rdi_live_ops;
uint64_t rdi_live_skipped(const rd_live *live);
uint64_t rdi_live_repeats(const rd_live *live);

#endif
