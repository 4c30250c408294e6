/* Prefix caches of language-model servers: logs of requests, and the hit ratio of every cache size
 * in one pass.
 *
 *   rd_kv_log_open(ctx, path, NULL, &log);
 *   rd_kv_config config = {.size = sizeof config, .block_tokens = rd_kv_log_block_tokens(log)};
 *   rd_kv_new(ctx, &config, &kv);
 *   while (rd_kv_log_read(log, &request) == RD_OK && request) rd_kv_feed(kv, request);
 *   rd_kv_finish(kv);
 *   rd_kv_at(kv, 1000, &point);
 *
 * Definitions. A request is a list of block hashes. Each hash identifies its block and all blocks
 * before it. A cache of C blocks replaces the least recently used block. When a request arrives,
 * the cache serves the blocks at the beginning of the request, up to the first block that it does
 * not hold: the served blocks are hits, all other blocks are misses. Then the request touches all
 * its blocks, front to back or tail first. All blocks have `block_tokens` tokens, except that the
 * last block of a request may have fewer.
 */
#ifndef REUSEDIST_PREFIX_H
#define REUSEDIST_PREFIX_H

#include "base.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_KV_NO_SIZE UINT64_MAX /* no cache is large enough */
#define RD_KV_NO_TIME UINT64_MAX /* the log does not say when the request arrived */

/* One request of a log. */
typedef struct rd_kv_request {
    const uint64_t *blocks; /* hashes of the blocks of the prompt */
    size_t n_blocks;
    const uint64_t *sequence; /* hashes of the full blocks of prompt and output together; NULL if
                                 the log does not contain them */
    size_t n_sequence;
    uint64_t prompt_tokens, output_tokens;
    uint64_t time_us;      /* arrival time in microseconds; RD_KV_NO_TIME: unknown */
    uint64_t conversation; /* any number that identifies the conversation; 0: unknown */
    uint32_t turn;         /* 1: the first request of a conversation; 0: unknown */
    uint64_t line;         /* for messages: line of the log, or if `numbered` is true the number
                              of the request */
    bool numbered;         /* true: the log has no lines, because it has the native format */
} rd_kv_request;

/* ---- logs ---- */

typedef struct rd_kv_log rd_kv_log;

typedef struct rd_kv_log_config {
    size_t size;           /* sizeof(rd_kv_log_config) */
    const char *format;    /* "mooncake", "jsonl:blocks=hash_ids,..."; NULL: detect the format */
    uint64_t block_tokens; /* tokens of a block; 0: the default of the format */
    bool content_ids;      /* true: a hash identifies its block alone; false: also all blocks before
                              the block */
} rd_kv_log_config;

/* Describes a log format, for help texts. */
typedef struct rd_kv_format {
    const char *name, *summary, *fields;
    uint64_t block_tokens; /* tokens of a block by default */
} rd_kv_format;

/* Returns format number `index`, or NULL past the last one. */
RD_API const rd_kv_format *rd_kv_format_at(size_t index);

/* Opens a log file; `path` "-" is standard input. Compressed logs are unpacked. `config` NULL selects
 * the defaults. */
RD_API RD_CHECKED rd_status rd_kv_log_open(rd_ctx *ctx, const char *path,
                                           const rd_kv_log_config *config, rd_kv_log **out);
RD_API RD_CHECKED rd_status rd_kv_log_open_memory(rd_ctx *ctx, const char *name, const void *data,
                                                  size_t n, const rd_kv_log_config *config,
                                                  rd_kv_log **out);
/* Reads the next request and sets *out to it, or to NULL at the end of the log. The request is
 * borrowed until the next call. A damaged line fails with RD_EFORMAT and a message that names the
 * line. */
RD_API RD_CHECKED rd_status rd_kv_log_read(rd_kv_log *log, const rd_kv_request **out);
/* Returns the number of tokens in a full block. Logs of LMCache state it on the first line, so call
 * this function after the first rd_kv_log_read(). */
