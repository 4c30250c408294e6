/* time: infers reuse distances from time distances. The result is statistical and has no error
 * bound.
 *
 * While references arrive, the engine uses only the table of `stream`, which gives the time since
 * the last reference to the same block. The engine counts these times in cells, each of which is 1
 * wide or at most 1/1024 of its smallest time (profile/cells.h). At the end the model of Shen,
 * Shaw, Meeker and Ding (profile/time_model.h) turns the histogram of times into one of distances.
 *
 * The model assumes that all intervals of the same length are alike. This does not hold for
 * intervals of a few references, because programs repeat short patterns. With exact=W the engine
 * counts the distances of reuses up to W references apart, and infers only the distances of longer
 * intervals. To count distances, it uses a bit vector that marks which of the last W references are
 * the last references to their blocks.
 *
 * The assumption does not hold for sweeps through large data either. With parts=P the trace is
 * divided into up to P parts, each with its own histogram. The distance of an interval is inferred
 * from the histograms of the parts that it crosses (profile/time_parts.h). This places peaks of the
 * histogram with a relative error of a few thousandths or less.
 *
 * Time: O(N) for N references, a little more than `footprint` needs; with exact=W at worst
 * O(W / 64) per reference. The model takes a fraction of a second, independent of N. With parts=P
 * the model takes about P^2 short steps whenever N doubles, which is also a fraction of a second.
 * Memory: 21 to 32 bytes per block for the table (36 to 53 bytes beyond 2^32 references), and at
 * most 1.2 MB for counts.
 *
 * Use it for miss ratios of caches of a few hundred blocks or more, if speed matters. It is weak
 * for short distances, for which exact=64 or more helps. If you need an error bound, use
 * `scale`.
 *
 * X. Shen, J. Shaw, B. Meeker, C. Ding. Locality approximation using time. POPL 2007.
 */
#include "engine/fast/stream.h"
#include "profile/cells.h"
#include "profile/profile_build.h"
#include "profile/time_model.h"
#include "profile/time_parts.h"

#include <stddef.h>
#include <stdio.h>

#define EXACT_MAX (64 * 1024)
#define PARTS_MAX (64 * 1024)
/* Number of references handled together; their data stays in the first-level cache. */
#define TILE 512

extern const rdi_engine_ops rdi_engine_stream;

/* A bit vector that marks which of the recent references are the last references to their blocks.
 * Bit t % 64 of word (t / 64) % words represents the reference at time t. */
typedef struct recent_bits {
    uint64_t *word;
    uint64_t mask;   /* words - 1, where `words` is a power of two above W / 64 + 1 */
    uint64_t *count; /* number of references per distance below W */
} recent_bits;

typedef struct time_engine {
    rdi_stream stream; /* provides the table, and axis.next as the clock */
    /* The options. */
    uint64_t exact; /* W: reuses up to this many references apart are counted exactly */
    uint64_t parts; /* maximum number of parts; 0 and 1: the trace is not divided */
    bool model;     /* false: the histogram has the time distances */
    /* The state. */
    uint64_t *cell;         /* number of reuses per cell of their time; cell[0]: first references */
    rdi_time_parts by_part; /* replaces `cell` if `parts` is above 1 */
    recent_bits recent;
} time_engine;

static bool has_parts(const time_engine *e) {
    return e->parts > 1;
}

/* Returns W, raised to the end of its cell, because a cell is either counted or inferred as a
 * whole. */
static uint64_t raise_exact(const time_engine *e) {
    return has_parts(e) ? rdi_time_parts_cell_end(e->exact) : rdi_cell_high(rdi_cell_of(e->exact));
}

static rd_status recent_init(time_engine *e, rd_ctx *ctx) {
    e->exact = raise_exact(e);
    uint64_t words = UINT64_C(1) << rdi_bit_width(e->exact / 64 + 1);
    e->recent.mask = words - 1;
    e->recent.word = rdi_calloc(ctx, words, sizeof *e->recent.word);
    e->recent.count = rdi_calloc(ctx, e->exact, sizeof *e->recent.count);
    return e->recent.word && e->recent.count ? RD_OK : RD_ENOMEM;
}

static rd_status time_open(void *self, rdi_run *run) {
    time_engine *e = self;
    RD_TRY(rdi_engine_stream.open(&e->stream, run));
    e->stream.counts_itself = false;
    run->out.counter = RDI_CORE_COUNTS;
    if (!e->model) {
        run->out.error_kind = RDI_KIND_TIME;
        return RD_OK;
    }
    if (e->exact)
        RD_TRY(recent_init(e, run->ctx));
    if (has_parts(e))
        return rdi_time_parts_init(&e->by_part, run->ctx, (size_t)e->parts, e->exact);
    e->cell = rdi_pages_alloc(run->ctx, RDI_CELLS * sizeof *e->cell);
    return e->cell ? RD_OK : RD_ENOMEM;
}

