/* Implements lists of a few objects per class of sizes. See size_lists.h. */
#include "objects/size_lists.h"

#include <math.h>
#include <string.h>

#define NORMAL 1.96 /* 97.5 % quantile of the normal distribution */
/* Number of bytes to assume, relative to the estimate. The number of objects in a class is estimated from
 * the largest of RDI_LISTED hashes, with a relative standard deviation of 1 / sqrt(RDI_LISTED - 2) =
 * 12.7 %. CAUTION adds two standard deviations. */
#define CAUTION 1.25

void rdi_size_lists_init(rdi_size_lists lists) {
    memset(lists, 0, sizeof(rdi_size_lists));
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++)
        lists[i].limit = UINT64_MAX;
}

/* An object whose size changes within the class has its last size. */
void rdi_size_list_insert(rdi_size_list *l, uint64_t hash, uint64_t bytes) {
    size_t i = l->n;
    while (i > 0 && l->object[i - 1].hash > hash)
        i--;
    if (i > 0 && l->object[i - 1].hash == hash) {
        l->object[i - 1].bytes = bytes;
        return;
    }
    if (l->n == RDI_LISTED)
        l->more = true;
    else
        l->n++;
    memmove(&l->object[i + 1], &l->object[i], (l->n - 1 - i) * sizeof l->object[0]);
    l->object[i].hash = hash;
    l->object[i].bytes = bytes;
    if (l->n == RDI_LISTED)
        l->limit = l->object[RDI_LISTED - 1].hash;
}

/* ---- errors ---- */

/* A class of sizes. */
typedef struct class_sizes {
    double requested; /* bytes that all requests of the class ask for */
    double bytes;     /* bytes of all objects of the class */
    double unit;      /* sum of the squares of the sizes of these objects, divided by the sum of the
                         sizes */
    double surplus;   /* bytes by which the scaled sample differs from the class; 0 if unknown */
    double certain;   /* limit that the class's contribution to the difference keeps with certainty;
                         INFINITY: none */
} class_sizes;

static class_sizes describe(const rdi_size_list *l, uint64_t limit, double weight) {
    double sum = 0, squares = 0, sampled = 0;
    for (size_t i = 0; i < l->n; i++) {
        double bytes = (double)l->object[i].bytes;
        sum += bytes;
        squares += bytes * bytes;
        sampled += l->object[i].hash <= limit ? bytes : 0;
    }
    if (sum <= 0)
        return (class_sizes){0};
    double last = ((double)l->object[l->n - 1].hash + 1) / 0x1p64;
    class_sizes c = {.requested = l->requested,
                     .bytes = l->more ? sum / RDI_LISTED * (RDI_LISTED - 1) / last : sum,
                     .unit = squares / sum,
                     .surplus = l->more ? 0 : fabs(sampled * weight - sum),
                     .certain = INFINITY};
    if (!l->more || l->object[l->n - 1].hash > limit) { /* all sampled objects are listed */
        double others = c.bytes * (l->more ? CAUTION : 1) - sampled;
        c.certain = fmax(others, sampled * (weight - 1));
    }
    return c;
}

/* Returns the square of the limit with 95 % confidence for the contribution of a class to the
 * difference, in bytes, if a cache holds `held` bytes of the class. See size_lists.h. */
static double square_limit(const class_sizes *c, double held, double weight) {
    double seen = held > 0 ? c->surplus * held / c->bytes : 0;
    return fmax(NORMAL * NORMAL * (weight - 1) * c->unit * held, seen * seen);
}

/* Returns the limit, in bytes, of the difference between the size of a cache of 2^k bytes and its size
 * in the sample. The cache has objects of classes up to k, and `sum` has the sums over these
 * classes. */
static double find_limit(const class_sizes *classes, size_t k, const class_sizes *sum,
                         double weight) {
    double size = ldexp(1, (int)k), squares[RD_SIZE_CLASSES], below = 0, certain = 0;
    for (size_t i = 0; i <= k; i++) {
        const class_sizes *c = &classes[i];
        double share = fmax(c->requested / sum->requested, c->bytes / sum->bytes);
        squares[i] = square_limit(c, fmin(c->bytes, share * size), weight);
        below += squares[i];
    }
    double least = sqrt(below);
    for (size_t i = k + 1; i-- > 0;) {
        below = fmax(below - squares[i], 0);
        certain += fmin(classes[i].certain, size);
        least = fmin(least, certain + sqrt(below));
    }
    return least;
}

void rdi_size_lists_errors(const rdi_size_lists lists, uint64_t limit, double weight,
                           double out[RD_BAND_SIZES]) {
    class_sizes classes[RD_SIZE_CLASSES], sum = {0};
    for (size_t k = 0; k < RD_BAND_SIZES; k++) {
        classes[k] = describe(&lists[k], limit, weight);
        sum.requested += classes[k].requested;
        sum.bytes += classes[k].bytes;
        out[k] = sum.bytes > 0 ? ldexp(find_limit(classes, k, &sum, weight), -(int)k)
                               : NORMAL * sqrt(weight - 1); /* the cache holds no object */
    }
}
