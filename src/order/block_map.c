/* Implements the initialization, growth, removal, iteration and checks of the block map. See
 * block_map.h. */
#include "order/block_map.h"

#define FIRST_SLOTS 64

static rd_status make_slots(rdi_block_map *map, size_t slots) {
    rdi_block_slot *slot = rdi_alloc(map->ctx, slots, sizeof *slot);
    if (!slot)
        return RD_ENOMEM;
    for (size_t i = 0; i < slots; i++)
        slot[i] = (rdi_block_slot){0, RDI_ABSENT};
    map->slot = slot;
    map->mask = slots - 1;
    map->limit = slots / 4 * 3;
    return RD_OK;
}

rd_status rdi_block_map_init(rdi_block_map *map, rd_ctx *ctx) {
    *map = (rdi_block_map){.ctx = ctx};
    return make_slots(map, FIRST_SLOTS);
}

void rdi_block_map_fini(rdi_block_map *map) {
    if (map->ctx)
        rdi_free(map->ctx, map->slot);
    *map = (rdi_block_map){0};
}

rd_status rdi_block_map_grow(rdi_block_map *map) {
    rdi_block_map grown = *map;
    RD_TRY(make_slots(&grown, (map->mask + 1) * 2));
    for (size_t i = 0; i <= map->mask; i++)
        if (map->slot[i].value != RDI_ABSENT)
            *rdi_block_map_probe(&grown, map->slot[i].block) = map->slot[i];
    rdi_free(map->ctx, map->slot);
    *map = grown;
    return RD_OK;
}

/* Removes the block in slot `hole`. Later blocks of the cluster move back to close the gap, unless
 * that would put a block before the slot that it hashes to. */
static void remove_at(rdi_block_map *map, size_t hole) {
    for (size_t i = (hole + 1) & map->mask; map->slot[i].value != RDI_ABSENT;
         i = (i + 1) & map->mask) {
        size_t from_home = (i - rdi_block_map_home(map, map->slot[i].block)) & map->mask;
        size_t from_hole = (i - hole) & map->mask;
        if (from_home >= from_hole) {
            map->slot[hole] = map->slot[i];
            hole = i;
        }
    }
    map->slot[hole].value = RDI_ABSENT;
    map->n--;
}

bool rdi_block_map_remove(rdi_block_map *map, uint64_t block) {
    rdi_block_slot *slot = rdi_block_map_probe(map, block);
    if (slot->value == RDI_ABSENT)
        return false;
    remove_at(map, (size_t)(slot - map->slot));
    return true;
}

void rdi_block_map_remove_below(rdi_block_map *map, uint64_t value) {
    size_t start = 0;
    while (map->slot[start].value != RDI_ABSENT)
        start++;
    /* The scan begins after an empty slot, so it does not begin inside a cluster. A removal
     * therefore moves only blocks that the scan has not reached yet. */
    for (size_t seen = 1; seen <= map->mask;) {
        size_t i = (start + seen) & map->mask;
        if (map->slot[i].value < value)
            remove_at(map, i); /* the loop checks this slot again, because another block may have
                                  moved here */
        else
            seen++;
    }
}

rdi_block_slot *rdi_block_map_next(rdi_block_map *map, size_t *cursor) {
    while (*cursor <= map->mask) {
        rdi_block_slot *slot = &map->slot[(*cursor)++];
        if (slot->value != RDI_ABSENT)
            return slot;
    }
    return NULL;
}

bool rdi_block_map_check(const rdi_block_map *map, const char **why) {
    size_t n = 0;
    for (size_t i = 0; i <= map->mask; i++) {
        if (map->slot[i].value == RDI_ABSENT)
            continue;
        n++;
        if (rdi_block_map_probe(map, map->slot[i].block) != &map->slot[i]) {
            *why = "block map: a block cannot be found from its home slot";
            return false;
        }
    }
    *why = "block map: the number of blocks is wrong or above the limit";
    return n == map->n && n <= map->limit;
}