RD_API uint64_t rd_kv_log_block_tokens(const rd_kv_log *log);
/* Returns the name of the log's format. */
RD_API const char *rd_kv_log_format(const rd_kv_log *log);
/* Returns the number of bytes per token that the log itself states (LMCache: shapes and number
 * formats), or 0. The number is known after the first request. */
RD_API double rd_kv_log_token_bytes(const rd_kv_log *log);
RD_API void rd_kv_log_progress(const rd_kv_log *log, uint64_t *done, uint64_t *total);
RD_API void rd_kv_log_close(rd_kv_log *log);

/* Writes requests in the native format of logs, which is read faster than JSON. */
typedef struct rd_kv_writer rd_kv_writer;
RD_API RD_CHECKED rd_status rd_kv_writer_open(rd_ctx *ctx, const char *path, uint64_t block_tokens,
                                              rd_kv_writer **out);
RD_API RD_CHECKED rd_status rd_kv_writer_write(rd_kv_writer *w, const rd_kv_request *request);
/* Completes the file, which then appears under its name. */
RD_API RD_CHECKED rd_status rd_kv_writer_finish(rd_kv_writer *w);
RD_API void rd_kv_writer_close(rd_kv_writer *w);

/* ---- analysis ---- */

typedef enum rd_kv_order {
    RD_KV_FRONT, /* a request touches its blocks from the first to the last */
    RD_KV_TAIL   /* a request touches its blocks from the last to the first, as vLLM does */
} rd_kv_order;

#define RD_KV_SIZES_MAX   64 /* maximum number of sizes with details */
#define RD_KV_TURNS       16 /* turns with a row of their own; later turns share one row */
#define RD_KV_WINDOWS     64 /* maximum number of windows over time */
#define RD_KV_SHARE_STEPS 1000
#define RD_KV_TIERS_MAX   8
/* Number of bins of rd_kv_series.gaps, the times since the previous touch of a block. Bin 0 counts
 * times of 0 ms, bin i counts times of 2^(i - 1) to 2^i - 1 ms, and the last bin also counts all
 * longer times. */
#define RD_KV_GAPS 32

typedef struct rd_kv_config {
    size_t size;           /* sizeof(rd_kv_config) */
    uint64_t block_tokens; /* tokens of a full block; 0: 1 */
    rd_kv_order order;
    bool full_only; /* true: a last block with fewer tokens is never cached */
    bool outputs;   /* true: generated tokens enter the cache; needs rd_kv_request.sequence */
    /* Cache sizes in blocks, ascending, for which details are collected. */
    uint64_t sizes[RD_KV_SIZES_MAX];
    size_t n_sizes;
    const char *name; /* name of the log in messages; NULL: none. Borrowed. */
    bool opt;         /* true: also find, at `sizes`, the most hits that any replacement policy
                         can have */
    /* A hierarchy of tiers, fastest first: a hit on a block with a rank of at least tiers[i - 1]
     * and below tiers[i] is a hit of tier i. The rank of a block is the number of blocks used more
     * recently. For exclusive tiers, tiers[i] is the sum of the sizes of tiers 0 to i; for
     * inclusive tiers, the size of tier i. */
    uint64_t tiers[RD_KV_TIERS_MAX];
    size_t n_tiers;
} rd_kv_config;

/* Totals of all requests, and facts about the whole log. */
typedef struct rd_kv_totals {
    uint64_t requests, empty; /* empty: requests without a token */
    uint64_t blocks, tokens;  /* blocks and tokens of all prompts */
    uint64_t output_tokens;
    uint64_t distinct;               /* distinct blocks that were touched */
    uint64_t block_hits, token_hits; /* hits of an infinite cache */
    uint64_t end;                    /* size in blocks of the smallest cache that has all these
                                        hits */
    uint64_t first_us, last_us;      /* times of the first and the latest request; RD_KV_NO_TIME:
                                      unknown */
    uint64_t unordered; /* requests whose time is before that of an earlier request; such a
                           request counts as arriving at the latest time so far */
    uint64_t block_tokens;
    bool turns; /* true: the log contains turns */
} rd_kv_totals;

/* The hits of one cache size. */
typedef struct rd_kv_point {
    uint64_t size_blocks;
    uint64_t block_hits, token_hits;
} rd_kv_point;

