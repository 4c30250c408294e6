/* Maps references to blocks: a reference gives the id of every block that its bytes touch, in
 * ascending order. References of kinds that are not requested are dropped. */
#include "base/sized.h"
#include "reusedist/trace.h"

#include "base/common.h"

#include <inttypes.h>

#define OUT_MAX 4096
#define RUN_MAX 64 /* maximum number of references that are handled together */

struct rd_mapper {
    rd_ctx *ctx;
    unsigned shift; /* log2 of the block size; 0 if `whole` is set, because the address is the
                       block */
    bool whole;     /* true: references are never split (-b addr) */
    uint8_t kinds;
    const rd_refs *refs;
    size_t at;           /* index of the next reference in `refs` */
    uint64_t base;       /* number of references before this batch, for messages */
    size_t fed;          /* number of references in this batch; needed because `refs` may be invalid
                            at the next feed */
    uint64_t next, last; /* first and last remaining block of the reference that is being split */
    bool splitting;      /* true: a reference is being split */
    uint32_t *origin;    /* the origins of the blocks in `out`; NULL: not requested */
    uint64_t out[OUT_MAX + 1]; /* blocks to deliver; the last entry of `out` and of `origin` is
                                  spare */
};

rd_status rd_mapper_new(rd_ctx *ctx, const rd_mapping *mapping, rd_mapper **out) {
    RDI_NEED(ctx, ctx, out);
    rd_mapping known;
    RD_TRY(rdi_sized_copy(ctx, "rd_mapping", mapping, &known, sizeof known));
    mapping = &known;
    uint64_t bytes = mapping->block_bytes;
    if (bytes & (bytes - 1))
        return rdi_fail(ctx, RD_EINVAL,
                        "the block size is %" PRIu64 " bytes; it must be a power of two", bytes);
    if (mapping->kinds & ~(uint32_t)RD_ALL_KINDS)
        return rdi_fail(ctx, RD_EINVAL,
                        "rd_mapping.kinds is %" PRIu32
                        ": it may have only the bits of RD_ALL_KINDS, %u",
                        mapping->kinds, (unsigned)RD_ALL_KINDS);
    rd_mapper *m = rdi_calloc(ctx, 1, sizeof *m);
    if (!m)
        return RD_ENOMEM;
    m->ctx = ctx;
    m->whole = bytes == 0;
    m->shift = bytes ? rdi_bit_width(bytes) - 1 : 0;
    m->kinds = (uint8_t)(mapping->kinds ? mapping->kinds : RD_ALL_KINDS);
    if (mapping->origins && !(m->origin = rdi_alloc(ctx, OUT_MAX + 1, sizeof *m->origin))) {
        rd_mapper_free(m);
        return RD_ENOMEM;
    }
    *out = m;
    return RD_OK;
}

const uint32_t *rd_mapper_origins(const rd_mapper *m) {
    return m ? m->origin : NULL;
}

void rd_mapper_feed(rd_mapper *m, const rd_refs *refs) {
    if (!m)
        return;
    m->base += m->fed;
    m->fed = refs ? refs->n : 0;
    m->refs = refs;
    m->at = 0;
}

void rd_mapper_seek(rd_mapper *m, uint64_t first) {
    if (!m)
        return;
    m->refs = NULL;
    m->at = m->fed = 0;
    m->base = first;
    m->splitting = false;
}

/* Appends the remaining blocks of reference `i`, which is being split, to the n blocks in `out`, as
 * far as there is room. Returns the new number of blocks in `out`. */
static size_t emit_split(rd_mapper *m, size_t n, size_t i) {
    while (n < OUT_MAX) {
        if (m->origin)
            m->origin[n] = (uint32_t)i;
        m->out[n++] = m->next;
        if (m->next++ == m->last) {
            m->splitting = false;
            break;
        }
    }
    return n;
}

static rd_status fail_wrap(const rd_mapper *m, size_t i) {
    return rdi_fail(m->ctx, RD_EFORMAT,
                    "reference %" PRIu64 ": %" PRIu32 " bytes at 0x%" PRIx64
                    " run past the end of the address space",
                    m->base + i + 1, m->refs->size[i], m->refs->addr[i]);
}

/* Returns whether one of the next k references may touch more than one block. Few references do, so
 * a loop without branches, which compilers vectorize, checks many references at once. */
static bool any_spans(const rd_mapper *m, size_t k) {
    if (m->whole || !m->refs->size)
        return false;
    const uint64_t *addr = m->refs->addr + m->at;
    const uint32_t *size = m->refs->size + m->at;
    uint64_t differ = 0;
    for (size_t i = 0; i < k; i++)
        /* The top bits differ if the reference runs past the end of the address space. */
        differ |= addr[i] ^ (addr[i] + (size[i] - 1));
    return differ >> m->shift != 0;
}

/* Maps the next k references, each of which touches one block. Returns the new number of blocks in
 * `out`. */
