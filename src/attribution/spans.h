/* An ordered set of address ranges that do not overlap. Each range has a value, which identifies
 * its owner.
 *
 * Spans are stored in order in leaves of up to 64, and an array has the first address of each leaf.
 * A look-up is two short searches in contiguous memory, which is faster than a tree of nodes.
 */
#ifndef RDI_SPANS_H
#define RDI_SPANS_H

#include "base/common.h"

typedef struct rdi_span {
    uint64_t from, to; /* first and last address; `to` is inclusive, so that a span can reach the
                          end of memory */
    uint32_t value;
} rdi_span;

#define RDI_SPANS_IN_LEAF 64

typedef struct rdi_span_leaf {
    size_t n; /* number of spans, never 0 */
    rdi_span span[RDI_SPANS_IN_LEAF];
} rdi_span_leaf;

typedef struct rdi_spans {
    rd_ctx *ctx;
    struct rdi_span_entry {
        uint64_t from; /* first address of the leaf's first span */
        rdi_span_leaf *leaf;
    } * entry;
    size_t leaves, room;
    size_t recent; /* the leaf that was found last, because the next look-up often needs the same
                      leaf */
    size_t n;
} rdi_spans;

void rdi_spans_init(rdi_spans *s, rd_ctx *ctx); /* cannot fail */
void rdi_spans_fini(rdi_spans *s);

/* Adds a span, which must not overlap another span. */
rd_status rdi_spans_insert(rdi_spans *s, rdi_span span);
/* Returns the first span that overlaps the addresses from `from` to `to`, or NULL. */
const rdi_span *rdi_spans_first(rdi_spans *s, uint64_t from, uint64_t to);
/* Returns the span that contains `address`, which lies between `from` and `to`. *alike says whether
 * all spans that overlap the addresses from `from` to `to` have the same value. If no span contains
 * `address`, returns one of the spans that overlap these addresses if they all have the same value,
 * otherwise NULL. */
const rdi_span *rdi_spans_around(rdi_spans *s, uint64_t address, uint64_t from, uint64_t to,
                                 bool *alike);
/* Removes the span that begins at `from`, which must exist. */
void rdi_spans_remove(rdi_spans *s, uint64_t from);

#endif
