/* Implements the bit vector with k-ary counts. See rank_bits.h. */
#include "order/rank_bits.h"

#include <string.h>

static uint64_t groups_of(const rdi_rank_bits *b, uint64_t items) {
    return ((items - 1) >> b->shift) + 1;
}

/* Sets the number of slots and of levels, and the pointers to the counts of each level, which are
 * NULL while b->word is NULL. Returns how many words the bits and all counts need together. */
static uint64_t lay_out(rdi_rank_bits *b, uint64_t slots) {
    uint64_t total = (slots - 1) / 64 + 1;
    uint64_t groups = slots;
    b->slots = slots;
    b->levels = 0;
    do {
        groups = groups_of(b, groups);
        b->count[b->levels++] = b->word ? b->word + total : NULL;
        total += groups;
    } while (groups > UINT64_C(1) << b->shift);
    return total;
}

/* Sets the first `ones` bits and the counts. All bits and counts must be 0 before. On each level,
 * the first groups are full, and at most one group is partly full. */
static void fill(rdi_rank_bits *b, uint64_t ones) {
    memset(b->word, 0xff, ones / 64 * sizeof *b->word);
    if (ones % 64)
        b->word[ones / 64] = (UINT64_C(1) << ones % 64) - 1;
    unsigned shift = b->shift;
    for (unsigned i = 0; i < b->levels; i++, shift += b->shift) {
        uint64_t full = ones >> shift;
        for (uint64_t g = 0; g < full; g++)
            b->count[i][g] = UINT64_C(1) << shift;
        uint64_t rest = ones - (full << shift);
        if (rest)
            b->count[i][full] = rest;
    }
}

rd_status rdi_rank_bits_refill(rdi_rank_bits *b, uint64_t slots, uint64_t ones) {
    /* The contents are not kept, so the old memory is freed first. */
    if (slots != b->slots || !b->word) {
        rdi_free(b->ctx, b->word);
        b->word = NULL;
        b->word = rdi_alloc(b->ctx, lay_out(b, slots), sizeof *b->word);
        if (!b->word)
            return RD_ENOMEM;
    }
    memset(b->word, 0, lay_out(b, slots) * sizeof *b->word);
    fill(b, ones);
    return RD_OK;
}

rd_status rdi_rank_bits_init(rdi_rank_bits *b, rd_ctx *ctx, unsigned shift, uint64_t slots,
                             uint64_t ones) {
    *b = (rdi_rank_bits){.ctx = ctx, .shift = shift};
    return rdi_rank_bits_refill(b, slots, ones);
}

void rdi_rank_bits_fini(rdi_rank_bits *b) {
    if (b->ctx)
        rdi_free(b->ctx, b->word);
    *b = (rdi_rank_bits){0};
}

void rdi_rank_bits_set(rdi_rank_bits *b, uint64_t slot) {
    b->word[slot / 64] |= UINT64_C(1) << slot % 64;
    for (unsigned i = 0; i < b->levels; i++)
        b->count[i][slot >>= b->shift]++;
}

void rdi_rank_bits_clear(rdi_rank_bits *b, uint64_t slot) {
    b->word[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    for (unsigned i = 0; i < b->levels; i++)
        b->count[i][slot >>= b->shift]--;
}

void rdi_rank_bits_move(rdi_rank_bits *b, uint64_t from, uint64_t to) {
    b->word[from / 64] &= ~(UINT64_C(1) << from % 64);
    b->word[to / 64] |= UINT64_C(1) << to % 64;
    for (unsigned i = 0; i < b->levels; i++) {
        from >>= b->shift;
        to >>= b->shift;
        if (from == to) /* the groups are then also the same on all higher levels */
            return;
        b->count[i][from]--;
        b->count[i][to]++;
    }
}

/* Returns the number of set bits in [from, to). */
static uint64_t count_bits(const rdi_rank_bits *b, uint64_t from, uint64_t to) {
    if (from >= to)
        return 0;
    uint64_t first = from / 64, last = (to - 1) / 64;
    uint64_t above = UINT64_MAX << from % 64, below = UINT64_MAX >> (63 - (to - 1) % 64);
    if (first == last)
        return (uint64_t)__builtin_popcountll(b->word[first] & above & below);
    uint64_t n = (uint64_t)__builtin_popcountll(b->word[first] & above);
    for (uint64_t i = first + 1; i < last; i++)
        n += (uint64_t)__builtin_popcountll(b->word[i]);
    return n + (uint64_t)__builtin_popcountll(b->word[last] & below);
}

static uint64_t sum_counts(const uint64_t *count, uint64_t from, uint64_t to) {
    uint64_t n = 0;
    for (uint64_t g = from; g < to; g++)
        n += count[g];
    return n;
}

uint64_t rdi_rank_bits_after(const rdi_rank_bits *b, uint64_t slot, uint64_t newest) {
    uint64_t left = slot >> b->shift, right = newest >> b->shift;
    if (left == right)
        return count_bits(b, slot + 1, newest + 1);
    uint64_t n = count_bits(b, slot + 1, (left + 1) << b->shift);
    for (unsigned i = 0;; i++) {
        uint64_t left_parent = left >> b->shift, right_parent = right >> b->shift;
        if (left_parent == right_parent)
            return n + sum_counts(b->count[i], left + 1, right + 1);
        n += sum_counts(b->count[i], left + 1, (left_parent + 1) << b->shift);
        left = left_parent;
        right = right_parent;
    }
}

uint64_t rdi_rank_bits_next(const rdi_rank_bits *b, uint64_t slot) {
    uint64_t i = slot / 64;
    uint64_t bits = b->word[i] & UINT64_MAX << slot % 64;
    while (!bits)
        bits = b->word[++i];
    return i * 64 + (uint64_t)__builtin_ctzll(bits);
}

void rdi_rank_bits_squeeze(rdi_rank_bits *b) {
    uint64_t total = 0;
    for (uint64_t g = 0; g < groups_of(b, b->slots); g++) {
        uint64_t here = b->count[0][g];
        b->count[0][g] = total;
        total += here;
    }
}

uint64_t rdi_rank_bits_rank(const rdi_rank_bits *b, uint64_t slot) {
    uint64_t group = slot >> b->shift;
    return b->count[0][group] + count_bits(b, group << b->shift, slot);
}

bool rdi_rank_bits_check(const rdi_rank_bits *b, const char **why) {
    uint64_t groups = b->slots;
    for (unsigned i = 0; i < b->levels; i++) {
        uint64_t below = groups;
        groups = groups_of(b, groups);
        for (uint64_t g = 0; g < groups; g++) {
            uint64_t from = g << b->shift, to = (g + 1) << b->shift;
            if (to > below)
                to = below;
            uint64_t n = i ? sum_counts(b->count[i - 1], from, to) : count_bits(b, from, to);
            if (n != b->count[i][g]) {
                *why = "rank bits: a count is not the sum of the counts or bits below it";
                return false;
            }
        }
    }
    *why = "rank bits: the top level has more groups than the arity";
    return groups <= UINT64_C(1) << b->shift;
}
