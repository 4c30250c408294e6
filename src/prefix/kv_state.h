/* The state of the analysis of a log. kv.c computes the curve of hits, kv_details.c counts by
 * shares, turns and windows, kv_opt.c computes Belady's bound, and kv_tiers.c counts hits per
 * tier. */
#ifndef RDI_KV_STATE_H
#define RDI_KV_STATE_H

#include "base/u64_list.h"
#include "prefix/kv_blocks.h"
#include "prefix/kv_recency.h"
#include "reusedist/engine.h"
#include "reusedist/prefix.h"

/* A request in the batch. */
typedef struct rdi_kv_row {
    size_t first, n; /* index of its first touch in the batch, and number of its touches */
    uint64_t prompt_tokens, time_us, line;
    uint32_t turn;
    bool numbered; /* true: `line` is the number of the request */
    bool counted;  /* false: the row is the end of a request, when the blocks of prompt and output
                      enter the cache; these touches count neither as hits nor as misses */
} rdi_kv_row;

/* The results of the pass for one request. The arrays have one element per block, front to back. */
typedef struct rdi_kv_seen {
    const rdi_kv_row *row;
    uint64_t number;    /* number of the request, from 1 */
    uint64_t *rank;     /* number of blocks used more recently when the request arrived; RD_COLD
                           for a new block; see rank_group() for elements that are not set */
    uint64_t *distance; /* reuse distance of the block at the moment when it was touched; set for
                           the same elements as `rank` */
    uint32_t *last;     /* number of the previous request that touched the block; 0: none */
    size_t room;        /* capacity of the arrays */
    uint64_t block_tokens;
    uint64_t last_tokens; /* tokens of the last block */
} rdi_kv_seen;

/* Consecutive blocks of a request that are hits at the same sizes: at all sizes above `worst`. */
typedef struct rdi_kv_run {
    uint64_t worst, tokens;
} rdi_kv_run;

/* The hits of blocks with one worst rank; after rd_kv_finish(), the hits of blocks with this or a
 * smaller worst rank. */
typedef struct rdi_kv_hits {
    uint64_t blocks, tokens;
} rdi_kv_hits;

/* Shares, turns and windows for the sizes of the configuration. */
typedef struct rdi_kv_detail_state {
    uint64_t *shares;      /* [size][RD_KV_SHARE_STEPS + 1] */
    uint64_t *turn_hits;   /* [size][RD_KV_TURNS + 1] */
    uint64_t *window_hits; /* [size][RD_KV_WINDOWS] */
    uint64_t turn_tokens[RD_KV_TURNS + 1];
    uint64_t window_tokens[RD_KV_WINDOWS];
    uint64_t tier_hits[RD_KV_TIERS_MAX][RD_KV_WINDOWS];
    uint64_t window_us; /* length of a window in microseconds; 0: no request had a time so far */
    size_t n_windows;
    rdi_kv_run *runs; /* the runs of the current request */
    size_t n_runs, runs_room;
} rdi_kv_detail_state;

/* Belady's bound at one size. See kv_opt.c. */
typedef struct rdi_kv_opt {
    uint64_t size;
    uint32_t *link, *step;
    uint64_t sum;
    uint64_t block_hits, token_hits;
} rdi_kv_opt;

struct rd_kv {
    rd_ctx *ctx;
    rd_kv_config config;
    rdi_kv_blocks blocks;
    rdi_kv_recency recency;
    rdi_u64_list touches; /* the blocks of the batch's requests */
    rdi_kv_row *rows;
    size_t n_rows, rows_room;
    rdi_kv_seen seen;
    uint32_t number;    /* number of the current request; the end of a request with a sequence
                           counts as another request */
    rdi_kv_hits *hits;  /* [worst rank]; rd_kv_finish() accumulates them */
    uint64_t hits_room; /* capacity of `hits` */
    uint64_t gaps[RD_KV_GAPS];
    rd_kv_totals totals;
    rdi_kv_detail_state details;
    rdi_kv_opt opt[RD_KV_SIZES_MAX];
    size_t opt_room; /* capacity of the arrays of every `opt`, in requests */
    rd_kv_tier tiers[RD_KV_TIERS_MAX];
    bool finished;
};

rd_status rdi_kv_details_init(rd_kv *kv);
void rdi_kv_details_fini(rd_kv *kv);
/* Adds a run of `tokens` tokens, which are hits at all sizes above `worst`, to the current
 * request. */
rd_status rdi_kv_details_run(rd_kv *kv, uint64_t worst, uint64_t tokens);
/* Ends the current request. */
void rdi_kv_details_end(rd_kv *kv, const rdi_kv_row *row);
/* Returns the window of a time, or RD_KV_WINDOWS if the time is unknown. Doubles the length of the
 * windows as often as necessary. */
size_t rdi_kv_window(rd_kv *kv, uint64_t time_us);

rd_status rdi_kv_opt_request(rd_kv *kv, const rdi_kv_seen *seen);
void rdi_kv_opt_fini(rd_kv *kv);

/* Counts the hits and moves of a request per tier. `window` is the window of its arrival time. */
void rdi_kv_tiers_request(rd_kv *kv, const rdi_kv_seen *seen, size_t window);
void rdi_kv_tiers_finish(rd_kv *kv);

/* Returns the tokens of block `i` of a request. */
static inline uint64_t rdi_kv_block_tokens(const rdi_kv_seen *seen, size_t i) {
    return i + 1 == seen->row->n ? seen->last_tokens : seen->block_tokens;
}

#endif
