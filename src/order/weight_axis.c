/* Implements the weighted axis. See weight_axis.h. */
#include "order/weight_axis.h"

#include "base/cpu.h"

#define FAN        (UINT64_C(1) << RDI_WEIGHT_FAN)
#define SLOTS_MOST ((UINT64_C(1) << 32) - 1024)

#define TILE       UINT64_C(64) /* number of slots that are renumbered together: a word of holes */

/* The 8 lanes that begin at index 8 - i are a mask of the lanes from i on. */
static const uint64_t lanes_from[2 * FAN] = {[FAN] = -1ull, -1ull, -1ull, -1ull,
                                             -1ull,         -1ull, -1ull, -1ull};

/* A group of 8 elements, which the compiler keeps in the widest vectors of the instruction set. */
typedef uint64_t group __attribute__((vector_size(64), aligned(8), may_alias));

/* ---- memory ---- */

static rd_status grow(rd_ctx *ctx, uint64_t **array, uint64_t *room, uint64_t to) {
    void *p = *array;
    rd_status status = rdi_pages_grow_array(ctx, &p, room, to, sizeof **array);
    *array = p;
    return status;
}

/* Enlarges all arrays to `capacity` slots. Every level is a whole number of groups of 8 elements,
 * because take_weight() changes whole groups. */
static rd_status reserve(rdi_weight_axis *a, rd_ctx *ctx, uint64_t capacity) {
    for (unsigned k = 0; k < RDI_WEIGHT_LEVELS; k++)
        RD_TRY(grow(ctx, &a->sum[k], &a->sum_room[k],
                    ((capacity >> RDI_WEIGHT_FAN * k) + FAN) & ~(FAN - 1)));
    RD_TRY(rdi_hole_set_reserve(&a->holes, ctx, capacity));
    void *owner = a->owner;
    rd_status status =
        rdi_pages_grow_array(ctx, &owner, &a->owner_room, capacity, sizeof *a->owner);
    a->owner = owner;
    return status;
}

void rdi_weight_axis_fini(rdi_weight_axis *a, rd_ctx *ctx) {
    for (unsigned k = 0; k < RDI_WEIGHT_LEVELS; k++)
        rdi_pages_free(ctx, a->sum[k], (size_t)a->sum_room[k] * sizeof **a->sum);
    rdi_hole_set_fini(&a->holes, ctx);
    rdi_pages_free(ctx, a->owner, (size_t)a->owner_room * sizeof *a->owner);
}

/* ---- sums ---- */

uint64_t rdi_weight_above(const rdi_weight_axis *a, uint64_t s) {
    uint64_t top = a->next, sum = a->open - a->sum[0][s];
    for (unsigned k = 1; s >> RDI_WEIGHT_FAN != top >> RDI_WEIGHT_FAN; k++) {
        s >>= RDI_WEIGHT_FAN;
        top >>= RDI_WEIGHT_FAN;
        sum += a->sum[k][top] - a->sum[k][s];
    }
    return sum;
}

static uint64_t weight_of(const rdi_weight_axis *a, uint64_t s) {
    return a->sum[0][s] - (s & (FAN - 1) ? a->sum[0][s - 1] : 0);
}

/* Subtracts `weight` from the lanes `from`, from + 1 ... 7 of the group of element i. */
static inline __attribute__((always_inline)) void subtract(uint64_t *level, uint64_t i,
                                                           uint64_t from, uint64_t weight) {
    group *all = (group *)(level + (i & ~(FAN - 1)));
    const group *mask = (const group *)(lanes_from + FAN - from);
    *all -= *mask & weight;
}

/* Subtracts `weight` from the weight of slot s, and returns the weight above s. The function may
 * also change elements that begin after `next`, whose sums are not valid yet. */
static inline __attribute__((always_inline)) uint64_t take_weight(rdi_weight_axis *a, uint64_t s,
                                                                  uint64_t weight) {
    uint64_t top = a->next, sum = a->open - a->sum[0][s];
    a->open -= s >> RDI_WEIGHT_FAN == top >> RDI_WEIGHT_FAN ? weight : 0;
    subtract(a->sum[0], s, s & (FAN - 1), weight);
    for (unsigned k = 1; s >> RDI_WEIGHT_FAN != top >> RDI_WEIGHT_FAN; k++) {
        s >>= RDI_WEIGHT_FAN;
        top >>= RDI_WEIGHT_FAN;
        sum += a->sum[k][top] - a->sum[k][s];
        subtract(a->sum[k], s, (s & (FAN - 1)) + 1, weight);
    }
    return sum;
}

static uint64_t take_plain(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return take_weight(a, s, weight);
}

#if defined(__x86_64__)
RDI_TARGET_AVX2 static uint64_t take_avx2(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return take_weight(a, s, weight);
}

