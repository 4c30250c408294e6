/* Object caches: requests with sizes in bytes, times, operations and lifetimes.
 *
 *   rd_objects_config config = {.size = sizeof config};
 *   rd_objects_new(ctx, &config, &o);
 *   rd_objects_feed(o, &requests, NULL);      (once per batch of requests)
 *   rd_objects_profile(o, &profile);
 *   rd_objects_free(o);
 *
 * The result is the exact behavior of LRU caches of every size in bytes. An LRU cache of S bytes
 * hits a request if and only if the byte distance plus the size of the object before the request is
 * at most S. The byte distance is the maximum, over all moments since the previous request of the
 * object, of the bytes of the other objects that were requested since then and are still present.
 * This holds for every S that is at least the size of the largest object. For a smaller S, the
 * result depends on what a cache does with an object that does not fit.
 *
 * The profile counts in blocks of one byte: a request has the distance byte distance + size - 1, so
 * that rd_mrc_at() with S blocks is the miss ratio of a cache of S bytes. Its section "objects"
 * (rd_profile_objects()) has everything else.
 */
#ifndef REUSEDIST_OBJECTS_H
#define REUSEDIST_OBJECTS_H

#include "base.h"
#include "profile.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values that rd_objects_feed() stores for a request without a distance: a request that misses in a
 * cache of every size, or one that neither hits nor misses. */
#define RD_MISS_COLD    UINT64_MAX       /* the object was never in the cache */
#define RD_MISS_DELETED (UINT64_MAX - 1) /* the object was deleted */
#define RD_MISS_EXPIRED (UINT64_MAX - 2) /* the lifetime of the object has ended */
#define RD_NO_DISTANCE  (UINT64_MAX - 3) /* a delete, or a touch of an absent object */

/* The moment at which an expired object leaves the cache. */
typedef enum rd_expiry {
    RD_EXPIRY_EAGER, /* when its lifetime ends */
    RD_EXPIRY_LAZY   /* when it is evicted */
} rd_expiry;

/* The requests that count as hits and misses. Deletes never count. */
typedef enum rd_count {
    RD_COUNT_AUTO,  /* reads if the trace has operations, otherwise all */
    RD_COUNT_READS, /* reads only */
    RD_COUNT_ALL    /* reads, writes and touches */
} rd_count;

typedef struct rd_objects_config {
    size_t size; /* sizeof(rd_objects_config) */
    rd_expiry expiry;
    rd_count count;
    uint64_t warmup;       /* number of requests at the beginning that fill the caches and do not
                              count */
    const uint64_t *sizes; /* cache sizes in bytes at which the curve must be exact, in addition to
                              the ends of the bins; copied; NULL: none */
    size_t n_sizes;
    /* Length of a stretch of time in nanoseconds; 0: no stretches. If it is not 0, every request must
     * have a time (RD_EINVAL), and requests may occur in at most RD_STRETCHES_MAX stretches
     * (RD_ERANGE). See rd_profile_stretches(). */
    uint64_t every;
    /* Fraction of the objects to sample, at most 1; 0: no sample. The hashes of the ids decide which
     * objects are sampled. The profile of a sample is an estimate with confidence bands. A sample must
     * not be combined with `every` (RD_EINVAL). */
    double sample_rate;
    uint64_t sample_seed; /* another seed samples other objects */
} rd_objects_config;

#define RD_STRETCHES_MAX 65536

/* A batch of requests, one array per field. An array is NULL if the trace does not have the
 * field. */
typedef struct rd_requests {
    size_t n;
    const uint64_t *id;
    const uint64_t *bytes;     /* size of the object, below 2^63; NULL: 1 byte */
    const uint64_t *time;      /* in nanoseconds; a time before that of an earlier request counts as
                                  the latest time so far */
    const uint64_t *lifetime;  /* in nanoseconds. Write: 0 means that the object never expires.
                                  Touch, gat: 0 means that the object's lifetime begins again. Read:
                                  the lifetime that the object gets if it is fetched again; 0 means
                                  the lifetime that it was given last */
    const uint64_t *operation; /* an rd_operation; NULL: reads */
} rd_requests;

typedef struct rd_objects rd_objects;

RD_API RD_CHECKED rd_status rd_objects_new(rd_ctx *ctx, const rd_objects_config *config,
                                           rd_objects **out);
