/* Processes single runs of references to private caches, and completes scans. See
 * private_stacks.h. */
#include "sharing/private_stacks.h"

#include "reusedist/engine.h"

#include <string.h>

/* ---- coherence ---- */

/* Counts the last coherence miss of copy `c`, which must be undecided, as true or false sharing. */
static rd_status decide(rd_sharing *s, uint32_t c, bool true_sharing) {
    const rdi_copy *copy = &s->copies[c];
    rd_private_counts *counts = &s->threads[copy->thread]->counts;
    *(true_sharing ? &counts->true_sharing : &counts->false_sharing) += 1;
    rdi_mask_clear(rdi_sets_awaited(s, copy->sets), s->words);
    return s->shared
               ? rdi_shared_blocks_miss(s->shared, s->blocks[copy->block].detail, c, true_sharing)
               : RD_OK;
}

/* Returns whether the last coherence miss of copy `c` is undecided. */
static bool is_awaiting(const rd_sharing *s, uint32_t c) {
    uint32_t sets = s->copies[c].sets;
    return sets && !rdi_mask_is_empty(rdi_sets_awaited(s, sets), s->words);
}

/* Counts the last coherence miss of copy `c` as false sharing if it is undecided. Must be called
 * when the block is removed from the cache of the thread, and at the end of the trace. */
static rd_status end_lifetime(rd_sharing *s, uint32_t c) {
    return is_awaiting(s, c) ? decide(s, c, false) : RD_OK;
}

/* Counts the last coherence miss of copy `c` as true sharing if it is undecided and `bytes`, which
 * a reference touches, has one of the bytes that other threads stored. */
static rd_status check_true(rd_sharing *s, uint32_t c, rdi_byte_range bytes) {
    uint32_t sets = s->copies[c].sets;
    bool meets = sets && rdi_mask_meets_range(rdi_sets_awaited(s, sets), bytes);
    return meets ? decide(s, c, true) : RD_OK;
}

/* Adds the bytes that the owner of a block has stored to the sets of all other copies. */
static void spread_stores(rd_sharing *s, rdi_shared_block *block) {
    if (!block->sets)
        return;
    uint64_t *stored = rdi_sets_stored(s, block->sets);
    if (rdi_mask_is_empty(stored, s->words))
        return;
    for (uint32_t c = block->copies; c; c = s->copies[c].next)
        if (c != block->owner)
            rdi_mask_add(rdi_sets_stored(s, s->copies[c].sets), stored, s->words);
    rdi_mask_clear(stored, s->words);
}

/* Removes a copy from the cache of its thread. */
static void remove_copy(rd_sharing *s, rdi_copy *copy) {
    rdi_private_stack *stack = s->threads[copy->thread];
    if (copy->slot >= RDI_SLOT_TOP)
        rdi_top_remove(&stack->top, copy->slot - RDI_SLOT_TOP);
    else if (s->distances)
        rdi_unit_remove(&stack->axis, copy->slot);
    copy->slot = 0;
}

/* Removes the block from the caches of all threads except the thread of the copy `owner`, which
 * becomes the owner of the block. */
static rd_status take_over(rd_sharing *s, rdi_shared_block *block, uint32_t owner) {
    for (uint32_t c = block->copies; c; c = s->copies[c].next) {
        rdi_copy *copy = &s->copies[c];
        if (c == owner || copy->slot == 0)
            continue;
        RD_TRY(end_lifetime(s, c));
        if (s->shared)
            s->shared->uses[c].remove_pc = s->pc;
        remove_copy(s, copy);
        RD_TRY(rdi_private_need_sets(s, &copy->sets));
    }
    block->owner = owner;
    return RD_OK;
}

/* Handles a store to a block. The thread of copy `c`, which stores, already has the block in its
 * cache. Sets *stored to the set to which the caller must add the bytes, or to NULL if no other
 * thread has ever referenced the block. */
static rd_status store(rd_sharing *s, uint32_t c, uint64_t **stored) {
    rdi_shared_block *block = &s->blocks[s->copies[c].block];
    *stored = NULL;
    if (block->owner != c)
        RD_TRY(take_over(s, block, c));
    if (block->copies == c && s->copies[c].next == 0)
        return RD_OK;
    RD_TRY(rdi_private_need_sets(s, &block->sets));
    *stored = rdi_sets_stored(s, block->sets);
    return RD_OK;
}

