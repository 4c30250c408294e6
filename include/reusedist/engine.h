/* Engines: they receive block ids and compute reuse distances.
 *
 *   rd_engine *e;
 *   rd_engine_open(ctx, "auto", NULL, &e);
 *   while (more) rd_engine_feed(e, blocks, n, NULL);
 *   rd_engine_finish(e);
 *   rd_engine_profile(e, &profile);
 *   rd_engine_close(e);
 *
 * Definition: the reuse distance of a reference is the number of distinct *other* blocks referenced
 * since the previous reference to the same block. Immediate reuse has distance 0. The first
 * reference to a block has an infinite distance, RD_COLD. With a bound B, every distance of B or
 * more is RD_COLD as well. All exact engines agree bit for bit.
 */
#ifndef REUSEDIST_ENGINE_H
#define REUSEDIST_ENGINE_H

#include "base.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_COLD UINT64_MAX /* the infinite distance */

/* Capabilities of an engine, a bit mask. */
enum {
    RD_CAP_DISTANCES = 1u << 0,    /* delivers the distance of every reference */
    RD_CAP_LATE = 1u << 1,         /* delivers distances after feed() returns, in order, to the
                                      sink */
    RD_CAP_BOUND = 1u << 2,        /* accepts config.bound */
    RD_CAP_THREADS = 1u << 3,      /* uses config.threads */
    RD_CAP_TRACE_MEMORY = 1u << 6, /* memory grows with the trace length */
    RD_CAP_ORACLE = 1u << 7,       /* simple and slow: all other engines are checked against it */
    RD_CAP_NO_DISTANCE = 1u << 8,  /* measures no distances at all (engine null) */
    RD_CAP_PARTS = 1u << 10,       /* can read the trace itself, in parts, see
                                      rd_engine_feed_parts() */
    RD_CAP_CHECKPOINT = 1u << 11   /* can continue an interrupted analysis, see config.checkpoint */
};

/* The purpose of an engine. */
typedef enum rd_engine_role {
    RD_ROLE_MEASURE,  /* an engine for measuring, which a user chooses */
    RD_ROLE_STRATEGY, /* a strategy that engine auto can select */
    RD_ROLE_STUDY,    /* an algorithm from the literature, for study and comparison */
    RD_ROLE_BASELINE, /* a lower limit of the cost of measuring */
    RD_ROLES          /* number of roles */
} rd_engine_role;

typedef struct rd_engine_info {
    const char *name;
    const char *summary; /* one line */
    const char *card;    /* description that `reusedist engines NAME` prints, in paragraphs */
    rd_engine_role role;
    uint32_t caps;          /* mask of RD_CAP_* */
    const char *error_kind; /* "exact", or what the error bound means: see rd_profile_facts */
    const rd_opt *opts;     /* the engine's options; NULL: none */
    /* Option strings with which tests and comparisons run the engine. The last element is NULL. The
     * array itself may be NULL. */
    const char *const *variants;
} rd_engine_info;

/* Returns the description of engine number `index` in display order, or NULL past the last one. The
 * description is static: it stays valid. */
RD_API const rd_engine_info *rd_engine_info_at(size_t index);
/* Returns the description of the engine called `name`, or NULL if there is none. */
RD_API const rd_engine_info *rd_engine_info_find(const char *name);

/* Returns the reason why this engine cannot run in this build or on this machine, or NULL if it
 * can. */
RD_API const char *rd_engine_unavailable(const rd_engine_info *info);

/* Receives `n` distances in reference order. If a sink fails, the engine fails with the same
 * status. */
typedef rd_status (*rd_distance_sink)(void *user, const uint64_t *distances, size_t n);

typedef struct rd_engine_config {
    size_t size;         /* sizeof(rd_engine_config) */
    uint64_t bound;      /* bound of the distances in blocks; 0: unbounded */
    uint32_t threads;    /* number of threads; 0: one */
    uint64_t mem_bytes;  /* memory in bytes that the engine plans to stay within; 0: unlimited. Use
                            rd_ctx_set_limit() to enforce a limit */
    uint64_t references; /* expected number of references, a hint; 0: unknown */
    rd_binning binning;  /* binning of the histogram; all zero: log-linear */
    /* Checkpoint file, for engines with RD_CAP_CHECKPOINT. If it exists, the analysis continues
     * from it. The engine updates it during the analysis, and the caller removes it at the end.
     * `checkpoint_of` is any text that identifies the analysis: the engine refuses a checkpoint
     * that was written with a different text. Both texts are borrowed until the engine closes. */
    const char *checkpoint, *checkpoint_of;
    rd_distance_sink sink; /* receives every distance; NULL: histogram only */
    void *sink_user;
    bool live; /* true: the references come from a program that runs at the same time (a hint) */
    uint64_t expected_blocks; /* expected number of distinct blocks, a hint for the initial memory;
                                 0: unknown */
} rd_engine_config;

