/* The interface of an engine. An engine is one const table in one file and one line in engines.def.
 *
 * The core (engine.c) checks arguments and call order, splits long feeds, counts references, keeps
 * the histogram and hands distances to the caller or the sink. An engine receives block ids and
 * computes distances.
 *
 * An immediate engine (RD_CAP_DISTANCES, not RD_CAP_LATE) writes dist[i] for blk[i] before feed()
 * returns, and the core counts the distances. With RDI_ENGINE_COUNTS the core passes NULL for
 * `dist` when no distances are requested, and the engine adds to out.hist itself.
 *
 * A late engine, or one that computes a histogram only, always receives NULL for `dist`. It calls
 * rdi_engine_deliver() with distances in reference order whenever it has some, which also counts
 * them, or it adds to out.hist itself. The core passes every feed to it undivided, so that a trace
 * in memory does not arrive in small batches.
 */
#ifndef RDI_PLUGIN_H
#define RDI_PLUGIN_H

#include "base/common.h"
#include "profile/hist.h"
#include "reusedist/engine.h"
#include "reusedist/experimental.h"

#define RDI_FEED_MAX 4096 /* most references per feed() call of an immediate engine */

typedef rd_block_sink rdi_block_visit;

/* The requirements of the caller. They stay constant while the engine is open. */
typedef struct rdi_request {
    uint64_t bound; /* in blocks; UINT64_MAX means unbounded: `d >= bound` needs no second test */
    uint32_t threads;
    uint64_t mem_bytes;       /* UINT64_MAX: no limit */
    uint64_t references;      /* expected number, a hint; 0: unknown */
    uint64_t expected_blocks; /* number of distinct blocks, a hint for the first size; 0: unknown */
    double first_share;       /* fraction of first touches in a chunk, a hint; 0: unknown */
    bool live;                /* a running program produces the references, a hint */
    bool distances;           /* every distance is requested */
    const char *checkpoint, *checkpoint_of; /* NULL, or as in rd_engine_config */
} rdi_request;

/* Who adds distances to the histogram. */
typedef enum rdi_counter {
    RDI_CORE_COUNTS,   /* The engine writes distances and the core counts them. */
    RDI_ENGINE_COUNTS, /* The engine counts when `dist` is NULL, or when run->count_too is set. */
    /* An immediate engine that works better without handing out distances at once: until a caller
     * passes room for distances, it receives NULL and delivers like a late engine. */
    RDI_ENGINE_DELIVERS
} rdi_counter;

/* The decisions and findings of an engine. */
typedef struct rdi_outcome {
    rdi_hist *hist;      /* the histogram; rdi_engine_use_edges() exchanges it in open() */
    uint64_t bound;      /* the request's; an engine whose options limit it lowers this in open() */
    rdi_counter counter; /* set in open() */
    uint64_t fed;        /* number of references, set in finish() after feed_parts() */
    uint64_t blocks;     /* set in finish() where not every infinite distance is a distinct block */
    bool sums_unknown;   /* set by engines that count without knowing the distances */
    const char *error_kind;           /* set in open() where options change it, else NULL */
    double error_bound;               /* set in open() or finish() by approximate engines */
    double sample_rate;               /* set in finish() by engines that sample */
    double half_width[RD_BAND_SIZES]; /* likewise: half the width of the confidence band */
    char note[512];                   /* one line for -v about what the engine chose */
} rdi_outcome;

/* One run of an engine; valid from open() to close(). */
typedef struct rdi_run {
    rd_ctx *ctx;
    const rdi_request *in;
    rdi_outcome out;
    /* The core sets these fields between feeds. If `count_too` is set, an engine with
     * RDI_ENGINE_COUNTS also counts the distances that it writes, and passes the blocks of first
     * references to `first`, in order. Blocks beyond the bound may be among them. */
    bool count_too;
    rdi_block_visit first;
    void *first_user;
    rd_engine *engine; /* for rdi_engine_deliver() */
} rdi_run;

/* Functions of an immediate engine that other engines can run on a chunk of the trace. */
typedef struct rdi_chunk_ops {
    /* Visits the LRU stack: all live blocks (with a bound: the newest `bound` of them) in the order
     * of their last reference, oldest first. Feeding may continue afterwards. */
    rd_status (*order)(void *self, rdi_block_visit visit, void *user);
    /* Sets dist[i] to the number of blocks newer than blk[i] and forgets blk[i], or sets it to
     * RD_COLD if the engine does not have the block. The blocks are distinct, no time passes, and
     * the caller applies the bound. */
    rd_status (*take)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    /* Optional: forgets every block but keeps its memory and its counts. If missing, the engine is
     * closed and opened again. */
    rd_status (*restart)(void *self);
} rdi_chunk_ops;

