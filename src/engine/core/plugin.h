/* Declares the interface of an engine. An engine is one const table in one file and one line in
 * engines.def.
 *
 * The core (engine.c) checks arguments and call order, counts references, keeps the histogram, and
 * hands distances to the caller or the sink. It splits long feeds of immediate engines. An engine
 * receives block ids and computes distances.
 *
 * An immediate engine (RD_CAP_DISTANCES, not RD_CAP_LATE) writes dist[i] for blk[i] before feed()
 * returns, and the core counts the distances. With RDI_ENGINE_COUNTS the core passes NULL for
 * `dist` if no distances are requested, and the engine adds to out.hist itself.
 *
 * A late engine, or an engine that computes only a histogram, always receives NULL for `dist`.
 * Whenever it has distances, it passes them in reference order to rdi_engine_deliver(), which also
 * counts them; or it adds to out.hist itself. The core passes every feed to it undivided, so that a
 * trace in memory does not arrive in small batches.
 */
#ifndef RDI_PLUGIN_H
#define RDI_PLUGIN_H

#include "base/common.h"
#include "profile/hist.h"
#include "reusedist/engine.h"
#include "reusedist/experimental.h"

#define RDI_FEED_MAX 4096 /* maximum number of references per feed() call of an immediate engine */

/* A function that receives blocks, in a stated order, with as many calls as necessary. */
typedef rd_block_sink rdi_block_visit;

/* The requirements of the caller. They stay constant while the engine is open. */
typedef struct rdi_request {
    uint64_t bound; /* bound in blocks; UINT64_MAX: unbounded, so that an engine needs only the test
                       `d >= bound` */
    uint32_t threads;
    uint64_t mem_bytes;       /* memory limit in bytes that the engine plans for; UINT64_MAX: no
                                 limit */
    uint64_t references;      /* expected number of references, a hint; 0: unknown */
    uint64_t expected_blocks; /* expected number of distinct blocks, a hint for the initial memory;
                                 0: unknown */
    double first_share;       /* expected fraction of first touches in a chunk, a hint; 0:
                                 unknown */
    bool live;                /* true: a running program produces the references (a hint) */
    bool distances;           /* true: every distance is requested */
    const char *checkpoint, *checkpoint_of; /* see rd_engine_config; may be NULL */
} rdi_request;

/* States who adds distances to the histogram. */
typedef enum rdi_counter {
    RDI_CORE_COUNTS,   /* The engine writes distances and the core counts them. */
    RDI_ENGINE_COUNTS, /* The engine counts when `dist` is NULL, or when run->count_too is set. */
    /* The engine is immediate, but works faster if feed() need not write distances. Whenever the
     * caller passes no array for distances, the engine receives NULL and delivers like a late
     * engine. */
    RDI_ENGINE_DELIVERS
} rdi_counter;

/* The results of a run, apart from distances, that an engine reports to the core. */
typedef struct rdi_outcome {
    rdi_hist *hist;         /* the histogram; rdi_engine_use_edges() may replace it in open() */
    uint64_t bound;         /* the bound of the request, which open() may lower if an option of the
                               engine limits it */
    rdi_counter counter;    /* who counts distances; open() sets it, and feed() may change it */
    uint64_t fed;           /* number of references that feed_parts() has read; set in finish() */
    uint64_t blocks;        /* number of distinct blocks; set in finish() if it is not the number of
                               infinite distances */
    bool sums_unknown;      /* true: the engine does not know the distances, so the sums of the
                               bins are unknown */
    const char *error_kind; /* set in open() if options change the kind of error; NULL: the
                               kind in rd_engine_info applies */
    double error_bound;     /* set in open() or finish() by approximate engines */
    double sample_rate;     /* set in finish() by engines that sample */
    double half_width[RD_BAND_SIZES]; /* [k]: half width of the confidence band at 2^k blocks;
                                         set in finish() by engines that sample */
    char note[512];                   /* one line for -v about the decisions of the engine */
} rdi_outcome;

/* One run of an engine; valid from open() to close(). */
typedef struct rdi_run {
    rd_ctx *ctx;
    const rdi_request *in;
    rdi_outcome out;
    /* The core sets these fields between feeds. If `count_too` is set, an engine with
     * RDI_ENGINE_COUNTS also counts the distances that it writes. If `first` is not NULL, the
     * engine also passes to `first`, in order, the blocks whose infinite distances it counts.
     * Blocks whose distances reach the bound may be missing. */
    bool count_too;
    rdi_block_visit first;
    void *first_user;
    rd_engine *engine; /* the engine of this run, for rdi_engine_deliver() */
} rdi_run;

/* Optional functions of an immediate engine. Other engines use them to run the engine on a chunk or
 * a sample of the trace. */
typedef struct rdi_chunk_ops {
    /* Visits the LRU stack: all blocks that the engine has (with a bound: the newest `bound` of
     * them) in the order of their last references, oldest first. Feeding may continue
     * afterwards. */
    rd_status (*order)(void *self, rdi_block_visit visit, void *user);
    /* Sets dist[i] to the number of blocks newer than blk[i], and removes blk[i]. If the engine
     * does not have the block, dist[i] is RD_COLD. The blocks must be distinct. The call does not
     * count as references to these blocks, and the caller applies the bound. */
    rd_status (*take)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    /* Optional: forgets every block, but keeps the memory and the counts. If it is missing, the
     * engine is closed and opened again. */
    rd_status (*restart)(void *self);
} rdi_chunk_ops;

/* Fails with RD_EINVAL and a message that reference `last` is not the latest reference to a
 * block. */
