/* Encoding a column of the native trace format. See native_codec.h.
 *
 * The encoder makes three passes over a frame. Plan: it assigns every reference to the slot with the
 * nearest base, or to the least recently used slot if none is near, and takes the difference from the
 * base. Choose: a shape (slot, kind, size, bytes needed) of many differences can get a symbol, and so
 * can a difference that recurs exactly, whose symbol needs no data bytes; the 256 symbols that save
 * most are chosen. Emit: it writes control bytes and data bytes.
 */
#include "trace/native_codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS        8      /* more slots make differences smaller, but need more symbols */
#define ESCAPE_BYTES 6      /* approximate cost of a reference without a good symbol */
#define NEAR_BYTES   0x8000 /* a stream that jumps further is another stream */

/* Sizes up to 64 and powers of two are part of the symbol; others go to the data stream. */
enum {
    SIZE_NONE = 0,
    SIZE_SMALL_LAST = 64,             /* class = size */
    SIZE_POWER = SIZE_SMALL_LAST - 6, /* class = SIZE_POWER + log2(size), from 128 on */
    SIZE_EXPLICIT = SIZE_POWER + 32,  /* class = SIZE_EXPLICIT + bytes - 1 */
    SIZE_CLASSES = SIZE_EXPLICIT + 4
};

#define KINDS      4 /* none, load, store, fetch */
#define WIDTHS     9
#define SHAPES     (SIZE_CLASSES * SLOTS * KINDS * WIDTHS)

#define EXACT_BITS 16
#define EXACT_ROOM (1u << EXACT_BITS)
#define EXACT_MAX  (EXACT_ROOM / 2)
#define NO_EXACT   UINT32_MAX
#define NO_SYMBOL  -1

/* One difference of one shape, and how often it occurred. */
typedef struct exact {
    uint64_t key; /* shape << 32 | low 32 bits of the difference */
    uint32_t count;
    int32_t symbol;
} exact;

/* A possible symbol, and the data bytes that it would save. */
typedef struct candidate {
    uint64_t gain;
    uint32_t shape; /* SHAPES or more: index into exact, plus SHAPES */
} candidate;

/* A symbol as stored. */
typedef struct symbol {
    uint8_t slot, width, size_width, kind;
    uint32_t size;
    uint64_t add;
} symbol;

struct rdi_column_encoder {
    rd_ctx *ctx;
    uint64_t delta[RDI_FRAME_REFS];
    uint32_t shape[RDI_FRAME_REFS];
    uint32_t exact_of[RDI_FRAME_REFS]; /* NO_EXACT: by shape only */
    uint64_t bases[SLOTS];             /* first: initial values of the frame */
    unsigned slots;                    /* used */
    uint32_t shape_count[SHAPES];
    int32_t shape_symbol[SHAPES];
    exact exacts[EXACT_ROOM]; /* open addressing; count 0: free */
    uint32_t exact_count;
    candidate candidates[SHAPES + EXACT_MAX];
    size_t candidate_count;
    symbol symbols[RDI_SYMBOLS_MAX];
    unsigned symbol_count;
};

rd_status rdi_column_encoder_new(rd_ctx *ctx, rdi_column_encoder **out) {
    rdi_column_encoder *e = rdi_alloc(ctx, 1, sizeof *e);
    if (!e)
        return RD_ENOMEM;
    e->ctx = ctx;
    *out = e;
    return RD_OK;
}

void rdi_column_encoder_free(rdi_column_encoder *e) {
    if (e)
        rdi_free(e->ctx, e);
}

/* ---- shapes ---- */

static unsigned bytes_of(uint64_t x) {
    return (rdi_bit_width(x) + 7) / 8;
}

/* Bytes that hold x as a two's complement number; 0 for 0. */
static unsigned signed_bytes(uint64_t x) {
    if (x == 0)
        return 0;
    uint64_t magnitude = x >> 63 ? ~x : x;
    return rdi_bit_width(magnitude) / 8 + 1;
}

