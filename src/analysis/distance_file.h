/* The file of --distances: one line per block reference, with the distance or "inf". */
#ifndef RDI_DISTANCE_FILE_H
#define RDI_DISTANCE_FILE_H

#include "base/common.h"

typedef struct rdi_distance_file rdi_distance_file;

/* Opens the file like rdi_output_open(): it appears when it is finished. */
rd_status rdi_distance_file_open(rd_ctx *ctx, const char *path, rdi_distance_file **out);
rd_status rdi_distance_file_write(rdi_distance_file *f, const uint64_t *distances, size_t n);
rd_status rdi_distance_file_finish(rdi_distance_file *f);
/* Closes the file, which does not appear unless it was finished. NULL is allowed. */
void rdi_distance_file_close(rdi_distance_file *f);

#endif
