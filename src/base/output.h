/* Buffered bytes to a file or standard output; every failure is reported, none is lost. */
#ifndef RDI_OUTPUT_H
#define RDI_OUTPUT_H

#include "base/common.h"

typedef struct rdi_output rdi_output;

/* "-": standard output. A plain file appears under its name only when it is finished; until then a
 * file of that name stays as it was. */
rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **out);
rd_status rdi_output_write(rdi_output *out, const void *data, size_t n);
/* The file takes its name now, and keeps what reaches it even if it is never finished. */
rd_status rdi_output_keep(rdi_output *out);
/* Flushes, closes the file and checks that all bytes reached it. */
rd_status rdi_output_finish(rdi_output *out);
/* What was not finished is thrown away. */
void rdi_output_close(rdi_output *out);

#endif