/* ---- references ---- */

/* Puts block `id` of copy `c`, which is not in the top of the stack, on top. Returns the copy that
 * leaves the top for the axis, or 0 if none does. */
static uint32_t enter_top(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t c) {
    unsigned lane;
    uint32_t last = rdi_top_push(&stack->top, s->kernel, id, c, &lane);
    s->copies[c].slot = RDI_SLOT_TOP + lane;
    return last;
}

rd_status rdi_private_axis_room(rd_sharing *s, rdi_private_stack *stack, uint64_t n) {
    rdi_slot_places slots = {&s->copies->slot, sizeof *s->copies};
    return rdi_unit_axis_room(&stack->axis, s->ctx, n, slots);
}

/* Brings block `id` of copy `c`, which is not in the cache of its thread, to the top of the stack. Without distances,
 * only notes that the block is present. */
static rd_status push(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t c) {
    if (!s->distances) {
        s->copies[c].slot = RDI_SLOT_PRESENT;
        return RD_OK;
    }
    RD_TRY(rdi_private_axis_room(s, stack, 1));
    uint32_t last = enter_top(s, stack, id, c);
    if (last)
        s->copies[last].slot = rdi_unit_push(&stack->axis, last);
    return RD_OK;
}

/* Ends the ownership of a block, because another thread references it. If the block has an owner,
 * the stores of the owner are no longer quiet. */
static void end_owner(rd_sharing *s, rdi_shared_block *block) {
    const rdi_copy *copy = &s->copies[block->owner];
    if (block->owner && copy->slot >= RDI_SLOT_TOP)
        s->threads[copy->thread]->top.quiet_stores &= ~(UINT64_C(1) << (copy->slot - RDI_SLOT_TOP));
    block->owner = 0;
}

/* Adds a copy of block `id` for the current thread, which references the block for the first time.
 * Sets *out to the number of the copy. */
static rd_status add_copy(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t *out) {
    uint64_t *known = rdi_block_map_find(&s->index, id), old;
    uint32_t b = known ? (uint32_t)*known : rdi_private_new_block(s);
    if (!b)
        return rdi_private_failure(s);
    if (!known)
        RD_TRY(rdi_block_map_exchange(&s->index, id, b, &old));
    rdi_shared_block *block = &s->blocks[b];
    uint32_t c = rdi_private_new_copy(
        s, (rdi_copy){.block = b, .next = block->copies, .thread = s->current});
    if (!c)
        return rdi_private_failure(s);
    if (s->shared)
        RD_TRY(rdi_shared_blocks_room(s->shared, c));
    if (known) {
        spread_stores(s, block);
        end_owner(s, block);
    }
    block->owner = known ? 0 : c;
    block->copies = c;
    *out = c;
    RD_TRY(rdi_block_map_exchange(&stack->copy, id, c, &old));
    stack->counts.cold++;
    return push(s, stack, id, c);
}

/* Begins the log of a block at its first coherence miss. */
static rd_status begin_log(rd_sharing *s, rdi_shared_block *block, uint64_t id) {
    RD_TRY(rdi_shared_blocks_add(s->shared, id, &block->detail));
    for (uint32_t c = block->copies; c; c = s->copies[c].next) {
        const rdi_copy *copy = &s->copies[c];
        uint64_t lost = copy->sets ? rdi_mask_fold(rdi_sets_stored(s, copy->sets), s->words) : 0;
        RD_TRY(rdi_shared_blocks_seed(s->shared, block->detail, copy->thread, c, lost));
    }
    return RD_OK;
}

/* Counts a coherence miss: brings block `id` of copy `c` back into the cache of its thread, after
 * a store of another thread removed it. */
static rd_status miss(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t c) {
    rdi_copy *copy = &s->copies[c];
    rdi_shared_block *block = &s->blocks[copy->block];
    spread_stores(s, block);
    end_owner(s, block);
    if (s->shared && !block->detail)
        RD_TRY(begin_log(s, block, id));
    if (s->shared)
        s->shared->uses[c].miss_pc = s->pc;
    uint64_t *stored = rdi_sets_stored(s, copy->sets), *awaited = rdi_sets_awaited(s, copy->sets);
    rdi_mask_add(awaited, stored, s->words);
    rdi_mask_clear(stored, s->words);
    stack->counts.coherence++;
    return push(s, stack, id, c);
}