/* The details of one size of the configuration. */
typedef struct rd_kv_details {
    uint64_t size_blocks;
    /* Number of requests by the share of their prompt tokens that was served, rounded down to
     * 1 / RD_KV_SHARE_STEPS; requests without a token are left out. */
    const uint64_t *shares;      /* RD_KV_SHARE_STEPS + 1 numbers */
    const uint64_t *turn_hits;   /* token hits by turn, RD_KV_TURNS + 1 numbers from turn 1 on */
    const uint64_t *window_hits; /* token hits per window */
} rd_kv_details;

/* The details that do not depend on a size. */
typedef struct rd_kv_series {
    const uint64_t *turn_tokens;   /* prompt tokens by turn, RD_KV_TURNS + 1 numbers */
    const uint64_t *window_tokens; /* prompt tokens per window */
    size_t n_windows;              /* 0: the log has no times */
    uint64_t window_us;            /* length of a window in microseconds */
    const uint64_t *gaps; /* block touches by the time since the previous touch, RD_KV_GAPS bins */
} rd_kv_series;

/* The most hits that any replacement policy can have at one size if it knows the future (Belady's
 * bound). The block hits are exact: evicting the block whose next use is furthest away, and among
 * blocks of one request the last one, never leaves a block without the blocks before it, so the
 * prefix rule costs nothing. The most token hits can differ if last blocks are not full, so there
 * is a lower and an upper bound for them. */
typedef struct rd_kv_bound {
    uint64_t size_blocks;
    uint64_t block_hits;
    uint64_t token_low, token_high;
} rd_kv_bound;

/* One tier of a hierarchy. A hit belongs to the tier that holds the block when the request
 * arrives. */
typedef struct rd_kv_tier {
    uint64_t end_blocks; /* tiers[i] of the configuration */
    uint64_t block_hits, token_hits;
    uint64_t busiest_hits; /* block hits in the window with the most block hits; 0 if the log has
                              no times */
    uint64_t arrivals;     /* touches of blocks that neither this tier nor a faster one holds; each
                              touch brings one block into these tiers */
    uint64_t departures;   /* number of times that a block left this tier and all faster tiers */
} rd_kv_tier;

typedef struct rd_kv rd_kv;

RD_API RD_CHECKED rd_status rd_kv_new(rd_ctx *ctx, const rd_kv_config *config, rd_kv **out);
/* Analyzes the next request. A request whose hashes contradict earlier requests fails with
 * RD_EFORMAT: a hash that follows two different hashes, or occurs twice in a request. The message
 * may come a few thousand blocks later. After a failure only rd_kv_free() is allowed. */
RD_API RD_CHECKED rd_status rd_kv_feed(rd_kv *kv, const rd_kv_request *request);
RD_API RD_CHECKED rd_status rd_kv_finish(rd_kv *kv);
/* Returns the context of an analysis. */
RD_API rd_ctx *rd_kv_ctx(const rd_kv *kv);
/* Returns the configuration that `kv` uses: the one that it was created with, with defaults filled
 * in. Returns NULL if `kv` is NULL. */
RD_API const rd_kv_config *rd_kv_config_of(const rd_kv *kv);
/* The results of the functions below are valid after rd_kv_finish() until rd_kv_free(). */
RD_API rd_kv_totals rd_kv_totals_of(const rd_kv *kv);
/* Sets *out to the hits of a cache of `blocks` blocks; any size is allowed. */
RD_API RD_CHECKED rd_status rd_kv_at(const rd_kv *kv, uint64_t blocks, rd_kv_point *out);
/* Sets *out to the smallest size in blocks whose token hits are at least `share` of all prompt
 * tokens, or to RD_KV_NO_SIZE if even an infinite cache hits less. */
RD_API RD_CHECKED rd_status rd_kv_size_for(const rd_kv *kv, double share, uint64_t *out);
/* Sets *out to the details of size number `index` of the configuration, from 0. */
RD_API RD_CHECKED rd_status rd_kv_details_at(const rd_kv *kv, size_t index, rd_kv_details *out);
RD_API rd_kv_series rd_kv_series_of(const rd_kv *kv);
/* Returns quantile `q` (0 to 1) of the served shares. The served share of a request is the fraction
 * of its prompt tokens that the cache served, 0 to 1. Requests without a token are left out. */