/* ---- counting ---- */

/* Counts the times of the runs. All references of a run except the first one are immediate
 * repeats. */
static void count_times(uint64_t *cell, const rdi_stream_runs *r, size_t references) {
    for (size_t i = 0; i < r->n; i++)
        cell[rdi_cell_of(r->gap[i])]++;
    cell[1] += references - r->n;
}

/* Returns the number of bits that are set for times after `from`. No bit may be set for `now` or a
 * later time. */
static uint64_t count_between(const recent_bits *r, uint64_t from, uint64_t now) {
    uint64_t at = from / 64, end = now / 64;
    uint64_t bits = r->word[at & r->mask] >> (from % 64) >> 1;
    uint64_t sum = (uint64_t)__builtin_popcountll(bits);
    while (at < end)
        sum += (uint64_t)__builtin_popcountll(r->word[++at & r->mask]);
    return sum;
}

/* Clears the words that begin after time `from` but not after time `upto`. Until now they had the
 * bits of times that are no longer recent. */
static void clear_upto(const recent_bits *r, uint64_t from, uint64_t upto) {
    for (uint64_t at = from / 64 + 1; at <= upto / 64; at++)
        r->word[at & r->mask] = 0;
}

/* Counts the distances of reuses up to W references apart. The first of the runs begins at time
 * `now`. Before the call, no bit from `now` on may be set. A run sets only the bit of its last
 * reference. */
static void count_recent(time_engine *e, const rdi_stream_runs *runs, uint64_t now) {
    const recent_bits r = e->recent;
    for (size_t i = 0; i < runs->n; i++) {
        uint64_t begin = now + runs->at[i], end = now + runs->at[i + 1] - 1;
        clear_upto(&r, begin - 1, begin);
        if (runs->gap[i] - 1 < e->exact) { /* false for first references, whose gap is 0 */
            uint64_t last = begin - runs->gap[i];
            r.count[count_between(&r, last, begin)]++;
            r.word[last / 64 & r.mask] &= ~(UINT64_C(1) << last % 64);
        }
        clear_upto(&r, begin, end);
        r.word[end / 64 & r.mask] |= UINT64_C(1) << end % 64;
    }
    r.count[0] += runs->at[runs->n] - runs->n;
}

/* Counts the time distances themselves, for model=off. */
static rd_status add_times(rdi_hist *hist, rdi_stream_runs *r) {
    for (size_t i = 0; i < r->n; i++)
        r->gap[i] = r->gap[i] ? r->gap[i] : RD_COLD;
    RD_TRY(rdi_hist_add(hist, r->gap, r->n));
    return rdi_hist_add_many(hist, 1, r->at[r->n] - r->n);
}

static rd_status feed_tile(time_engine *e, const uint64_t *blk, size_t n) {
    rdi_stream *s = &e->stream;
    rdi_stream_runs runs;
    uint64_t now = s->axis.next;
    RD_TRY(rdi_stream_time_room(s));
    RD_TRY(rdi_stream_table_room(s));
    s->kernel->gaps(s, blk, n, &runs);
    if (!e->model)
        return add_times(s->run->out.hist, &runs);
    if (e->exact)
        count_recent(e, &runs, now);
    if (has_parts(e))
        return rdi_time_parts_count(&e->by_part, runs.gap, runs.n, n - runs.n, s->run->out.hist);
    count_times(e->cell, &runs, n);
    return RD_OK;
}

/* Returns the length of the next tile. No tile crosses the border of a part. */
static size_t tile_of(const time_engine *e, size_t n) {
    size_t tile = n < TILE ? n : TILE;
    if (!has_parts(e) || !e->model)
        return tile;
    uint64_t room = rdi_time_parts_room(&e->by_part);
    return room < tile ? (size_t)room : tile;
}

static rd_status time_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    (void)dist;
    for (size_t i = 0, tile; i < n; i += tile) {
        tile = tile_of(self, n - i);
        RD_TRY(feed_tile(self, blk + i, tile));
    }
    return RD_OK;
}

/* ---- the model ---- */

static size_t make_points(const uint64_t *cell, rdi_time_point *points) {
    size_t n = 0;
    for (size_t i = 1; i < RDI_CELLS; i++)
        if (cell[i]) {
            double middle = ((double)rdi_cell_low(i) + (double)rdi_cell_high(i)) / 2;
            points[n++] = (rdi_time_point){middle, cell[i]};
        }
    return n;
}

