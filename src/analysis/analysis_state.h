/* The state of an analysis, shared by its files.
 *
 *   analysis.c           open, add, run, close
 *   analysis_input.c     one trace: block size, notes, choice of the reader
 *   feed_plain.c         the caller's thread reads, and feeds batch by batch
 *   feed_ahead.c         several threads decode ahead (read_ahead.h), the caller's thread feeds
 *   feed_parts.c         the engine reads, a part per thread (trace_parts.h)
 *   attribution_feed.c   references, events and distances for attribution
 *   analysis_profile.c   facts in the profile beside the histogram
 *   checkpoint_words.c   the description of an analysis in its checkpoint
 *   distance_file.c      the file of all distances
 *   machine_caches.c     the default caches of attribution
 *
 * The feed_*.c files end an analysis early with rdi_analysis_end_early(). Every other failure means
 * that the engine is broken and there is no result.
 */
#ifndef RDI_ANALYSIS_STATE_H
#define RDI_ANALYSIS_STATE_H

#include "analysis/attribution_feed.h"
#include "analysis/distance_file.h"
#include "analysis/trace_parts.h"
#include "base/common.h"
#include "reusedist/analysis.h"
#include "reusedist/predict.h"

typedef struct rdi_analysis_input {
    char *name;      /* the path, or the name given to rd_analysis_add_trace() */
    rd_trace *trace; /* the caller's; NULL: a file that is opened when it is its turn */
} rdi_analysis_input;

struct rd_analysis {
    rd_ctx *ctx;
    rd_analysis_config config;
    rd_attribution_config attribution_config; /* a copy; config.attribution points to it */
    rdi_analysis_input *inputs;
    size_t n_inputs, inputs_room;
    bool ran, ended_early;

    bool block_known;     /* by the configuration or by the first trace */
    uint64_t block_bytes; /* 0: one block per address */
    char *checkpoint_of;  /* or NULL */
    rd_engine *engine;
    rdi_distance_file *distance_file;  /* or NULL */
    bool distances_failed;             /* writing them has failed */
    rd_sampler *sampler;               /* or NULL */
    rdi_attribution_feed *attribution; /* NULL: not requested, or no trace yet */
    uint64_t *distances;               /* of a batch, for sampler and attribution */
    size_t distances_room;             /* number of distances that fit */
    rd_parts parts;                    /* if the engine reads the trace itself */
    char *parts_text;                  /* parts.what */
    rdi_parts_watch watch;

    rd_source *sources; /* one per opened trace */
    size_t n_sources;
    rd_progress progress;
    uint64_t bytes_before; /* of the finished traces */
    uint64_t repeats;      /* counted by the recorders; the engine does not get them */
    uint64_t skipped;      /* left out by the recorders; RD_UNKNOWN: some */
    rd_profile *profile;   /* or NULL */
};

/* An opened trace that is being analyzed. */
typedef struct rdi_analysis_reading {
    rd_trace *trace;
    const char *name;
    bool is_file; /* `name` is its path, which can be opened again */
    rd_mapping mapping;
    rd_mapper *mapper;
    rd_source *source; /* its bytes and references are kept up to date */
} rdi_analysis_reading;

/* ---- one trace (analysis_input.c) ---- */

rd_status rdi_analysis_read_input(rd_analysis *a, const rdi_analysis_input *input);

rd_status rdi_feed_plain(rd_analysis *a, const rdi_analysis_reading *reading);
bool rdi_feed_ahead_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_ahead(rd_analysis *a, const rdi_analysis_reading *reading);
bool rdi_feed_parts_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_parts(rd_analysis *a, const rdi_analysis_reading *reading);

/* Returns whether distances are needed together with their blocks. */
static inline bool rdi_analysis_wants_distances(const rd_analysis *a) {
    return a->sampler || a->config.attribution;
}

/* ---- reporting (analysis.c) ---- */

/* Calls the progress callback. RD_ECANCELED if it cancels the analysis. */
rd_status rdi_analysis_tell(rd_analysis *a, const rd_progress *progress);
void rdi_analysis_note(const rd_analysis *a, rd_note_kind kind, const char *format, ...)
    RDI_PRINTF(3, 4);
/* Ends the analysis early: the engine is intact and has received everything before. Returns
 * `status`. */
rd_status rdi_analysis_end_early(rd_analysis *a, rd_status status);

/* ---- the rest ---- */

/* The description of the analysis. A checkpoint is valid only for the same description. NULL: out
 * of memory. */
char *rdi_checkpoint_words(const rd_analysis *a);

/* Takes the engine's profile and completes it. */
rd_status rdi_analysis_make_profile(rd_analysis *a);

#endif