RD_API double rd_kv_quantile(const rd_kv_details *details, double q);
/* Sets *out to the best hits at size number `index`, from 0; config.opt must be true. */
RD_API RD_CHECKED rd_status rd_kv_bound_at(const rd_kv *kv, size_t index, rd_kv_bound *out);
RD_API RD_CHECKED rd_status rd_kv_tier_at(const rd_kv *kv, size_t index, rd_kv_tier *out);
RD_API void rd_kv_free(rd_kv *kv);

/* ---- models: bytes per token ---- */

typedef struct rd_kv_model {
    const char *name;
    uint64_t layers, kv_heads, head_dim;
    uint64_t latent; /* numbers per layer and token with latent attention (MLA), instead of
                        2 x kv_heads x head_dim; 0: no latent attention */
    uint64_t window_layers, window; /* number of layers with a sliding window, and number of tokens
                                       in the window */
    double number_bytes;            /* bytes per number */
    bool drop_windows; /* true: layers with a sliding window are not stored in the prefix cache */
    double weights_bytes; /* size of the weights as published; 0: unknown */
    const char *source;   /* where the numbers come from */
} rd_kv_model;

/* Returns preset number `index`, or NULL past the last one. */
RD_API const rd_kv_model *rd_kv_model_at(size_t index);
/* Parses "NAME", "NAME,key=value,..." or "layers=32,kv_heads=8,head_dim=128,dtype=bf16". The keys
 * are layers, kv_heads, head_dim, latent, window_layers, window, dtype and windows=full|drop. */
RD_API RD_CHECKED rd_status rd_kv_model_parse(rd_ctx *ctx, const char *text, rd_kv_model *out);
/* Returns the bytes that the prefix cache stores per token: 2 x L x kv_heads x head_dim x
 * number_bytes or, with latent attention, L x latent x number_bytes. L is `layers`, or layers -
 * window_layers if drop_windows is true. */
RD_API double rd_kv_model_token_bytes(const rd_kv_model *model);

/* ---- replicas: several servers with a cache each ---- */

typedef enum rd_kv_router {
    RD_KV_ROUND,        /* request i goes to replica i modulo N */
    RD_KV_CONVERSATION, /* all requests of a conversation go to one replica */
    RD_KV_PREFIX,       /* a request goes to the replica that holds its longest prefix; among
                           replicas that hold equally long prefixes, to the first one with the fewest
                           requests so far. A replica that has over RD_KV_SPREAD requests more than
                           the replica with the fewest is left out */
    RD_KV_ROUTERS
} rd_kv_router;

#define RD_KV_SPREAD       64
#define RD_KV_REPLICAS_MAX 1024

typedef struct rd_kv_fleet rd_kv_fleet;

/* Makes `replicas` servers. For each size of `config`, every server has a cache of 1 / `replicas`
 * of this size, rounded down. The fleet uses the fields order, full_only, outputs, block_tokens,
 * sizes and name of `config`. */
RD_API RD_CHECKED rd_status rd_kv_fleet_new(rd_ctx *ctx, const rd_kv_config *config,
                                            uint32_t replicas, rd_kv_router router,
                                            rd_kv_fleet **out);
RD_API RD_CHECKED rd_status rd_kv_fleet_feed(rd_kv_fleet *fleet, const rd_kv_request *request);
RD_API RD_CHECKED rd_status rd_kv_fleet_finish(rd_kv_fleet *fleet);
/* Sets *out to the hits of all replicas together, at size number `index` of the configuration, from
 * 0: size_blocks is the size of all caches together. */
RD_API RD_CHECKED rd_status rd_kv_fleet_at(const rd_kv_fleet *fleet, size_t index,
                                           rd_kv_point *out);
RD_API void rd_kv_fleet_free(rd_kv_fleet *fleet);

/* ---- cost ---- */

#define RD_KV_NAME_MAX 32

