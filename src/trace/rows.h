/* Rows: the values of one line of text, and the batches that are made from rows. A line is a row of
 * a table (csv) or a JSON object (jsonl). */
#ifndef RDI_ROWS_H
#define RDI_ROWS_H

#include "trace/id_table.h"
#include "trace/request_text.h"

/* The roles of values. Only requests have the roles from RDI_ROW_TIME on. */
enum {
    RDI_ROW_ID,
    RDI_ROW_ADDR,
    RDI_ROW_SIZE,
    RDI_ROW_KIND,
    RDI_ROW_THREAD,
    RDI_ROW_PC,
    RDI_ROW_TIME,
    RDI_ROW_TTL,
    RDI_ROW_OP,
    RDI_ROW_KEYSIZE,
    RDI_ROW_COUNT,
    RDI_ROW_ROLES
};

#define RDI_ROW_COUNT_MAX (UINT64_C(1) << 32) /* maximum number of times that a request is made */

typedef struct rdi_row {
    rdi_ref ref;                      /* if its kind is 0, the line has no reference */
    uint64_t more[RD_MORE_BYTES + 1]; /* further columns, by RD_MORE_* */
    uint64_t count;                   /* number of times that the request is made */
} rdi_row;

typedef struct rdi_rows rdi_rows;

/* Reads the line at p into *row, like an rdi_line_parser. *row must have its default values before
 * the call. */
typedef const char *rdi_row_parser(rdi_rows *w, const char *p, const char *limit, rdi_row *row);

/* Reads the lines from p on, as long as there is room and the lines have a form that it knows. Appends
 * them to the batch of *n rows in w->lines.r->col, and updates *n. Returns the first line that it has
 * not read. Sets w->lines.failed only if memory is exhausted. */
typedef const char *rdi_rows_fast(rdi_rows *w, const char *p, const char *limit, size_t *n);

/* The first member of the state of a reader of rows. */
struct rdi_rows {
    rdi_lines lines;
    rdi_id_table ids;
    uint32_t fields; /* the columns that the reader delivers */
    uint64_t unit;   /* number of nanoseconds in a unit of time */
    rdi_row now;
    uint64_t left; /* number of times that `now` is still to be delivered */
};

/* Allocates memory for the columns of requests, if the reader delivers any. */
rd_status rdi_rows_select(rdi_rows *w);

/* Implements read(): reads a batch of rows. `fast` reads the lines that it can, and `parse` reads
 * all others. `fast` may be NULL. */
rd_status rdi_rows_read(rdi_rows *w, rd_refs *refs, rdi_row_parser *parse, rdi_rows_fast *fast);

/* Reads the value of `role` into *row: a time in units of `unit` nanoseconds, lifetime, operation,
 * count, or size in bytes. The sizes of key and value of a request are added up. Returns NULL, or a
 * text that says what is wrong with the value. */
const char *rdi_row_request_value(rdi_row *row, int role, const char *text, size_t n,
                                  uint64_t unit);

/* Returns the kind of reference that an operation counts as: RD_STORE or RD_LOAD. */
static inline uint8_t rdi_row_kind(uint64_t operation) {
    return operation == RD_OPERATION_WRITE || operation == RD_OPERATION_DELETE ? RD_STORE : RD_LOAD;
}

#endif
