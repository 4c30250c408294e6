/* shards: measures a sample of the blocks, which it chooses by their hash. The result is
 * statistical and has a confidence band.
 *
 * A block is in the sample if its hash is at most a threshold. So as long as the threshold stays
 * the same, either all references to a block are sampled or none of them. `stream` measures the
 * distances inside the sample. At a rate R each sampled reference represents 1 / R references, and
 * its distance is multiplied by 1 / R. With samples=S the engine lowers the threshold whenever the
 * sample has more than S blocks: blocks whose hash is above the threshold leave the sample, and
 * earlier counts keep their weight.
 *
 * The engine counts all references, so it knows by how much the number of sampled references
 * deviates from its expected value. This deviation has two causes. The first cause is that the
 * sample has too many or too few blocks. If blocks are alike and the rate is fixed, the engine
 * scales counts and distances accordingly. The second cause is a few very hot blocks, which may or
 * may not be in the sample. Hot blocks have short distances, so the engine adds the difference to
 * distance 0, or subtracts it from the shortest distances. The engine divides the sample into 32
 * groups by other bits of the hash. The variance between the groups tells how much of the deviation
 * has the first cause.
 *
 * The stated error is the half width of a 95 % confidence band of the miss ratio. For each cache
 * size that is a power of two, the half width follows from the variance between the miss ratios of
 * the groups.
 * Sampling also scales all distances of one sample by the same random factor; rd_mrc_band() uses
 * the rate to widen the band for this factor.
 *
 * Time: O(N) for N references, most of which need only a hash and a comparison. Memory: O(M R) for
 * M blocks, or O(S).
 *
 * Use it for traces with very many blocks, and for monitoring in bounded memory. Do not use it for
 * caches of less than about 10 / R blocks, or for samples of fewer than a thousand blocks.
 *
 * C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad. Efficient MRC construction with SHARDS. FAST
 * 2015.
 */
#include "engine/approximate/shards.h"

#include "base/number.h"
#include "engine/core/plugin.h"
#include "profile/cells.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define INNER        "stream"
#define DEFAULT_RATE 0.01 /* the rate if neither `rate` nor `samples` is given */
/* Number of sampled references that are measured together, with one threshold. */
#define BATCH  512
#define GROUPS 32                  /* number of groups of blocks, for the variance */
#define SIZES  (RD_BAND_SIZES + 1) /* cache sizes 2^0 to 2^63, and an infinite cache */
/* If the number of sampled references differs from its expected value by more than this many
 * standard deviations, the engine assumes that the sample does not represent the hottest blocks. */
#define SURPRISE     2
#define MOST_SAMPLES (UINT64_C(1) << 30)
#define SAMPLE_BYTES 128                 /* upper estimate of the bytes per sampled block */
#define FIXED_BYTES  ((uint64_t)2 << 20) /* upper estimate of all other memory, in bytes */
#define QUANTILE     2.04 /* 97.5 % quantile of Student's t with 31 degrees of freedom */

typedef struct sampled_block {
    uint64_t hash, block;
} sampled_block;

/* Invariants: every block of the inner engine has a hash of at most `limit`. With `samples`, heap[]
 * is a heap of these blocks with the largest hash first. */
typedef struct shards_engine {
    /* The options. */
    double rate;
    uint64_t samples, seed;
    /* The state. */
    rdi_run *run;
    rd_engine *inner;
    uint64_t salt;   /* hash of the seed */
    uint64_t limit;  /* blocks with a hash of at most this number are sampled */
    double weight;   /* number of references that a sampled reference represents: 1 / rate */
    uint64_t fed;    /* number of references fed so far */
    uint64_t direct; /* number of references counted exactly while every block was sampled */
    uint64_t pending[BATCH];
    size_t n_pending;
    sampled_block *heap;
    size_t n_heap, heap_room;
    double *mass; /* weighted number of references per cell of their distance, without the `direct`
                     references */
    double cold;  /* weighted number of first references, without the `direct` references */
    uint64_t largest; /* largest distance in `mass` */
    /* misses[g][k]: weighted number of references of group g, without the `direct` references, that
     * hit in a cache of 2^k blocks (k = SIZES - 1: an infinite cache) but miss in the next smaller
     * one. misses[g][SIZES - 1] also counts first references. */
    double misses[GROUPS][SIZES];
} shards_engine;

static double rate_of(const shards_engine *e) {
    return 1 / e->weight;
}

static void set_limit(shards_engine *e, uint64_t limit) {
    e->limit = limit;
    e->weight = 0x1p64 / ((double)limit + 1);
}

