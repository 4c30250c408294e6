/* Implements the unit axis. See unit_axis.h. */
#include "order/unit_axis.h"

#include "base/cpu.h"

#define WORD_SLOTS (UINT64_C(1) << RDI_UNIT_WORD)
#define FAN        (UINT64_C(1) << RDI_UNIT_FAN)
#define SLOTS_MOST ((UINT64_C(1) << 32) - 1024)

#define NO_OWNER   UINT32_MAX /* the owner of a hole after a renumbering */

#define ONES16     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
/* The 16 lanes that begin at index 16 - i have a 1 in the lanes from i on. */
static const uint32_t lanes_from[2 * FAN] = {[FAN] = ONES16};
#undef ONES16

/* A group of 16 elements, which the compiler keeps in the widest vectors of the instruction set. */
typedef uint32_t group __attribute__((vector_size(64), aligned(4), may_alias));

/* ---- memory ---- */

static rd_status grow(rd_ctx *ctx, uint64_t **array, uint64_t *room, uint64_t to) {
    void *p = *array;
    rd_status status = rdi_pages_grow_array(ctx, &p, room, to, sizeof **array);
    *array = p;
    return status;
}

static rd_status grow_narrow(rd_ctx *ctx, uint32_t **array, uint64_t *room, uint64_t to) {
    void *p = *array;
    rd_status status = rdi_pages_grow_array(ctx, &p, room, to, sizeof **array);
    *array = p;
    return status;
}

/* Enlarges all arrays to `capacity` slots. Every level is a whole number of groups, because take()
 * changes whole groups. */
static rd_status reserve(rdi_unit_axis *a, rd_ctx *ctx, uint64_t capacity) {
    RD_TRY(grow(ctx, &a->used, &a->used_room, (capacity >> RDI_UNIT_WORD) + 1));
    for (unsigned k = 0; k < RDI_UNIT_LEVELS; k++)
        RD_TRY(grow_narrow(ctx, &a->sum[k], &a->sum_room[k],
                           ((capacity >> (RDI_UNIT_WORD + RDI_UNIT_FAN * k)) + FAN) & ~(FAN - 1)));
    RD_TRY(rdi_hole_set_reserve(&a->holes, ctx, capacity));
    return grow_narrow(ctx, &a->owner, &a->owner_room, capacity);
}

void rdi_unit_axis_fini(rdi_unit_axis *a, rd_ctx *ctx) {
    rdi_pages_free(ctx, a->used, (size_t)a->used_room * sizeof *a->used);
    for (unsigned k = 0; k < RDI_UNIT_LEVELS; k++)
        rdi_pages_free(ctx, a->sum[k], (size_t)a->sum_room[k] * sizeof **a->sum);
    rdi_hole_set_fini(&a->holes, ctx);
    rdi_pages_free(ctx, a->owner, (size_t)a->owner_room * sizeof *a->owner);
}

/* ---- sums ---- */

#define INLINE static inline __attribute__((always_inline))

static inline uint64_t bit_of(uint64_t s) {
    return UINT64_C(1) << (s & (WORD_SLOTS - 1));
}

/* Returns the number of slots in use in the word of `next`, minus those in the word of s up to s. */
INLINE uint64_t differ_in_words(const rdi_unit_axis *a, uint64_t s) {
    uint64_t up_to = a->used[s >> RDI_UNIT_WORD] & (2 * bit_of(s) - 1);
    return (uint64_t)__builtin_popcountll(a->used[a->next >> RDI_UNIT_WORD]) -
           (uint64_t)__builtin_popcountll(up_to);
}

INLINE uint64_t above(const rdi_unit_axis *a, uint64_t s) {
    uint64_t sum = differ_in_words(a, s), i = s >> RDI_UNIT_WORD, top = a->next >> RDI_UNIT_WORD;
    for (unsigned k = 0; i != top; k++, i >>= RDI_UNIT_FAN, top >>= RDI_UNIT_FAN)
        sum += (uint64_t)a->sum[k][top] - a->sum[k][i];
    return sum;
}

/* Ends the use of slot s, and returns the number of slots in use above it. The function may also
 * change the sums of elements that begin after `next`, which are not valid yet. */
INLINE uint64_t take(rdi_unit_axis *a, uint64_t s) {
    uint64_t sum = differ_in_words(a, s), i = s >> RDI_UNIT_WORD, top = a->next >> RDI_UNIT_WORD;
    a->used[i] &= ~bit_of(s);
    for (unsigned k = 0; i != top; k++, i >>= RDI_UNIT_FAN, top >>= RDI_UNIT_FAN) {
        sum += (uint64_t)a->sum[k][top] - a->sum[k][i];
        *(group *)(a->sum[k] + (i & ~(FAN - 1))) -=
            *(const group *)(lanes_from + (FAN - 1) - (i & (FAN - 1)));
    }
    return sum;
}

#define KERNEL(isa, target)                                                                        \
    target static uint64_t above_##isa(const rdi_unit_axis *a, uint64_t s) {                       \
        return above(a, s);                                                                        \
    }                                                                                              \
    target static uint64_t take_##isa(rdi_unit_axis *a, uint64_t s) {                              \
        return take(a, s);                                                                         \
    }
KERNEL(plain, )
#if defined(__x86_64__)
KERNEL(avx2, RDI_TARGET_AVX2)
KERNEL(avx512, RDI_TARGET_AVX512)
#else
#define above_avx2   above_plain
#define above_avx512 above_plain
#define take_avx2    take_plain
#define take_avx512  take_plain
#endif