/* Functions of the order structure without the table: see rd_engine_feed_known(). feed() fails with
 * rdi_known_fail() if `last` is not the latest reference to a block. Structures that do not store
 * every reference need not notice it, but must not access memory that they do not own. */
rd_status rdi_known_fail(const rdi_run *run, uint64_t last);
typedef struct rdi_alone_ops {
    rd_status (*feed)(void *self, const rd_known *refs, size_t n, uint64_t *dist);
    rd_status (*prefill)(void *self, uint64_t blocks); /* optional */
    rd_nodes (*nodes)(const void *self);               /* optional */
} rdi_alone_ops;

typedef struct rdi_engine_ops {
    rd_engine_info info;              /* name, summary, card, caps, error kind, options, variants */
    size_t state_size;                /* zeroed by the core; options are parsed into it */
    const char *(*unavailable)(void); /* optional: why it cannot run here, or NULL */
    rd_status (*open)(void *self, rdi_run *run); /* on failure close() is called */
    rd_status (*feed)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    rd_status (*feed_parts)(void *self,
                            const rd_parts *parts); /* RD_CAP_PARTS, instead of feed() */
    rd_status (*finish)(void *self);                /* optional: delivers the remaining distances */
    const rdi_chunk_ops *chunk;                     /* optional */
    const rdi_alone_ops *alone;                     /* optional */
    rd_status (*check)(void *self, const char **why); /* optional: invariants, for tests */
    void (*close)(void *self);                        /* tolerates half-open state */
} rdi_engine_ops;

const rdi_engine_ops *rdi_engine_ops_at(size_t index); /* NULL past the last one */
const rdi_engine_ops *rdi_engine_ops_find(const char *name);

/* Returns whether feed() can write distances before it returns. */
static inline bool rdi_engine_is_immediate(const rdi_engine_ops *ops) {
    return (ops->info.caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
}

/* An engine that replaces the engine that opens it, with default options and the same run. */
typedef struct rdi_inner {
    const rdi_engine_ops *ops; /* NULL: not open */
    void *state;
    rdi_counter counter; /* as the inner engine chose it */
} rdi_inner;

/* Opens the inner engine. `request` is borrowed until close and replaces the request of the run.
 * The counter of the run changes to the inner engine's only if it is RDI_CORE_COUNTS. */
rd_status rdi_inner_open(rdi_run *run, const rdi_request *request, const char *name,
                         rdi_inner *out);
void rdi_inner_close(rdi_run *run, rdi_inner *inner);

/* Delivers the next n distances of a late engine. */
rd_status rdi_engine_deliver(rdi_run *run, const uint64_t *dist, size_t n);

/* Inserts "`text`; " before the note of the inner engine. For engines that contain another
 * engine. */
void rdi_engine_note_before(rdi_run *run, const char *text);

/* Makes the histogram use bins that begin at 0 and at each of these distances. Called in open(). */
rd_status rdi_engine_use_edges(rdi_run *run, const uint64_t *edges, size_t n);

/* ---- engines inside engines: immediate engines that analyze a chunk of the trace ---- */

/* Visits the engine's LRU stack, oldest block first. RD_EUNSUPPORTED if the engine has no
 * `order`. */
rd_status rdi_engine_order(rd_engine *e, rdi_block_visit visit, void *user);

/* Computes the distances of the next n references without counting them. */
rd_status rdi_engine_measure(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances);

/* Counts the next n references, and passes the blocks of the infinite distances to `first`, in
 * order; blocks beyond the bound may be missing. `first` must not change `blocks`, which is still
 * in use. */
rd_status rdi_engine_count(rd_engine *e, const uint64_t *blocks, size_t n, rdi_block_visit first,
                           void *user);

/* Sets newer[i] to the number of blocks newer than blocks[i] and forgets blocks[i], or to RD_COLD
 * if the engine does not have it. The blocks must be distinct. Only for engines with `take`. */
rd_status rdi_engine_take(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *newer);

/* The bound of this run: the caller's, or a lower one that the engine set. 0 means none. */
uint64_t rdi_engine_bound(const rd_engine *e);

/* Forgets every block and keeps the counts. */
rd_status rdi_engine_restart(rd_engine *e);
/* Forgets every block and completes the histogram. Feeding may continue afterwards. */
rd_status rdi_engine_reopen(rd_engine *e);

/* The histogram, which is complete after rd_engine_finish(). Borrowed. The caller may add the
 * distances that it derives from rdi_engine_take() or rdi_engine_measure(). */
rdi_hist *rdi_engine_hist(rd_engine *e);

/* The engine's own state, for tests and benchmarks that know its type. */
void *rdi_engine_state(rd_engine *e);

/* Checks the engine's invariants, for tests. */
rd_status rdi_engine_check(rd_engine *e, const char **why);

#endif
