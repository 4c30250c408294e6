/* Implements the operations on the top of a stack, and their kernel in plain C. See stack_top.h. */
#include "sharing/stack_top.h"

#include "reusedist/trace.h"

#include <string.h>

static unsigned later(const rdi_stack_top *t, int16_t time) {
    int16_t n = 0; /* as wide as the times, so that compilers vectorize the loop */
    for (unsigned i = 0; i < RDI_TOP_LANES; i++)
        n = (int16_t)(n + (t->time[i] > time));
    return (unsigned)n;
}

static unsigned oldest(const rdi_stack_top *t) {
    int16_t earliest = INT16_MAX;
    for (unsigned i = 0; i < RDI_TOP_LANES; i++)
        earliest = t->time[i] < earliest ? t->time[i] : earliest;
    unsigned lane = 0;
    while (t->time[lane] != earliest)
        lane++;
    return lane;
}

static uint64_t starts(const uint64_t *block, size_t n, uint16_t *tag) {
    uint64_t set = 1;
    for (size_t i = 0; i < n; i++)
        tag[i] = rdi_top_tag(block[i]);
    for (size_t i = 1; i < n; i++)
        set |= (uint64_t)(block[i] != block[i - 1]) << i;
    return set;
}

static uint64_t stores(const uint8_t *kind, size_t n) {
    uint64_t set = 0;
    for (size_t i = 0; i < n; i++)
        set |= (uint64_t)((kind[i] & RD_STORE) != 0) << i;
    return set;
}

static uint64_t find(const rdi_block_map *map, uint64_t block) {
    const uint64_t *known = rdi_block_map_find(map, block);
    return known ? *known : RDI_ABSENT;
}

const rdi_top_kernel rdi_top_plain = {
    .starts = starts, .stores = stores, .find = find, .later = later, .oldest = oldest};

void rdi_top_renumber(rdi_stack_top *t) {
    int16_t time[RDI_TOP_LANES] = {0};
    for (unsigned i = 0; i < t->n; i++)
        time[i] = (int16_t)(t->n - later(t, t->time[i]));
    memcpy(t->time, time, sizeof time);
    t->now = (int16_t)t->n;
}

/* Returns the hole with the latest time; there must be a hole. */
static unsigned find_hole(const rdi_stack_top *t) {
    unsigned latest = (unsigned)__builtin_ctzll(t->holes);
    for (uint64_t left = t->holes & (t->holes - 1); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        latest = t->time[lane] > t->time[latest] ? lane : latest;
    }
    return latest;
}

/* Gives a lane the latest time. */
static void stamp(rdi_stack_top *t, unsigned lane) {
    rdi_top_room(t);
    t->time[lane] = ++t->now;
}

unsigned rdi_top_reuse(rdi_stack_top *t, const rdi_top_kernel *kernel, unsigned lane) {
    int16_t time = t->time[lane];
    unsigned distance = kernel->later(t, time);
    if (t->holes) {
        unsigned hole = find_hole(t);
        t->time[hole] = t->time[hole] > time ? time : t->time[hole];
    }
    stamp(t, lane);
    return distance;
}

uint32_t rdi_top_push(rdi_stack_top *t, const rdi_top_kernel *kernel, uint64_t block, uint32_t copy,
                      unsigned *lane) {
    uint32_t last = 0;
    if (t->holes)
        *lane = find_hole(t);
    else if (t->n < RDI_TOP_LANES)
        *lane = t->n++;
    else
        last = t->copy[ *lane = kernel->oldest(t)];
    rdi_top_remove(t, *lane);
    t->holes &= ~(UINT64_C(1) << *lane);
    t->block[*lane] = block;
    t->tag[*lane] = rdi_top_tag(block);
    t->copy[*lane] = copy;
    stamp(t, *lane);
    return last;
}
