/* The miss-ratio curve, read from small caches to large ones in one pass over the bins.
 *
 * Bins ascend by low and by high end; rows of a reference histogram may overlap.
 */
#ifndef RDI_MRC_H
#define RDI_MRC_H

#include "base/common.h"
#include "reusedist/model.h"

typedef struct rdi_mrc_scan {
    const rd_bin *bins;
    size_t n;
    uint64_t limit;      /* above every finite distance: the bound, or the number of blocks */
    uint64_t references; /* finite and infinite */
    bool sums_known;     /* the bins have means */
    size_t next;         /* first bin that is not completely counted */
    uint64_t below;      /* references in the bins before `next` */
} rdi_mrc_scan;

rdi_mrc_scan rdi_mrc_scan_start(const rd_profile *p);

/* The miss ratio at `blocks`, which must not decrease from call to call; sets *interpolated. The
 * caller checks that `blocks` does not exceed the bound of the profile. */
double rdi_mrc_scan_at(rdi_mrc_scan *scan, uint64_t blocks, bool *interpolated);

/* One more than the last distance of a bin: larger caches hit no more of that bin. */
uint64_t rdi_mrc_bin_end(const rdi_mrc_scan *scan, const rd_bin *bin);

/* Distances [from, end) over which the references of a bin are assumed to be spread evenly: the
 * part of the bin that keeps their mean. */
typedef struct rdi_mrc_spread {
    uint64_t from, end;
} rdi_mrc_spread;
rdi_mrc_spread rdi_mrc_bin_spread(const rdi_mrc_scan *scan, const rd_bin *bin);

/* The smallest cache with all possible hits; 0 if there are none. */
uint64_t rdi_mrc_end(const rdi_mrc_scan *scan);

/* False if there are no distances: the trace is empty, or the engine is null. */
bool rdi_mrc_measured(const rd_profile *p);

#endif
