/* Implements the memory and the counts of the axis. See slot_axis.h. */
#include "order/slot_axis.h"

#include <string.h>

#define SUPER_SLOTS (UINT64_C(1) << RDI_SLOT_SUPER)

/* For each array of the axis: log2 of the number of slots that one element covers, and the size of
 * an element. */
static const struct {
    unsigned shift;
    size_t size;
} axis_array[RDI_SLOT_ARRAYS] = {
    [RDI_SLOT_BIT_ARRAY] = {6, sizeof(uint64_t)},
    [RDI_SLOT_LINE_ARRAY] = {RDI_SLOT_LINE, sizeof(uint16_t)},
    [RDI_SLOT_GROUP_ARRAY] = {RDI_SLOT_GROUP, sizeof(uint16_t)},
    [RDI_SLOT_SUPER_ARRAY] = {RDI_SLOT_SUPER, sizeof(uint32_t)},
    [RDI_SLOT_ABOVE_ARRAY] = {RDI_SLOT_SUPER, sizeof(uint64_t)},
};

static void axis_pointers(const rdi_slot_axis *a, void *p[RDI_SLOT_ARRAYS]) {
    p[RDI_SLOT_BIT_ARRAY] = a->bits;
    p[RDI_SLOT_LINE_ARRAY] = a->line;
    p[RDI_SLOT_GROUP_ARRAY] = a->group;
    p[RDI_SLOT_SUPER_ARRAY] = a->super;
    p[RDI_SLOT_ABOVE_ARRAY] = a->above;
}

/* Each array has its own size in a->room, because if one array fails to grow, the arrays before it
 * are already larger than `capacity` says. */
rd_status rdi_slot_axis_reserve(rdi_slot_axis *a, rd_ctx *ctx, uint64_t slots) {
    uint64_t capacity = (slots + SUPER_SLOTS - 1) & ~(SUPER_SLOTS - 1);
    if (capacity <= a->capacity)
        return RD_OK;
    void *p[RDI_SLOT_ARRAYS];
    axis_pointers(a, p);
    rd_status status = RD_OK;
    for (unsigned i = 0; i < RDI_SLOT_ARRAYS && status == RD_OK; i++)
        status = rdi_pages_grow_array(ctx, &p[i], &a->room[i], capacity >> axis_array[i].shift,
                                      axis_array[i].size);
    a->bits = p[RDI_SLOT_BIT_ARRAY];
    a->line = p[RDI_SLOT_LINE_ARRAY];
    a->group = p[RDI_SLOT_GROUP_ARRAY];
    a->super = p[RDI_SLOT_SUPER_ARRAY];
    a->above = p[RDI_SLOT_ABOVE_ARRAY];
    if (status == RD_OK)
        a->capacity = capacity;
    return status;
}

void rdi_slot_axis_set(const rdi_slot_axis *a, uint64_t first, uint64_t n) {
    for (uint64_t s = first, end = first + n; s < end;) {
        uint64_t offset = s & 63, k = 64 - offset < end - s ? 64 - offset : end - s;
        uint64_t ones = k == 64 ? ~UINT64_C(0) : (UINT64_C(1) << k) - 1;
        uint16_t *line = &a->line[s >> RDI_SLOT_LINE], *group = &a->group[s >> RDI_SLOT_GROUP];
        a->bits[s >> 6] |= ones << offset;
        *line = (uint16_t)(*line + k);
        *group = (uint16_t)(*group + k);
        a->super[s >> RDI_SLOT_SUPER] += (uint32_t)k;
        s += k;
    }
}

void rdi_slot_axis_refresh(const rdi_slot_axis *a, uint64_t top) {
    uint64_t sum = 0;
    for (uint64_t i = (top >> RDI_SLOT_SUPER) + 1; i-- > 0;) {
        a->above[i] = sum;
        sum += a->super[i];
    }
}

void rdi_slot_axis_reset(rdi_slot_axis *a, uint64_t live) {
    uint64_t end = ((a->next >> RDI_SLOT_SUPER) + 1) << RDI_SLOT_SUPER;
    memset(a->bits, 0, (a->next / 64 + 1) * sizeof *a->bits);
    memset(a->line, 0, (end >> RDI_SLOT_LINE) * sizeof *a->line);
    memset(a->group, 0, (end >> RDI_SLOT_GROUP) * sizeof *a->group);
    memset(a->super, 0, (end >> RDI_SLOT_SUPER) * sizeof *a->super);
    rdi_slot_axis_set(a, 1, live);
    a->next = live + 1;
}

uint64_t rdi_slot_axis_live(const rdi_slot_axis *a) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= a->next >> RDI_SLOT_SUPER && i < a->capacity >> RDI_SLOT_SUPER; i++)
        sum += a->super[i];
    return sum;
}

uint64_t rdi_slot_axis_newest(const rdi_slot_axis *a, uint64_t n) {
    uint64_t i = a->next >> RDI_SLOT_SUPER;
    for (; a->super[i] < n; i--)
        n -= a->super[i];
    for (i = (i << 5) + 31; a->group[i] < n; i--)
        n -= a->group[i];
    for (i = (i << 5) + 31; a->line[i] < n; i--)
        n -= a->line[i];
    for (i = (i << 3) + 7; (uint64_t)__builtin_popcountll(a->bits[i]) < n; i--)
        n -= (uint64_t)__builtin_popcountll(a->bits[i]);
    uint64_t word = a->bits[i];
    for (; n > 1; n--) /* the highest bit of the word is the newest */
        word ^= UINT64_C(1) << (63 - __builtin_clzll(word));
    return i * 64 + 63 - (uint64_t)__builtin_clzll(word);
}

/* Computes the counts of the groups and supers up to slot `top` from the counts of the lines. */
static void sum_lines(const rdi_slot_axis *a, uint64_t top) {
    for (uint64_t u = 0; u <= top >> RDI_SLOT_SUPER; u++) {
        a->super[u] = 0;
        for (uint64_t g = u * 32; g < u * 32 + 32; g++) {
            unsigned sum = 0;
            for (uint64_t l = g * 32; l < g * 32 + 32; l++)
                sum += a->line[l];
            a->group[g] = (uint16_t)sum;
            a->super[u] += sum;
        }
    }
}

/* Bits move by whole lines, so every line keeps its count, except the line of slot `last`. */
uint64_t rdi_slot_axis_drop(rdi_slot_axis *a, uint64_t last) {
    const uint64_t from = last >> RDI_SLOT_LINE, down = from << RDI_SLOT_LINE, top = a->next;
    const uint64_t lines = (top >> RDI_SLOT_LINE) + 1, kept = lines - from;
    memmove(a->bits, a->bits + from * 8, kept * 8 * sizeof *a->bits);
    memset(a->bits + kept * 8, 0, from * 8 * sizeof *a->bits);
    memmove(a->line, a->line + from, kept * sizeof *a->line);
    memset(a->line + kept, 0, from * sizeof *a->line);
    for (uint64_t s = 0; s <= last - down; s++)
        if (rdi_slot_axis_get(a, s)) {
            a->bits[s >> 6] &= ~(UINT64_C(1) << (s & 63));
            a->line[0]--;
        }
    sum_lines(a, top);
    a->next = top - down;
    return down;
}

void rdi_slot_axis_fini(rdi_slot_axis *a, rd_ctx *ctx) {
    void *p[RDI_SLOT_ARRAYS];
    axis_pointers(a, p);
    for (unsigned i = 0; i < RDI_SLOT_ARRAYS; i++)
        rdi_pages_free(ctx, p[i], (size_t)a->room[i] * axis_array[i].size);
}
