/* Ranges of addresses that do not overlap, each with a value: what is allocated where.
 *
 * They lie in order, in leaves of a few, and a list of the leaves tells where each begins. So a
 * look-up is two short searches in memory that lies together, which a tree of nodes is not.
 */
#ifndef RDI_SPANS_H
#define RDI_SPANS_H

#include "base/common.h"

typedef struct rdi_span {
    uint64_t from, to; /* the last address included, so that the end of memory can be in one */
    uint32_t value;
} rdi_span;

#define RDI_SPANS_IN_LEAF 64

typedef struct rdi_span_leaf {
    size_t n; /* never 0 */
    rdi_span span[RDI_SPANS_IN_LEAF];
} rdi_span_leaf;

typedef struct rdi_spans {
    rd_ctx *ctx;
    struct rdi_span_entry {
        uint64_t from; /* of its first span */
        rdi_span_leaf *leaf;
    } * entry;
    size_t leaves, room;
    size_t recent; /* leaf that was found last: the next one is most often the same */
    size_t n;
} rdi_spans;

void rdi_spans_init(rdi_spans *s, rd_ctx *ctx); /* cannot fail */
void rdi_spans_fini(rdi_spans *s);

/* It must not overlap another one. */
rd_status rdi_spans_insert(rdi_spans *s, rdi_span span);
/* Of the spans that reach into from .. to, the first one; NULL: none. */
const rdi_span *rdi_spans_first(rdi_spans *s, uint64_t from, uint64_t to);
/* The span that has the address, which lies in from .. to, and whether all that reach into from ..
 * to have its value. An address of none belongs to them if they all have the same; NULL: they do
 * not, or there are none. */
const rdi_span *rdi_spans_around(rdi_spans *s, uint64_t address, uint64_t from, uint64_t to,
                                 bool *alike);
/* Takes the span that begins at `from` out; it must be there. */
void rdi_spans_remove(rdi_spans *s, uint64_t from);

#endif
