/* Buffered output to a file or standard output. Every failure is reported. */
#ifndef RDI_OUTPUT_H
#define RDI_OUTPUT_H

#include "base/common.h"

typedef struct rdi_output rdi_output;

/* Opens `path`, or standard output for "-". /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N
 * mean the open descriptors themselves. A regular file appears under its name only when it is
 * finished or kept. An existing file of that name stays unchanged until the new one is finished. */
rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **out);
rd_status rdi_output_write(rdi_output *out, const void *data, size_t n);
/* Writes all buffered bytes and gives a regular file a name, under which it stays even if it is never finished: its own
 * name or, if a file of that name exists, the name that rdi_output_kept() returns until the file is finished. Keeps
 * nothing, and returns RD_OK, if the output is not a regular file or no new file can be created in the folder. */
rd_status rdi_output_keep(rdi_output *out);
/* Returns the path of the kept file while it waits to replace an existing file, else NULL. The output owns the
 * path. */
const char *rdi_output_kept(const rdi_output *out);
/* Writes all buffered bytes, checks that they reached the file, gives the file its name and closes
 * it. */
rd_status rdi_output_finish(rdi_output *out);
/* Frees the output. A regular file that was neither finished nor kept is deleted. */
void rdi_output_close(rdi_output *out);

#endif
