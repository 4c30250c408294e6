/* Decodes a column of the native trace format. See native_codec.h.
 *
 * The file may be malicious, because anybody can make valid checksums. So everything is checked
 * before it is used as an index or a length. The position in the data is checked once for a group
 * of 32 references. A slower path with more checks decodes groups that could reach past the data,
 * groups that have symbols with a size in the data, and groups of fewer than 32 references.
 */
#include "trace/format.h"
#include "trace/native_codec.h"

#include <string.h>

/* Number of data bytes that an unused control value claims to use, so that its use is detected as
 * an overrun. */
#define ADVANCE_INVALID (1u << 24)

#define GROUP           32 /* number of references that are checked together */

static const uint8_t all_zero[RDI_REFS_MAX];

static bool valid_kind(uint32_t fields, uint8_t kind) {
    if (!(fields & RD_FIELD_KIND))
        return kind == 0;
    return kind == RD_LOAD || kind == RD_STORE || kind == RD_FETCH;
}

static const char *read_symbol(rdi_symbol *s, uint32_t fields, unsigned slots, const uint8_t *p) {
    uint8_t slot = p[0], width = p[1], size_width = p[2], kind = p[3];
    uint32_t size = rdi_load_le32(p + 4);
    bool sized = (fields & RD_FIELD_SIZE) != 0;
    if (slot >= slots)
        return "a symbol uses a slot that does not exist";
    if (width > 8 || size_width > (sized ? 4 : 0))
        return "a symbol is too wide";
    if (!valid_kind(fields, kind))
        return "a symbol has an invalid kind";
    if ((sized && size_width == 0 && size == 0) || (!sized && size != 0))
        return "a symbol has an invalid size";
    *s = (rdi_symbol){
        .add = rdi_load_le64(p + 8),
        .mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1,
        .size = size,
        .size_mask = size_width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size_width) - 1,
        .advance = (uint32_t)width + size_width,
        .slot = slot,
        .width = width,
        .kind = kind,
    };
    return NULL;
}

const char *rdi_column_open(rdi_column_decoder *c, uint32_t fields, size_t count,
                            const uint8_t *bytes, size_t n, size_t *used) {
    if (n < RDI_BLOCK_BYTES)
        return "a column is cut off";
    unsigned slots = bytes[0], symbols = rdi_load_le16(bytes + 2);
    size_t data_bytes = rdi_load_le32(bytes + 4);
    if (slots < 1 || slots > RDI_SLOTS_MAX || symbols < 1 || symbols > RDI_SYMBOLS_MAX || bytes[1])
        return "the head of a column is invalid";
    size_t head = RDI_BLOCK_BYTES + slots * 8 + symbols * RDI_SYMBOL_BYTES;
    size_t rest = RDI_PAD_BYTES + (symbols > 1 ? count : 0);
    if (head > n || rest > n - head || data_bytes > n - head - rest)
        return "a column is cut off";
    const uint8_t *p = bytes + RDI_BLOCK_BYTES;
    for (unsigned i = 0; i < slots; i++, p += 8)
        c->bases[i] = rdi_load_le64(p);
    c->bare = fields == 0;
    c->empty = false;
    c->simple = symbols;
    c->widest = 0;
    for (unsigned i = 0; i < symbols; i++, p += RDI_SYMBOL_BYTES) {
        rdi_symbol *s = &c->symbols[i];
        const char *wrong = read_symbol(s, fields, slots, p);
        if (wrong)
            return wrong;
        if (s->size_mask && c->simple == symbols)
            c->simple = i;
        if (s->advance > c->widest)
            c->widest = s->advance;
    }
    for (unsigned i = symbols; i < RDI_SYMBOLS_MAX; i++)
        c->symbols[i] = (rdi_symbol){.size = 1, .advance = ADVANCE_INVALID};
    c->data = p;
    c->data_bytes = data_bytes;
    c->control = symbols > 1 ? p + data_bytes + RDI_PAD_BYTES : NULL;
    c->used = 0;
    c->left = count;
    *used = head + data_bytes + rest;
    return NULL;
}