static unsigned size_class(uint32_t size) {
    if (size <= SIZE_SMALL_LAST)
        return size;
    if ((size & (size - 1)) == 0)
        return SIZE_POWER + rdi_bit_width(size) - 1;
    return SIZE_EXPLICIT + bytes_of(size) - 1;
}

static unsigned explicit_bytes(unsigned class) {
    return class >= SIZE_EXPLICIT ? class - SIZE_EXPLICIT + 1 : 0;
}

static uint32_t class_size(unsigned class) {
    if (class <= SIZE_SMALL_LAST)
        return class;
    return class < SIZE_EXPLICIT ? UINT32_C(1) << (class - SIZE_POWER) : 0;
}

static uint32_t make_shape(unsigned class, unsigned slot, unsigned kind, unsigned width) {
    return ((class * SLOTS + slot) * KINDS + kind) * WIDTHS + width;
}

static unsigned shape_width(uint32_t shape) {
    return shape % WIDTHS;
}

static unsigned shape_kind(uint32_t shape) {
    return shape / WIDTHS % KINDS;
}

static unsigned shape_slot(uint32_t shape) {
    return shape / WIDTHS / KINDS % SLOTS;
}

static unsigned shape_class(uint32_t shape) {
    return shape / WIDTHS / KINDS / SLOTS;
}

static unsigned kind_code(uint8_t kind) {
    return kind == RD_FETCH ? 3 : kind;
}

static uint8_t code_kind(unsigned code) {
    return (uint8_t)(code == 3 ? RD_FETCH : code);
}

/* ---- plan ---- */

static unsigned choose_slot(const uint64_t *bases, const uint32_t *last_use, uint64_t value) {
    unsigned nearest = 0, oldest = 0;
    uint64_t best = UINT64_MAX;
    for (unsigned s = 0; s < SLOTS; s++) {
        uint64_t d = value - bases[s], distance = d >> 63 ? 0 - d : d;
        if (distance < best) {
            best = distance;
            nearest = s;
        }
    }
    if (best < NEAR_BYTES)
        return nearest;
    for (unsigned s = 1; s < SLOTS; s++)
        if (last_use[s] < last_use[oldest])
            oldest = s;
    return oldest;
}

/* Counts the difference. Returns NO_EXACT if it cannot have a symbol of its own. */
static uint32_t count_exact(rdi_column_encoder *e, uint32_t shape, uint64_t delta) {
    unsigned width = shape_width(shape);
    if (width == 0 || width > 4)
        return NO_EXACT;
    uint64_t key = (uint64_t)shape << 32 | (uint32_t)delta;
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - EXACT_BITS));
    while (e->exacts[at].count > 0 && e->exacts[at].key != key)
        at = (at + 1) % EXACT_ROOM;
    if (e->exacts[at].count == 0) {
        if (e->exact_count == EXACT_MAX)
            return NO_EXACT;
        e->exact_count++;
        e->exacts[at] = (exact){.key = key, .symbol = NO_SYMBOL};
    }
    e->exacts[at].count++;
    return at;
}

static void plan(rdi_column_encoder *e, size_t n, const uint64_t *values, const uint32_t *sizes,
                 const uint8_t *kinds) {
    uint64_t bases[SLOTS];
    uint32_t last_use[SLOTS] = {0};
    for (unsigned s = 0; s < SLOTS; s++)
        bases[s] = e->bases[s] = values[0];
    e->slots = 1;
    e->exact_count = 0;
    memset(e->shape_count, 0, sizeof e->shape_count);
    memset(e->exacts, 0, sizeof e->exacts);
    for (size_t i = 0; i < n; i++) {
        unsigned slot = choose_slot(bases, last_use, values[i]);
        uint32_t size = sizes ? sizes[i] : 0;
        uint64_t delta = values[i] - bases[slot];
        uint32_t shape = make_shape(size_class(size), slot, kinds ? kind_code(kinds[i]) : 0,
                                    signed_bytes(delta));
        e->delta[i] = delta;
        e->shape[i] = shape;
        e->shape_count[shape]++;
        e->exact_of[i] = count_exact(e, shape, delta);
        bases[slot] = values[i] + size;
        last_use[slot] = (uint32_t)i + 1;
        e->slots = slot < e->slots ? e->slots : slot + 1;
    }
}