/* A kind of memory that can be bought. */
typedef struct rd_kv_offer {
    char name[RD_KV_NAME_MAX];
    uint64_t bytes; /* size of the tier in bytes; for a plan, the largest size */
    double cost;    /* price per GiB and hour, in any currency */
    double speed;   /* bytes per second that can be loaded from this tier; 0: the time for loading
                       does not count */
} rd_kv_offer;

/* The goal of a plan, and the cost of misses. */
typedef struct rd_kv_goal {
    size_t size;        /* sizeof(rd_kv_goal) */
    double hits;        /* token hit ratio that the plan must reach; 0: none */
    double budget;      /* maximum cost of all tiers per hour; 0: none */
    double token_cost;  /* cost of a million recomputed tokens */
    double second_cost; /* cost of a second of prefill or of loading */
    double prefill;     /* tokens that are recomputed per second; needed with second_cost */
    double token_bytes; /* bytes per token */
    bool inclusive;     /* true: each tier also holds what the faster tiers hold */
} rd_kv_goal;

typedef struct rd_kv_plan {
    bool found;                      /* false: no sizes within the offers reach the goal */
    uint64_t bytes[RD_KV_TIERS_MAX]; /* size of each tier */
    uint64_t blocks;                 /* blocks that all tiers together hold */
    double hits;                     /* token hit ratio */
    double storage_cost, miss_cost;  /* per hour */
} rd_kv_plan;

/* Finds the sizes of up to 4 tiers. A size is a multiple of 1/16 of its offer, or exactly the size
 * that is still needed to reach the goal. With goal->hits, the plan is the cheapest plan that has
 * these hits, within goal->budget if that is also set; with goal->budget alone, the plan with the
 * most hits within the budget; with neither, the cheapest plan. Hits per tier come from the curve,
 * which assigns to every block its worst rank: the largest rank among the block and the blocks
 * before it in its request. */
RD_API RD_CHECKED rd_status rd_kv_plan_find(const rd_kv *kv, const rd_kv_offer *offers, size_t n,
                                            const rd_kv_goal *goal, rd_kv_plan *out);

/* ---- reports ---- */

typedef enum rd_kv_unit { RD_KV_BLOCKS, RD_KV_TOKENS, RD_KV_BYTES } rd_kv_unit;

/* The contents of a report, in addition to the analysis. All pointers are borrowed. */
typedef struct rd_kv_view {
    size_t size; /* sizeof(rd_kv_view) */
    const rd_kv *kv;
    const char *name, *format; /* name and format of the log */
    bool chosen;               /* true: show all sizes of the configuration; false: show the sizes
                                  at which the hits change */
    rd_kv_unit unit;           /* how the text shows sizes */
    double token_bytes;        /* 0: unknown */
    const rd_kv_model *model;  /* NULL: none */
    double card_bytes;         /* bytes of memory of a card that holds weights and cache; 0: none */
    double weights_bytes;
    const rd_kv_offer *offers; /* the tiers of the configuration; NULL: none */
    bool inclusive;
    const rd_kv_goal *goal;                   /* the goal of `plan`; NULL: none */
    const rd_kv_plan *plan;                   /* NULL: none */
    const rd_kv_fleet *fleets[RD_KV_ROUTERS]; /* NULL: not simulated */
    uint32_t replicas;                        /* 0: none */
} rd_kv_view;

/* These functions make a report, which the caller frees with rd_text_free(). The CSV has the header
 * "blocks,tokens,bytes,block_hit_ratio,token_hit_ratio", and further columns with Belady's bound.
 * `bytes` is empty if the bytes per token are unknown. */
RD_API RD_CHECKED rd_status rd_kv_report_text(const rd_kv_view *view, const rd_report_style *style,
                                              char **text, size_t *n);
RD_API RD_CHECKED rd_status rd_kv_report_csv(const rd_kv_view *view, char **text, size_t *n);
RD_API RD_CHECKED rd_status rd_kv_report_json(const rd_kv_view *view, char **text, size_t *n);
RD_API RD_CHECKED rd_status rd_kv_report_html(const rd_kv_view *view, char **text, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