RDI_TARGET_AVX512 static uint64_t take_avx512(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return take_weight(a, s, weight);
}
#else
#define take_avx2   take_plain
#define take_avx512 take_plain
#endif

static rd_status choose_kernel(rdi_weight_axis *a, rd_ctx *ctx) {
    rdi_isa isa;
    RD_TRY(rdi_isa_choose(ctx, "objects", RDI_ISA_AUTO, &isa));
    a->take = isa == RDI_ISA_AVX512 ? take_avx512 : isa == RDI_ISA_AVX2 ? take_avx2 : take_plain;
    return RD_OK;
}

/* ---- holes ---- */

/* Subtracts `weight` from the holes, beginning with the topmost hole, until all of it is subtracted
 * or no hole is left. */
static void fill_holes(rdi_weight_axis *a, uint64_t weight) {
    while (weight && a->holes.top) {
        uint64_t hole = a->holes.top, room = weight_of(a, hole);
        uint64_t part = room < weight ? room : weight;
        a->take(a, hole, part);
        a->used -= part;
        weight -= part;
        if (part == room) {
            rdi_hole_set_pop(&a->holes);
            rdi_weight_prefetch(a, a->holes.top);
        }
    }
}

/* ---- changes ---- */

/* Sets the sums of the elements that begin at `next`, which must be the first slot of a group. */
static void close_group(rdi_weight_axis *a) {
    uint64_t i = (a->next - 1) >> RDI_WEIGHT_FAN, sum = a->open;
    a->open = 0;
    for (unsigned k = 1;; k++, i >>= RDI_WEIGHT_FAN) {
        sum += a->sum[k][i];
        if ((i & (FAN - 1)) != FAN - 1) {
            a->sum[k][i + 1] = sum;
            return;
        }
        a->sum[k][i + 1] = 0;
    }
}

/* Gives the next slot to `owner` with the weight `weight`. */
static inline uint32_t append(rdi_weight_axis *a, uint32_t owner, uint64_t weight) {
    uint64_t s = a->next++;
    a->owner[s] = owner;
    a->sum[0][s] = a->open += weight;
    if ((a->next & (FAN - 1)) == 0)
        close_group(a);
    return (uint32_t)s;
}

void rdi_weight_remove(rdi_weight_axis *a, uint64_t s) {
    if (weight_of(a, s))
        rdi_hole_set_add(&a->holes, s);
}

/* Gives the next slot to `owner` with the weight `weight`, and subtracts `rest` from the holes. */
static uint32_t push(rdi_weight_axis *a, uint32_t owner, uint64_t weight, uint64_t rest) {
    if (a->holes.top)
        fill_holes(a, rest);
    a->has_empty = a->has_empty || weight == 0;
    a->used += weight;
    return append(a, owner, weight);
}

uint32_t rdi_weight_push(rdi_weight_axis *a, uint32_t owner, uint64_t weight) {
    return push(a, owner, weight, weight);
}

/* Does the work of rdi_weight_move() if there is a hole above s or the weight changes. It is not inlined,
 * so that the frequent case needs few registers. */
static __attribute__((noinline)) uint32_t move_between_holes(rdi_weight_axis *a, uint64_t s,
                                                             uint32_t owner, uint64_t before,
                                                             uint64_t weight, uint64_t *above) {
    if (a->holes.top > s) {
        *above = rdi_weight_above(a, s);
        rdi_weight_remove(a, s);
        return push(a, owner, weight, weight);
    }
    /* The new weight is subtracted from the hole at s first, and its rest from the holes below. */
    uint64_t part = before < weight ? before : weight;
    *above = a->take(a, s, part);
    a->used -= part;
    if (before > part)
        rdi_hole_set_add(&a->holes, s);
    return push(a, owner, weight, weight - part);
}

uint32_t rdi_weight_move(rdi_weight_axis *a, uint64_t s, uint32_t owner, uint64_t before,
                         uint64_t weight, uint64_t *above) {
    if (RDI_UNLIKELY(a->holes.top > s || before != weight))
        return move_between_holes(a, s, owner, before, weight, above);
    /* There is no hole above s, so the weight of the new slot fills the hole at s exactly. */
    *above = a->take(a, s, weight);
    return append(a, owner, weight);
}

rd_status rdi_weight_axis_init(rdi_weight_axis *a, rd_ctx *ctx, uint64_t unit) {
    *a = (rdi_weight_axis){.next = 1, .unit = unit};
    RD_TRY(choose_kernel(a, ctx));
    RD_TRY(reserve(a, ctx, unit));
    a->capacity = unit;
    return RD_OK;
}

/* ---- renumbering ---- */

