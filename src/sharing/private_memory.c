/* Makes the copies, blocks, sets of bytes and threads of private caches. See private_stacks.h. */
#include "sharing/private_stacks.h"

#include <inttypes.h>

#define AXIS_UNIT   1024
#define NUMBERS_MAX UINT64_C(0xfffffffe) /* copies, blocks and sets have 32-bit numbers */

/* ---- memory ---- */

/* Returns the number of the next element of an array, after making room for it, or 0 after a
 * failure. The first element has number 1. */
static uint32_t next_number(rd_sharing *s, void **array, uint64_t *n, uint64_t *room, size_t size) {
    if (*n + 1 >= *room) {
        if (*n >= NUMBERS_MAX) {
            rdi_fail(s->ctx, RD_ERANGE,
                     "an analysis of private caches is limited to %" PRIu64
                     " blocks and as many copies of blocks in threads, and this trace has more; "
                     "use larger blocks or a shorter trace",
                     NUMBERS_MAX);
            return 0;
        }
        if (rdi_pages_grow_array(s->ctx, array, room, *room ? 2 * *room : 256, size) != RD_OK)
            return 0;
    }
    return (uint32_t)++ * n;
}

rd_status rdi_private_failure(const rd_sharing *s) {
    return s->n_copies >= NUMBERS_MAX || s->n_sets >= NUMBERS_MAX ? RD_ERANGE : RD_ENOMEM;
}

uint32_t rdi_private_new_copy(rd_sharing *s, rdi_copy copy) {
    void *array = s->copies;
    uint32_t number = next_number(s, &array, &s->n_copies, &s->copies_room, sizeof *s->copies);
    s->copies = array;
    if (number)
        s->copies[number] = copy;
    return number;
}

uint32_t rdi_private_new_block(rd_sharing *s) {
    void *array = s->blocks;
    uint32_t number = next_number(s, &array, &s->n_blocks, &s->blocks_room, sizeof *s->blocks);
    s->blocks = array;
    return number;
}

rd_status rdi_private_need_sets(rd_sharing *s, uint32_t *number) {
    if (*number)
        return RD_OK;
    void *array = s->sets;
    *number = next_number(s, &array, &s->n_sets, &s->sets_room, 2 * s->words * sizeof *s->sets);
    s->sets = array;
    return *number ? RD_OK : rdi_private_failure(s);
}

/* ---- threads ---- */

static rd_status open_stack(rd_sharing *s, uint64_t key, rdi_private_stack *stack) {
    stack->key = key;
    RD_TRY(rdi_block_map_init(&stack->copy, s->ctx));
    RD_TRY(rdi_unit_axis_init(&stack->axis, s->ctx, AXIS_UNIT));
    return rdi_hist_new(s->ctx, s->config.binning, &stack->hist);
}

static rd_status add_thread(rd_sharing *s, uint64_t key) {
    uint64_t old;
    if (s->n_threads == s->threads_room) {
        void *grown = rdi_grow(s->ctx, s->threads, &s->threads_room, sizeof *s->threads);
        if (!grown)
            return RD_ENOMEM;
        s->threads = grown;
    }
    rdi_private_stack *stack = rdi_calloc(s->ctx, 1, sizeof *stack);
    if (!stack)
        return RD_ENOMEM;
    s->threads[s->n_threads++] = stack;
    RD_TRY(open_stack(s, key, stack));
    s->current = (uint32_t)(s->n_threads - 1);
    return rdi_block_map_exchange(&s->thread_index, key, s->current, &old);
}

rd_status rdi_private_choose_thread(rd_sharing *s, uint64_t key) {
    if (s->n_threads && s->threads[s->current]->key == key)
        return RD_OK;
    const uint64_t *known = rdi_block_map_find(&s->thread_index, key);
    if (!known)
        return add_thread(s, key);
    s->current = (uint32_t)*known;
    return RD_OK;
}