rd_status rdi_known_fail(const rdi_run *run, uint64_t last);

/* Functions that use the order structure of an engine without its table, for
 * rd_engine_feed_known(), rd_engine_prefill() and rd_engine_nodes(). feed() calls rdi_known_fail()
 * if `last` is not the latest reference to a block. Structures that do not store every reference
 * need not detect this, but must not access memory that they do not own. */
typedef struct rdi_alone_ops {
    rd_status (*feed)(void *self, const rd_known *refs, size_t n, uint64_t *dist);
    rd_status (*prefill)(void *self, uint64_t blocks); /* optional */
    rd_nodes (*nodes)(const void *self);               /* optional */
} rdi_alone_ops;

/* The table of an engine. */
typedef struct rdi_engine_ops {
    rd_engine_info info;              /* name, summary, card, caps, error kind, options, variants */
    size_t state_size;                /* size of the state in bytes; the core zeroes the state and
                                         parses the options into it */
    const char *(*unavailable)(void); /* optional: returns the reason why the engine cannot run
                                         here, or NULL */
    rd_status (*open)(void *self, rdi_run *run); /* if it fails, the core calls close() */
    rd_status (*feed)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    rd_status (*feed_parts)(void *self, const rd_parts *parts); /* with RD_CAP_PARTS: reads the
                                                                   trace itself, instead of
                                                                   feed() */
    /* Optional, both or none: see rd_engine_pin(). */
    bool (*pin)(void *self, void *memory, size_t bytes);
    void (*unpin)(void *self, void *memory);
    rd_status (*finish)(void *self); /* optional: delivers the remaining distances and completes
                                        `out` */
    const rdi_chunk_ops *chunk;      /* optional */
    const rdi_alone_ops *alone;      /* optional */
    rd_status (*check)(void *self, const char **why); /* optional: checks invariants, for tests */
    void (*close)(void *self);                        /* is also called if open() failed */
} rdi_engine_ops;

const rdi_engine_ops *rdi_engine_ops_at(size_t index); /* returns NULL past the last engine */
const rdi_engine_ops *rdi_engine_ops_find(const char *name);

/* Returns whether feed() can write distances before it returns. */
static inline bool rdi_engine_is_immediate(const rdi_engine_ops *ops) {
    return (ops->info.caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
}

/* An inner engine: an engine that does the work of the engine that opens it. It has default options
 * and shares the run. */
typedef struct rdi_inner {
    const rdi_engine_ops *ops; /* NULL: not open */
    void *state;
    rdi_counter counter; /* who counts, chosen by the inner engine */
} rdi_inner;

/* Opens the inner engine `name`. `request` is borrowed until rdi_inner_close() and replaces the
 * request of the run. If the counter of the run is RDI_CORE_COUNTS, it changes to the counter of
 * the inner engine; otherwise it stays. */
rd_status rdi_inner_open(rdi_run *run, const rdi_request *request, const char *name,
                         rdi_inner *out);
void rdi_inner_close(rdi_run *run, rdi_inner *inner);

/* Counts the next n distances and passes them to the caller's sink, if there is one. */
rd_status rdi_engine_deliver(rdi_run *run, const uint64_t *dist, size_t n);

/* Inserts "`text`; " before the note of the run. A note that becomes too long is cut. */
void rdi_engine_note_before(rdi_run *run, const char *text);

/* Replaces the histogram by an empty one whose bins begin at 0 and at each of the n distances of
 * `edges`. Engines call this function in open(). */
rd_status rdi_engine_use_edges(rdi_run *run, const uint64_t *edges, size_t n);

/* ---- engines inside engines: immediate engines that analyze a chunk or a sample ---- */

/* Visits the engine's LRU stack, oldest block first. Returns RD_EUNSUPPORTED if the engine has no
 * rdi_chunk_ops. */
rd_status rdi_engine_order(rd_engine *e, rdi_block_visit visit, void *user);

/* Writes the distances of the next n references to `distances`, without counting them. */
rd_status rdi_engine_measure(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances);

/* Counts the next n references, and passes the blocks with infinite distances to `first`, in order.
 * Blocks whose distances reach the bound may be missing. `first` must not change `blocks`, which is
 * still in use. */
rd_status rdi_engine_count(rd_engine *e, const uint64_t *blocks, size_t n, rdi_block_visit first,
                           void *user);

/* Sets newer[i] to the number of blocks newer than blocks[i], and removes blocks[i]. If the engine
 * does not have the block, newer[i] is RD_COLD. The blocks must be distinct. Only engines with
 * `take` support this. */
rd_status rdi_engine_take(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *newer);

/* Returns the bound of this run: the caller's bound, or the smaller one that an option of the
 * engine sets. 0 means that there is no bound. */
uint64_t rdi_engine_bound(const rd_engine *e);

/* Makes the engine forget every block and keep its counts. The counts may not be in the histogram
 * yet. */
rd_status rdi_engine_restart(rd_engine *e);
/* Makes the engine forget every block, and adds all its counts to the histogram. Feeding may
 * continue afterwards. */
rd_status rdi_engine_reopen(rd_engine *e);

/* Returns the histogram, which the engine owns and which is complete after rd_engine_finish(). The
 * caller may add the distances that it derives from rdi_engine_take() or rdi_engine_measure(). */
rdi_hist *rdi_engine_hist(rd_engine *e);

/* Returns the engine's own state, for tests and benchmarks that know its type. */
void *rdi_engine_state(rd_engine *e);

/* Checks the engine's invariants, for tests. If one of them is violated, returns an error and sets
 * *why. */
rd_status rdi_engine_check(rd_engine *e, const char **why);

#endif
