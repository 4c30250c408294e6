/* Implements ordered sets of address ranges. See spans.h. */
#include "attribution/spans.h"

#include <string.h>

void rdi_spans_init(rdi_spans *s, rd_ctx *ctx) {
    *s = (rdi_spans){.ctx = ctx};
}

void rdi_spans_fini(rdi_spans *s) {
    for (size_t i = 0; i < s->leaves; i++)
        rdi_free(s->ctx, s->entry[i].leaf);
    if (s->ctx)
        rdi_free(s->ctx, s->entry);
    *s = (rdi_spans){0};
}

/* ---- searching ---- */

/* Returns whether leaf number `at` is the last leaf that begins at or before the address. */
static bool is_leaf_of(const rdi_spans *s, size_t at, uint64_t address) {
    return at < s->leaves && s->entry[at].from <= address &&
           (at + 1 == s->leaves || address < s->entry[at + 1].from);
}

/* Returns the index of the last leaf that begins at or before the address, or 0 if there is none.
 * There must be a leaf. */
static size_t leaf_of(rdi_spans *s, uint64_t address) {
    if (is_leaf_of(s, s->recent, address))
        return s->recent;
    size_t at = 0;
    for (size_t n = s->leaves; n > 1; n -= n / 2)
        at += s->entry[at + n / 2].from <= address ? n / 2 : 0;
    return s->recent = at;
}

/* Returns how many spans of the leaf begin at or before the address. */
static size_t count_below(const rdi_span_leaf *leaf, uint64_t address) {
    size_t at = 0;
    for (size_t n = leaf->n; n > 1; n -= n / 2)
        at += leaf->span[at + n / 2].from <= address ? n / 2 : 0;
    return at + (leaf->span[at].from <= address);
}

const rdi_span *rdi_spans_first(rdi_spans *s, uint64_t from, uint64_t to) {
    if (!s->leaves)
        return NULL;
    size_t number = leaf_of(s, from);
    const rdi_span_leaf *leaf = s->entry[number].leaf;
    size_t below = count_below(leaf, from);
    const rdi_span *next = &leaf->span[below];
    if (below && next[-1].to >= from)
        return &next[-1];
    if (below == leaf->n) {
        if (number + 1 == s->leaves)
            return NULL;
        next = s->entry[number + 1].leaf->span;
    }
    return next->from <= to ? next : NULL;
}

/* Returns whether all spans before span `at` of `leaf` that end at or after `from` have the same
 * value as `like`. */
static bool is_alike_before(const rdi_spans *s, size_t leaf, size_t at, uint64_t from,
                            const rdi_span *like) {
    while (true) {
        if (at == 0) {
            if (leaf == 0)
                return true;
            at = s->entry[--leaf].leaf->n;
        }
        const rdi_span *span = &s->entry[leaf].leaf->span[--at];
        if (span->to < from)
            return true;
        if (span->value != like->value)
            return false;
    }
}

/* Returns whether all spans from span `at` of `leaf` on that begin at or before `to` have the same
 * value as `like`. */
static bool is_alike_behind(const rdi_spans *s, size_t leaf, size_t at, uint64_t to,
                            const rdi_span *like) {
    for (;; at++) {
        if (at == s->entry[leaf].leaf->n) {
            if (++leaf == s->leaves)
                return true;
            at = 0;
        }
        const rdi_span *span = &s->entry[leaf].leaf->span[at];
        if (span->from > to)
            return true;
        if (span->value != like->value)
            return false;
    }
}

/* Returns the first span that overlaps the addresses from `from` to `to`, or NULL if there is none
 * or the overlapping spans have different values. *alike says whether all of them have the same
 * value. */
static const rdi_span *find_alike(rdi_spans *s, uint64_t from, uint64_t to, bool *alike) {
    const rdi_span *first = rdi_spans_first(s, from, to);
    size_t number = leaf_of(s, from);
    size_t below = count_below(s->entry[number].leaf, from);
    *alike = !first || is_alike_behind(s, number, below, to, first);
    return *alike ? first : NULL;
}