/* Sets *distance to the distance of block `id` of copy `c`, which is on the axis, and moves the
 * copy to the top of the stack. Without distances, only sets *distance to 0. */
static rd_status reuse(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t c,
                       uint64_t *distance) {
    *distance = 0;
    if (!s->distances)
        return RD_OK;
    RD_TRY(rdi_private_axis_room(s, stack, 1)); /* may change the slot */
    uint32_t slot = s->copies[c].slot, last = enter_top(s, stack, id, c);
    if (last) {
        uint32_t to = rdi_unit_move(&stack->axis, slot, last, distance);
        s->copies[last].slot = to;
    } else {
        *distance = rdi_unit_above(&stack->axis, slot);
        rdi_unit_remove(&stack->axis, slot);
    }
    *distance += stack->top.n;
    return RD_OK;
}

static rd_status count_pending(rdi_private_stack *stack) {
    size_t n = stack->n_pending;
    stack->n_pending = 0;
    return rdi_hist_add(stack->hist, stack->pending, n);
}

/* Counts a distance of a reference to a block that was not in the top of the stack. */
static rd_status count(rdi_private_stack *stack, uint64_t distance) {
    stack->pending[stack->n_pending++] = distance == RD_MISS_COHERENCE ? RD_COLD : distance;
    return stack->n_pending == RDI_PRIVATE_PENDING ? count_pending(stack) : RD_OK;
}

/* Brings block `id`, which is not in the top of the current thread's stack, to the top, and counts
 * its distance. The parameters are those of load(), except that *c is 0 only if the thread has no
 * copy of the block. */
static rd_status fetch(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t *c,
                       uint64_t *distance) {
    *distance = *c ? RD_MISS_COHERENCE : RD_COLD;
    if (!*c)
        RD_TRY(add_copy(s, stack, id, c));
    else if (s->copies[*c].slot)
        RD_TRY(reuse(s, stack, id, *c, distance));
    else
        RD_TRY(miss(s, stack, id, *c));
    return s->distances ? count(stack, *distance) : RD_OK;
}

/* Brings block `id` to the top of the current thread's stack, and counts its distance. *c is the
 * copy of the block, or 0 if the caller does not know it; the function sets *c to the copy, and
 * *distance to the distance of the reference: RD_COLD for the first reference of the thread to the
 * block, RD_MISS_COHERENCE for a coherence miss. */
static rd_status load(rd_sharing *s, rdi_private_stack *stack, uint64_t id, uint32_t *c,
                      uint64_t *distance) {
    if (!*c) {
        const uint64_t *known = rdi_block_map_find(&stack->copy, id);
        *c = known ? (uint32_t)*known : 0;
    }
    uint32_t slot = *c ? s->copies[*c].slot : 0;
    if (slot < RDI_SLOT_TOP)
        return fetch(s, stack, id, c, distance);
    *distance = rdi_top_reuse(&stack->top, s->kernel, slot - RDI_SLOT_TOP);
    stack->near[*distance]++;
    return RD_OK;
}

/* Counts a reference for the details of shared blocks. */
static rd_status note_use(rd_sharing *s, uint32_t c, bool stores, rdi_byte_range bytes) {
    uint64_t set = rdi_log_bits(s, bytes);
    rdi_shared_use use = {.loads = stores ? 0 : set, .stores = stores ? set : 0};
    return rdi_shared_blocks_log(s->shared, s->blocks[s->copies[c].block].detail, s->current, c,
                                 &use, !stores, stores);
}

/* Handles the bytes that block reference `i` of the batch touches, and the store if the reference
 * is one. `c` is the copy of the block, which is present, and `hit` is false if the reference
 * missed. Without details, loads need nothing if the copy has no sets. */
static rd_status use_bytes(rd_sharing *s, const rd_sharing_batch *batch, size_t i, uint32_t c,
                           bool hit) {
    const rd_refs *refs = batch->refs;
    uint32_t origin = batch->origins[i];
    bool stores = refs->kind && refs->kind[origin] & RD_STORE;
    if (!stores && !s->copies[c].sets && !s->shared)
        return RD_OK;
    rdi_byte_range bytes = rdi_bytes_of(s, refs, origin, batch->blocks[i]);
    s->pc = s->shared && refs->pc ? refs->pc[origin] : 0;
    RD_TRY(check_true(s, c, bytes));
    if (s->shared)
        RD_TRY(note_use(s, c, stores, bytes));
    if (!stores)
        return RD_OK;
    bool others = s->blocks[s->copies[c].block].owner == 0;
    s->threads[s->current]->counts.upgrades += others && hit;
    uint64_t *stored;
    RD_TRY(store(s, c, &stored));
    if (stored)
        rdi_mask_add_range(stored, bytes);
    return RD_OK;
}

