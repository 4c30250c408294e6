/* Engines: block ids in, reuse distances out.
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

#define RD_COLD UINT64_MAX /* infinite distance */

/* Capabilities of an engine. */
enum {
    RD_CAP_DISTANCES = 1u << 0,    /* delivers the distance of every reference */
    RD_CAP_LATE = 1u << 1,         /* delivers them after feed() returns, in order, to the sink */
    RD_CAP_BOUND = 1u << 2,        /* accepts config.bound */
    RD_CAP_THREADS = 1u << 3,      /* uses config.threads */
    RD_CAP_TRACE_MEMORY = 1u << 6, /* memory grows with the trace length */
    RD_CAP_ORACLE = 1u << 7,       /* simple and slow: all other engines are checked against it */
    RD_CAP_NO_DISTANCE = 1u << 8,  /* measures no distances at all (null) */
    RD_CAP_PARTS = 1u << 10,       /* can read the trace itself, in parts: rd_engine_feed_parts() */
    RD_CAP_CHECKPOINT = 1u << 11   /* can continue an interrupted analysis: config.checkpoint */
};

/* The purpose of an engine. */
typedef enum rd_engine_role {
    RD_ROLE_MEASURE,  /* measuring: a user chooses one of these */
    RD_ROLE_STRATEGY, /* a strategy that engine auto selects automatically */
    RD_ROLE_STUDY,    /* an algorithm from the literature, for study and comparison */
    RD_ROLE_BASELINE, /* a lower limit of the cost of measuring */
    RD_ROLES          /* how many roles there are */
} rd_engine_role;

typedef struct rd_engine_info {
    const char *name;
    const char *summary; /* one line */
    const char *card;    /* paragraphs for `reusedist engines NAME` */
    rd_engine_role role;
    uint32_t caps;          /* RD_CAP_* */
    const char *error_kind; /* "exact", or what the error bound means */
    const rd_opt *opts;     /* may be NULL */
    /* Option strings worth testing and comparing, terminated by NULL; may be NULL. */
    const char *const *variants;
} rd_engine_info;

/* Returns engine number `index` in display order, NULL past the last one. Never freed. */
RD_API const rd_engine_info *rd_engine_info_at(size_t index);
/* Returns NULL if there is no such engine. */
RD_API const rd_engine_info *rd_engine_info_find(const char *name);

/* Returns the reason why this engine cannot run in this build or on this machine; NULL if it can.
 */
RD_API const char *rd_engine_unavailable(const rd_engine_info *info);

/* Receives distances in reference order, any number per call. */
typedef rd_status (*rd_distance_sink)(void *user, const uint64_t *distances, size_t n);

typedef struct rd_engine_config {
    size_t size;         /* sizeof(rd_engine_config) */
    uint64_t bound;      /* in blocks; 0: unbounded */
    uint32_t threads;    /* 0: one */
    uint64_t mem_bytes;  /* memory that the engine plans to stay within; 0: unlimited.
                            rd_ctx_set_limit() enforces a limit */
    uint64_t references; /* expected number, a hint; 0: unknown */
    rd_binning binning;  /* of the histogram; all zero: log-linear */
    /* Checkpoint file, for engines with RD_CAP_CHECKPOINT. If it exists, the analysis continues
     * from it. The engine updates it during the analysis, and the caller removes it at the end.
     * `checkpoint_of` identifies the analysis by any text: the engine refuses a checkpoint that was
     * written with another text. Both are borrowed until the engine closes. */
    const char *checkpoint, *checkpoint_of;
    rd_distance_sink sink; /* receives every distance; NULL: histogram only */
    void *sink_user;
    bool live; /* a hint: the references come from a program that runs at the same time */
    uint64_t expected_blocks; /* distinct blocks, a hint for the initial memory; 0: unknown */
} rd_engine_config;

/* Receives block ids in order, one or more per call. */
typedef rd_status (*rd_block_sink)(void *user, const uint64_t *blocks, size_t n);

/* A trace of which any part can be read, for engines that distribute the trace over several
 * readers. One thread at a time uses a reader. Several readers work in parallel, possibly in other
 * processes; `open` must therefore need nothing but the text `what` and `user`. In another process,
 * `user` is that of the struct given to rd_cluster_serve() there. */
typedef struct rd_parts {
    uint64_t references; /* before they are mapped to blocks */
    const char *what;    /* identifies the trace */
    rd_status (*open)(rd_ctx *ctx, const char *what, void *user, void **reader);
    /* Passes the blocks of the `n` references from `first` on to the sink; returns a failure of the
     * sink. */
    rd_status (*read)(void *reader, uint64_t first, uint64_t n, rd_block_sink sink, void *user);
    void (*close)(void *reader); /* `reader` may be NULL */
    void *user;
} rd_parts;

typedef struct rd_engine rd_engine;

/* `spec` is "NAME" or "NAME:key=value,...". `config` NULL: all defaults. Unknown names and keys are
 * RD_EINVAL with a message that lists the valid ones. */
RD_API RD_CHECKED rd_status rd_engine_open(rd_ctx *ctx, const char *spec,
                                           const rd_engine_config *config, rd_engine **out);

/* Analyzes the next n references. `distances` is NULL or has room for n distances; only engines
 * with RD_CAP_DISTANCES and without RD_CAP_LATE accept it. After a failure only rd_engine_close()
 * is allowed. */
RD_API RD_CHECKED rd_status rd_engine_feed(rd_engine *e, const uint64_t *blocks, size_t n,
                                           uint64_t *distances);

/* Whether this engine, with the options and configuration it was opened with, is faster when it
 * reads the trace itself. */
RD_API bool rd_engine_takes_parts(const rd_engine *e);
/* Lets the engine read the whole trace itself, instead of feeding it. Allowed once, for engines
 * with RD_CAP_PARTS and without a sink. `parts` and everything it points to are borrowed until
 * finish. */
RD_API RD_CHECKED rd_status rd_engine_feed_parts(rd_engine *e, const rd_parts *parts);

/* Ends the trace: the engine delivers all outstanding distances. Nothing may be fed afterwards. */
RD_API RD_CHECKED rd_status rd_engine_finish(rd_engine *e);

/* Returns the result; call it after finish. The caller frees it with rd_profile_free(). */
RD_API RD_CHECKED rd_status rd_engine_profile(rd_engine *e, rd_profile **out);

RD_API const rd_engine_info *rd_engine_info_of(const rd_engine *e);

/* Describes the decisions of the engine in one line, which `-v` prints; "" if there were none.
 * Borrowed. */
RD_API const char *rd_engine_note(const rd_engine *e);

RD_API void rd_engine_close(rd_engine *e);

#ifdef __cplusplus
}
#endif
#endif