/* Receives block ids in order, one or more per call. */
typedef rd_status (*rd_block_sink)(void *user, const uint64_t *blocks, size_t n);

/* A trace that can be read in parts, for engines that distribute the trace over several readers.
 * Only one thread at a time uses a reader. Several readers work in parallel, possibly in other
 * processes, so `open` must need nothing except `what` and `user`. In another process, `open` receives
 * the `user` of the rd_parts that the other process passed to rd_cluster_serve(). */
typedef struct rd_parts {
    uint64_t references; /* number of references in the trace, before they are mapped to blocks */
    const char *what;    /* text that identifies the trace */
    /* Opens a reader of the trace. */
    rd_status (*open)(rd_ctx *ctx, const char *what, void *user, void **reader);
    /* Passes the blocks of the `n` references that begin at reference `first` to the sink. If the
     * sink fails, the function returns that failure. */
    rd_status (*read)(void *reader, uint64_t first, uint64_t n, rd_block_sink sink, void *user);
    void (*close)(void *reader); /* `reader` may be NULL */
    void *user;                  /* passed to `open` */
} rd_parts;

typedef struct rd_engine rd_engine;

/* Opens an engine. `spec` is "NAME" or "NAME:key=value,..."; NULL selects engine auto or, in a cluster
 * and without a sink, parda. `config` NULL selects all defaults. For unknown names and keys the
 * function returns RD_EINVAL, and the message lists the valid ones. */
RD_API RD_CHECKED rd_status rd_engine_open(rd_ctx *ctx, const char *spec,
                                           const rd_engine_config *config, rd_engine **out);

/* Analyzes the next `n` references. `distances` must be NULL or have room for `n` distances; only
 * engines with RD_CAP_DISTANCES and without RD_CAP_LATE accept an array. After a failure only
 * rd_engine_unpin() and rd_engine_close() are allowed. */
RD_API RD_CHECKED rd_status rd_engine_feed(rd_engine *e, const uint64_t *blocks, size_t n,
                                           uint64_t *distances);

/* Returns whether this engine, with the options and configuration that it was opened with, should
 * read the trace itself: it has RD_CAP_PARTS and no sink, and counts the distances itself. */
RD_API bool rd_engine_takes_parts(const rd_engine *e);
/* Lets the engine read the whole trace itself; this replaces rd_engine_feed(), which is refused
 * afterwards. The call is allowed once, for engines with RD_CAP_PARTS and without a sink. `parts`
 * and everything it points to are borrowed until rd_engine_finish() returns. */
RD_API RD_CHECKED rd_status rd_engine_feed_parts(rd_engine *e, const rd_parts *parts);

/* Pins memory of the caller, so that a GPU reads it directly: rd_engine_feed() then makes no copy of
 * a batch of at least 65,536 blocks in this memory. Returns whether this succeeded; it fails for
 * engines that do not use a device, and may fail for memory that does not begin at a page boundary.
 * rd_engine_feed() also accepts memory that is not pinned. */
RD_API bool rd_engine_pin(rd_engine *e, void *memory, size_t bytes);
/* Ends the effect of a successful rd_engine_pin(). The caller must call this function before it frees
 * the memory, and before rd_engine_close(). */
RD_API void rd_engine_unpin(rd_engine *e, void *memory);

/* Ends the trace: the engine delivers all outstanding distances. The caller must not feed the
 * engine afterwards. */
RD_API RD_CHECKED rd_status rd_engine_finish(rd_engine *e);

/* Makes the profile of the trace. Call this function after rd_engine_finish(). The caller frees the
 * profile with rd_profile_free(). */
RD_API RD_CHECKED rd_status rd_engine_profile(rd_engine *e, rd_profile **out);

RD_API const rd_engine_info *rd_engine_info_of(const rd_engine *e);

/* Returns a line that describes the decisions of the engine, which `-v` prints, or "" if there were
 * none. The line is borrowed until rd_engine_close(). */
RD_API const char *rd_engine_note(const rd_engine *e);

RD_API void rd_engine_close(rd_engine *e);

#ifdef __cplusplus
}
#endif
#endif
