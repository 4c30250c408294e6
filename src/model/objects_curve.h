/* Computes the byte miss ratios of object caches, from small caches to large ones, in one pass over
 * the histogram of bytes. */
#ifndef RDI_OBJECTS_CURVE_H
#define RDI_OBJECTS_CURVE_H

#include "base/common.h"
#include "reusedist/objects.h"

typedef struct rdi_byte_scan {
    const rd_objects_facts *facts;
    size_t next;    /* index of the first row that is not completely counted */
    rdi_u128 below; /* number of bytes in the rows before `next` */
} rdi_byte_scan;

/* Returns the byte miss ratio of a cache of `bytes` bytes. `bytes` must not decrease from call to
 * call. Inside a row, the result is interpolated. Before the first call, all fields of the scan
 * except `facts` must be 0. */
double rdi_byte_scan_at(rdi_byte_scan *scan, uint64_t bytes);

#endif