static rd_status shards_open(void *self, rdi_run *run) {
    shards_engine *e = self;
    e->run = run;
    e->salt = rdi_mix64(e->seed);
    run->out.error_kind = RDI_KIND_SAMPLED;
    if (e->rate == 0)
        e->rate = e->samples ? 1 : DEFAULT_RATE;
    set_limit(e, e->rate < 1 ? (uint64_t)ceil(e->rate * 0x1p64) - 1 : UINT64_MAX);
    e->mass = rdi_pages_alloc(run->ctx, RDI_CELLS * sizeof *e->mass);
    if (!e->mass)
        return RD_ENOMEM;
    return rd_engine_open(run->ctx, INNER, NULL, &e->inner);
}

/* ---- a sample of fixed size ---- */

/* Makes room for the blocks that the pending references may add. */
static rd_status heap_reserve(shards_engine *e) {
    if (e->heap_room >= e->n_heap + BATCH)
        return RD_OK;
    size_t room = 2 * e->heap_room + 2 * BATCH;
    sampled_block *grown = rdi_resize(e->run->ctx, e->heap, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    e->heap = grown;
    e->heap_room = room;
    return RD_OK;
}

static void heap_push(shards_engine *e, sampled_block b) {
    size_t i = e->n_heap++;
    for (; i > 0 && e->heap[(i - 1) / 2].hash < b.hash; i = (i - 1) / 2)
        e->heap[i] = e->heap[(i - 1) / 2];
    e->heap[i] = b;
}

static sampled_block heap_pop(shards_engine *e) {
    sampled_block top = e->heap[0], last = e->heap[--e->n_heap];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < e->n_heap; i = child) {
        if (child + 1 < e->n_heap && e->heap[child + 1].hash > e->heap[child].hash)
            child++;
        if (e->heap[child].hash <= last.hash)
            break;
        e->heap[i] = e->heap[child];
    }
    e->heap[i] = last;
    return top;
}

/* Lowers the threshold until the sample has at most `samples` blocks, and removes from the inner
 * engine the blocks whose hash is above the threshold. */
static rd_status shrink(shards_engine *e) {
    uint64_t block[BATCH], newer[BATCH];
    size_t n = 0;
    while (e->n_heap > e->samples) {
        sampled_block out = heap_pop(e);
        block[n++] = out.block;
        set_limit(e, out.hash - 1); /* does not wrap around, because another sampled block has a
                                       lower hash */
    }
    return n ? rdi_engine_take(e->inner, block, n, newer) : RD_OK;
}

/* ---- counting ---- */

static unsigned group_of(uint64_t hash) {
    return hash % GROUPS;
}

static void count_one(shards_engine *e, uint64_t hash, uint64_t distance) {
    double weight = e->weight;
    if (distance == RD_COLD) {
        e->cold += weight;
        e->misses[group_of(hash)][SIZES - 1] += weight;
        return;
    }
    double scaled = floor((double)distance * weight + 0.5);
    uint64_t d = scaled < 0x1p63 ? (uint64_t)scaled : UINT64_C(1) << 63;
    e->mass[rdi_cell_of(d)] += weight;
    e->misses[group_of(hash)][rdi_bit_width(d)] += weight;
    e->largest = d > e->largest ? d : e->largest;
}

/* Measures the pending references. While every block is in the sample, the distances are exact and
 * are counted directly. With `samples`, the function then shrinks the sample to at most `samples`
 * blocks. */
static rd_status measure(shards_engine *e) {
    uint64_t distance[BATCH];
    size_t n = e->n_pending;
    e->n_pending = 0;
    if (e->samples)
        RD_TRY(heap_reserve(e));
    RD_TRY(rdi_engine_measure(e->inner, e->pending, n, distance));
    bool all = e->limit == UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rdi_mix64(e->pending[i] ^ e->salt);
        if (!all)
            count_one(e, hash, distance[i]);
        if (e->samples && distance[i] == RD_COLD)
            heap_push(e, (sampled_block){hash, e->pending[i]});
    }
    if (all) {
        e->direct += n;
        RD_TRY(rdi_hist_add(e->run->out.hist, distance, n));
    }
    return e->samples ? shrink(e) : RD_OK;
}

/* Writes the indices of the sampled references among n <= RDI_FEED_MAX references to at[]. Returns
 * their number. */
static size_t filter(const uint64_t *blk, size_t n, uint64_t salt, uint64_t limit, uint16_t *at) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        at[found] = (uint16_t)i;
        found += rdi_mix64(blk[i] ^ salt) <= limit;
    }
    return found;
}

/* Feeds at most RDI_FEED_MAX references of a batch. With `samples`, measure() may lower the
 * threshold meanwhile, so each block is tested again. */
