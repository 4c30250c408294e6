/* Lists of a few objects per class of sizes (powers of two), sampled or not. They tell by how much
 * the cache sizes of a sample may be wrong.
 *
 * A cache of S bytes holds S bytes of objects. Its size in the sample is the sum of the sizes of the
 * sampled objects among them, divided by the sampling rate R. The difference between the size in the
 * sample and S comes mostly from large objects: one object of s bytes adds s / R - s to the difference if
 * the object is sampled, and -s if it is not. The sampled objects do not tell how large the difference is,
 * because in a heavy tail a few objects have most of the bytes, and they are most likely not in the
 * sample. Therefore the lists keep, for each class, the RDI_LISTED requested objects with the smallest
 * hashes. These are the first ones that a sample takes. A class with at most RDI_LISTED objects is known
 * completely; the number of objects of a larger class follows from the largest hash in its list (Beyer et
 * al., SIGMOD 2007).
 *
 * Each class has two limits for its contribution to the difference:
 *
 * - With 95 % confidence: 1.96 standard deviations. The variance is (1 - R) / R times the sum of the
 *   squares of the sizes of the objects in the cache. The number of bytes of the class in the cache is
 *   estimated as S times the class's share of the requested bytes, or of the bytes of all objects that
 *   fit, whichever is larger. If the list shows that the sample has more or fewer bytes of the class
 *   than this variance explains, the known difference replaces this limit.
 * - With certainty: the bytes that are not sampled, or the sampled bytes times 1 / R - 1, whichever is
 *   larger. For a few objects outside a small sample, this limit is much smaller.
 *
 * The certain limits are added for the classes above a chosen class. For all other classes, the squares of
 * the limits with 95 % confidence are added, and the root of their sum is added to the certain limits. The
 * class is chosen so that the total is smallest. */
#ifndef RDI_SIZE_LISTS_H
#define RDI_SIZE_LISTS_H

#include "base/common.h"
#include "reusedist/objects.h"

#define RDI_LISTED 64

typedef struct rdi_size_list {
    uint64_t limit; /* objects with a larger hash are not added; UINT64_MAX while there is room */
    bool more;      /* true: the class has objects that are not listed */
    size_t n;
    double requested; /* bytes that all requests of the class ask for */
    struct {
        uint64_t hash, bytes;
    } object[RDI_LISTED]; /* ascending hashes */
} rdi_size_list;

/* The lists by the bit width of the size. */
typedef rdi_size_list rdi_size_lists[RD_SIZE_CLASSES];

void rdi_size_lists_init(rdi_size_lists lists);
void rdi_size_list_insert(rdi_size_list *l, uint64_t hash, uint64_t bytes);

/* Notes a request that puts an object of `bytes` bytes into the caches. */
static inline void rdi_size_lists_add(rdi_size_lists lists, uint64_t hash, uint64_t bytes) {
    rdi_size_list *l = &lists[rdi_bit_width(bytes)];
    l->requested += (double)bytes;
    if (hash <= l->limit)
        rdi_size_list_insert(l, hash, bytes);
    else
        l->more = true;
}

/* Computes by what fraction a cache of 2^k bytes may be smaller or larger than its size in the sample
 * suggests, with 95 % confidence. The sample has the objects with hashes up to `limit`, and each of them
 * stands for `weight` objects. */
void rdi_size_lists_errors(const rdi_size_lists lists, uint64_t limit, double weight,
                           double out[RD_BAND_SIZES]);

#endif
