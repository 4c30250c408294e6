/* A sample of the objects, chosen by the hash of their ids: estimates the curves of all objects,
 * with confidence bands.
 *
 * At a rate R, the byte distance of a request inside the sample is about R times its true distance,
 * so it is multiplied by 1 / R; the size of the requested object itself is not. Each sampled
 * request stands for 1 / R requests.
 *
 * All requests and their bytes are counted, sampled or not, so it is known by how much the weighted
 * sample deviates from these totals. The misses at each cache size are corrected by this deviation
 * times a slope: the regression of the misses on the requests, over 32 groups of objects that other
 * bits of the hash form. Where objects are alike, the slope removes most of the error; where the
 * deviation comes from a few hot objects, which hardly miss, the slope is near 0. If the deviation
 * is larger than the groups explain, the hottest objects are not in the sample, and the deviation
 * itself gives the variance. The variance that remains between the groups gives the half width of
 * the band.
 *
 * A few large objects may have most of the bytes. Therefore the misses in bytes are estimated for
 * each class of sizes (powers of two) by itself, and then added. The bytes of a class that the
 * sample does not have are known exactly, even if the class has no sampled objects; only the share
 * of these bytes that misses is estimated. A class with many sampled objects is estimated by the
 * same regression over its groups; a class with few of them has the confidence interval of a
 * proportion (Agresti and Coull, The American Statistician, 1998), with the effective number of
 * sampled objects as its sample size.
 *
 * In addition, all distances of one sample have a common error, because the sampled objects may be
 * larger or smaller than average; `size_error` states it, see size_lists.h. */
#ifndef RDI_OBJECT_SAMPLE_H
#define RDI_OBJECT_SAMPLE_H

#include "objects/size_lists.h"
#include "objects/stretches.h"

#define RDI_SAMPLE_GROUPS 32
#define RDI_SAMPLE_SIZES  (RD_BAND_SIZES + 1) /* cache sizes 2^0 to 2^63, and an infinite cache */

/* Weighted numbers of requests or of their bytes, by group of objects and by k, where 2^k bytes is
 * the size of the smallest cache that hits these requests. The last k also counts the misses of an
 * infinite cache. */
typedef double rdi_sample_groups[RDI_SAMPLE_GROUPS][RDI_SAMPLE_SIZES];

typedef struct rdi_object_sample {
    double weight;  /* number of requests that a sampled request stands for: 1 / rate */
    uint64_t salt;  /* hash of the seed */
    uint64_t limit; /* objects with a hash of at most this number are sampled */
    rdi_sample_groups requests_of;
    rdi_sample_groups bytes_of[RD_SIZE_CLASSES]; /* by the bit width of the requested size */
    /* Facts about all requests, sampled or not. */
    uint64_t requests, now, backwards, unlimited, empty, largest;
    /* Counted requests and bytes, by the bit width of the requested size. `counted` has all
     * requests except touches, because it is unknown whether the touched objects are present.
     * `touched` has the touches of sampled objects. */
    rdi_traffic counted[RD_SIZE_CLASSES], touched[RD_SIZE_CLASSES];
    rdi_traffic by_operation[RD_OPERATIONS];
    rdi_size_lists lists;
} rdi_object_sample;

/* Returns a sample of the fraction `rate` of the objects, or NULL if memory is exhausted. */
rdi_object_sample *rdi_object_sample_new(rd_ctx *ctx, double rate, uint64_t seed);

/* Counts all requests, and processes the requests for sampled objects. */
rd_status rdi_object_sample_feed(rd_objects *o, const rd_requests *requests);

/* Counts a request for a sampled object. The caller has checked that the request counts: it does
 * not belong to the warm-up, and its operation is counted. `distance` is its byte distance within
 * the sample, or RD_MISS_*; `before` is the size of the object before the request. Returns the
 * distance of the request in the profile: the size of the smallest cache that hits, minus 1, or 0
 * for a miss of an infinite cache. */
uint64_t rdi_object_sample_count(rdi_object_sample *s, uint64_t id, uint64_t operation,
                                 uint64_t distance, uint64_t before, uint64_t bytes);

/* The facts that the sample estimates, and the rows of the profile. */
typedef struct rdi_sample_result {
    rd_objects_facts *facts;
    rd_bin *rows; /* room for all bins */
    size_t n_rows;
    rd_byte_bin *bytes;
    double half_width
        [RD_BAND_SIZES]; /* half width of the confidence band of the miss ratio of requests */
    double error_bound;
} rdi_sample_result;
void rdi_object_sample_finish(const rd_objects *o, rdi_sample_result *out);

#endif