/* Returns whether only the thread of copy `c` has ever referenced the block. */
static bool is_alone(const rd_sharing *s, uint32_t c) {
    return s->copies[c].next == 0 && s->blocks[s->copies[c].block].copies == c;
}

/* Notes whether the lane of copy `c`, which is on top of the stack, is quiet for loads and for stores
 * (sharing/stack_top.h). The lane is quiet for stores if the thread owns the block. If other threads have had the
 * block, the thread became the owner by a store, which has made the sets of the block; a scan only adds later stores
 * to these sets. */
static void find_quiet(const rd_sharing *s, rdi_private_stack *stack, uint32_t c) {
    const rdi_shared_block *block = &s->blocks[s->copies[c].block];
    unsigned lane = s->copies[c].slot - RDI_SLOT_TOP;
    uint64_t bit = UINT64_C(1) << lane;
    if (is_awaiting(s, c))
        return;
    stack->top.quiet_loads |= bit;
    if (block->owner != c)
        return;
    stack->top.quiet_stores |= bit;
    stack->top.noted = is_alone(s, c) ? stack->top.noted & ~bit : stack->top.noted | bit;
    stack->top.sets[lane] = block->sets;
}

/* Does the same as use_bytes() for all references of a run together, if a set has only one word. */
static rd_status use_word(rd_sharing *s, const rdi_private_run *run, uint32_t c, bool hit) {
    const rd_refs *refs = run->batch->refs;
    const uint32_t *origins = run->batch->origins;
    uint64_t id = run->batch->blocks[run->from], *stored;
    rdi_shared_use use = {0};
    size_t first_store = 0, n = run->to - run->from, n_stores = 0;
    for (size_t i = run->to; i-- > run->from;) {
        uint64_t bytes = rdi_range_word(rdi_bytes_of(s, refs, origins[i], id), 0);
        bool is_store = run->stores && refs->kind[origins[i]] & RD_STORE;
        use.loads |= is_store ? 0 : bytes;
        use.stores |= is_store ? bytes : 0;
        n_stores += is_store;
        first_store = is_store ? i : first_store;
    }
    uint32_t sets = s->copies[c].sets, b = s->copies[c].block;
    if (sets && *rdi_sets_awaited(s, sets) & (use.loads | use.stores))
        RD_TRY(decide(s, c, true));
    if (s->shared)
        RD_TRY(rdi_shared_blocks_log(s->shared, s->blocks[b].detail, s->current, c, &use,
                                     n - n_stores, n_stores));
    if (!run->stores)
        return RD_OK;
    bool others = s->blocks[b].owner == 0;
    s->threads[s->current]->counts.upgrades += others && (hit || first_store > run->from);
    s->pc = s->shared && refs->pc ? refs->pc[origins[first_store]] : 0;
    RD_TRY(store(s, c, &stored));
    if (stored)
        *stored |= use.stores;
    return RD_OK;
}

/* Handles the bytes and the stores of a run. `c` is the copy of its block, which is present, and
 * `hit` is false if the first reference missed. */
static rd_status use_run(rd_sharing *s, const rdi_private_run *run, uint32_t c, bool hit) {
    if (!s->shared && !run->stores && !is_awaiting(s, c))
        return RD_OK;
    if (s->words == 1)
        return use_word(s, run, c, hit);
    for (size_t i = run->from; i < run->to; i++)
        RD_TRY(use_bytes(s, run->batch, i, c, hit || i > run->from));
    return RD_OK;
}

/* ---- scans ---- */