static rd_status choose_kernel(rdi_unit_axis *a, rd_ctx *ctx) {
    rdi_isa isa;
    RD_TRY(rdi_isa_choose(ctx, "private caches", RDI_ISA_AUTO, &isa));
    a->above = isa == RDI_ISA_AVX512 ? above_avx512
               : isa == RDI_ISA_AVX2 ? above_avx2
                                     : above_plain;
    a->take = isa == RDI_ISA_AVX512 ? take_avx512 : isa == RDI_ISA_AVX2 ? take_avx2 : take_plain;
    return RD_OK;
}

/* ---- changes ---- */

/* Sets the sums of the elements that begin at `next`, which must be the first slot of a word. */
static void close_word(rdi_unit_axis *a) {
    uint64_t i = (a->next - 1) >> RDI_UNIT_WORD;
    uint32_t sum = (uint32_t)__builtin_popcountll(a->used[i]);
    for (unsigned k = 0;; k++, i >>= RDI_UNIT_FAN) {
        sum += a->sum[k][i];
        if ((i & (FAN - 1)) != FAN - 1) {
            a->sum[k][i + 1] = sum;
            return;
        }
        a->sum[k][i + 1] = 0;
    }
}

/* Gives the next slot to `owner`. */
static inline uint32_t append(rdi_unit_axis *a, uint32_t owner) {
    uint64_t s = a->next++;
    a->owner[s] = owner;
    a->used[s >> RDI_UNIT_WORD] |= bit_of(s);
    if ((a->next & (WORD_SLOTS - 1)) == 0)
        close_word(a);
    return (uint32_t)s;
}

void rdi_unit_remove(rdi_unit_axis *a, uint64_t s) {
    rdi_hole_set_add(&a->holes, s);
}

uint32_t rdi_unit_push(rdi_unit_axis *a, uint32_t owner) {
    uint64_t hole = a->holes.top;
    if (hole) {
        a->take(a, hole);
        rdi_hole_set_pop(&a->holes);
        rdi_unit_prefetch(a, a->holes.top);
    }
    return append(a, owner);
}

uint32_t rdi_unit_move(rdi_unit_axis *a, uint64_t s, uint32_t owner, uint64_t *above) {
    if (RDI_UNLIKELY(a->holes.top > s)) {
        *above = rdi_unit_above(a, s);
        rdi_unit_remove(a, s);
        return rdi_unit_push(a, owner);
    }
    /* There is no hole above s, so the new slot fills the hole at s. */
    *above = a->take(a, s);
    return append(a, owner);
}

rd_status rdi_unit_axis_init(rdi_unit_axis *a, rd_ctx *ctx, uint64_t unit) {
    *a = (rdi_unit_axis){.next = 1, .unit = unit};
    RD_TRY(choose_kernel(a, ctx));
    RD_TRY(reserve(a, ctx, unit));
    a->capacity = unit;
    return RD_OK;
}

/* ---- renumbering ---- */

/* The slots in use of a word, in ascending order. */
typedef struct tile {
    size_t n;
    uint32_t owner[WORD_SLOTS]; /* NO_OWNER: the slot is a hole */
} tile;

/* Copies the slots in use of word w to the tile, empties the word, and prefetches the places where
 * the owners store their slots. */
static void read_tile(rdi_unit_axis *a, uint64_t w, rdi_slot_places slots, tile *t) {
    uint64_t left = a->used[w], holes = rdi_hole_set_take(&a->holes, w);
    a->used[w] = 0;
    for (t->n = 0; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        uint32_t owner = holes >> i & 1 ? NO_OWNER : a->owner[w * WORD_SLOTS + i];
        t->owner[t->n++] = owner;
        if (owner != NO_OWNER)
            RDI_PREFETCH(rdi_slot_place(slots, owner));
    }
}

/* Appends the slots of a tile. A hole below all live slots has no effect and is dropped. */
static void append_tile(rdi_unit_axis *a, const tile *t, rdi_slot_places slots) {
    for (size_t i = 0; i < t->n; i++) {
        if (t->owner[i] != NO_OWNER) {
            *rdi_slot_place(slots, t->owner[i]) = append(a, t->owner[i]);
        } else if (a->next > 1) {
            rdi_hole_set_add(&a->holes, a->next);
            append(a, NO_OWNER);
        }
    }
}

/* Moves the slots in use to the slots from 1 on. Each tile is read before the previous tile is
 * appended. Appending a tile writes only to words that were read already. */
static void compact(rdi_unit_axis *a, rdi_slot_places slots) {
    uint64_t words = (a->next - 1) / WORD_SLOTS + 1;
    tile t[2];
    a->next = 1;
    read_tile(a, 0, slots, &t[0]);
    for (uint64_t w = 0; w < words; w++) {
        if (w + 1 < words)
            read_tile(a, w + 1, slots, &t[(w + 1) % 2]);
        append_tile(a, &t[w % 2], slots);
    }
}

static rd_status enlarge(rdi_unit_axis *a, rd_ctx *ctx, uint64_t slots) {
    uint64_t capacity = (slots + a->unit - 1) / a->unit * a->unit;
    if (capacity > SLOTS_MOST)
        return rdi_fail(
            ctx, RD_ERANGE,
            "a private cache holds about 2^30 blocks or more at a time, which is too many; "
            "use a shorter trace");
    RD_TRY(reserve(a, ctx, capacity));
    a->capacity = capacity;
    return RD_OK;
}

rd_status rdi_unit_axis_room(rdi_unit_axis *a, rd_ctx *ctx, uint64_t n, rdi_slot_places slots) {
    if (RDI_LIKELY(a->next + n < a->capacity))
        return RD_OK;
    rdi_hole_set_clear(&a->holes, a->next);
    compact(a, slots);
    a->renumberings++;
    uint64_t wanted = 4 * a->next + n;
    return 3 * a->next + n < a->capacity ? RD_OK : enlarge(a, ctx, wanted);
}