/* Processes requests in order. For request i, distances[i] becomes its byte distance, one of the
 * values RD_MISS_*, or RD_NO_DISTANCE; `distances` may be NULL, and must be NULL for a sample. The
 * function returns RD_EINVAL for a size of 2^63 or more, for an unknown operation and for distances
 * of a sample, and RD_ERANGE if the objects that were not deleted have 2^63 bytes or more together,
 * expired objects included. After a failure, only rd_objects_requests() and rd_objects_free() are
 * allowed. */
RD_API RD_CHECKED rd_status rd_objects_feed(rd_objects *o, const rd_requests *requests,
                                            uint64_t *distances);
/* Makes the profile of all requests so far. The caller frees it. */
RD_API RD_CHECKED rd_status rd_objects_profile(const rd_objects *o, rd_profile **out);
/* Returns the number of requests processed so far. If rd_objects_feed() has refused a request, this
 * number is the index of the refused request, from 0. This does not hold for RD_ERANGE in a sample. */
RD_API uint64_t rd_objects_requests(const rd_objects *o);
RD_API void rd_objects_free(rd_objects *o);

/* ---- the section "objects" of a profile ---- */

/* Requests of one kind, and the bytes that they ask for. */
typedef struct rd_traffic {
    uint64_t requests;
    rd_sum bytes;
} rd_traffic;

/* The bytes that the requests of one histogram row ask for. */
typedef struct rd_byte_bin {
    uint64_t low, high; /* smallest and largest distance of the row, both inclusive */
    rd_sum bytes;
} rd_byte_bin;

/* The largest number of bytes that all objects in an infinite cache occupied since the previous entry:
 * the maximum over the moments after each request that follows the previous entry, up to and including
 * request number `request`. */
typedef struct rd_live_bytes {
    uint64_t request;   /* number of requests so far */
    uint64_t time;      /* time of this request in nanoseconds; 0: the trace has no times */
    uint64_t bytes;     /* largest number of bytes of all objects that have not expired */
    uint64_t no_expiry; /* largest number of bytes of all objects if lifetimes are ignored */
} rd_live_bytes;

/* Objects with sizes of the same number of bits: 0, 1, 2 to 3, 4 to 7 bytes ... */
typedef struct rd_size_class {
    uint64_t objects;
    rd_sum bytes; /* sum of their sizes; 0 if rd_objects_facts.has_popularity is false */
} rd_size_class;

/* Objects with similar numbers of requests. */
typedef struct rd_popularity {
    uint64_t low, high; /* smallest and largest number of requests of one of these objects; they
                           differ by at most a factor of 17/16, unless an object has more than 2^29
                           requests */
    uint64_t objects, requests;
} rd_popularity;

#define RD_LIVE_POINTS     512
#define RD_SIZE_CLASSES    64
#define RD_POPULARITY_ROWS 976

typedef struct rd_objects_facts {
    rd_traffic counted;                         /* requests that count as hits or misses */
    rd_traffic cold, deleted, expired;          /* misses of an infinite cache, by cause */
    rd_traffic reads, writes, touches, deletes; /* all requests, by operation */
    uint64_t warmup;                            /* number of requests that only filled the caches */
    uint64_t objects;                           /* number of distinct objects */
    uint64_t largest;                           /* size of the largest object in bytes */
    uint64_t backwards; /* number of requests whose time is before that of an earlier request */
    uint64_t unlimited; /* number of writes with a lifetime of 0 in a trace with lifetimes */
    uint64_t empty;     /* number of requests with a size of 0 */
    bool has_operations, has_times, has_lifetimes;
    rd_expiry expiry;
    rd_count count;                            /* RD_COUNT_READS or RD_COUNT_ALL */
    rd_size_class size_class[RD_SIZE_CLASSES]; /* [k]: objects whose last size needs k bits */
    const rd_byte_bin *bins;
    size_t n_bins;
    const rd_live_bytes *live; /* timeline of the live bytes: each entry has the maximum since the
                                  previous entry; at most RD_LIVE_POINTS entries */
    size_t n_live;
    const rd_popularity *popularity; /* in ascending order of requests; without deletes and touches
                                        of absent objects, and without objects that have no other
                                        requests */
    size_t n_popularity;
    bool has_popularity; /* false: the profile is of a sample, or an older release made this profile
                            or a profile merged into it */
    /* true: the profile is of a sample of the objects (rd_profile_facts.sample_rate is not 0). The
     * numbers of requests and bytes and the size of the largest object then cover all requests.
     * `live` and `popularity` are empty, and all other numbers are estimates. */
    bool is_sample;
    /* Half width of the confidence band of the byte miss ratio at 1, 2, 4 ... bytes. */
    double byte_half_width[RD_BAND_SIZES];
    /* Fraction by which the true size of a cache of 1, 2, 4 ... bytes may differ from the size that the
     * sample suggests. */
    double size_error[RD_BAND_SIZES];
} rd_objects_facts;

