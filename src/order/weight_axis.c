/* Implements the weighted axis. See weight_axis.h. */
#include "order/weight_axis.h"

#include "base/cpu.h"

#include <string.h>

#define FAN        (UINT64_C(1) << RDI_WEIGHT_FAN)
#define SLOTS_MOST (UINT64_C(1) << 32)

/* The 8 lanes that begin at index 7 - i are a mask of the lanes above i. */
static const uint64_t lanes_above[2 * FAN] = {[FAN] = -1ull, -1ull, -1ull, -1ull,
                                              -1ull,         -1ull, -1ull, -1ull};

/* A group of 8 elements. The compiler uses the widest vectors of the instruction set. */
typedef uint64_t group __attribute__((vector_size(64), aligned(8), may_alias));

/* ---- memory ---- */

static rd_status grow(rd_ctx *ctx, uint64_t **array, uint64_t *room, uint64_t to) {
    void *p = *array;
    rd_status status = rdi_pages_grow_array(ctx, &p, room, to, sizeof **array);
    *array = p;
    return status;
}

/* Enlarges all arrays to `capacity` slots. Every level is a whole number of groups of 8 elements,
 * because queries read groups. */
static rd_status reserve(rdi_weight_axis *a, rd_ctx *ctx, uint64_t capacity) {
    for (unsigned k = 0; k < RDI_WEIGHT_LEVELS; k++)
        RD_TRY(grow(ctx, &a->sum[k], &a->sum_room[k],
                    ((capacity >> RDI_WEIGHT_FAN * k) + FAN) & ~(FAN - 1)));
    for (unsigned k = 0; k < RDI_WEIGHT_MASKS; k++)
        RD_TRY(grow(ctx, &a->holes[k], &a->hole_room[k], (capacity >> 6 * (k + 1)) + 1));
    void *owner = a->owner;
    rd_status status =
        rdi_pages_grow_array(ctx, &owner, &a->owner_room, capacity, sizeof *a->owner);
    a->owner = owner;
    return status;
}

/* Sets the number of levels, the last of which has at most 8 elements, and computes the sums of
 * the levels that were not in use before. */
static void set_levels(rdi_weight_axis *a) {
    unsigned levels = 1;
    while (a->capacity >> RDI_WEIGHT_FAN * levels > 0 && levels < RDI_WEIGHT_LEVELS)
        levels++;
    for (unsigned k = a->levels ? a->levels : 1; k < levels; k++) {
        memset(a->sum[k], 0, a->sum_room[k] * sizeof **a->sum);
        for (uint64_t i = 0; i < a->sum_room[k - 1]; i++)
            a->sum[k][i >> RDI_WEIGHT_FAN] += a->sum[k - 1][i];
    }
    a->levels = levels;
}

void rdi_weight_axis_fini(rdi_weight_axis *a, rd_ctx *ctx) {
    for (unsigned k = 0; k < RDI_WEIGHT_LEVELS; k++)
        rdi_pages_free(ctx, a->sum[k], (size_t)a->sum_room[k] * sizeof **a->sum);
    for (unsigned k = 0; k < RDI_WEIGHT_MASKS; k++)
        rdi_pages_free(ctx, a->holes[k], (size_t)a->hole_room[k] * sizeof **a->holes);
    rdi_pages_free(ctx, a->owner, (size_t)a->owner_room * sizeof *a->owner);
}

/* ---- sums ---- */

/* Adds `delta`, which may be negative modulo 2^64, to the weight of slot s. */
static void add(rdi_weight_axis *a, uint64_t s, uint64_t delta) {
    for (unsigned k = 0; k < a->levels; k++)
        a->sum[k][s >> RDI_WEIGHT_FAN * k] += delta;
    a->used += delta;
}

/* Adds the elements after `i` in its group of 8, lane by lane, to *sum. */
static inline __attribute__((always_inline)) void add_rest(const uint64_t *level, uint64_t i,
                                                           group *sum) {
    const group *all = (const group *)(level + (i & ~(FAN - 1)));
    const group *mask = (const group *)(lanes_above + FAN - 1 - (i & (FAN - 1)));
    *sum += *all & *mask;
}

