/* References to blocks: drops unwanted kinds, splits what spans blocks. */
#include "reusedist/trace.h"

#include "base/base.h"

#include <inttypes.h>

#define OUT_MAX 4096

struct rd_mapper {
    rd_ctx *ctx;
    unsigned shift; /* log2 of the block size; 0 with `whole`: address is the block */
    bool whole;     /* -b addr: never split */
    uint8_t kinds;
    const rd_refs *refs;
    size_t at;           /* next reference of refs */
    uint64_t base;       /* references fed before this batch, for messages */
    uint64_t next, last; /* blocks still to come of a split reference, when `splitting` */
    bool splitting;
    uint64_t out[OUT_MAX];
};

rd_status rd_mapper_new(rd_ctx *ctx, const rd_mapping *mapping, rd_mapper **out) {
    uint64_t bytes = mapping->block_bytes;
    if (bytes & (bytes - 1))
        return rdi_fail(ctx, RD_EINVAL, "a block of %" PRIu64 " bytes: must be a power of two",
                        bytes);
    if (mapping->kinds & ~(uint32_t)RD_ALL_KINDS)
        return rdi_fail(ctx, RD_EINVAL, "unknown kinds of references asked for");
    rd_mapper *m = rdi_calloc(ctx, 1, sizeof *m);
    if (!m)
        return RD_ENOMEM;
    m->ctx = ctx;
    m->whole = bytes == 0;
    m->shift = bytes ? rdi_bit_width(bytes) - 1 : 0;
    m->kinds = (uint8_t)(mapping->kinds ? mapping->kinds : RD_ALL_KINDS);
    *out = m;
    return RD_OK;
}

void rd_mapper_feed(rd_mapper *m, const rd_refs *refs) {
    if (m->refs)
        m->base += m->refs->n;
    m->refs = refs;
    m->at = 0;
}

/* Nothing to drop or split: a plain shift, which compilers vectorise. */
static size_t map_plain(rd_mapper *m) {
    size_t n = m->refs->n - m->at;
    n = n < OUT_MAX ? n : OUT_MAX;
    const uint64_t *addr = m->refs->addr + m->at;
    unsigned shift = m->shift;
    for (size_t i = 0; i < n; i++)
        m->out[i] = addr[i] >> shift;
    m->at += n;
    return n;
}

/* Continues a reference that spans many blocks. */
static size_t emit_split(rd_mapper *m, size_t n) {
    while (n < OUT_MAX) {
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

static rd_status map_general(rd_mapper *m, size_t *count) {
    const rd_refs *refs = m->refs;
    size_t n = m->splitting ? emit_split(m, 0) : 0;
    while (n < OUT_MAX && m->at < refs->n) {
        size_t i = m->at;
        if (refs->kind && !(refs->kind[i] & m->kinds)) {
            m->at++;
            continue;
        }
        uint64_t first = refs->addr[i] >> m->shift, last = first;
        if (refs->size && !m->whole && refs->size[i] > 1) {
            uint64_t end = refs->addr[i] + (refs->size[i] - 1);
            if (end < refs->addr[i])
                return fail_wrap(m, i);
            last = end >> m->shift;
        }
        m->at++;
        m->out[n++] = first;
        if (last != first) {
            m->next = first + 1;
            m->last = last;
            m->splitting = true;
            n = emit_split(m, n);
        }
    }
    *count = n;
    return RD_OK;
}

rd_status rd_mapper_next(rd_mapper *m, const uint64_t **blocks, size_t *n) {
    const rd_refs *refs = m->refs;
    *n = 0;
    if (!refs || (m->at == refs->n && !m->splitting))
        return RD_OK;
    bool unsplit = m->whole || !refs->size;
    bool unfiltered = m->kinds == RD_ALL_KINDS || (!refs->kind && (m->kinds & RD_LOAD));
    if (unsplit && unfiltered && m->shift == 0) { /* the addresses are the blocks: no copy */
        *blocks = refs->addr + m->at;
        *n = refs->n - m->at;
        m->at = refs->n;
        return RD_OK;
    }
    *blocks = m->out;
    if (unsplit && unfiltered) {
        *n = map_plain(m);
        return RD_OK;
    }
    if (!refs->kind && !(m->kinds & RD_LOAD)) { /* without a kind column everything is a load */
        m->at = refs->n;
        return RD_OK;
    }
    while (*n == 0 && (m->at < refs->n || m->splitting))
        RD_TRY(map_general(m, n));
    return RD_OK;
}

void rd_mapper_free(rd_mapper *m) {
    if (m)
        rdi_free(m->ctx, m);
}