static size_t map_single(rd_mapper *m, size_t n, size_t k) {
    const uint64_t *addr = m->refs->addr + m->at;
    const uint8_t *kind = m->refs->kind ? m->refs->kind + m->at : NULL;
    uint64_t *out = m->out;
    unsigned shift = m->shift;
    size_t first = m->at;
    m->at += k;
    if (!kind || m->kinds == RD_ALL_KINDS) {
        for (size_t i = 0; i < k; i++)
            out[n + i] = addr[i] >> shift;
        for (size_t i = 0; i < k && m->origin; i++)
            m->origin[n + i] = (uint32_t)(first + i);
        return n + k;
    }
    uint8_t wanted = m->kinds;
    for (size_t i = 0; i < k; i++) {
        out[n] = addr[i] >> shift;
        if (m->origin)
            m->origin[n] = (uint32_t)(first + i);
        n += (kind[i] & wanted) != 0;
    }
    return n;
}

/* Maps references up to `end` while they touch at most two blocks and fit into `out`. With small
 * blocks, about every third reference touches two blocks, and the processor cannot predict which
 * ones. So two blocks are always written, and the second block is overwritten later if the reference
 * touches only one block. Returns the new number of blocks in `out`. */
static size_t map_narrow(rd_mapper *m, size_t n, size_t end) {
    const rd_refs *refs = m->refs;
    uint64_t *out = m->out;
    uint32_t *origin = m->origin;
    unsigned shift = m->shift;
    uint8_t wanted = m->kinds;
    size_t i = m->at;
    for (; i < end && n < OUT_MAX - 1; i++) {
        uint64_t addr = refs->addr[i], last = addr + refs->size[i] - (refs->size[i] != 0);
        uint64_t block = addr >> shift, further = (last >> shift) - block;
        if (further > 1 || last < addr)
            break;
        out[n] = block;
        out[n + 1] = block + 1;
        if (origin)
            origin[n] = origin[n + 1] = (uint32_t)i;
        n += !refs->kind || refs->kind[i] & wanted ? further + 1 : 0;
    }
    m->at = i;
    return n;
}

/* Maps the next reference, of any size, as far as there is room for its blocks, and updates *n, the
 * number of blocks in `out`. */
static rd_status map_wide(rd_mapper *m, size_t *n) {
    const rd_refs *refs = m->refs;
    size_t i = m->at;
    uint64_t addr = refs->addr[i], last = refs->size[i] ? addr + (refs->size[i] - 1) : addr;
    if (refs->kind && !(refs->kind[i] & m->kinds)) {
        m->at++;
        return RD_OK;
    }
    if (last < addr) /* the references before this one are delivered, and the next call fails */
        return *n ? RD_OK : fail_wrap(m, i);
    m->at++;
    m->next = addr >> m->shift;
    m->last = last >> m->shift;
    m->splitting = true;
    *n = emit_split(m, *n, i);
    return RD_OK;
}

/* Maps the next k references, as far as there is room for their blocks, and updates *n. */
static rd_status map_spanning(rd_mapper *m, size_t k, size_t *n) {
    size_t end = m->at + k, before;
    do {
        *n = map_narrow(m, *n, end);
        before = m->at;
        if (before < end && *n < OUT_MAX)
            RD_TRY(map_wide(m, n));
    } while (m->at > before && m->at < end && *n < OUT_MAX);
    return RD_OK;
}

/* Fills `out` and sets *count to its number of blocks. The function handles up to RUN_MAX
 * references at a time, so that a reference that touches several blocks slows down few other
 * references. */
static rd_status map_refs(rd_mapper *m, size_t *count) {
    /* The reference that is being split comes right before `at`. */
    size_t n = m->splitting ? emit_split(m, 0, m->at - 1) : 0;
    while (n < OUT_MAX && m->at < m->refs->n) {
        size_t left = m->refs->n - m->at, room = OUT_MAX - n;
        size_t k = left < room ? left : room;
        k = k < RUN_MAX ? k : RUN_MAX;
        size_t before = m->at;
        if (any_spans(m, k))
            RD_TRY(map_spanning(m, k, &n));
        else
            n = map_single(m, n, k);
        if (m->at == before)
            break;
    }
    *count = n;
    return RD_OK;
}

rd_status rd_mapper_next(rd_mapper *m, const uint64_t **blocks, size_t *n) {
    RDI_NEED(m ? m->ctx : NULL, m, blocks, n);
    const rd_refs *refs = m->refs;
    *n = 0;
    if (!refs || (m->at == refs->n && !m->splitting))
        return RD_OK;
    RDI_NEED(m->ctx, refs->addr);
    /* Without a kind column, all references are loads. */
    if (!refs->kind && !(m->kinds & RD_LOAD)) {
        m->at = refs->n;
        return RD_OK;
    }
    bool unsplit = m->whole || !refs->size, unfiltered = !refs->kind || m->kinds == RD_ALL_KINDS;
    /* If addresses are block ids, no copy is needed. */
    if (unsplit && unfiltered && m->shift == 0 && !m->origin) {
        *blocks = refs->addr + m->at;
        *n = refs->n - m->at;
        m->at = refs->n;
        return RD_OK;
    }
    *blocks = m->out;
    while (*n == 0 && (m->at < refs->n || m->splitting))
        RD_TRY(map_refs(m, n));
    return RD_OK;
}

void rd_mapper_free(rd_mapper *m) {
    if (!m)
        return;
    rdi_free(m->ctx, m->origin);
    rdi_free(m->ctx, m);
}