/* Returns the facts about objects, borrowed from the profile, or NULL if the profile has none. */
RD_API const rd_objects_facts *rd_profile_objects(const rd_profile *p);

/* Computes the miss ratio and the byte miss ratio of an LRU cache of `bytes` bytes. *interpolated
 * becomes true if `bytes` lies inside a bin; `interpolated` may be NULL. The function returns
 * RD_EINVAL for a profile without objects. */
RD_API RD_CHECKED rd_status rd_objects_at(rd_ctx *ctx, const rd_profile *p, uint64_t bytes,
                                          double *miss_ratio, double *byte_miss_ratio,
                                          bool *interpolated);

/* Computes the confidence band of the byte miss ratio of a sample, as rd_mrc_band() does for the
 * miss ratio. */
RD_API RD_CHECKED rd_status rd_objects_band(rd_ctx *ctx, const rd_profile *p, uint64_t bytes,
                                            double *low, double *high);

/* The prices for planning a cache of objects, in any currency. */
typedef struct rd_object_prices {
    size_t size;     /* sizeof(rd_object_prices) */
    double per_gb;   /* price of 10^9 bytes of memory for the time that the trace covers */
    double per_miss; /* price of one miss of a counted request */
} rd_object_prices;

/* The cost of an LRU cache of objects during the time that the trace covers. */
typedef struct rd_object_cost {
    uint64_t bytes; /* size of the cache; 0: no cache */
    double miss_ratio;
    double memory;      /* cost of its memory */
    double misses;      /* cost of its misses */
    double total;       /* memory + misses */
    bool interpolated;  /* true: `bytes` lies inside a bin, so that the misses are estimated */
    bool below_largest; /* true: the largest object does not fit */
} rd_object_cost;

/* Computes the cost of a cache of `bytes` bytes. Without a cache (0), every counted request misses.
 * The function returns RD_EINVAL for a profile without objects, for a price that is negative or not
 * finite, and if both prices are 0. */
RD_API RD_CHECKED rd_status rd_objects_cost(rd_ctx *ctx, const rd_profile *p,
                                            const rd_object_prices *prices, uint64_t bytes,
                                            rd_object_cost *out);
/* Finds the size with the lowest total cost: no cache, or a size that holds the largest object and at
 * which the curve is not interpolated. If two sizes have the same cost, the function takes the smaller
 * one. It fails like rd_objects_cost(). */
RD_API RD_CHECKED rd_status rd_objects_cheapest(rd_ctx *ctx, const rd_profile *p,
                                                const rd_object_prices *prices,
                                                rd_object_cost *out);

/* ---- the section "stretches" of a profile ---- */

/* Requests of one stretch whose distances are in the same range. */
typedef struct rd_stretch_bin {
    uint64_t low, high; /* both inclusive, in the distances of the profile */
    uint64_t requests;
    rd_sum bytes;
} rd_stretch_bin;

/* The counted requests of a stretch of time. The caches keep their contents from one stretch to the
 * next. Bins end at powers of two and at the sizes of rd_objects_config.sizes. */
typedef struct rd_stretch {
    uint64_t from; /* beginning of the stretch in nanoseconds, a multiple of rd_stretches.every */
    rd_traffic counted, cold, deleted, expired;
    const rd_stretch_bin *bins;
    size_t n_bins;
} rd_stretch;

typedef struct rd_stretches {
    uint64_t every;         /* length of a stretch in nanoseconds */
    const rd_stretch *rows; /* in order of time; stretches without counted requests are left out */
    size_t n;
} rd_stretches;

/* Returns the stretches of time, borrowed from the profile, or NULL if the profile has none. */
RD_API const rd_stretches *rd_profile_stretches(const rd_profile *p);

typedef struct rd_stretch_ratios {
    double miss_ratio, byte_miss_ratio;
    bool interpolated; /* true: the cache size lies inside a bin */
} rd_stretch_ratios;

/* Returns the miss ratios of an LRU cache of `bytes` bytes during the stretch. */
RD_API rd_stretch_ratios rd_stretch_at(const rd_stretch *s, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
