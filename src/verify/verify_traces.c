/* Makes traces for the verifier: an order of references over the indices 0 to M - 1, and ids for
 * these M blocks.
 *
 * The orders stress an engine in different ways: one block only, new blocks only, the whole set
 * again and again, both ends of the recency list, sudden changes of the working set. The ids stress
 * a hash table: dense, far apart, at both ends of the range, colliding.
 */
#include "verify/verifier.h"

#include <math.h>

/* Maximum number of steps of the oracle for a trace, per reference of the longest trace. The oracle
 * needs up to n * M steps, so long traces get few blocks. */
#define ORACLE_STEPS_PER_REFERENCE 1600

/* Fills n entries of `index` with values below m. */
typedef void (*order_fn)(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m);

static void order_distinct(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    (void)rng;
    for (size_t i = 0; i < n; i++)
        index[i] = i % m; /* m is at least n, except inside order_phases() */
}

static void order_cycle(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    (void)rng;
    for (size_t i = 0; i < n; i++)
        index[i] = i % m;
}

static void order_sawtooth(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    (void)rng;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = i % (2 * m);
        index[i] = at < m ? at : 2 * m - 1 - at;
    }
}

static void order_uniform(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    for (size_t i = 0; i < n; i++)
        index[i] = rdi_rng_below(rng, m);
}

/* References few blocks often and many blocks rarely: the logarithm of a block's rank by popularity
 * is uniform. */
static void order_zipf(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    double span = log((double)m + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = (uint64_t)exp(rdi_rng_unit(rng) * span);
        index[i] = rank >= 1 && rank <= m ? rank - 1 : 0;
    }
}

/* References the top of a stack that grows and shrinks, as with calls and returns. */
static void order_calls(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    uint64_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        bool up = rdi_rng_below(rng, 2) == 0;
        if (up && depth + 1 < m)
            depth++;
        else if (!up && depth > 0)
            depth--;
        index[i] = depth;
    }
}

/* Walks around a ring with steps of a few blocks. */
static void order_walk(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    uint64_t at = rdi_rng_below(rng, m);
    for (size_t i = 0; i < n; i++) {
        at = (at + m + rdi_rng_below(rng, 7) % m - 3 % m) % m;
        index[i] = at;
    }
}

/* Makes runs of references to one block. */
static void order_runs(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (rdi_rng_below(rng, 8) == 0)
            at = rdi_rng_below(rng, m);
        index[i] = at;
    }
}

/* Alternates between scans of all blocks and stretches in a small hot set. */
static void order_scans(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    uint64_t hot = m / 16 + 1, scan = 0;
    bool scanning = false;
    for (size_t i = 0; i < n; i++) {
        if (rdi_rng_below(rng, 4 * hot + 8) == 0)
            scanning = !scanning;
        index[i] = scanning ? scan++ % m : rdi_rng_below(rng, hot);
    }
}

static void order_phases(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m);

static const struct {
    const char *name;
    order_fn fill;
} orders[] = {
    {"phases", order_phases},   {"all distinct", order_distinct},
    {"cycle", order_cycle},     {"sawtooth", order_sawtooth},
    {"uniform", order_uniform}, {"zipf", order_zipf},
    {"calls", order_calls},     {"walk", order_walk},
    {"runs", order_runs},       {"scans", order_scans},
};

/* Fills consecutive stretches. Each has another order, chosen at random, over a random range of the
 * blocks. */
static void order_phases(rdi_rng *rng, uint64_t *index, size_t n, uint64_t m) {
    for (size_t at = 0; at < n;) {
        size_t part = 1 + rdi_rng_below(rng, n - at);
        uint64_t first = rdi_rng_below(rng, m), blocks = 1 + rdi_rng_below(rng, m - first);
        /* Any order except the first one, which is order_phases() itself, may follow. */
        size_t order = 1 + rdi_rng_below(rng, RDI_COUNT(orders) - 1);
        orders[order].fill(rng, index + at, part, blocks);
        for (size_t i = 0; i < part; i++)
            index[at + i] += first;
        at += part;
    }
}

/* ---- ids: functions that map an index to a unique block id ---- */

typedef uint64_t (*id_fn)(uint64_t index, uint64_t salt);

static uint64_t id_dense(uint64_t index, uint64_t salt) {
    (void)salt;
    return index;
}

/* Returns 2^64 - 1, 0, 2^64 - 2, 1 ... for 0, 1, 2, 3 ... */
static uint64_t id_ends(uint64_t index, uint64_t salt) {
    (void)salt;
    return index % 2 ? index / 2 : UINT64_MAX - index / 2;
}