/* ---- choose ---- */

static int by_gain(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return x->shape < y->shape ? -1 : x->shape > y->shape; /* same file on every machine */
}

static void add_candidate(rdi_column_encoder *e, uint64_t gain, uint32_t shape) {
    if (gain > RDI_SYMBOL_BYTES)
        e->candidates[e->candidate_count++] = (candidate){gain, shape};
}

static void collect_candidates(rdi_column_encoder *e) {
    e->candidate_count = 0;
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        unsigned bytes = shape_width(shape) + explicit_bytes(shape_class(shape));
        unsigned saved = bytes < ESCAPE_BYTES ? ESCAPE_BYTES - bytes : 1;
        add_candidate(e, (uint64_t)e->shape_count[shape] * saved, shape);
    }
    for (uint32_t i = 0; i < EXACT_ROOM; i++)
        if (e->exacts[i].count) {
            unsigned width = shape_width((uint32_t)(e->exacts[i].key >> 32));
            add_candidate(e, (uint64_t)e->exacts[i].count * width, SHAPES + i);
        }
    qsort(e->candidates, e->candidate_count, sizeof *e->candidates, by_gain);
}

/* The constant with which `width` unsigned bytes represent differences of both signs. */
static uint64_t bias(unsigned width) {
    return width == 0 || width == 8 ? 0 : 0 - (UINT64_C(1) << (8 * width - 1));
}

static int32_t add_symbol(rdi_column_encoder *e, uint32_t shape, unsigned width, unsigned class,
                          uint64_t add) {
    assert(e->symbol_count < RDI_SYMBOLS_MAX);
    e->symbols[e->symbol_count] = (symbol){
        .slot = (uint8_t)shape_slot(shape),
        .width = (uint8_t)width,
        .size_width = (uint8_t)explicit_bytes(class),
        .kind = code_kind(shape_kind(shape)),
        .size = class_size(class),
        .add = add,
    };
    return (int32_t)e->symbol_count++;
}

static bool size_in_data(const rdi_column_encoder *e, uint32_t index) {
    uint32_t shape = index < SHAPES ? index : (uint32_t)(e->exacts[index - SHAPES].key >> 32);
    return explicit_bytes(shape_class(shape)) > 0;
}

static void take_candidate(rdi_column_encoder *e, uint32_t index) {
    if (index < SHAPES) {
        unsigned width = shape_width(index);
        e->shape_symbol[index] = add_symbol(e, index, width, shape_class(index), bias(width));
    } else {
        exact *x = &e->exacts[index - SHAPES];
        uint32_t shape = (uint32_t)(x->key >> 32);
        uint64_t delta = (uint64_t)(int64_t)(int32_t)(uint32_t)x->key;
        x->symbol = add_symbol(e, shape, 0, shape_class(shape), delta);
    }
}

/* The narrowest wider shape that has a symbol and is otherwise equal. */
static int32_t find_wider(const rdi_column_encoder *e, uint32_t shape) {
    for (unsigned w = shape_width(shape) + 1; w < WIDTHS; w++) {
        int32_t found = e->shape_symbol[shape - shape_width(shape) + w];
        if (found != NO_SYMBOL)
            return found;
    }
    return NO_SYMBOL;
}

/* The symbol for all shapes of one slot and kind that got no symbol of their own. It has room for the
 * widest difference and the largest size among them. */
typedef struct escape {
    unsigned width, size_bytes;
    int32_t symbol;
} escape;

static void widen_escape(escape *x, uint32_t shape) {
    unsigned class = shape_class(shape), width = shape_width(shape);
    unsigned size_bytes =
        class < SIZE_EXPLICIT ? bytes_of(class_size(class)) : explicit_bytes(class);
    x->width = width > x->width ? width : x->width;
    x->size_bytes = size_bytes > x->size_bytes ? size_bytes : x->size_bytes;
}

