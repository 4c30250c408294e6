/* Whose data an address is: heap by allocation site, globals by variable, stacks by thread.
 *
 * Allocations and stacks are spans that events add and remove; variables are looked up in the files
 * of modules. A region is what all data of one kind and key are counted under; number 0 is memory
 * of which nothing is known.
 *
 * Look-ups are remembered: by blocks (touched.h), with the version of that time, until something
 * happens in them; and for blocks that several regions share here, by address. Such a block has a
 * version of its own, and another one when something has happened in it. No version is given twice.
 */
#ifndef RDI_REGIONS_H
#define RDI_REGIONS_H

#include "attribution/modules.h"
#include "attribution/spans.h"
#include "order/block_map.h"
#include "reusedist/attribution.h"

typedef struct rdi_region {
    rd_data_kind kind;
    uint64_t key;        /* heap: program counter of the allocation; stack: process << 32 | thread;
                            global: address */
    uint32_t epoch;      /* in which it was first seen: to find the module */
    const char *name;    /* variable or module; borrowed from the modules; NULL: made of the key */
    uint64_t live, most; /* bytes */
    uint64_t fetched, words; /* blocks that left the first level, and words touched in them */
} rdi_region;

#define RDI_REGION_RECALLS 4096
#define RDI_VERSION_LAST   (UINT32_MAX >> 1)
#define RDI_MIXED_VERSION  (RDI_VERSION_LAST + 1) /* in that of a block that several share */

/* The region of an address, looked up when its block had this version. */
typedef struct rdi_region_recall {
    uint64_t address;
    uint32_t version; /* 0: empty */
    uint32_t region;
} rdi_region_recall;

typedef struct rdi_regions {
    rd_ctx *ctx;
    const rdi_modules *modules;
    bool known; /* something has been told: before that everything is region 0 */
    rdi_region *region;
    size_t n, room, max;
    size_t max_spans;
    rdi_block_map by_key[4]; /* per kind: key -> number */
    rdi_spans spans;
    uint32_t version; /* of all, but for blocks that several share */
    uint32_t newest;  /* that was given, from 1 to RDI_VERSION_LAST */
    rdi_region_recall recall[RDI_REGION_RECALLS];
} rdi_regions;

rd_status rdi_regions_init(rdi_regions *r, rd_ctx *ctx, const rdi_modules *modules, size_t max);
void rdi_regions_fini(rdi_regions *r);

/* Where the data of an allocation, release or stack end, the last byte; false: it has none. */
bool rdi_regions_extent(rdi_regions *r, const rd_event *event, uint64_t *last);
/* It happened. What is remembered of these data is wrong now. */
rd_status rdi_regions_event(rdi_regions *r, const rd_event *event, uint64_t last, uint32_t epoch);
/* Everything may be another region, from this version on: nothing is remembered any more. */
void rdi_regions_change_all(rdi_regions *r, uint32_t version);

/* The region of an address that lies in from .. to, RDI_OTHERS when there are too many, and whether
 * no other has data there. What belongs to none, as the words between two allocations, belongs to
 * the only one that has data there, if it is the only one. */
rd_status rdi_regions_find(rdi_regions *r, uint64_t address, uint32_t epoch, uint64_t from,
                           uint64_t to, uint32_t *region, bool *alone);

/* Where the region of an address may be remembered. */
static inline rdi_region_recall *rdi_regions_recall(rdi_regions *r, uint64_t address) {
    return &r->recall[address * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (RDI_REGION_RECALLS - 1)];
}

#endif
