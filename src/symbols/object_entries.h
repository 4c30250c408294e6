/* Entries of the debug information that have code: functions, lexical blocks and units, found by
 * address. */
#ifndef RDI_OBJECT_ENTRIES_H
#define RDI_OBJECT_ENTRIES_H

#include "symbols/code_ranges.h"

#include <elfutils/libdw.h>

/* Entries, found by address. A table whose fields are all 0 is empty. All addresses are addresses in
 * the debug information, without the bias. */
typedef struct rdi_code_entries {
    rdi_code_ranges ranges; /* the item of a range is an index of `entry` */
    Dwarf_Die *entry;
    size_t n, room;
} rdi_code_entries;

/* Adds all code ranges of an entry. */
rd_status rdi_code_entries_add(rd_ctx *ctx, rdi_code_entries *e, Dwarf_Die *entry);
/* Sorts the table for searching. The caller calls this function once, after it has added all
 * entries and before the first search. */
rd_status rdi_code_entries_sort(rd_ctx *ctx, rdi_code_entries *e);
/* Returns the entry whose code contains the address, or NULL. `begin` may be NULL; *begin becomes the
 * beginning of the code range that contains the address. */
const Dwarf_Die *rdi_code_entries_find(const rdi_code_entries *e, Dwarf_Addr address,
                                       Dwarf_Addr *begin);
void rdi_code_entries_fini(rd_ctx *ctx, rdi_code_entries *e);

/* A hash table with the children of entries. A parent is a function, an inlined function or a lexical
 * block, and its children are the inlined functions and lexical blocks directly inside it. The table has
 * the parents whose children were read. An index whose fields are all 0 is empty. */
typedef struct rdi_inner_entries {
    struct rdi_inside *slot;
    size_t n, room; /* the room is 0 or a power of two; at most half of it is used */
} rdi_inner_entries;

/* Finds the child of `parent` that is an inlined function or a lexical block and contains the address. Stores
 * NULL if there is none. *out is valid until the next call. */
rd_status rdi_inner_entries_find(rd_ctx *ctx, rdi_inner_entries *index, Dwarf_Die *parent,
                                 Dwarf_Addr address, const Dwarf_Die **out);
void rdi_inner_entries_fini(rd_ctx *ctx, rdi_inner_entries *index);

#endif