static uint64_t id_random(uint64_t index, uint64_t salt) {
    return rdi_mix64(index + salt);
}

/* Returns an id whose low bits do not depend on `index`. */
static uint64_t id_pages(uint64_t index, uint64_t salt) {
    return (index << 40) + (salt & 0xfff);
}

/* Returns an id. Each group of 16 consecutive indices gives adjacent ids, and the groups are far
 * apart. */
static uint64_t id_clusters(uint64_t index, uint64_t salt) {
    return (rdi_mix64(index / 16 + salt) & ~UINT64_C(15)) + index % 16;
}

/* Inverts rdi_mix64(): undoes x ^ (x >> k) and the multiplications by odd numbers in reverse
 * order. */
static uint64_t unmix64(uint64_t x) {
    x ^= x >> 31 ^ x >> 62;
    x *= UINT64_C(0x319642b2d24d8ec3);
    x ^= x >> 27 ^ x >> 54;
    x *= UINT64_C(0x96de1b173f119089);
    return x ^ x >> 30 ^ x >> 60;
}

/* Returns an id whose hash value has the same lowest and highest bits for every `index`. */
static uint64_t id_colliding(uint64_t index, uint64_t salt) {
    return unmix64((salt & 0xffff) | (index << 20));
}

static const struct {
    const char *name;
    id_fn id;
} ids[] = {
    {"small ids", id_dense},        {"ids near 0 and near 2^64", id_ends},
    {"random ids", id_random},      {"ids with equal low bits", id_pages},
    {"clustered ids", id_clusters}, {"ids with equal hashes", id_colliding},
};

/* Draws a length. Most lengths are short, because a hundred short traces reach more corner cases
 * than a long one. If `shortest` is above 1024, all lengths from `shortest` to `longest` are
 * equally likely. */
static size_t draw_length(rdi_rng *rng, size_t shortest, size_t longest) {
    static const size_t classes[] = {2, 8, 64, 256, 256, 1024, 1024, SIZE_MAX};
    size_t limit = classes[rdi_rng_below(rng, RDI_COUNT(classes))];
    size_t n = (size_t)rdi_rng_below(rng, (limit < longest ? limit : longest) + 1);
    return n < shortest ? shortest + (size_t)rdi_rng_below(rng, longest - shortest + 1) : n;
}

static uint64_t draw_blocks(rdi_rng *rng, size_t n, uint64_t steps) {
    uint64_t most = n < steps / (n + 1) ? n : steps / (n + 1);
    /* One trace in four is limited to 8 blocks, which are then referenced often. */
    uint64_t limit = rdi_rng_below(rng, 4) == 0 ? 8 : most;
    return 1 + rdi_rng_below(rng, limit < most ? limit : most + 1);
}

/* Returns the index of a pattern in `orders`; consecutive seeds choose the patterns in turn. A
 * trace of distinct blocks has at most `distinct_max` references. If `shortest` is above
 * `distinct_max`, the next pattern, a cycle, replaces the pattern of distinct blocks. */
static size_t choose_order(uint64_t seed, size_t shortest, size_t distinct_max) {
    size_t order = seed % RDI_COUNT(orders);
    return orders[order].fill == order_distinct && shortest > distinct_max ? order + 1 : order;
}

void rdi_verify_make(uint64_t seed, size_t shortest, size_t longest, rdi_verify_trace *trace) {
    uint64_t steps = (uint64_t)longest * ORACLE_STEPS_PER_REFERENCE;
    /* For n distinct blocks, the oracle needs n * n steps. */
    size_t distinct_max = (size_t)sqrt((double)steps);
    size_t order = choose_order(seed, shortest, distinct_max);
    size_t id = seed / RDI_COUNT(orders) % RDI_COUNT(ids);
    rdi_rng rng = {rdi_mix64(seed + 1)};
    trace->pattern = orders[order].name;
    trace->ids = ids[id].name;
    trace->n = draw_length(&rng, shortest, longest);
    uint64_t blocks = draw_blocks(&rng, trace->n, steps);
    if (orders[order].fill == order_distinct)
        blocks = trace->n = trace->n < distinct_max ? trace->n : distinct_max;
    orders[order].fill(&rng, trace->block, trace->n, blocks);
    uint64_t salt = rdi_rng_next(&rng);
    for (size_t i = 0; i < trace->n; i++)
        trace->block[i] = ids[id].id(trace->block[i], salt);
}
