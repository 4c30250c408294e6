/* Finds what makes the numbers of two profiles mean different things. */
#include "profile/profile_build.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

/* Returns the number of references in a turn of lockstep, or 0 for the recorded order. */
static uint64_t turn_of(const rd_profile *p) {
    const rd_interleaving *order = rd_profile_interleaving(p);
    return order ? order->turn : 0;
}

/* Returns whether the references of threads were analyzed in different orders. A single thread has the recorded
 * order in lockstep, too. */
static bool have_different_orders(const rd_profile *a, const rd_profile *b) {
    const rd_interleaving *order[2] = {rd_profile_interleaving(a), rd_profile_interleaving(b)};
    uint64_t turn[2];
    for (int i = 0; i < 2; i++)
        turn[i] = order[i] && order[i]->threads > 1 ? order[i]->turn : 0;
    return turn_of(a) != turn_of(b) && turn[0] != turn[1];
}

uint32_t rd_profile_differences(const rd_profile *a, const rd_profile *b) {
    const rd_profile_facts *f = rd_profile_facts_of(a), *g = rd_profile_facts_of(b);
    const rd_objects_facts *objects[2] = {rd_profile_objects(a), rd_profile_objects(b)};
    if (!f || !g)
        return 0;
    uint32_t set = f->block_bytes != g->block_bytes ? RD_DIFFERENT_BLOCKS : 0;
    set |= f->bound != g->bound ? RD_DIFFERENT_BOUNDS : 0;
    set |= rdi_profile_kinds(f) != rdi_profile_kinds(g) ? RD_DIFFERENT_KINDS : 0;
    set |= !rd_profile_private(a) != !rd_profile_private(b) ? RD_DIFFERENT_STACKS : 0;
    set |= have_different_orders(a, b) ? RD_DIFFERENT_ORDERS : 0;
    if (objects[0] && objects[1]) {
        set |= objects[0]->warmup != objects[1]->warmup ? RD_DIFFERENT_WARMUPS : 0;
        set |= objects[0]->expiry != objects[1]->expiry ? RD_DIFFERENT_EXPIRIES : 0;
    }
    return set;
}