static rd_status infer_whole(time_engine *e) {
    rdi_run *run = e->stream.run;
    rdi_time_point *points = rdi_alloc(run->ctx, RDI_CELLS, sizeof *points);
    if (!points)
        return RD_ENOMEM;
    rdi_time_histogram times = {
        .points = points,
        .n = make_points(e->cell, points),
        .blocks = e->stream.table.count,
        .known_upto = (double)e->exact,
    };
    rd_status status = rdi_time_model(run->ctx, &times, run->out.hist);
    rdi_free(run->ctx, points);
    return status;
}

static rd_status time_finish(void *self) {
    time_engine *e = self;
    rdi_run *run = e->stream.run;
    run->out.blocks = e->stream.table.count;
    if (!e->model)
        return RD_OK;
    RD_TRY(has_parts(e) ? rdi_time_parts_finish(&e->by_part, run->out.hist) : infer_whole(e));
    for (uint64_t d = 0; d < e->exact; d++)
        RD_TRY(rdi_hist_add_many(run->out.hist, d, e->recent.count[d]));
    return rdi_hist_add_many(run->out.hist, RD_COLD, run->out.blocks);
}

static void time_close(void *self) {
    time_engine *e = self;
    rdi_run *run = e->stream.run;
    if (!run)
        return;
    rdi_free(run->ctx, e->recent.word);
    rdi_free(run->ctx, e->recent.count);
    rdi_pages_free(run->ctx, e->cell, RDI_CELLS * sizeof *e->cell);
    if (e->by_part.ctx)
        rdi_time_parts_destroy(&e->by_part);
    rdi_engine_stream.close(&e->stream);
}

static const rd_opt time_opts[] = {
    {.name = "exact",
     .type = RD_OPT_SIZE,
     .offset = offsetof(time_engine, exact),
     .def = "0",
     .max = EXACT_MAX,
     .help = "measure the distances of reuses up to this many references apart, and infer only the "
             "distances of longer intervals"},
    {.name = "parts",
     .type = RD_OPT_SIZE,
     .offset = offsetof(time_engine, parts),
     .def = "0",
     .max = PARTS_MAX,
     .help = "divide the trace into up to this many parts, and infer distances from the times of "
             "each part; 0: do not divide the trace"},
    {.name = "model",
     .type = RD_OPT_BOOL,
     .offset = offsetof(time_engine, model),
     .def = "on",
     .help = "infer reuse distances; off: report the histogram of the time distances"},
    {.name = "isa",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(time_engine, stream.isa),
     .def = "auto",
     .choices = RDI_ISA_CHOICES,
     .help = "instruction set of the look-up loop"},
    {.name = "compact",
     .type = RD_OPT_SIZE,
     .offset = offsetof(time_engine, stream.compact),
     .def = "4294967295",
     .min = 2 * RDI_STREAM_STEP,
     .max = UINT32_MAX,
     .help = "largest time kept in 32 bits; lower values test the change to 64 bits"},
    {0},
};

static const char *const time_variants[] = {
    "exact=64",  "exact=1K",   "parts=8K",  "parts=4,exact=300",
    "isa=plain", "compact=6K", "model=off", NULL,
};

const rdi_engine_ops rdi_engine_time = {
    .info =
        {
            .name = "time",
            .summary = "infers distances from times between uses: nearly as fast as a look-up",
            .card = "The engine counts how many references lie between two uses of a block, which\n"
                    "needs one look-up per reference, and turns that histogram into one of reuse\n"
                    "distances: the number of distinct blocks in an interval is modeled as\n"
                    "binomial, with the mean over all intervals of that length. This statistical\n"
                    "model is good for miss ratios from a few hundred blocks on, weak at short\n"
                    "distances, and has no error bound. exact=W counts the distances of reuses\n"
                    "up to W references apart and infers only those of longer intervals; the\n"
                    "counting takes about as long as measuring all distances. parts=64K infers\n"
                    "the distance of each interval from the histograms of the parts of the trace\n"
                    "that it crosses: far better for programs with phases and sweeps, and slower.\n"
                    "model=off reports the time distances themselves.\n"
                    "\n"
                    "Time: O(1) per reference, and a fraction of a second for the model. Memory:\n"
                    "21 to 32 bytes per block. Do not use it if you need a guarantee.\n"
                    "\n"
                    "X. Shen, J. Shaw, B. Meeker, C. Ding. Locality approximation using time.\n"
                    "POPL 2007.",
            .caps = 0,
            .error_kind = "statistical",
            .opts = time_opts,
            .variants = time_variants,
        },
    .state_size = sizeof(time_engine),
    .open = time_open,
    .feed = time_feed,
    .finish = time_finish,
    .close = time_close,
};
