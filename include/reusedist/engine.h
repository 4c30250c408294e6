/* Engines: block ids in, reuse distances out.
 *
 *   rd_engine *e;
 *   rd_engine_open(ctx, "auto", NULL, &e);
 *   while (more) rd_engine_feed(e, blocks, n, NULL);
 *   rd_engine_finish(e);
 *   rd_engine_profile(e, &profile);
 *   rd_engine_close(e);
 *
 * Meaning, in one place: the reuse distance of a reference is the number of distinct *other* blocks
 * referenced since the previous reference to the same block. Immediate reuse is 0. A first
 * reference is infinite, RD_COLD. With a bound B, every distance of B or more is RD_COLD as well.
 * All exact engines agree bit for bit.
 */
#ifndef REUSEDIST_ENGINE_H
#define REUSEDIST_ENGINE_H

#include "base.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_COLD UINT64_MAX /* infinite distance */

/* What an engine can do. */
enum {
    RD_CAP_DISTANCES = 1u << 0, /* gives a distance per reference */
    RD_CAP_LATE = 1u << 1,      /* ... but later than the feed it belongs to (in order, via sink) */
    RD_CAP_BOUND = 1u << 2,     /* accepts config.bound */
    RD_CAP_THREADS = 1u << 3,   /* uses config.threads */
    RD_CAP_TRACE_MEMORY = 1u << 6, /* memory grows with the trace length */
    RD_CAP_ORACLE = 1u << 7,       /* slow by intention: the one the others are checked against */
    RD_CAP_NO_DISTANCE = 1u << 8,  /* measures no distances at all (null) */
    RD_CAP_PARTS = 1u << 10,       /* can read the trace itself, in parts: rd_engine_feed_parts() */
    RD_CAP_CHECKPOINT = 1u << 11   /* can go on where it was interrupted: config.checkpoint */
};

/* What an engine is for. */
typedef enum rd_engine_role {
    RD_ROLE_MEASURE,  /* measuring: a user chooses one of these */
    RD_ROLE_STRATEGY, /* a strategy that engine auto chooses by itself */
    RD_ROLE_STUDY,    /* an algorithm from the literature, for study and comparison */
    RD_ROLE_BASELINE, /* a lower limit of what measuring costs */
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
    const char *const
        *variants; /* option strings worth testing and comparing; NULL-ended, may be NULL */
} rd_engine_info;

/* In display order. NULL past the last one. Borrowed, lives forever. */
RD_API const rd_engine_info *rd_engine_info_at(size_t index);
/* NULL when there is no such engine. */
RD_API const rd_engine_info *rd_engine_info_find(const char *name);

/* Why this engine cannot run in this build or on this machine; NULL when it can. */
RD_API const char *rd_engine_unavailable(const rd_engine_info *info);

/* Receives distances in reference order, any number per call. */
typedef rd_status (*rd_distance_sink)(void *user, const uint64_t *distances, size_t n);

typedef struct rd_engine_config {
    size_t size;         /* sizeof(rd_engine_config) */
    uint64_t bound;      /* in blocks; 0: unbounded */
    uint32_t threads;    /* 0: one */
    uint64_t mem_bytes;  /* what the engine may use; 0: no limit */
    uint64_t references; /* expected number, a hint; 0: unknown */
    rd_binning binning;  /* of the histogram; all zero: log-linear */
    /* Engines with RD_CAP_CHECKPOINT: a file from which the analysis goes on if it is there, and
     * which is written as it proceeds; the caller removes it at the end. `checkpoint_of` says in
     * any words what is analysed: a file with other ones is refused. Borrowed until the engine
     * closes. */
    const char *checkpoint, *checkpoint_of;
    rd_distance_sink sink; /* wants every distance; NULL: histogram only */
    void *sink_user;
    bool live; /* a hint: the references come from a program that runs at the same time */
    uint64_t expected_blocks; /* different ones, a hint: room to begin with; 0: unknown */
} rd_engine_config;

/* Receives block ids in order, one or more per call. */
typedef rd_status (*rd_block_sink)(void *user, const uint64_t *blocks, size_t n);

/* A trace of which any part can be read, for engines that share it out among readers. Each reader
 * is used by one thread at a time, several beside each other, some maybe in other processes: all
 * that `open` needs to know is the text `what`. It gets `user` as well, which in another process is
 * that of the struct given to rd_cluster_serve() there. */
typedef struct rd_parts {
    uint64_t references; /* before they are mapped to blocks */
    const char *what;
    rd_status (*open)(rd_ctx *ctx, const char *what, void *user, void **reader);
    /* The blocks of n references from `first` on; forwards a failure of the sink. */
    rd_status (*read)(void *reader, uint64_t first, uint64_t n, rd_block_sink sink, void *user);
    void (*close)(void *reader); /* NULL is allowed */
    void *user;
} rd_parts;

typedef struct rd_engine rd_engine;

/* `spec` is "NAME" or "NAME:key=value,...". `config` NULL: all defaults. Unknown names and keys are
 * RD_EINVAL with a message that lists the valid ones. */
RD_API RD_CHECKED rd_status rd_engine_open(rd_ctx *ctx, const char *spec,
                                           const rd_engine_config *config, rd_engine **out);

/* Consumes n references. `distances` NULL, or room for n; only engines with RD_CAP_DISTANCES and
 * without RD_CAP_LATE accept it. After a failure only rd_engine_close() is allowed. */
RD_API RD_CHECKED rd_status rd_engine_feed(rd_engine *e, const uint64_t *blocks, size_t n,
                                           uint64_t *distances);

/* Whether this engine, opened as it was, is better off reading the trace itself. */
RD_API bool rd_engine_takes_parts(const rd_engine *e);
/* Instead of feeding: the engine reads the whole trace itself. Only engines with RD_CAP_PARTS,
 * once, and without a sink. `parts` and what it points to are borrowed until finish. */
RD_API RD_CHECKED rd_status rd_engine_feed_parts(rd_engine *e, const rd_parts *parts);

/* Ends the trace: delivers what is still under way. Feeding is over. */
RD_API RD_CHECKED rd_status rd_engine_finish(rd_engine *e);

/* After finish: the result. Caller frees with rd_profile_free(). */
RD_API RD_CHECKED rd_status rd_engine_profile(rd_engine *e, rd_profile **out);

RD_API const rd_engine_info *rd_engine_info_of(const rd_engine *e);

/* What the engine decided, one line for `-v` ("" when there is nothing to say). Borrowed. */
RD_API const char *rd_engine_note(const rd_engine *e);

RD_API void rd_engine_close(rd_engine *e);

#ifdef __cplusplus
}
#endif
#endif
