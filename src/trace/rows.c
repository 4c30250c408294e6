/* Makes batches from the rows of a text table or of JSON lines. See rows.h. */
#include "trace/rows.h"

rd_status rdi_rows_select(rdi_rows *w) {
    rdi_columns *col = w->lines.r->col;
    if (w->fields & RD_REQUEST_FIELDS && !col->more)
        col->more = rdi_alloc(w->lines.r->ctx, RD_MORE_BYTES + 1, sizeof *col->more);
    return w->fields & RD_REQUEST_FIELDS && !col->more ? RD_ENOMEM : RD_OK;
}

const char *rdi_row_request_value(rdi_row *row, int role, const char *text, size_t n,
                                  uint64_t unit) {
    uint64_t bytes = 0;
    const char *wrong = NULL;
    switch (role) {
    case RDI_ROW_TIME:
        return rdi_read_time(text, n, unit, &row->more[RD_MORE_TIME]);
    case RDI_ROW_TTL:
        return rdi_read_lifetime(text, n, &row->more[RD_MORE_LIFETIME]);
    case RDI_ROW_OP:
        return rdi_read_operation(text, n, &row->more[RD_MORE_OPERATION]);
    case RDI_ROW_COUNT: /* limited, because every repetition becomes a reference */
        wrong = rdi_read_bytes(text, n, &row->count);
        return !wrong && row->count > RDI_ROW_COUNT_MAX ? "is above 2^32" : wrong;
    default: /* RDI_ROW_SIZE and RDI_ROW_KEYSIZE */
        wrong = rdi_read_bytes(text, n, &bytes);
        row->more[RD_MORE_BYTES] += bytes;
        if (!wrong && row->more[RD_MORE_BYTES] > INT64_MAX)
            wrong = "makes the size of the object 2^63 or more";
        return wrong;
    }
}

/* Appends w->now to a batch of n rows, once for each of the w->left remaining requests, as far as
 * there is room. Returns the new number of rows. */
static size_t deliver(rdi_rows *w, size_t n) {
    rdi_columns *col = w->lines.r->col;
    const rdi_row *row = &w->now;
    for (; w->left > 0 && n < RDI_REFS_MAX; w->left--, n++) {
        col->addr[n] = row->ref.addr;
        col->pc[n] = row->ref.pc;
        col->size[n] = row->ref.size;
        col->thread[n] = row->ref.thread;
        col->kind[n] = row->ref.kind;
        if (w->fields & RD_REQUEST_FIELDS)
            for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
                col->more[i][n] = row->more[i];
    }
    return n;
}

/* Reads lines up to `limit` until the batch of *n rows is full. Returns the first line that was not
 * read. *refused becomes true if this line is invalid or memory is exhausted. */
static const char *read_lines(rdi_rows *w, const char *p, const char *limit, rdi_row_parser *parse,
                              rdi_rows_fast *fast, size_t *n, bool *refused) {
    while (w->left == 0) {
        if (fast)
            p = fast(w, p, limit, n);
        *refused = w->lines.failed != RD_OK;
        if (p == limit || *n == RDI_REFS_MAX || *refused)
            break;
        w->now = (rdi_row){.ref = {.size = 1, .kind = RD_LOAD}, .count = 1};
        const char *next = parse(w, p, limit, &w->now);
        *refused = !next;
        if (!next)
            break;
        w->left = w->now.ref.kind ? w->now.count : 0;
        if (w->now.more[RD_MORE_OPERATION])
            w->now.ref.kind = rdi_row_kind(w->now.more[RD_MORE_OPERATION]);
        *n = deliver(w, *n);
        p = next;
        w->lines.r->in->line++;
    }
    return p;
}

rd_status rdi_rows_read(rdi_rows *w, rd_refs *refs, rdi_row_parser *parse, rdi_rows_fast *fast) {
    rdi_lines *l = &w->lines;
    size_t n = deliver(w, 0);
    while (n < RDI_REFS_MAX) {
        const char *start = NULL, *limit = NULL;
        bool refused = false;
        /* Reading more input may fail, so the rows read so far are delivered first. */
        if (n > 0 && l->complete == 0)
            break;
        RD_TRY(rdi_lines_fill(l, &start, &limit));
        if (start == limit)
            break;
        l->failed = RD_OK;
        const char *p = read_lines(w, start, limit, parse, fast, &n, &refused);
        if (refused && (n == 0 || l->failed == RD_ENOMEM))
            return rdi_lines_fail(l, p, limit);
        rdi_lines_consume(l, (size_t)(p - start));
        if (refused)
            break;
    }
    rdi_lines_deliver(refs, l->r->col, n, w->fields);
    for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
        refs->more[i] = w->fields & RD_FIELD_MORE(i) ? l->r->col->more[i] : NULL;
    return RD_OK;
}
