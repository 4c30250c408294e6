/* Entries of the debug information that have code. See object_entries.h.
 *
 * A function can have tens of thousands of children, because a compiler that optimizes makes an entry for
 * each call. So the children of an entry are read once, and only the children with code are kept.
 */
#include "symbols/object_entries.h"

#include <dwarf.h>
#include <stdint.h>

/* ---- a table of entries ---- */

rd_status rdi_code_entries_add(rd_ctx *ctx, rdi_code_entries *e, Dwarf_Die *entry) {
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    size_t ranges = e->ranges.n;
    while ((at = dwarf_ranges(entry, at, &base, &low, &high)) > 0)
        RD_TRY(rdi_code_ranges_add(ctx, &e->ranges, low, high, e->n));
    if (e->ranges.n == ranges)
        return RD_OK;
    if (e->n == e->room) {
        Dwarf_Die *grown = rdi_grow(ctx, e->entry, &e->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        e->entry = grown;
    }
    e->entry[e->n++] = *entry;
    return RD_OK;
}

rd_status rdi_code_entries_sort(rd_ctx *ctx, rdi_code_entries *e) {
    return rdi_code_ranges_sort(ctx, &e->ranges);
}

const Dwarf_Die *rdi_code_entries_find(const rdi_code_entries *e, Dwarf_Addr address,
                                       Dwarf_Addr *begin) {
    const rdi_code_range *found = rdi_code_ranges_find(&e->ranges, address);
    if (found && begin)
        *begin = found->begin;
    return found ? &e->entry[found->item] : NULL;
}

void rdi_code_entries_fini(rd_ctx *ctx, rdi_code_entries *e) {
    rdi_code_ranges_fini(ctx, &e->ranges);
    rdi_free(ctx, e->entry);
    *e = (rdi_code_entries){0};
}

/* ---- the inlined functions and lexical blocks inside an entry ---- */

/* The children of an entry that have code. `parent` is the address in memory of the entry's debug
 * information, which is different for each entry of each file. */
typedef struct rdi_inside {
    const void *parent; /* NULL: the slot is free */
    rdi_code_entries children;
} rdi_inside;

/* Returns the slot of an entry in the hash table, which must not be full. */
static rdi_inside *find_slot(const rdi_inner_entries *index, const void *parent) {
    size_t mask = index->room - 1;
    size_t at = (size_t)((uint64_t)(uintptr_t)parent * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (index->slot[at].parent && index->slot[at].parent != parent)
        at = (at + 1) & mask;
    return &index->slot[at];
}

static rd_status grow(rd_ctx *ctx, rdi_inner_entries *index) {
    rdi_inner_entries old = *index;
    size_t room = old.room ? 2 * old.room : 256;
    rdi_inside *grown = rdi_calloc(ctx, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    index->slot = grown;
    index->room = room;
    for (size_t i = 0; i < old.room; i++)
        if (old.slot[i].parent)
            *find_slot(index, old.slot[i].parent) = old.slot[i];
    rdi_free(ctx, old.slot);
    return RD_OK;
}

static rd_status read_children(rd_ctx *ctx, Dwarf_Die *parent, rdi_code_entries *out) {
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return RD_OK;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            RD_TRY(rdi_code_entries_add(ctx, out, &die));
    } while (dwarf_siblingof(&die, &die) == 0);
    return rdi_code_entries_sort(ctx, out);
}

rd_status rdi_inner_entries_find(rd_ctx *ctx, rdi_inner_entries *index, Dwarf_Die *parent,
                                 Dwarf_Addr address, const Dwarf_Die **out) {
    *out = NULL;
    if (dwarf_haschildren(parent) <= 0)
        return RD_OK;
    if (2 * (index->n + 1) > index->room)
        RD_TRY(grow(ctx, index));
    rdi_inside *inside = find_slot(index, parent->addr);
    if (!inside->parent) {
        rdi_code_entries children = {0};
        rd_status status = read_children(ctx, parent, &children);
        if (status != RD_OK) {
            rdi_code_entries_fini(ctx, &children);
            return status;
        }
        *inside = (rdi_inside){parent->addr, children};
        index->n++;
    }
    *out = rdi_code_entries_find(&inside->children, address, NULL);
    return RD_OK;
}

void rdi_inner_entries_fini(rd_ctx *ctx, rdi_inner_entries *index) {
    for (size_t i = 0; i < index->room; i++)
        rdi_code_entries_fini(ctx, &index->slot[i].children);
    rdi_free(ctx, index->slot);
    *index = (rdi_inner_entries){0};
}
