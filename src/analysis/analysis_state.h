/* An analysis, and what its files share.
 *
 *   analysis.c           its life: open, add, run, close
 *   analysis_input.c     one trace: block size, notes, who reads it
 *   feed_plain.c         the caller's thread reads, and feeds batch by batch
 *   feed_ahead.c         several threads decode ahead (read_ahead.h), the caller's feeds
 *   feed_parts.c         the engine reads, a part per thread (trace_parts.h)
 *   attribution_feed.c   references, events and distances for attribution
 *   analysis_profile.c   what the profile says beside the histogram
 *   checkpoint_words.c   what a checkpoint is good for
 *   machine_caches.c     the caches whose misses count if nobody names others
 *
 * The feed_*.c files end an analysis early with rdi_analysis_end_early(); every other failure means
 * that the engine is broken and there is no result.
 */
#ifndef RDI_ANALYSIS_STATE_H
#define RDI_ANALYSIS_STATE_H

#include "analysis/attribution_feed.h"
#include "analysis/trace_parts.h"
#include "base/common.h"
#include "reusedist/analysis.h"
#include "reusedist/predict.h"

typedef struct rdi_analysis_input {
    char *name;      /* path, or what rd_analysis_add_trace() was told */
    rd_trace *trace; /* the caller's; NULL: a file that is opened in its turn */
} rdi_analysis_input;

struct rd_analysis {
    rd_ctx *ctx;
    rd_analysis_config config;
    rd_attribution_config attribution_config; /* a copy; config.attribution points to it */
    rdi_analysis_input *inputs;
    size_t n_inputs, inputs_room;
    bool ran, ended_early;

    bool block_known;     /* from the configuration, or else from the first trace */
    uint64_t block_bytes; /* 0: one block per address */
    char *checkpoint_of;  /* or NULL */
    rd_engine *engine;
    rd_sampler *sampler;               /* or NULL */
    rdi_attribution_feed *attribution; /* NULL: not wanted, or no trace yet */
    uint64_t *distances;               /* of a batch, for these two ... */
    size_t distances_room;             /* ... and how many fit */
    rd_parts parts;                    /* if the engine reads the trace itself ... */
    char *parts_text;                  /* ... parts.what */
    rdi_parts_watch watch;

    rd_source *sources; /* one per opened trace */
    size_t n_sources;
    rd_progress progress;
    uint64_t bytes_before; /* of the traces that are through */
    uint64_t repeats;      /* counted when they were recorded: the engine does not get them */
    uint64_t skipped;      /* when they were recorded; RD_UNKNOWN: some */
    rd_profile *profile;   /* or NULL */
};

/* An opened trace that is being analyzed. */
typedef struct rdi_analysis_reading {
    rd_trace *trace;
    const char *name;
    bool is_file; /* `name` is its path, and it can be opened once more */
    rd_mapping mapping;
    rd_mapper *mapper;
    rd_source *source; /* bytes and references are kept up to date */
} rdi_analysis_reading;

/* ---- one trace (analysis_input.c) ---- */

rd_status rdi_analysis_read_input(rd_analysis *a, const rdi_analysis_input *input);

rd_status rdi_feed_plain(rd_analysis *a, const rdi_analysis_reading *reading);
bool rdi_feed_ahead_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_ahead(rd_analysis *a, const rdi_analysis_reading *reading);
bool rdi_feed_parts_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_parts(rd_analysis *a, const rdi_analysis_reading *reading);

/* Whether somebody wants distances together with their blocks. */
static inline bool rdi_analysis_wants_distances(const rd_analysis *a) {
    return a->sampler || a->config.attribution;
}

/* ---- telling (analysis.c) ---- */

/* Tells the callback; RD_ECANCELED when it has had enough. */
rd_status rdi_analysis_tell(rd_analysis *a, const rd_progress *progress);
void rdi_analysis_note(const rd_analysis *a, rd_note_kind kind, const char *format, ...)
    RDI_PRINTF(3, 4);
/* The engine is intact, and has got everything that came before. Returns `status`. */
rd_status rdi_analysis_end_early(rd_analysis *a, rd_status status);

/* ---- the rest ---- */

/* What is analyzed, in words: a checkpoint is good for the same only. NULL: out of memory. */
char *rdi_checkpoint_words(const rd_analysis *a);

/* Takes the engine's profile and completes it. */
rd_status rdi_analysis_make_profile(rd_analysis *a);

#endif