static rd_status feed_batch(shards_engine *e, const uint64_t *blk, size_t n) {
    uint16_t at[RDI_FEED_MAX];
    size_t found = filter(blk, n, e->salt, e->limit, at);
    for (size_t i = 0; i < found; i++) {
        uint64_t block = blk[at[i]];
        if (e->samples && rdi_mix64(block ^ e->salt) > e->limit)
            continue;
        e->pending[e->n_pending++] = block;
        if (e->n_pending == BATCH)
            RD_TRY(measure(e));
    }
    e->fed += n;
    return RD_OK;
}

static rd_status shards_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    (void)dist;
    for (size_t i = 0; i < n; i += RDI_FEED_MAX)
        RD_TRY(feed_batch(self, blk + i, n - i < RDI_FEED_MAX ? n - i : RDI_FEED_MAX));
    return RD_OK;
}

/* ---- the end ---- */

static double sum_of(const double *mass) {
    double sum = 0;
    for (size_t i = 0; i < RDI_CELLS; i++)
        sum += mass[i];
    return sum;
}

/* Estimates which fraction of `excess` is due to the number of sampled blocks; `excess` is the
 * amount by which the weighted counts exceed the number of references. The fraction is 1 if all
 * blocks are alike. In general it is the slope of a regression over different samples: of the
 * number of sampled blocks on the number of sampled references, each relative to its mean. If
 * `excess` is far larger than the variance between the groups explains, the sample does not
 * represent the hottest blocks, and `excess` itself gives the variance. */
static double alike_share(const shards_engine *e, double excess) {
    double size[GROUPS] = {0}, all = 0, squares = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t k = 0; k < SIZES; k++)
            size[g] += e->misses[g][k];
        all += size[g];
    }
    for (size_t g = 0; g < GROUPS; g++)
        squares += (size[g] - all / GROUPS) * (size[g] - all / GROUPS);
    double variance = squares * GROUPS / (GROUPS - 1), blocks = e->cold * rate_of(e);
    double seen = excess * excess / (SURPRISE * SURPRISE);
    if (seen > variance)
        variance = seen;
    return all * all < variance * blocks ? all * all / (variance * blocks) : 1;
}

/* Returns the distance multiplied by `by`, rounded, at most 2^63. */
static uint64_t stretched(uint64_t distance, double by) {
    double d = floor((double)distance * by + 0.5);
    return d < 0x1p63 ? (uint64_t)d : UINT64_C(1) << 63;
}

/* Multiplies all distances and counts by `by`. The loop runs in the order in which no cell moves
 * into a cell that has not moved yet. */
static void stretch(shards_engine *e, double by) {
    for (size_t n = 0; n < RDI_CELLS; n++) {
        size_t i = by > 1 ? RDI_CELLS - 1 - n : n;
        double here = e->mass[i];
        if (here == 0)
            continue;
        uint64_t low = rdi_cell_low(i), middle = low + (rdi_cell_high(i) - low) / 2;
        e->mass[i] = 0;
        e->mass[rdi_cell_of(stretched(middle, by))] += here * by;
    }
    e->largest = stretched(e->largest, by);
}

/* Changes the counts of the shortest distances such that the number of finite distances is
 * `total`. */
static void adjust(double *mass, double total) {
    double missing = total - sum_of(mass);
    if (missing >= 0) {
        mass[0] += missing;
        return;
    }
    for (size_t i = 0; i < RDI_CELLS && missing < 0; i++) {
        double part = mass[i] < -missing ? mass[i] : -missing;
        mass[i] -= part;
        missing += part;
    }
}

/* Adjusts the counts to the `left` references that came after the `direct` ones. Returns the
 * estimated number of first references among them. `excess` is the number by which the counts
 * exceed `left`. With `samples`, the rate changes during the run. The excess then mixes all rates
 * and says little about the last rate, so the function does not scale the counts: scaling made the
 * band too narrow for real programs. */
static uint64_t settle(shards_engine *e, uint64_t left) {
    double all = sum_of(e->mass) + e->cold, excess = all - (double)left, by = 1;
    if (e->cold > 0 && !e->samples)
        by -= alike_share(e, excess) * excess / all;
    stretch(e, by);
    e->cold *= by;
    uint64_t cold = e->cold < (double)left ? (uint64_t)(e->cold + 0.5) : left;
    adjust(e->mass, (double)(left - cold));
    return cold;
}

/* States that the miss ratio is unknown at every size, because no block is in the sample. */
static void state_ignorance(rdi_run *run) {
    for (size_t k = 0; k < RD_BAND_SIZES; k++)
        run->out.half_width[k] = 1;
    run->out.error_bound = 1;
}

/* Computes the half width of the band at each size, as a fraction of all references. References
 * that miss in a cache of 2^k blocks are counted at index k + 1 and above. Sets the error bound to
 * the largest half width at sizes of 1 / rate or more. */
