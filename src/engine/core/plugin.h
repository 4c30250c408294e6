/* What an engine is: one const table in one file, one line in engines.def.
 *
 * The core (engine.c) checks arguments and call order, splits long feeds, counts references, keeps
 * the histogram and hands distances to whoever requested them. An engine receives block ids and
 * computes distances.
 *
 * An immediate engine (RD_CAP_DISTANCES, not RD_CAP_LATE) writes dist[i] for blk[i] before feed()
 * returns, and the core counts the distances. With RDI_ENGINE_COUNTS the core passes NULL for
 * `dist` when nobody requested distances, and the engine adds to out.hist itself.
 *
 * A late engine, or one that computes a histogram only, always receives NULL for `dist`. It calls
 * rdi_engine_deliver() with distances in reference order whenever it has some, which counts them
 * too, or adds to out.hist itself. The core passes every feed to it undivided, so that a trace in
 * memory does not arrive in small batches.
 */
#ifndef RDI_PLUGIN_H
#define RDI_PLUGIN_H

#include "base/common.h"
#include "profile/hist.h"
#include "reusedist/engine.h"

#define RDI_FEED_MAX 4096 /* references per feed() call of an immediate engine at most */

typedef rd_block_sink rdi_block_visit;

/* What is asked of an engine: constant while the engine is open. */
typedef struct rdi_request {
    uint64_t bound; /* in blocks; UINT64_MAX means unbounded: `d >= bound` needs no second test */
    uint32_t threads;
    uint64_t mem_bytes;       /* UINT64_MAX: no limit */
    uint64_t references;      /* expected number, a hint; 0: unknown */
    uint64_t expected_blocks; /* number of distinct blocks, a hint for the first size; 0: unknown */
    double first_share;       /* fraction of first touches in a chunk, a hint; 0: unknown */
    bool live;                /* a running program makes the references, a hint */
    bool distances;           /* somebody requested every distance */
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

/* What an engine decides and finds out. */
typedef struct rdi_outcome {
    rdi_hist *hist;      /* the histogram; rdi_engine_use_edges() exchanges it in open() */
    uint64_t bound;      /* the request's; an engine whose options limit it lowers this in open() */
    rdi_counter counter; /* set in open() */
    uint64_t fed;        /* set in finish() after feed_parts(): references */
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
    /* Set by the core between feeds. An engine with RDI_ENGINE_COUNTS counts the distances that it
     * writes too if `count_too` is set, and passes the blocks of first references to `first`, in
     * order; blocks beyond the bound may be among them. */
    bool count_too;
    rdi_block_visit first;
    void *first_user;
    rd_engine *engine; /* for rdi_engine_deliver() */
} rdi_run;

/* What an engine offers to an engine that runs it on a chunk of the trace. Immediate engines only.
 */
typedef struct rdi_chunk_ops {
    /* Visits the LRU stack: all live blocks (with a bound: the newest `bound` of them) in the order
     * of their last reference, oldest first. Feeding may go on afterwards. */
    rd_status (*order)(void *self, rdi_block_visit visit, void *user);
    /* dist[i] is the number of blocks newer than blk[i], which is then forgotten, or RD_COLD if it
     * was not there. The blocks are distinct, no time passes, and the caller applies the bound. */
    rd_status (*take)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    /* Optional: forgets every block but keeps its memory and what it has counted. Without it the
     * engine is closed and opened again. */
    rd_status (*restart)(void *self);
} rdi_chunk_ops;

/* The order structure without the table: see rd_engine_feed_known(). */
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
                            const rd_parts *parts);   /* RD_CAP_PARTS, instead of feed() */
    rd_status (*finish)(void *self);                  /* optional: delivers what is under way */
    const rdi_chunk_ops *chunk;                       /* optional */
    const rdi_alone_ops *alone;                       /* optional */
    rd_status (*check)(void *self, const char **why); /* optional: invariants, for tests */
    void (*close)(void *self);                        /* tolerates half-open state */
} rdi_engine_ops;

const rdi_engine_ops *rdi_engine_ops_at(size_t index); /* NULL past the last one */
const rdi_engine_ops *rdi_engine_ops_find(const char *name);

/* feed() can fill in distances before it returns. */
static inline bool rdi_engine_is_immediate(const rdi_engine_ops *ops) {
    return (ops->info.caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
}

/* An engine that works in place of the one that opens it, with default options and the same run. */
typedef struct rdi_inner {
    const rdi_engine_ops *ops; /* NULL: not open */
    void *state;
    rdi_counter counter; /* as the inner engine chose it */
} rdi_inner;

/* `request` is borrowed until close and replaces the run's. The counter of the run stays as it is,
 * unless it is RDI_CORE_COUNTS: then it becomes the inner engine's. */
rd_status rdi_inner_open(rdi_run *run, const rdi_request *request, const char *name,
                         rdi_inner *out);
void rdi_inner_close(rdi_run *run, rdi_inner *inner);

/* Late engines: the next n distances. */
rd_status rdi_engine_deliver(rdi_run *run, const uint64_t *dist, size_t n);

/* An engine around another one, whose note is there: puts "`text`; " before it. */
void rdi_engine_note_before(rdi_run *run, const char *text);

/* In open(): count in bins that begin at 0 and at each of these distances instead. */
rd_status rdi_engine_use_edges(rdi_run *run, const uint64_t *edges, size_t n);

/* ---- engines inside engines: immediate ones that analyse a part of the trace ---- */

/* The engine's LRU stack, oldest block first; RD_EUNSUPPORTED where it has no `order`. */
rd_status rdi_engine_order(rd_engine *e, rdi_block_visit visit, void *user);

/* The distances of the next n references, counted nowhere. */
rd_status rdi_engine_measure(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances);

/* Counts the next n references, and gives the blocks of the infinite distances to `first`, in order
 * (those beyond the bound may be left out). `first` is called in between: it leaves `blocks` alone.
 */
rd_status rdi_engine_count(rd_engine *e, const uint64_t *blocks, size_t n, rdi_block_visit first,
                           void *user);

/* How many blocks are newer than each of these, which are different and are then forgotten; RD_COLD
 * for those that are not there. Only engines with `take`. */
rd_status rdi_engine_take(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *newer);
bool rdi_engine_can_take(const rd_engine *e);

/* The bound of this run, the caller's or a lower one of the engine's own; 0: none. */
uint64_t rdi_engine_bound(const rd_engine *e);

/* Forgets every block; what was counted stays. */
rd_status rdi_engine_restart(rd_engine *e);

/* What was counted: complete after rd_engine_finish(). Borrowed. */
rdi_hist *rdi_engine_hist(rd_engine *e);

/* The engine's own state, for tests and benchmarks that know its type. */
void *rdi_engine_state(rd_engine *e);

/* Tests: runs the engine's own invariants. */
rd_status rdi_engine_check(rd_engine *e, const char **why);

#endif
