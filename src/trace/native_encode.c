/* Encodes a column of the native trace format. See native_codec.h.
 *
 * The encoder makes three passes over a frame. The first pass (plan) assigns every reference to a
 * slot with a near base, or to the least recently used slot if no base is near, and computes the
 * difference from the base. The second pass (choose) chooses up to 256 symbols, the ones that save
 * most data bytes; see native_choose.c. The third pass (emit) writes control bytes and data bytes.
 *
 * Plan and emit cost only a few nanoseconds per reference, because they rarely branch: one table
 * guesses the slot from the address, and another table finds the symbol of a difference with one
 * probe. The first pass notes which shapes occur, because each shape needs a symbol. How often a shape or
 * a difference occurs is counted in a sample, because a missed symbol costs only a few bytes.
 */
#include "base/cpu.h"
#include "trace/native_encoder.h"

#include <assert.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

rd_status rdi_column_encoder_new(rd_ctx *ctx, rdi_column_encoder **out) {
    rdi_column_encoder *e = rdi_calloc(ctx, 1, sizeof *e);
    if (!e)
        return RD_ENOMEM;
    rdi_isa isa;
    rd_status status = rdi_isa_choose(ctx, "native", RDI_ISA_AUTO, &isa);
    e->ctx = ctx;
    e->avx2 = status == RD_OK && isa >= RDI_ISA_AVX2;
    *out = e;
    return RD_OK;
}

void rdi_column_encoder_free(rdi_column_encoder *e) {
    if (e)
        rdi_free(e->ctx, e);
}

/* ---- plan ---- */

/* Chooses the slot of a value: the one with the nearest base if that is near, or else the least recently
 * used one. last_use[] has the number of the last reference of each slot, counted from 1. */
typedef unsigned slot_choice(const uint64_t *bases, const uint16_t *last_use, uint64_t value);

static unsigned choose_slot(const uint64_t *bases, const uint16_t *last_use, uint64_t value) {
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

#if defined(__x86_64__)
/* Does the work of choose_slot() with few branches, because processors cannot predict the
 * outcome. */
RDI_TARGET_AVX2 static inline unsigned choose_slot_avx2(const uint64_t *bases,
                                                        const uint16_t *last_use, uint64_t value) {
    _Static_assert(SLOTS == 8, "the bases must fill two vectors, and the last uses one");
    const __m256i near = _mm256_set1_epi64x(NEAR_BYTES), far = _mm256_set1_epi64x(-NEAR_BYTES);
    unsigned mask = 0;
    for (int half = 0; half < 2; half++) {
        __m256i base = _mm256_loadu_si256((const __m256i *)(bases + 4 * half));
        __m256i d = _mm256_sub_epi64(_mm256_set1_epi64x((int64_t)value), base);
        __m256i is_near = _mm256_and_si256(_mm256_cmpgt_epi64(near, d), _mm256_cmpgt_epi64(d, far));
        mask |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(is_near)) << 4 * half;
    }
    if (mask & (mask - 1)) /* several bases are near */
        return choose_slot(bases, last_use, value);
    __m128i uses = _mm_loadu_si128((const __m128i *)last_use);
    unsigned oldest = (unsigned)_mm_extract_epi16(_mm_minpos_epu16(uses), 1);
    return mask ? (unsigned)__builtin_ctz(mask) : oldest;
}
#endif

static inline uint8_t *guess_of(rdi_column_encoder *e, uint64_t value) {
    return &e->guess[value / NEAR_BYTES * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GUESS_BITS)];
}

static inline __attribute__((always_inline)) void
plan_any(rdi_column_encoder *e, size_t n, const uint64_t *values, const uint32_t *sizes,
         const uint8_t *kinds, slot_choice *choose) {
    uint64_t bases[SLOTS];
    uint16_t last_use[SLOTS] = {0};
    for (unsigned s = 0; s < SLOTS; s++)
        bases[s] = e->bases[s] = values[0];
    for (size_t i = 0; i < n; i++) {
        uint8_t *guess = guess_of(e, values[i]);
        unsigned slot = *guess;
        uint64_t delta = values[i] - bases[slot];
        if (RDI_UNLIKELY(delta + NEAR_BYTES >= 2 * NEAR_BYTES)) {
            slot = choose(bases, last_use, values[i]);
            *guess = (uint8_t)slot;
            delta = values[i] - bases[slot];
        }
        uint32_t size = sizes ? sizes[i] : 0;
        unsigned class = size;
        if (RDI_UNLIKELY(size > SIZE_SMALL_LAST))
            class = size_class(size);
        unsigned shape = class << CLASS_SHIFT | slot << SLOT_SHIFT |
                         (kinds ? kind_code(kinds[i]) : 0) << KIND_SHIFT | signed_bytes(delta);
        e->delta[i] = delta;
        e->shape[i] = (uint16_t)shape;
        e->occurs[shape] = 1;
        bases[slot] = values[i] + size;
        last_use[slot] = (uint16_t)(i + 1); /* 0 after the last reference of the largest frame */
    }
}