/* Returns whether the group at `control` can be decoded without checks: none of its symbols has a
 * size in the data, and the data is long enough for any symbols. */
static bool simple_group(const rdi_column_decoder *c, const uint8_t *control, size_t used) {
    uint8_t highest = 0;
    for (size_t i = 0; i < GROUP; i++)
        highest = control[i] > highest ? control[i] : highest;
    return highest < c->simple && used + GROUP * c->widest <= c->data_bytes;
}

/* Decodes a simple group and returns the number of data bytes used so far. At the end of the data,
 * the loads reach 8 bytes further, which are readable: see decode_carefully(). */
static inline __attribute__((always_inline)) size_t
decode_group(rdi_column_decoder *c, const uint8_t *control, size_t used, uint64_t *restrict values,
             uint32_t *restrict sizes, uint8_t *restrict kinds) {
    const uint8_t *p = c->data + used;
    for (size_t i = 0; i < GROUP; i++) {
        const rdi_symbol *s = &c->symbols[control[i]];
        uint64_t *base = &c->bases[s->slot];
        uint64_t value = *base + (s->add + (rdi_load_le64(p) & s->mask));
        values[i] = value;
        *base = value + s->size;
        if (sizes) {
            sizes[i] = s->size;
            kinds[i] = s->kind;
        }
        p += s->advance;
    }
    return (size_t)(p - c->data);
}

/* Decodes any n references and returns the number of data bytes used so far. Positions beyond the
 * data stream are clamped to its end; the caller detects the overrun in the returned number. From
 * there the loads reach 12 bytes further, which are readable: the padding and at least the frame's
 * checksum. */
static size_t decode_carefully(rdi_column_decoder *c, const uint8_t *control, size_t n, size_t used,
                               uint64_t *values, uint32_t *sizes, uint8_t *kinds) {
    size_t end = c->data_bytes;
    bool empty = false;
    for (size_t i = 0; i < n; i++) {
        const rdi_symbol *s = &c->symbols[control[i]];
        const uint8_t *p = c->data + (used < end ? used : end);
        uint64_t value = c->bases[s->slot] + s->add + (rdi_load_le64(p) & s->mask);
        uint32_t size = s->size + (rdi_load_le32(p + s->width) & s->size_mask);
        c->bases[s->slot] = value + size;
        values[i] = value;
        if (sizes) {
            sizes[i] = size;
            kinds[i] = s->kind;
            empty |= s->size_mask && size == 0;
        }
        used += s->advance;
    }
    c->empty |= empty;
    return used;
}

/* Decodes n references, group by group. Returns the number of data bytes used so far. */
static inline __attribute__((always_inline)) size_t decode(rdi_column_decoder *c,
                                                           const uint8_t *control, size_t n,
                                                           uint64_t *values, uint32_t *sizes,
                                                           uint8_t *kinds) {
    size_t used = c->used;
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t *sizes_at = sizes ? sizes + i : NULL;
        uint8_t *kinds_at = kinds ? kinds + i : NULL;
        k = n - i < GROUP ? n - i : GROUP;
        if (k == GROUP && simple_group(c, control + i, used))
            used = decode_group(c, control + i, used, values + i, sizes_at, kinds_at);
        else
            used = decode_carefully(c, control + i, k, used, values + i, sizes_at, kinds_at);
    }
    return used;
}

const char *rdi_column_next(rdi_column_decoder *c, size_t n, uint64_t *values, uint32_t *sizes,
                            uint8_t *kinds) {
    const uint8_t *control = c->control ? c->control : all_zero;
    c->used = c->bare ? decode(c, control, n, values, NULL, NULL)
                      : decode(c, control, n, values, sizes, kinds);
    if (c->control)
        c->control += n;
    c->left -= n;
    if (c->used > c->data_bytes || (c->left == 0 && c->used != c->data_bytes))
        return "the data of a column does not match its symbols";
    return c->empty ? "a reference has size 0" : NULL;
}