void rdi_private_find_ready(const rd_sharing *s, rdi_top_tile *tile, uint64_t absent) {
    tile->ready = tile->ready_stores = tile->ready_noted = 0;
    for (; absent; absent &= absent - 1) {
        unsigned i = (unsigned)__builtin_ctzll(absent);
        uint64_t bit = absent & -absent;
        uint32_t c = tile->copy[i], slot = c ? s->copies[c].slot : 0;
        if (slot == 0 || slot >= RDI_SLOT_TOP || is_awaiting(s, c))
            continue;
        const rdi_shared_block *block = &s->blocks[s->copies[c].block];
        bool owns = block->owner == c;
        tile->ready |= bit;
        tile->ready_stores |= owns ? bit : 0;
        tile->ready_noted |= owns && !is_alone(s, c) ? bit : 0;
        tile->sets[i] = block->sets;
    }
}

rd_status rdi_private_enter(rd_sharing *s, rdi_private_stack *stack, const rdi_top_tile *tile,
                            uint64_t *distances) {
    for (uint64_t left = tile->entered; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        uint32_t c = tile->copy[i], last = tile->last[i];
        uint64_t distance;
        s->copies[last].slot = rdi_unit_move(&stack->axis, s->copies[c].slot, last, &distance);
        s->copies[c].slot = RDI_SLOT_TOP + tile->lane[i];
        distance += stack->top.n;
        RD_TRY(count(stack, distance));
        if (distances)
            distances[i] = distance;
    }
    return RD_OK;
}

/* ---- runs ---- */

/* Makes the windows of the timelines twice as long until reference `at` is in one of them. */
static void widen_windows(rd_sharing *s, uint64_t at) {
    while (at / s->window >= RDI_PRIVATE_WINDOWS) {
        s->window *= 2;
        for (size_t i = 0; i < s->n_threads; i++) {
            uint64_t *misses = s->threads[i]->misses;
            for (size_t w = 0; w < RDI_PRIVATE_WINDOWS / 2; w++)
                misses[w] = misses[2 * w] + misses[2 * w + 1];
            memset(misses + RDI_PRIVATE_WINDOWS / 2, 0, RDI_PRIVATE_WINDOWS / 2 * sizeof *misses);
        }
    }
}

rd_status rdi_private_reference(rd_sharing *s, const rdi_private_run *run, uint32_t *c,
                                uint64_t *distance) {
    const rd_sharing_batch *batch = run->batch;
    rdi_private_stack *stack = s->threads[s->current];
    s->pc = s->shared && batch->refs->pc ? batch->refs->pc[batch->origins[run->from]] : 0;
    RD_TRY(load(s, stack, batch->blocks[run->from], c, distance));
    if (s->shared && *distance == RD_MISS_COHERENCE) {
        uint64_t at = s->fed + run->from;
        widen_windows(s, at);
        stack->misses[at / s->window]++;
    }
    RD_TRY(use_run(s, run, *c, *distance < RD_MISS_COHERENCE));
    if (s->scans)
        find_quiet(s, stack, *c);
    return RD_OK;
}

static rd_status count_all(rdi_private_stack *stack) {
    for (size_t d = 0; d < RDI_TOP_LANES; d++) {
        RD_TRY(rdi_hist_add_many(stack->hist, d, stack->near[d]));
        stack->near[d] = 0;
    }
    return count_pending(stack);
}

rd_status rdi_private_end_lone(rd_sharing *s) {
    const rdi_lone_blocks *lone = &s->lone;
    rdi_private_stack *stack = s->n_threads ? s->threads[0] : NULL;
    s->current = 0;
    for (size_t i = 0; i < (size_t)1 << lone->bits; i++) {
        const rdi_lone_block *from = &lone->slot[i];
        uint32_t c;
        if (rdi_lone_block_is_free(from))
            continue;
        RD_TRY(add_copy(s, stack, from->block, &c));
        s->shared->uses[c] = (rdi_copy_use){
            .loads = from->count[0], .stores = from->count[1], .touched = from->touched};
    }
    if (stack)
        stack->counts.cold = lone->n;
    rdi_lone_blocks_fini(&s->lone);
    return RD_OK;
}

rd_status rdi_private_stacks_finish(rd_sharing *s) {
    for (uint64_t c = 1; c <= s->n_copies && !s->finished; c++)
        RD_TRY(end_lifetime(s, (uint32_t)c));
    for (size_t i = 0; i < s->n_threads && !s->finished; i++)
        RD_TRY(count_all(s->threads[i]));
    widen_windows(s, s->fed ? s->fed - 1 : 0);
    s->finished = true;
    return RD_OK;
}
