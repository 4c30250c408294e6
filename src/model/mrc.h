/* The miss-ratio curve, read from small caches to large ones in one pass over the bins.
 *
 * Bins ascend by low and by high; rows of a reference histogram may overlap.
 */
#ifndef RDI_MRC_H
#define RDI_MRC_H

#include "base/common.h"
#include "reusedist/model.h"

typedef struct rdi_mrc_scan {
    const rd_bin *bins;
    size_t n;
    uint64_t limit;      /* every finite distance is below it: the bound, or the blocks */
    uint64_t references; /* finite and infinite */
    bool sums_known;     /* the bins have means */
    size_t next;         /* first bin not yet counted whole */
    uint64_t below;      /* references in the bins before it */
} rdi_mrc_scan;

rdi_mrc_scan rdi_mrc_scan_start(const rd_profile *p);

/* Miss ratio at `blocks`, which must not shrink from call to call; sets *interpolated. Sizes above
 * the profile's bound are the caller's business. */
double rdi_mrc_scan_at(rdi_mrc_scan *scan, uint64_t blocks, bool *interpolated);

/* First distance behind a bin: no size beyond it hits more of that bin. */
uint64_t rdi_mrc_bin_end(const rdi_mrc_scan *scan, const rd_bin *bin);

/* Distances [from, end) over which the references of a bin are taken to be spread evenly: as much
 * of the bin as leaves their mean where it is. */
typedef struct rdi_mrc_spread {
    uint64_t from, end;
} rdi_mrc_spread;
rdi_mrc_spread rdi_mrc_bin_spread(const rdi_mrc_scan *scan, const rd_bin *bin);

/* Smallest cache that hits everything that was found to hit; 0 when nothing does. */
uint64_t rdi_mrc_end(const rdi_mrc_scan *scan);

/* False when there are no distances to compute with: an empty trace, or engine null. */
bool rdi_mrc_measured(const rd_profile *p);

#endif
