/* The state of an analysis of requests. The analysis consists of these files:
 *
 *   objects.c           processes requests
 *   objects_refuse.c    refuses invalid requests
 *   object_sample.c     samples the objects
 *   size_lists.c        tells by how much the cache sizes of a sample may be wrong
 *   sample_estimate.c   estimates the curves of all objects from a sample
 *   stretches.c         divides the requests into stretches of time
 *   object_stats.c      counts sizes and popularity at the end
 *   objects_profile.c   makes the profile
 */
#ifndef RDI_OBJECTS_STATE_H
#define RDI_OBJECTS_STATE_H

#include "objects/byte_bins.h"
#include "objects/expiry.h"
#include "objects/live_moments.h"
#include "objects/object_sample.h"
#include "objects/object_table.h"
#include "objects/stretches.h"
#include "order/weight_axis.h"
#include "reusedist/objects.h"

/* A request for an object that an infinite cache holds: its distance and the bytes that it asks
 * for. */
typedef struct rdi_found {
    uint64_t distance, bytes;
} rdi_found;

/* Each size and rd_objects.no_expiry stay below this number of bytes. */
#define RDI_OBJECTS_BYTES_MAX (UINT64_C(1) << 63)
#define RDI_OBJECTS_TILE      32 /* number of requests that are processed together */

struct rd_objects {
    rd_ctx *ctx;
    rd_objects_config config;
    rdi_object_table table;
    rdi_weight_axis axis;
    rdi_byte_bins bins;
    rdi_found found[RDI_OBJECTS_TILE]; /* requests that were not counted in bins yet */
    size_t n_found;
    rdi_stretches stretches;
    rdi_object_sample *sample; /* NULL: all objects are analyzed */
    uint64_t warmup;           /* requests up to this number do not count; for a sample: UINT64_MAX
                                  during the warm-up, then 0 */
    bool has_operations, has_times, has_lifetimes;
    bool gives_lifetimes; /* true: the requests have a column of lifetimes, maybe all of them 0 */
    bool broken;          /* true: a call has failed, so further calls are refused */
    uint64_t requests;    /* number of requests so far */
    uint64_t now;         /* the latest time so far, in nanoseconds */
    uint64_t live, no_expiry; /* see rd_live_bytes */
    uint64_t largest, backwards, unlimited, empty;
    rdi_traffic counted, cold, deleted, expired;
    rdi_traffic by_operation[RD_OPERATIONS];
    uint64_t absent_touches; /* number of touches of absent objects, which have no effect */
    rdi_live_moments moments;
    rdi_expiry_queue queue; /* it is the last field because it is large */
};

/* Returns the totals of the counted requests so far. */
static inline rdi_object_totals rdi_objects_totals(const rd_objects *o) {
    return (rdi_object_totals){o->counted, o->cold, o->deleted, o->expired};
}

/* Returns whether requests with this operation count as hits or misses. */
static inline bool rdi_objects_counts(const rd_objects *o, uint64_t operation) {
    bool reads = o->config.count == RD_COUNT_READS ||
                 (o->config.count == RD_COUNT_AUTO && o->has_operations);
    bool read = operation == RD_OPERATION_READ || operation == RD_OPERATION_READ_TOUCH;
    return reads ? read : operation != RD_OPERATION_DELETE;
}

/* Fails because a request is invalid or, if its size and operation are valid, because the sum of all
 * sizes would be too large. `number` is the number of the request in the trace, from 1. */
rd_status rdi_objects_refuse(const rd_objects *o, uint64_t number, uint64_t bytes,
                             uint64_t operation);

/* Fails if the size or the operation of a request is invalid. `number` is its number in the trace,
 * from 1. */
static inline rd_status rdi_objects_check(const rd_objects *o, uint64_t number, uint64_t bytes,
                                          uint64_t operation) {
    bool valid = bytes < RDI_OBJECTS_BYTES_MAX && operation < RD_OPERATIONS;
    return RDI_LIKELY(valid) ? RD_OK : rdi_objects_refuse(o, number, bytes, operation);
}

/* Processes requests; for a sample, the caller passes only the requests for sampled objects. See
 * rd_objects_feed(). */
rd_status rdi_objects_process(rd_objects *o, const rd_requests *requests, uint64_t *distances);

#endif