/* Up to TILE slots in ascending order, with their weights and owners. */
typedef struct tile {
    size_t n;
    uint64_t slot[TILE], weight[TILE];
    uint32_t owner[TILE];
    bool is_hole[TILE];
} tile;

/* Copies the slots [from, to) that may be live or holes to the tile, clears their bits in the set
 * of holes, and prefetches the places where their owners store their slots. The tile is one word of
 * the set. */
static void read_tile(rdi_weight_axis *a, uint64_t from, uint64_t to, rdi_slot_places slots,
                      tile *t) {
    bool has_empty = a->has_empty;
    uint64_t holes = from < to ? rdi_hole_set_take(&a->holes, from / TILE) : 0;
    size_t n = 0;
    for (uint64_t s = from; s < to; s++) {
        uint64_t weight = weight_of(a, s);
        t->slot[n] = s;
        t->weight[n] = weight;
        t->owner[n] = a->owner[s];
        t->is_hole[n] = holes >> (s & (TILE - 1)) & 1;
        n += weight != 0 || has_empty;
    }
    t->n = n;
    for (size_t i = 0; i < t->n; i++)
        if (t->owner[i] != RDI_WEIGHT_NONE)
            RDI_PREFETCH(rdi_slot_place(slots, t->owner[i]));
}

/* Appends the owner and the weight of an old slot during a renumbering. Returns the new slot. */
static uint32_t append_old(rdi_weight_axis *a, uint32_t owner, uint64_t weight) {
    a->used += weight;
    return append(a, owner, weight);
}

/* Appends the weight of neighboring holes as one hole. A hole below all live slots has no effect
 * and is dropped. */
static void append_hole(rdi_weight_axis *a, uint64_t weight) {
    if (weight == 0 || a->next == 1)
        return;
    rdi_hole_set_add(&a->holes, a->next);
    append_old(a, RDI_WEIGHT_NONE, weight);
}

/* Returns whether entry i of a tile is live. A slot whose weight is not 0 is either live or a hole.
 * A slot with the weight 0 is live if it is still the slot of its owner. */
static inline bool is_live(const tile *t, size_t i, rdi_slot_places slots) {
    if (RDI_LIKELY(t->weight[i] != 0))
        return !t->is_hole[i];
    return t->owner[i] != RDI_WEIGHT_NONE && *rdi_slot_place(slots, t->owner[i]) == t->slot[i];
}

/* Appends the live slots of a tile and the holes before them. *hole is the weight of the holes
 * since the last live slot. */
static void append_tile(rdi_weight_axis *a, const tile *t, rdi_slot_places slots, uint64_t *hole) {
    for (size_t i = 0; i < t->n; i++) {
        if (!is_live(t, i, slots)) {
            *hole += t->weight[i];
            continue;
        }
        append_hole(a, *hole);
        *hole = 0;
        *rdi_slot_place(slots, t->owner[i]) = append_old(a, t->owner[i], t->weight[i]);
    }
}

/* Moves the live slots and the holes between them to the slots from 1 on. Each tile is read before
 * the previous tile is appended. Appending a tile writes only to slots that were read already. */
static void compact(rdi_weight_axis *a, rdi_slot_places slots) {
    uint64_t end = a->next, hole = 0;
    tile t[2];
    a->next = 1;
    a->open = a->used = 0;
    read_tile(a, 1, TILE < end ? TILE : end, slots, &t[0]);
    for (uint64_t at = 0; at < end; at += TILE) {
        tile *now = &t[at / TILE % 2], *then = &t[1 - at / TILE % 2];
        read_tile(a, at + TILE, at + 2 * TILE < end ? at + 2 * TILE : end, slots, then);
        append_tile(a, now, slots, &hole);
    }
    append_hole(a, hole);
}

static rd_status enlarge(rdi_weight_axis *a, rd_ctx *ctx, uint64_t slots) {
    uint64_t capacity = (slots + a->unit - 1) / a->unit * a->unit;
    if (capacity > SLOTS_MOST)
        return rdi_fail(
            ctx, RD_ERANGE,
            "a cache holds about 2^30 objects or blocks or more at a time, which is too many; "
            "use a shorter trace");
    RD_TRY(reserve(a, ctx, capacity));
    a->capacity = capacity;
    return RD_OK;
}

rd_status rdi_weight_axis_room(rdi_weight_axis *a, rd_ctx *ctx, uint64_t n, rdi_slot_places slots) {
    if (RDI_LIKELY(a->next + n < a->capacity))
        return RD_OK;
    rdi_hole_set_clear(&a->holes, a->next);
    compact(a, slots);
    a->renumberings++;
    uint64_t wanted = 4 * a->next + n;
    return 3 * a->next + n < a->capacity ? RD_OK : enlarge(a, ctx, wanted);
}