static void state_band(shards_engine *e) {
    double misses[GROUPS] = {0}, factor = (1 - rate_of(e)) * GROUPS / (GROUPS - 1);
    for (size_t k = RD_BAND_SIZES; k-- > 0;) {
        double sum = 0, squares = 0;
        for (size_t g = 0; g < GROUPS; g++)
            sum += misses[g] += e->misses[g][k + 1];
        for (size_t g = 0; g < GROUPS; g++)
            squares += (misses[g] - sum / GROUPS) * (misses[g] - sum / GROUPS);
        double half = e->fed ? QUANTILE * sqrt(squares * factor) / (double)e->fed : 0;
        e->run->out.half_width[k] = half;
        if (ldexp(rate_of(e), (int)k) >= 1 && half > e->run->out.error_bound)
            e->run->out.error_bound = half;
    }
}

static rd_status shards_finish(void *self) {
    shards_engine *e = self;
    rdi_run *run = e->run;
    RD_TRY(measure(e));
    uint64_t left = e->fed - e->direct;
    run->out.sample_rate = rate_of(e);
    if (left > 0 && e->direct == 0 && e->cold == 0)
        state_ignorance(run);
    else
        state_band(e);
    rdi_snprintf(run->out.note, sizeof run->out.note,
                 "%.3g %% of the blocks were sampled at the end", 100 * rate_of(e));
    uint64_t cold = settle(e, left);
    RD_TRY(rdi_cells_count(e->mass, e->largest, left - cold, run->out.hist));
    RD_TRY(rdi_hist_add_many(run->out.hist, RD_COLD, cold));
    /* The number of blocks is an estimate, but it must exceed every distance. */
    uint64_t blocks = rdi_hist_infinite(run->out.hist);
    run->out.blocks = blocks > e->largest ? blocks : e->largest + 1;
    return RD_OK;
}

static void shards_close(void *self) {
    shards_engine *e = self;
    if (!e->run)
        return;
    rd_engine_close(e->inner);
    rdi_free(e->run->ctx, e->heap);
    rdi_pages_free(e->run->ctx, e->mass, RDI_CELLS * sizeof *e->mass);
}

static const rd_opt shards_opts[] = {
    {.name = "rate",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(shards_engine, rate),
     .def = "0",
     .max = 1,
     .help = "fraction of the blocks to sample; 0: use 0.01, or, if samples= is given, start with "
             "all blocks"},
    {.name = "samples",
     .type = RD_OPT_SIZE,
     .offset = offsetof(shards_engine, samples),
     .def = "0",
     .max = MOST_SAMPLES,
     .help = "largest number of sampled blocks, above which the rate is lowered; 0: never lower "
             "the rate"},
    {.name = "seed",
     .type = RD_OPT_U64,
     .offset = offsetof(shards_engine, seed),
     .def = "1",
     .help = "seed of the hash; another seed samples other blocks"},
    {0},
};

bool rdi_shards_fit(uint64_t bytes, char *options, size_t room) {
    uint64_t samples = bytes > FIXED_BYTES ? (bytes - FIXED_BYTES) / SAMPLE_BYTES : 0;
    snprintf(options, room, "samples=%" PRIu64, samples < MOST_SAMPLES ? samples : MOST_SAMPLES);
    return samples > 0;
}

static const char *const shards_variants[] = {"rate=0.5", "samples=100", "samples=1", NULL};

const rdi_engine_ops rdi_engine_shards = {
    .info =
        {
            .name = "shards",
            .summary =
                "samples the blocks: is very fast, needs little memory, states a confidence band",
            .card =
                "The engine measures a sample of the blocks, chosen by a hash up to a\n"
                "threshold, and scales distances and counts up. rate= fixes the fraction of\n"
                "sampled blocks; samples= limits their number by lowering the threshold during\n"
                "the run. As the number of all references is known, missing references are added\n"
                "to the shortest distance, and surplus ones are subtracted from the shortest\n"
                "distances. The profile states the rate, and the half width of a 95 % confidence\n"
                "band of the miss ratio at powers of two.\n"
                "\n"
                "Time: O(1) per reference, mostly for a hash. Memory: 40 bytes per sampled block.\n"
                "Do not use it for caches of less than about 10 / rate blocks, or for samples of\n"
                "fewer than a thousand blocks.\n"
                "\n"
                "C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad. Efficient MRC construction\n"
                "with SHARDS. FAST 2015.",
            .error_kind = RDI_KIND_SAMPLED,
            .opts = shards_opts,
            .variants = shards_variants,
        },
    .state_size = sizeof(shards_engine),
    .open = shards_open,
    .feed = shards_feed,
    .finish = shards_finish,
    .close = shards_close,
};
