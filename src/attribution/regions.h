/* Finds the region of an address. Heap memory is grouped by allocation site, globals by variable,
 * and stacks by thread.
 *
 * Allocations and stacks are spans, which events add and remove. Variables are looked up in the
 * files of modules. A region combines all data of one kind and key. Region 0 is all memory without
 * a known owner.
 *
 * Look-ups are cached. The table entry of a block holds its region (touched.h), with the version at
 * the look-up, until an event affects the block. For blocks that several regions share, the cache
 * here keeps the region of an address. Such a block has its own version, and gets a new one when an
 * event affects it. No version is used twice, unless all of them are used up; then all cached
 * look-ups are invalidated first.
 */
#ifndef RDI_REGIONS_H
#define RDI_REGIONS_H

#include "attribution/modules.h"
#include "attribution/spans.h"
#include "order/block_map.h"
#include "reusedist/attribution.h"

typedef struct rdi_region {
    rd_data_kind kind;
    uint64_t key;   /* heap: program counter of the allocation; stack: process << 32 | thread;
                       global: address of the variable, or the address before the module */
    uint32_t epoch; /* epoch in which the region was first seen, to find its module */
    /* Name of a variable or module, borrowed from the modules; NULL: the name is derived from the
     * key. */
    const char *name;
    uint64_t live, most;     /* number of live bytes now, and the largest number so far */
    uint64_t fetched, words; /* number of stays of its blocks in the first cache level that have
                                ended, and number of words that were touched during them */
} rdi_region;

#define RDI_REGION_RECALLS 4096
#define RDI_VERSION_LAST   (UINT32_MAX >> 1)
/* This bit is set in the version of a block that several regions share. */
#define RDI_MIXED_VERSION (RDI_VERSION_LAST + 1)

/* The region of an address, which was looked up when its block had this version. */
typedef struct rdi_region_recall {
    uint64_t address;
    uint32_t version; /* version of the block; 0: the entry is empty */
    uint32_t region;
} rdi_region_recall;

typedef struct rdi_regions {
    rd_ctx *ctx;
    const rdi_modules *modules;
    bool known; /* true: there were events; before the first event, all memory is region 0 */
    rdi_region *region;
    size_t n, room, max;
    size_t max_spans;
    rdi_block_map by_key[4]; /* per kind: maps a key to a region number */
    rdi_spans spans;
    uint32_t version; /* version that a block has if it belongs to only one region and its
                         look-up is not outdated */
    uint32_t newest;  /* the newest version, from 1 to RDI_VERSION_LAST */
    rdi_region_recall recall[RDI_REGION_RECALLS];
} rdi_regions;

rd_status rdi_regions_init(rdi_regions *r, rd_ctx *ctx, const rdi_modules *modules, size_t max);
void rdi_regions_fini(rdi_regions *r);

/* Sets *last to the last address of the data of an allocation, release or stack. Returns false if
 * the data is empty, or if a release without a size concerns no known allocation. */
bool rdi_regions_extent(rdi_regions *r, const rd_event *event, uint64_t *last);
/* Applies the event to its data, whose last address is `last`. The caller must invalidate the
 * cached look-ups of this data. */
rd_status rdi_regions_event(rdi_regions *r, const rd_event *event, uint64_t last, uint32_t epoch);
/* Invalidates all cached look-ups. From now on, blocks with one region get `version`. */
void rdi_regions_change_all(rdi_regions *r, uint32_t version);

/* Finds the region of an address in the block that extends from `from` to `to`. *alone says whether
 * the block has only one region. *region is RDI_OTHERS if there are too many regions. Memory
 * without an owner, such as the words between two allocations, belongs to the region of the block
 * if there is only one. */
rd_status rdi_regions_find(rdi_regions *r, uint64_t address, uint32_t epoch, uint64_t from,
                           uint64_t to, uint32_t *region, bool *alone);

/* Finds the data that contain an address: an allocation, a stack, a variable, or the space between
 * variables. out->value is the region; 0 if the address has no known owner. *out then extends from
 * the address to the last one before the next data, or to `last` if no data begin up to there. */
rd_status rdi_regions_at(rdi_regions *r, uint64_t address, uint64_t last, uint32_t epoch,
                         rdi_span *out);

/* Returns the cache entry for an address. */
static inline rdi_region_recall *rdi_regions_recall(rdi_regions *r, uint64_t address) {
    return &r->recall[address * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (RDI_REGION_RECALLS - 1)];
}

#endif