const rdi_span *rdi_spans_around(rdi_spans *s, uint64_t address, uint64_t from, uint64_t to,
                                 bool *alike) {
    *alike = true;
    if (!s->leaves)
        return NULL;
    size_t number = leaf_of(s, address);
    const rdi_span_leaf *leaf = s->entry[number].leaf;
    size_t below = count_below(leaf, address);
    const rdi_span *found = below ? &leaf->span[below - 1] : NULL;
    if (!found || found->to < address)
        return find_alike(s, from, to, alike);
    if (found->from > from)
        *alike = is_alike_before(s, number, below - 1, from, found);
    if (*alike && found->to < to)
        *alike = is_alike_behind(s, number, below, to, found);
    return found;
}

/* ---- leaves ---- */

/* Inserts a leaf with n spans at index `at`. */
static rd_status add_leaf(rdi_spans *s, size_t at, const rdi_span *spans, size_t n) {
    if (s->leaves == s->room) {
        struct rdi_span_entry *grown = rdi_grow(s->ctx, s->entry, &s->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        s->entry = grown;
    }
    rdi_span_leaf *leaf = rdi_alloc(s->ctx, 1, sizeof *leaf);
    if (!leaf)
        return RD_ENOMEM;
    leaf->n = n;
    memcpy(leaf->span, spans, n * sizeof *spans);
    memmove(&s->entry[at + 1], &s->entry[at], (s->leaves - at) * sizeof *s->entry);
    s->entry[at] = (struct rdi_span_entry){spans->from, leaf};
    s->leaves++;
    return RD_OK;
}

static void drop_leaf(rdi_spans *s, size_t at) {
    rdi_free(s->ctx, s->entry[at].leaf);
    s->leaves--;
    memmove(&s->entry[at], &s->entry[at + 1], (s->leaves - at) * sizeof *s->entry);
}

/* Merges leaf `at` and the next leaf if they fill at most half a leaf together. So there are never
 * many almost empty leaves. */
static void join_small(rdi_spans *s, size_t at) {
    if (at + 1 >= s->leaves)
        return;
    rdi_span_leaf *low = s->entry[at].leaf, *high = s->entry[at + 1].leaf;
    if (low->n + high->n > RDI_SPANS_IN_LEAF / 2)
        return;
    memcpy(&low->span[low->n], high->span, high->n * sizeof *high->span);
    low->n += high->n;
    drop_leaf(s, at + 1);
}

/* ---- changes ---- */

rd_status rdi_spans_insert(rdi_spans *s, rdi_span span) {
    if (!s->leaves) {
        RD_TRY(add_leaf(s, 0, &span, 1));
        s->n++;
        return RD_OK;
    }
    size_t number = leaf_of(s, span.from);
    rdi_span_leaf *leaf = s->entry[number].leaf;
    if (leaf->n == RDI_SPANS_IN_LEAF) {
        const size_t half = RDI_SPANS_IN_LEAF / 2;
        RD_TRY(add_leaf(s, number + 1, &leaf->span[half], half));
        leaf->n = half;
        number = leaf_of(s, span.from);
        leaf = s->entry[number].leaf;
    }
    size_t at = count_below(leaf, span.from);
    memmove(&leaf->span[at + 1], &leaf->span[at], (leaf->n - at) * sizeof span);
    leaf->span[at] = span;
    leaf->n++;
    s->entry[number].from = leaf->span->from;
    s->n++;
    return RD_OK;
}

void rdi_spans_remove(rdi_spans *s, uint64_t from) {
    size_t number = leaf_of(s, from);
    rdi_span_leaf *leaf = s->entry[number].leaf;
    size_t behind = count_below(leaf, from);
    memmove(&leaf->span[behind - 1], &leaf->span[behind], (leaf->n - behind) * sizeof *leaf->span);
    leaf->n--;
    s->n--;
    if (leaf->n == 0) {
        drop_leaf(s, number);
        return;
    }
    s->entry[number].from = leaf->span->from;
    join_small(s, number);
    if (number)
        join_small(s, number - 1);
}
