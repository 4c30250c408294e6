/* Columns of references other than address, size and kind: one line each in columns.def.
 *
 * Program counter and thread have members of their own in rd_refs; every further column is an array
 * of rd_refs.more. All are numbers of up to 64 bits, and the native format encodes them alike. */
#ifndef RDI_COLUMNS_H
#define RDI_COLUMNS_H

#include "trace/format.h"

typedef struct rdi_column_info {
    const char *name; /* in the descriptions of a native file */
    uint32_t field;   /* one RD_FIELD_* */
    bool required;    /* a reader that does not know the column refuses the file */
} rdi_column_info;

/* Columns in the order of columns.def. Returns NULL for an index after the last one. */
const rdi_column_info *rdi_column_info_at(size_t index);
const rdi_column_info *rdi_column_info_find(const char *name);

/* Copies the column for references [at, at + n) of the batch, which must have the column. */
void rdi_column_gather(const rdi_column_info *c, const rd_refs *refs, size_t at, size_t n,
                       uint64_t *values);
/* Makes the n values the column of the batch, which then points to them, or to a copy in `col`.
 * Returns NULL, or what is wrong with the values. */
const char *rdi_column_deliver(const rdi_column_info *c, const uint64_t *values, size_t n,
                               rdi_columns *col, rd_refs *refs);

#endif
