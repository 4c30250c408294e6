/* Buffered output to a file or standard output. Every failure is reported. */
#ifndef RDI_OUTPUT_H
#define RDI_OUTPUT_H

#include "base/common.h"

typedef struct rdi_output rdi_output;

/* Opens `path`, or standard output for "-". /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N
 * mean the open descriptors themselves. A regular file appears under its name only when it is
 * finished or kept; until then, an existing file of that name stays unchanged. */
rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **out);
rd_status rdi_output_write(rdi_output *out, const void *data, size_t n);
/* Gives the file its name now. The file then keeps the data written so far even if it is never
 * finished. */
rd_status rdi_output_keep(rdi_output *out);
/* Writes all buffered bytes, checks that they reached the file, gives the file its name and closes
 * it. */
rd_status rdi_output_finish(rdi_output *out);
/* Frees the output. A regular file that was neither finished nor kept is deleted. */
void rdi_output_close(rdi_output *out);

#endif
