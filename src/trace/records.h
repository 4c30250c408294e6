/* The common part of formats with binary records of one length. */
#ifndef RDI_RECORDS_H
#define RDI_RECORDS_H

#include "trace/format.h"

/* Whole records at the front of the window: at most `max`, at least one, or *n 0 at the end of the
 * file. Bytes left over there are an error that names the format. The caller consumes what it used.
 */
rd_status rdi_records_fill(rdi_input *in, const char *format, size_t record_bytes, size_t max,
                           size_t *n);

/* For `count` and `seek` of formats where each record is a reference. */
uint64_t rdi_records_count(const rdi_input *in, size_t record_bytes);
rd_status rdi_records_seek(rdi_input *in, size_t record_bytes, uint64_t first, uint64_t *skip);

#endif
