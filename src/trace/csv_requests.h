/* Requests in a text table: the values that the columns of one line give, and the batches that are
 * made from them. */
#ifndef RDI_CSV_REQUESTS_H
#define RDI_CSV_REQUESTS_H

#include "trace/csv_split.h"
#include "trace/request_text.h"

/* The values of one line in addition to its id. The reader of a line sets them. */
typedef struct rdi_request {
    uint64_t more[RD_MORE_BYTES + 1]; /* by RD_MORE_* */
    uint64_t count;                   /* number of times that the request is made */
} rdi_request;

typedef struct rdi_csv_requests {
    bool on;       /* true: columns of requests were selected */
    uint64_t unit; /* number of nanoseconds in a unit of time */
    rdi_request now;
    uint64_t left; /* number of times that `now` and `ref` are still to be delivered */
    rdi_ref ref;
    uint64_t (*more)[RDI_REFS_MAX]; /* memory of a batch, by RD_MORE_* */
} rdi_csv_requests;

/* Reads a batch of requests with the parser of lines `parse`, which stores the values in q->now. */
rd_status rdi_csv_read_requests(rdi_lines *l, rdi_csv_requests *q, rd_refs *refs, uint32_t fields,
                                rdi_line_parser *parse);

#endif