static void place_leftover_shapes(rdi_column_encoder *e) {
    escape escapes[SLOTS * KINDS] = {0};
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        if (!e->shape_count[shape] || e->shape_symbol[shape] != NO_SYMBOL)
            continue;
        e->shape_symbol[shape] = find_wider(e, shape);
        if (e->shape_symbol[shape] == NO_SYMBOL)
            widen_escape(&escapes[shape / WIDTHS % (SLOTS * KINDS)], shape);
    }
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        if (!e->shape_count[shape] || e->shape_symbol[shape] != NO_SYMBOL)
            continue;
        escape *x = &escapes[shape / WIDTHS % (SLOTS * KINDS)];
        if (x->symbol == 0) {
            unsigned class = x->size_bytes ? SIZE_EXPLICIT + x->size_bytes - 1 : SIZE_NONE;
            x->symbol = 1 + add_symbol(e, shape, x->width, class, bias(x->width));
        }
        e->shape_symbol[shape] = x->symbol - 1;
    }
}

static void choose(rdi_column_encoder *e, bool kinded) {
    memset(e->shape_symbol, 0xff, sizeof e->shape_symbol); /* NO_SYMBOL */
    e->symbol_count = 0;
    collect_candidates(e);
    size_t escapes = e->slots * (kinded ? KINDS - 1 : 1);
    size_t room = RDI_SYMBOLS_MAX - escapes;
    size_t n = e->candidate_count < room ? e->candidate_count : room;
    for (int last = 0; last < 2; last++) /* decoders need symbols with a size in the data last */
        for (size_t i = 0; i < n; i++)
            if (size_in_data(e, e->candidates[i].shape) == last)
                take_candidate(e, e->candidates[i].shape);
    place_leftover_shapes(e);
}

/* ---- emit ---- */

static uint8_t *put_bytes(uint8_t *p, uint64_t x, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        *p++ = (uint8_t)(x >> 8 * i);
    return p;
}

static uint8_t *put_head(const rdi_column_encoder *e, uint8_t *p) {
    p = put_bytes(p, e->slots, 2);
    p = put_bytes(p, e->symbol_count, 2);
    p += 4; /* length of the data: known at the end */
    for (unsigned i = 0; i < e->slots; i++)
        p = put_bytes(p, e->bases[i], 8);
    for (unsigned i = 0; i < e->symbol_count; i++) {
        const symbol *s = &e->symbols[i];
        p = put_bytes(p, s->slot, 1);
        p = put_bytes(p, s->width, 1);
        p = put_bytes(p, s->size_width, 1);
        p = put_bytes(p, s->kind, 1);
        p = put_bytes(p, s->size, 4);
        p = put_bytes(p, s->add, 8);
    }
    return p;
}

static int32_t symbol_of(const rdi_column_encoder *e, size_t i) {
    uint32_t own = e->exact_of[i];
    if (own != NO_EXACT && e->exacts[own].symbol != NO_SYMBOL)
        return e->exacts[own].symbol;
    return e->shape_symbol[e->shape[i]];
}

size_t rdi_column_encode(rdi_column_encoder *e, size_t n, const uint64_t *values,
                         const uint32_t *sizes, const uint8_t *kinds, uint8_t *out) {
    assert(n > 0 && n <= RDI_FRAME_REFS);
    plan(e, n, values, sizes, kinds);
    choose(e, kinds != NULL);
    uint8_t *data = put_head(e, out), *p = data;
    for (size_t i = 0; i < n; i++) {
        const symbol *s = &e->symbols[symbol_of(e, i)];
        p = put_bytes(p, e->delta[i] - s->add, s->width);
        p = put_bytes(p, sizes ? sizes[i] : 0, s->size_width);
    }
    rdi_store_le32(out + 4, (uint32_t)(p - data));
    p = put_bytes(p, 0, RDI_PAD_BYTES);
    for (size_t i = 0; e->symbol_count > 1 && i < n; i++)
        *p++ = (uint8_t)symbol_of(e, i);
    return (size_t)(p - out);
}
