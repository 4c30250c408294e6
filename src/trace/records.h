/* Functions that formats with binary records of a fixed length share. */
#ifndef RDI_RECORDS_H
#define RDI_RECORDS_H

#include "trace/format.h"

/* Sets *n to the number of whole records at the beginning of the input buffer: 1 to `max`, or 0 at
 * the end of the file. If only an incomplete record is left, the function fails, and the message
 * names `format`. The caller consumes the records that it uses. */
rd_status rdi_records_fill(rdi_input *in, const char *format, size_t record_bytes, size_t max,
                           size_t *n);

/* These functions implement count() and seek() of formats in which each record is one reference. */
uint64_t rdi_records_count(const rdi_input *in, size_t record_bytes);
rd_status rdi_records_seek(rdi_input *in, size_t record_bytes, uint64_t first, uint64_t *skip);

#endif