static inline __attribute__((always_inline)) uint64_t total(const group *g) {
    group v = *g;
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

uint64_t rdi_weight_above(const rdi_weight_axis *a, uint64_t s) {
    group sum = {0};
    uint64_t top = a->next;
    for (unsigned k = 0; s != top; k++, s >>= RDI_WEIGHT_FAN, top >>= RDI_WEIGHT_FAN)
        add_rest(a->sum[k], s, &sum);
    return total(&sum);
}

/* ---- holes ---- */

static void set_hole(rdi_weight_axis *a, uint64_t s) {
    a->top_hole = a->top_hole > s ? a->top_hole : s;
    for (unsigned k = 0; k < RDI_WEIGHT_MASKS; k++, s >>= 6) {
        uint64_t before = a->holes[k][s >> 6];
        a->holes[k][s >> 6] = before | UINT64_C(1) << (s & 63);
        if (before)
            return;
    }
}

static void clear_hole(rdi_weight_axis *a, uint64_t s) {
    for (unsigned k = 0; k < RDI_WEIGHT_MASKS; k++, s >>= 6) {
        a->holes[k][s >> 6] &= ~(UINT64_C(1) << (s & 63));
        if (a->holes[k][s >> 6])
            return;
    }
}

/* Returns the topmost hole below slot s, or 0 if there is none. The lowest level whose word has a
 * bit below s leads to it. */
static uint64_t hole_below(const rdi_weight_axis *a, uint64_t s) {
    uint64_t word = 0;
    unsigned k = 0;
    for (; k < RDI_WEIGHT_MASKS; k++, s >>= 6) {
        word = a->holes[k][s >> 6] & ((UINT64_C(1) << (s & 63)) - 1);
        if (word)
            break;
    }
    if (k == RDI_WEIGHT_MASKS) { /* only axes of more than 2^24 slots get beyond word 0 here */
        while (s > 0 && !a->holes[k - 1][s - 1])
            s--;
        if (s == 0)
            return 0;
        word = a->holes[--k][--s];
    } else {
        s >>= 6;
    }
    while (true) {
        s = s << 6 | (rdi_bit_width(word) - 1);
        if (k-- == 0)
            return s;
        word = a->holes[k][s];
    }
}

/* Fills holes with up to `weight`, the topmost first. */
static void fill_holes(rdi_weight_axis *a, uint64_t weight) {
    while (weight && a->top_hole) {
        uint64_t hole = a->top_hole, room = a->sum[0][hole];
        uint64_t part = room < weight ? room : weight;
        add(a, hole, -part);
        weight -= part;
        if (part == room) {
            clear_hole(a, hole);
            a->top_hole = hole_below(a, hole);
        }
    }
}

/* ---- changes ---- */

void rdi_weight_remove(rdi_weight_axis *a, uint64_t s) {
    if (a->sum[0][s])
        set_hole(a, s);
}

uint32_t rdi_weight_push(rdi_weight_axis *a, uint32_t owner, uint64_t weight) {
    uint64_t s = a->next++;
    if (a->top_hole)
        fill_holes(a, weight);
    a->owner[s] = owner;
    a->has_empty = a->has_empty || weight == 0;
    add(a, s, weight);
    return (uint32_t)s;
}

/* Moves slot s to the top and returns the weight above it. There is no hole above s and the weight
 * stays the same, so the new slot fills exactly the old one. */
static inline __attribute__((always_inline)) uint64_t swap_slots(rdi_weight_axis *a, uint64_t s,
                                                                 uint64_t weight) {
    group sum = {0};
    uint64_t top = a->next;
    for (unsigned k = 0; s != top; k++, s >>= RDI_WEIGHT_FAN, top >>= RDI_WEIGHT_FAN) {
        add_rest(a->sum[k], s, &sum);
        a->sum[k][s] -= weight;
        a->sum[k][top] += weight;
    }
    return total(&sum);
}

static uint64_t swap_plain(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return swap_slots(a, s, weight);
}

#if defined(__x86_64__)
RDI_TARGET_AVX2 static uint64_t swap_avx2(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return swap_slots(a, s, weight);
}

RDI_TARGET_AVX512 static uint64_t swap_avx512(rdi_weight_axis *a, uint64_t s, uint64_t weight) {
    return swap_slots(a, s, weight);
}
#else
#define swap_avx2   swap_plain
#define swap_avx512 swap_plain
#endif

static rd_status choose_kernel(rdi_weight_axis *a, rd_ctx *ctx) {
    rdi_isa isa;
    RD_TRY(rdi_isa_choose(ctx, "objects", RDI_ISA_AUTO, &isa));
    a->swap = isa == RDI_ISA_AVX512 ? swap_avx512 : isa == RDI_ISA_AVX2 ? swap_avx2 : swap_plain;
    return RD_OK;
}

uint32_t rdi_weight_move(rdi_weight_axis *a, uint64_t s, uint32_t owner, uint64_t weight,
                         uint64_t *above) {
    if (RDI_UNLIKELY(a->top_hole > s || a->sum[0][s] != weight)) {
        *above = rdi_weight_above(a, s);
        rdi_weight_remove(a, s);
        return rdi_weight_push(a, owner, weight);
    }
    *above = a->swap(a, s, weight);
    a->owner[a->next] = owner;
    return (uint32_t)a->next++;
}

rd_status rdi_weight_axis_init(rdi_weight_axis *a, rd_ctx *ctx, uint64_t unit) {
    *a = (rdi_weight_axis){.next = 1, .unit = unit};
    RD_TRY(choose_kernel(a, ctx));
    RD_TRY(reserve(a, ctx, unit));
    a->capacity = unit;
    set_levels(a);
    return RD_OK;
}

/* ---- renumbering ---- */

/* Moves the live slots and the holes between them to the slots from 1 on, and returns the first
 * slot after them. A hole below all live slots has no effect and is dropped. */
static uint64_t compact(rdi_weight_axis *a, rdi_weight_slot_of slot_of, void *user) {
    uint64_t *weight = a->sum[0], hole = 0, to = 1;
    for (uint64_t s = 1; s <= a->next; s++) {
        bool end = s == a->next;
        uint64_t w = end ? 0 : weight[s];
        if (w == 0 && !end && !a->has_empty)
            continue;
        uint32_t owner = end ? RDI_WEIGHT_NONE : a->owner[s];
        uint32_t *slot = owner == RDI_WEIGHT_NONE ? NULL : slot_of(user, owner);
        bool live = slot && *slot == s;
        if (!live && !end) {
            hole += w;
            continue;
        }
        if (hole && to > 1) {
            weight[to] = hole;
            a->owner[to] = RDI_WEIGHT_NONE;
            set_hole(a, to++);
        }
        hole = 0;
        if (live) {
            weight[to] = w;
            a->owner[to] = owner;
            *slot = (uint32_t)to++;
        }
    }
    return to;
}

static void clear_holes(rdi_weight_axis *a) {
    for (unsigned k = 0; k < RDI_WEIGHT_MASKS; k++)
        memset(a->holes[k], 0, ((a->next >> 6 * (k + 1)) + 1) * sizeof **a->holes);
    a->top_hole = 0;
}

/* Computes all sums from the weights of the slots below `next`. Everything up to `end` may have
 * other values so far. */
static void sum_up(rdi_weight_axis *a, uint64_t end) {
    memset(a->sum[0] + a->next, 0, (end - a->next + 1) * sizeof **a->sum);
    a->used = 0;
    for (uint64_t s = 1; s < a->next; s++)
        a->used += a->sum[0][s];
    for (unsigned k = 1; k < a->levels; k++) {
        uint64_t below = a->next >> RDI_WEIGHT_FAN * (k - 1);
        memset(a->sum[k], 0, ((end >> RDI_WEIGHT_FAN * k) + 1) * sizeof **a->sum);
        for (uint64_t i = 0; i <= below; i++)
            a->sum[k][i >> RDI_WEIGHT_FAN] += a->sum[k - 1][i];
    }
}

static rd_status enlarge(rdi_weight_axis *a, rd_ctx *ctx, uint64_t slots) {
    uint64_t capacity = (slots + a->unit - 1) / a->unit * a->unit;
    if (capacity > SLOTS_MOST)
        return rdi_fail(ctx, RD_ERANGE, "the trace has more than 2^30 objects at a time");
    RD_TRY(reserve(a, ctx, capacity));
    a->capacity = capacity;
    set_levels(a);
    return RD_OK;
}

rd_status rdi_weight_axis_room(rdi_weight_axis *a, rd_ctx *ctx, uint64_t n,
                               rdi_weight_slot_of slot_of, void *user) {
    if (RDI_LIKELY(a->next + n < a->capacity))
        return RD_OK;
    uint64_t end = a->next;
    clear_holes(a);
    a->next = compact(a, slot_of, user);
    a->renumberings++;
    sum_up(a, end);
    uint64_t wanted = 3 * a->next + n;
    return 2 * a->next + n < a->capacity ? RD_OK : enlarge(a, ctx, wanted);
}