/* Lists the shapes that occur in the frame of n references, and counts its slots. In a short frame, looking at
 * every possible shape would take longer than looking at every reference. */
static void list_shapes(rdi_column_encoder *e, size_t n) {
    size_t used = 0;
    for (size_t i = 0; n < SAMPLE_FROM && i < n; i++)
        if (e->occurs[e->shape[i]]) {
            e->occurs[e->shape[i]] = 0;
            e->used[used++] = e->shape[i];
        }
    for (size_t at = 0; n >= SAMPLE_FROM && at < SHAPES; at += 8) {
        uint64_t eight = rdi_load_le64(e->occurs + at);
        for (; eight; eight &= eight - 1)
            e->used[used++] = (uint16_t)(at + (unsigned)__builtin_ctzll(eight) / 8);
    }
    e->used_count = used;
    e->slots = 1;
    for (size_t i = 0; i < used; i++) {
        unsigned slot = shape_slot(e->used[i]);
        e->slots = slot < e->slots ? e->slots : slot + 1;
    }
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
    p += 4; /* room for the length of the data, which is known at the end */
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

/* Writes the data to p, sets e->control, and returns the end of the data. The function may
 * overwrite the 8 bytes after the data. */
static inline __attribute__((always_inline)) uint8_t *emit_any(rdi_column_encoder *e, size_t n,
                                                               const uint32_t *sizes, uint8_t *p) {
    for (size_t i = 0; i < n; i++) {
        uint64_t key = exact_key(e->shape[i], e->delta[i]), found = *probe_of(e, key);
        unsigned index = (uint16_t)e->shape_symbol[e->shape[i]];
        if (found >> 8 == key)
            index = found & 0xff;
        const symbol *s = &e->symbols[index];
        e->control[i] = (uint8_t)index;
        rdi_store_le64(p, e->delta[i] - s->add);
        p += s->width;
        if (RDI_UNLIKELY(s->size_width))
            p = put_bytes(p, sizes[i], s->size_width);
    }
    return p;
}

typedef void plan_pass(rdi_column_encoder *e, size_t n, const uint64_t *values,
                       const uint32_t *sizes, const uint8_t *kinds);
typedef uint8_t *emit_pass(rdi_column_encoder *e, size_t n, const uint32_t *sizes, uint8_t *p);

#define PASSES(set, target, choose)                                                                \
    target static void plan_##set(rdi_column_encoder *e, size_t n, const uint64_t *values,         \
                                  const uint32_t *sizes, const uint8_t *kinds) {                   \
        if (sizes && kinds) /* the compiler makes a loop without conditions for this case */       \
            plan_any(e, n, values, sizes, kinds, choose);                                          \
        else                                                                                       \
            plan_any(e, n, values, sizes, kinds, choose);                                          \
    }                                                                                              \
    target static uint8_t *emit_##set(rdi_column_encoder *e, size_t n, const uint32_t *sizes,      \
                                      uint8_t *p) {                                                \
        return emit_any(e, n, sizes, p);                                                           \
    }
PASSES(plain, , choose_slot)
#if defined(__x86_64__)
PASSES(avx2, RDI_TARGET_AVX2, choose_slot_avx2)
#endif

size_t rdi_column_encode(rdi_column_encoder *e, size_t n, const uint64_t *values,
                         const uint32_t *sizes, const uint8_t *kinds, uint8_t *out) {
    assert(n > 0 && n <= RDI_FRAME_REFS);
    plan_pass *plan = plan_plain;
    emit_pass *emit = emit_plain;
#if defined(__x86_64__)
    if (e->avx2) {
        plan = plan_avx2;
        emit = emit_avx2;
    }
#endif
    plan(e, n, values, sizes, kinds);
    list_shapes(e, n);
    rdi_choose_symbols(e, n, kinds != NULL);
    uint8_t *data = put_head(e, out), *p = emit(e, n, sizes, data);
    rdi_store_le32(out + 4, (uint32_t)(p - data));
    p = put_bytes(p, 0, RDI_PAD_BYTES);
    if (e->symbol_count > 1) {
        memcpy(p, e->control, n);
        p += n;
    }
    return (size_t)(p - out);
}
