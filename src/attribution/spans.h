/* Ranges of addresses that do not overlap, each with a value: what is allocated where.
 *
 * A treap: a search tree by first address that is a heap by a hash of it, so that no order of
 * events makes it deep. Nodes lie in one array, 40 bytes each.
 */
#ifndef RDI_SPANS_H
#define RDI_SPANS_H

#include "base/base.h"

typedef struct rdi_span {
    uint64_t from, to; /* the last address included, so that the end of memory can be in one */
    uint32_t value;
} rdi_span;

typedef struct rdi_span_node {
    rdi_span span;
    uint32_t child[2]; /* lower and higher addresses; 0: none */
} rdi_span_node;

typedef struct rdi_spans {
    rd_ctx *ctx;
    rdi_span_node *node; /* [0] is none */
    uint32_t root, free, used, room;
    size_t n;
} rdi_spans;

void rdi_spans_init(rdi_spans *s, rd_ctx *ctx); /* cannot fail */
void rdi_spans_fini(rdi_spans *s);

/* It must not overlap another one. */
rd_status rdi_spans_insert(rdi_spans *s, rdi_span span);
/* Of the spans that reach into from .. to, the first one; NULL: none. */
const rdi_span *rdi_spans_first(const rdi_spans *s, uint64_t from, uint64_t to);
/* Takes the span that begins at `from` out; it must be there. */
void rdi_spans_remove(rdi_spans *s, uint64_t from);

#endif
