/* Checks the invariants of the stream engine one by one. This is slow and only for tests. See
 * stream.h. */
#include "engine/fast/stream.h"

static bool wrong(const char **why, const char *what) {
    *why = what;
    return false;
}

static uint64_t count_bits(const rdi_slot_axis *a, uint64_t first, uint64_t n) {
    uint64_t sum = 0;
    for (uint64_t i = first >> 6; i < (first + n) >> 6; i++)
        sum += (uint64_t)__builtin_popcountll(a->bits[i]);
    return sum;
}

static bool check_axis(const rdi_slot_axis *a, const char **why) {
    const uint64_t line = UINT64_C(1) << RDI_SLOT_LINE, group = UINT64_C(1) << RDI_SLOT_GROUP,
                   super = UINT64_C(1) << RDI_SLOT_SUPER;
    if (a->next > a->len || a->len > a->capacity)
        return wrong(why, "the axis is longer than its memory");
    for (uint64_t s = 0; s < a->capacity; s += line)
        if (count_bits(a, s, line) != a->line[s >> RDI_SLOT_LINE])
            return wrong(why, "the count of a line of the axis differs from its bits");
    for (uint64_t s = 0; s < a->capacity; s += group)
        if (count_bits(a, s, group) != a->group[s >> RDI_SLOT_GROUP])
            return wrong(why, "the count of a group of lines differs from its bits");
    for (uint64_t s = 0; s < a->capacity; s += super)
        if (count_bits(a, s, super) != a->super[s >> RDI_SLOT_SUPER])
            return wrong(why, "the count of a group of groups differs from its bits");
    if (rdi_slot_axis_get(a, 0))
        return wrong(why, "slot 0 is in use");
    uint64_t used = a->bits[a->next >> 6] >> (a->next & 63);
    for (uint64_t i = (a->next >> 6) + 1; i < a->capacity >> 6; i++)
        used |= a->bits[i];
    if (used)
        return wrong(why, "a slot that was never assigned is in use");
    return true;
}

static bool in_front(const rdi_stream *e, uint64_t blk) {
    for (unsigned i = 0; e->front_on && i < RDI_STREAM_FRONT; i++)
        if (e->front.key[i] == blk)
            return true;
    return false;
}

static bool check_entry(const rdi_stream *e, uint64_t bucket, uint64_t blk, uint64_t slot,
                        const char **why) {
    uint64_t home = rdi_slot_home(&e->table, blk);
    if (bucket < home || bucket - home > e->table.disp)
        return wrong(why, "a block is too far from its home bucket");
    if (!e->table.ops->contains(&e->table, blk))
        return wrong(why, "a search from its home bucket does not find a block");
    if (slot >= e->axis.next)
        return wrong(why, "a block has a slot that was never assigned");
    if (slot != 0 && rdi_slot_axis_get(&e->axis, slot) == in_front(e, blk))
        return wrong(why, "a block is not in exactly one of front and axis");
    return true;
}

static bool check_table(const rdi_stream *e, const char **why) {
    uint64_t count = 0, taken = 0, blk[RDI_SLOT_WAYS], slot[RDI_SLOT_WAYS];
    for (uint64_t i = 0; i < e->table.homes + RDI_SLOT_TAIL; i++) {
        unsigned n = e->table.ops->read(&e->table, i, blk, slot);
        for (unsigned k = 0; k < n; k++) {
            if (!check_entry(e, i, blk[k], slot[k], why))
                return false;
            taken += slot[k] == 0 && !in_front(e, blk[k]);
        }
        count += n;
    }
    uint64_t front = e->front_on ? RDI_STREAM_FRONT : 0;
    if (count != e->table.count)
        return wrong(why, "the table's count differs from its entries");
    if (count_bits(&e->axis, 0, e->axis.capacity) + front != count - taken)
        return wrong(why, "live slots differ from the table's entries");
    return true;
}

static bool check_front(const rdi_stream *e, const char **why) {
    uint64_t places = 0;
    for (unsigned i = 0; e->front_on && i < RDI_STREAM_FRONT; i++) {
        places |= UINT64_C(1) << rdi_stream_front_place(&e->front, i);
        if (e->front.time[i] >= e->front.now || e->front.tag[i] != rdi_stream_tag(e->front.key[i]))
            return wrong(why, "a lane of the front has a wrong time or tag");
        if (!e->table.ops->contains(&e->table, e->front.key[i]))
            return wrong(why, "a block of the front is not in the table");
    }
    if (e->front_on && places != UINT64_MAX)
        return wrong(why, "the places of the front are not a permutation");
    return true;
}

rd_status rdi_stream_check(void *self, const char **why) {
    const rdi_stream *e = self;
    bool sound = check_axis(&e->axis, why) && check_table(e, why) && check_front(e, why);
    return sound ? RD_OK : RD_ESTATE;
}
