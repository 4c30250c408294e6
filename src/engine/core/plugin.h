/* What an engine is: one const table in one file, one line in engines.def.
 *
 * The core (engine.c) checks arguments and call order, splits long feeds, counts references, keeps
 * the histogram and hands distances to whoever wants them. An engine sees block ids and gives
 * distances.
 *
 * An immediate engine (RD_CAP_DISTANCES, not RD_CAP_LATE) writes dist[i] for blk[i] before feed()
 * returns, and the core counts. Where open() sets run->counts_itself, dist may be NULL and the
 * engine adds to run->hist; and if it sets run->counts_too, also with distances, when run->counting
 * says so.
 *
 * A late engine, or one with a histogram only, always gets NULL. It calls rdi_engine_deliver() with
 * distances in order whenever it has some (that counts them too), or adds to run->hist. It gets
 * every feed whole, at least one reference, so that a trace in memory does not arrive in crumbs.
 */
#ifndef RDI_PLUGIN_H
#define RDI_PLUGIN_H

#include "base/common.h"
#include "profile/hist.h"
#include "reusedist/engine.h"

#define RDI_ENGINE_ABI 1
#define RDI_FEED_MAX   4096 /* references per feed() call of an immediate engine at most */

typedef rd_block_sink rdi_block_visit;

/* What the core gives an engine at open; valid until close. */
typedef struct rdi_run {
    rd_ctx *ctx;
    /* In blocks; UINT64_MAX, unbounded: `d >= bound` needs no second test. An engine whose options
     * limit it lowers this in open(). */
    uint64_t bound;
    uint32_t threads;
    double first_share;       /* hint: of a thread's share of the trace, first touches; 0 unknown */
    uint64_t mem_bytes;       /* UINT64_MAX: no limit */
    uint64_t references;      /* hint; 0 unknown */
    uint64_t expected_blocks; /* hint; 0 unknown: room to begin with */
    bool live;                /* hint: a program running beside makes them */
    const char *checkpoint, *checkpoint_of; /* NULL, or as in rd_engine_config */
    bool distances;                         /* somebody wants every distance */
    /* May be set in open() by an immediate engine: until a caller hands in room for distances, it
     * is fed without and delivers by itself. */
    bool late;
    rdi_hist *hist;     /* where distances end up; open() may exchange it: rdi_engine_use_edges() */
    bool counts_itself; /* set in open(): feed() adds to hist when nobody wants distances ... */
    bool counts_too;    /* ... and set there as well: when somebody does, too, while the core ... */
    bool counting;      /* ... says that */
    /* Set between feeds: an engine that counts itself gives it the blocks of first references, in
     * order; those beyond the bound may be among them. */
    rdi_block_visit first;
    void *first_user;
    uint64_t fed;      /* set in finish() after feed_parts(): references */
    bool sums_unknown; /* set by engines that count without knowing the distances */
    uint64_t blocks; /* set in finish() by engines that know better than "every infinite is cold" */
    double error_bound;               /* set in open() or finish() by approximate engines */
    double sample_rate;               /* set in finish() by samplers ... */
    double half_width[RD_BAND_SIZES]; /* ... and this */
    const char *error_kind; /* set in open() where options change it; NULL: as in the table */
    char note[512];         /* set by engines that chose something: one line for -v */
    rd_engine *engine;      /* for rdi_engine_deliver() */
} rdi_run;

/* The order structure without the table: see rd_engine_feed_known(). */
typedef struct rdi_alone_ops {
    rd_status (*feed)(void *self, const rd_known *refs, size_t n, uint64_t *dist);
    rd_status (*prefill)(void *self, uint64_t blocks); /* optional */
    rd_nodes (*nodes)(const void *self);               /* optional */
} rdi_alone_ops;

typedef struct rdi_engine_ops {
    uint32_t abi;                     /* RDI_ENGINE_ABI */
    rd_engine_info info;              /* name, summary, card, caps, error kind, options, variants */
    size_t state_size;                /* zeroed by the core; options are parsed into it */
    const char *(*unavailable)(void); /* optional: why it cannot run here, or NULL */
    rd_status (*open)(void *self, rdi_run *run); /* on failure close() is called */
    rd_status (*feed)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    rd_status (*feed_parts)(void *self,
                            const rd_parts *parts); /* RD_CAP_PARTS, instead of feed() */
    rd_status (*finish)(void *self);                /* optional: drain what is under way */
    /* Optional, immediate engines: the LRU stack. All live blocks (with a bound: the newest `bound`
     * of them) in the order of their last reference, oldest first. Feeding may go on afterwards. */
    rd_status (*order)(void *self, rdi_block_visit visit, void *user);
    /* Optional: forgets every block, but keeps memory and what it has counted. */
    rd_status (*restart)(void *self);
    /* Optional, with `order`: dist[i] is the number of blocks newer than blk[i], which is then
     * forgotten, or RD_COLD when it was not there; the bound is left to the caller. All different.
     * Time stands still. */
    rd_status (*take)(void *self, const uint64_t *blk, size_t n, uint64_t *dist);
    const rdi_alone_ops *alone; /* optional */
    /* Optional, approximate engines: the options with which so much memory is enough for any trace;
     * false: none are. */
    bool (*fit)(uint64_t bytes, char *options, size_t room);
    rd_status (*check)(void *self, const char **why); /* optional: invariants, for tests */
    void (*close)(void *self);                        /* tolerates half-open state */
} rdi_engine_ops;

const rdi_engine_ops *rdi_engine_ops_at(size_t index); /* NULL past the last one */
const rdi_engine_ops *rdi_engine_ops_find(const char *name);

/* feed() can fill in distances before it returns. */
static inline bool rdi_engine_is_immediate(const rdi_engine_ops *ops) {
    return (ops->info.caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
}

/* An engine that does another's work: default options, the same run. */
typedef struct rdi_inner {
    const rdi_engine_ops *ops; /* NULL: not open */
    void *state;
} rdi_inner;

rd_status rdi_inner_open(rdi_run *run, const char *name, rdi_inner *out);
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
