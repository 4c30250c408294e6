/* Computes the miss-ratio curve from small caches to large ones, in one pass over the bins.
 *
 * Both the low ends and the high ends of the bins ascend. The rows of a reference histogram may
 * overlap. For profiles of object caches, sizes and distances are numbers of bytes, not of blocks.
 */
#ifndef RDI_MRC_H
#define RDI_MRC_H

#include "base/common.h"
#include "reusedist/model.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

typedef struct rdi_mrc_scan {
    const rd_bin *bins;
    size_t n;
    uint64_t limit;      /* a number above every finite distance: the bound; without a bound, the
                            number of blocks, or UINT64_MAX if that is unknown */
    uint64_t references; /* number of references, finite and infinite */
    bool sums_known;     /* true: the bins have means */
    size_t next;         /* index of the first bin that is not completely counted */
    uint64_t below;      /* number of references in the bins before `next` */
} rdi_mrc_scan;

rdi_mrc_scan rdi_mrc_scan_start(const rd_profile *p);

/* Returns the miss ratio at `blocks`, which must not decrease from call to call. *interpolated says
 * whether `blocks` lies inside a bin. The caller checks that `blocks` does not exceed the bound of
 * the profile. */
double rdi_mrc_scan_at(rdi_mrc_scan *scan, uint64_t blocks, bool *interpolated);

/* Returns one more than the largest possible distance in a bin. A cache of this size hits all
 * references of the bin. */
uint64_t rdi_mrc_bin_end(const rdi_mrc_scan *scan, const rd_bin *bin);

/* The distances [from, end) over which the references of a bin are assumed to be spread evenly: the
 * widest range inside the bin that has their mean in the middle, or the whole bin if the mean is
 * unknown. */
typedef struct rdi_mrc_spread {
    uint64_t from, end;
} rdi_mrc_spread;
rdi_mrc_spread rdi_mrc_bin_spread(const rdi_mrc_scan *scan, const rd_bin *bin);

/* Returns the largest size below `blocks` whose miss ratio is not interpolated. It is `blocks` - 1, unless
 * smaller sizes lie inside a bin: then the smallest cache that hits as often as one of `blocks` blocks may be
 * any cache that is larger than the returned size. Returns 0 for 0. */
uint64_t rdi_mrc_size_before(const rd_profile *p, uint64_t blocks);

/* Returns the end of the last bin, or 0 if there are no bins. A cache of this size has all hits
 * that the profile knows; beyond a bound, larger caches may have more. */
uint64_t rdi_mrc_end(const rdi_mrc_scan *scan);

/* A scan of the confidence band from small caches to large ones, in one pass over the bins. The
 * profile must have a band: rd_mrc_has_band(). */
typedef struct rdi_band_scan {
    const rd_profile_facts *facts;
    const rd_objects_facts *objects; /* facts about an object cache, whose sizes are bytes; NULL:
                                        sizes are blocks */
    rdi_mrc_scan more, less; /* scans of the curve at the upper and at the lower end of the range in
                                which the cache size may lie */
} rdi_band_scan;

rdi_band_scan rdi_band_scan_start(const rd_profile *p);
/* Sets *low and *high to the band at a cache size of `blocks`, which must not decrease from call to
 * call. Returns false near the bound of the profile and beyond it, where the band is unknown,
 * because computing it needs the curve at larger sizes as well. */
bool rdi_band_scan_at(rdi_band_scan *scan, uint64_t blocks, double *low, double *high);

/* Returns whether the profile has distances. A profile has no distances if the trace is empty, or
 * if the engine measures no distances or only time distances. */
bool rdi_mrc_measured(const rd_profile *p);
/* Returns RD_EINVAL for a profile without distances, unless it has no references at all, because an
 * empty trace also has a curve. */
rd_status rdi_mrc_check(rd_ctx *ctx, const rd_profile *p);

#endif
