/* The state of an encoder of columns. native_encode.c, which plans and emits, and native_choose.c,
 * which chooses the symbols of a frame, share it. See native_codec.h. */
#ifndef RDI_NATIVE_ENCODER_H
#define RDI_NATIVE_ENCODER_H

#include "trace/native_codec.h"

/* Number of slots; more slots make differences smaller, but need more symbols. */
#define SLOTS 8
/* Approximate number of data bytes of a reference whose shape has no symbol of its own. */
#define ESCAPE_BYTES 6
/* A value uses a slot whose base is less than this number of bytes away. If there is no such slot, the
 * value takes over the least recently used slot. */
#define NEAR_BYTES 0x8000

/* Size classes. A symbol of a shape contains sizes up to 64 and powers of two; all other sizes, and
 * all sizes with an escape (native_choose.c), are in the data stream. */
enum {
    SIZE_NONE = 0,
    SIZE_SMALL_LAST = 64,             /* class = size */
    SIZE_POWER = SIZE_SMALL_LAST - 6, /* class = SIZE_POWER + log2(size), from 128 on */
    SIZE_EXPLICIT = SIZE_POWER + 32,  /* class = SIZE_EXPLICIT + number of bytes of the size - 1 */
    SIZE_CLASSES = SIZE_EXPLICIT + 4
};

/* A shape is a 16-bit number: size class (7 bits), slot (3), kind (2) and number of bytes of the
 * difference (4). */
#define KINDS       4 /* number of kinds: none, load, store, fetch */
#define WIDTHS      9
#define KIND_SHIFT  4
#define SLOT_SHIFT  6
#define CLASS_SHIFT 9
#define SHAPES      (1 << 16)
_Static_assert(SIZE_CLASSES <= SHAPES >> CLASS_SHIFT,
               "a size class must fit in the bits from CLASS_SHIFT on");

#define SAMPLE_FROM 8192 /* in shorter frames, all shapes and differences are counted */
#define EXACT_BITS  14
#define EXACT_ROOM  (1u << EXACT_BITS)
#define COUNT_BITS  16 /* bits for the number of times that a difference occurs in the sample */
#define PROBE_BITS  11 /* log2 of the size of the table that finds the symbol of a difference */
#define GUESS_BITS  8  /* log2 of the size of the table that guesses the slot of an address */
#define NO_SYMBOL   -1
#define NO_KEY      UINT64_MAX

/* A possible symbol, and the data bytes that it would save. */
typedef struct candidate {
    uint32_t gain;
    uint32_t shape; /* the shape; from SHAPES on: SHAPES + an index into `exacts` */
} candidate;

/* A symbol as it is stored in the file. */
typedef struct symbol {
    uint8_t slot, width, size_width, kind;
    uint32_t size;
    uint64_t add;
} symbol;

struct rdi_column_encoder {
    rd_ctx *ctx;
    bool avx2;
    uint64_t delta[RDI_FRAME_REFS];
    uint16_t shape[RDI_FRAME_REFS];
    uint8_t control[RDI_FRAME_REFS];
    uint64_t bases[SLOTS]; /* bases of the slots at the beginning of the frame */
    unsigned slots;        /* number of slots in use */
    uint8_t guess[1 << GUESS_BITS];
    uint8_t
        occurs[SHAPES]; /* 1: the frame has references of this shape; all 0 between two frames */
    uint32_t shape_count[SHAPES]; /* number of references of each shape in the sample; all 0 between
                                     two frames */
    int16_t shape_symbol[SHAPES]; /* symbol of each shape; valid for shapes in `used` */
    uint16_t used[SHAPES];        /* shapes that occur in the frame */
    size_t used_count;
    /* Differences in the sample, as exact_key() << COUNT_BITS | count. This is a hash table with
     * open addressing; a free entry is 0. All entries are 0 between two frames. */
    uint64_t exacts[EXACT_ROOM];
    uint16_t exact_used[EXACT_ROOM]; /* indices of the entries in use */
    size_t exact_count;
    uint64_t probe[1 << PROBE_BITS]; /* entries exact_key() << 8 | symbol, or NO_KEY */
    candidate candidates[SHAPES + EXACT_ROOM];
    size_t candidate_count;
    symbol symbols[RDI_SYMBOLS_MAX];
    unsigned symbol_count;
};

static inline unsigned bytes_of(uint64_t x) {
    return (rdi_bit_width(x) + 7) / 8;
}

/* Returns the number of bytes that hold x as a two's complement number; 0 for 0. */
static inline unsigned signed_bytes(uint64_t x) {
    uint64_t magnitude = x ^ (0 - (x >> 63));
    return rdi_bit_width(magnitude | 1) / 8 + (x != 0);
}

static inline unsigned size_class(uint32_t size) {
    if (size <= SIZE_SMALL_LAST)
        return size;
    if ((size & (size - 1)) == 0)
        return SIZE_POWER + rdi_bit_width(size) - 1;
    return SIZE_EXPLICIT + bytes_of(size) - 1;
}

static inline unsigned explicit_bytes(unsigned class) {
    return class >= SIZE_EXPLICIT ? class - SIZE_EXPLICIT + 1 : 0;
}

static inline uint32_t class_size(unsigned class) {
    if (class <= SIZE_SMALL_LAST)
        return class;
    return class < SIZE_EXPLICIT ? UINT32_C(1) << (class - SIZE_POWER) : 0;
}

static inline unsigned shape_width(uint32_t shape) {
    return shape % (1 << KIND_SHIFT);
}

static inline unsigned shape_kind(uint32_t shape) {
    return shape >> KIND_SHIFT & (KINDS - 1);
}

static inline unsigned shape_slot(uint32_t shape) {
    return shape >> SLOT_SHIFT & (SLOTS - 1);
}

static inline unsigned shape_class(uint32_t shape) {
    return shape >> CLASS_SHIFT;
}

static inline unsigned kind_code(uint8_t kind) {
    return kind - (kind >> 2); /* RD_FETCH, which is 4, becomes 3 */
}

static inline uint8_t code_kind(unsigned code) {
    return (uint8_t)(code == 3 ? RD_FETCH : code);
}

/* ---- differences ---- */

/* Returns the key of a difference of at most 4 bytes, which its shape and its low 32 bits
 * identify. */
static inline uint64_t exact_key(uint32_t shape, uint64_t delta) {
    return (uint64_t)shape << 32 | (uint32_t)delta;
}

static inline uint64_t hash(uint64_t key) {
    return key * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t *probe_of(rdi_column_encoder *e, uint64_t key) {
    return &e->probe[hash(key) >> (64 - PROBE_BITS)];
}

/* Chooses the symbols of the planned frame of n references, and sets `symbols`, `symbol_count`,
 * `shape_symbol` and `probe`. `kinded` means that the column has kinds. */
void rdi_choose_symbols(rdi_column_encoder *e, size_t n, bool kinded);

#endif
