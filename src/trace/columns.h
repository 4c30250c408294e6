/* The registry of columns of references other than address, size and kind. Each column has one line
 * in columns.def.
 *
 * Program counter and thread have members of their own in rd_refs; every further column is an array
 * of rd_refs.more. The native format encodes all of them in the same way, as numbers of up to 64
 * bits. */
#ifndef RDI_COLUMNS_H
#define RDI_COLUMNS_H

#include "trace/format.h"

typedef struct rdi_column_info {
    const char *name; /* name in the descriptions of a native file */
    uint32_t field;   /* the column's RD_FIELD_* */
    bool required;    /* true: a reader that does not know the column refuses the file */
} rdi_column_info;

/* Returns the column at `index` in the order of columns.def, or NULL after the last one. */
const rdi_column_info *rdi_column_info_at(size_t index);
const rdi_column_info *rdi_column_info_find(const char *name);

/* Copies the values of column c for the references [at, at + n) of the batch, which must have the
 * column, to values[]. */
void rdi_column_gather(const rdi_column_info *c, const rd_refs *refs, size_t at, size_t n,
                       uint64_t *values);
/* Sets column c of the batch `refs` to values[0] ... values[n - 1]: the batch then points to
 * `values` or to a copy in `col`. Returns NULL, or a text that says what is wrong with the
 * values. */
const char *rdi_column_deliver(const rdi_column_info *c, const uint64_t *values, size_t n,
                               rdi_columns *col, rd_refs *refs);

#endif
