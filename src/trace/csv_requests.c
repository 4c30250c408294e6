/* Makes batches of requests from the lines of a text table. See csv_requests.h. */
#include "trace/csv_requests.h"

/* Appends the present request to a batch of n requests, as often as it is still to be delivered and
 * there is room. Returns the new number of requests. */
static size_t deliver(rdi_columns *col, rdi_csv_requests *q, size_t n) {
    for (; q->left > 0 && n < RDI_REFS_MAX; q->left--, n++) {
        col->addr[n] = q->ref.addr;
        col->pc[n] = q->ref.pc;
        col->size[n] = q->ref.size;
        col->thread[n] = q->ref.thread;
        col->kind[n] = q->ref.kind;
        for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
            q->more[i][n] = q->now.more[i];
    }
    return n;
}

/* Returns the kind of reference that an operation is. */
static uint8_t kind_of(uint64_t operation) {
    return operation == RD_OPERATION_WRITE || operation == RD_OPERATION_DELETE ? RD_STORE : RD_LOAD;
}

/* Reads lines up to `limit` until the batch of *n requests is full. Returns the first line that was
 * not read; *refused says that its parser refused it. */
static const char *read_lines(rdi_lines *l, rdi_csv_requests *q, const char *p, const char *limit,
                              rdi_line_parser *parse, size_t *n, bool *refused) {
    while (p < limit && q->left == 0) {
        rdi_ref ref = {.size = 1, .kind = RD_LOAD};
        q->now = (rdi_request){.count = 1};
        const char *next = parse(l, p, limit, &ref);
        *refused = !next;
        if (!next)
            break;
        q->ref = ref;
        if (q->now.more[RD_MORE_OPERATION])
            q->ref.kind = kind_of(q->now.more[RD_MORE_OPERATION]);
        q->left = ref.kind ? q->now.count : 0;
        *n = deliver(l->r->col, q, *n);
        p = next;
        l->r->in->line++;
    }
    return p;
}

rd_status rdi_csv_read_requests(rdi_lines *l, rdi_csv_requests *q, rd_refs *refs, uint32_t fields,
                                rdi_line_parser *parse) {
    size_t n = deliver(l->r->col, q, 0);
    while (n < RDI_REFS_MAX) {
        const char *start = NULL, *limit = NULL;
        bool refused = false;
        if (n > 0 && l->complete == 0) /* more input might fail, so this batch comes first */
            break;
        RD_TRY(rdi_lines_fill(l, &start, &limit));
        if (start == limit)
            break;
        l->failed = RD_OK;
        const char *p = read_lines(l, q, start, limit, parse, &n, &refused);
        if (refused && (n == 0 || l->failed == RD_ENOMEM))
            return rdi_lines_fail(l, p, limit);
        rdi_lines_consume(l, (size_t)(p - start));
        if (refused)
            break;
    }
    rdi_lines_deliver(refs, l->r->col, n, fields);
    for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
        refs->more[i] = fields & RD_FIELD_MORE(i) ? q->more[i] : NULL;
    return RD_OK;
}
