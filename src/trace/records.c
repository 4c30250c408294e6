/* Implements the functions that formats with binary records of a fixed length share. See
 * records.h. */
#include "trace/records.h"

rd_status rdi_records_fill(rdi_input *in, const char *format, size_t record_bytes, size_t max,
                           size_t *n) {
    if (in->avail < max * record_bytes)
        RD_TRY(rdi_input_fill(in, record_bytes, max * record_bytes));
    size_t whole = in->avail / record_bytes;
    if (whole == 0 && in->avail > 0)
        return rdi_input_fail_byte(
            in, in->offset,
            "the last record is incomplete: it has %zu of the %zu bytes of a record of format %s",
            in->avail, record_bytes, format);
    *n = whole < max ? whole : max;
    return RD_OK;
}

uint64_t rdi_records_count(const rdi_input *in, size_t record_bytes) {
    uint64_t bytes = rdi_input_size(in);
    return bytes % record_bytes ? 0 : bytes / record_bytes;
}

rd_status rdi_records_seek(rdi_input *in, size_t record_bytes, uint64_t first, uint64_t *skip) {
    *skip = 0;
    return rdi_input_seek(in, first * record_bytes);
}
