/* The state of an analysis, and the functions of its files:
 *
 *   analysis.c           opens, runs and closes an analysis
 *   analysis_input.c     handles one trace: block size, notes, choice of the reader
 *   analysis_merge.c     reads traces that are merged by time
 *   analysis_join.c      reads several traces as one, whose threads are interleaved
 *   feed_plain.c         the caller's thread reads and feeds batch by batch
 *   feed_ahead.c         several threads decode ahead, and the caller's thread feeds
 *   feed_objects.c       the caller's thread reads requests and feeds them to an object cache
 *   feed_private.c       feeds blocks to private caches, one per thread
 *   feed_beside.c        feeds most of the analysis in recorded order, and the search for shared data
 *                        in lockstep
 *   feed_parts.c         the engine reads, one part per thread
 *   trace_parts.c        reads parts of a trace file
 *   read_ahead.c         decodes a trace file with several threads
 *   bursts.c             estimates the error of a run that was recorded in bursts
 *   attribution_feed.c   feeds references, events and distances to attribution
 *   analysis_profile.c   adds facts to the profile of the engine
 *   checkpoint_words.c   describes an analysis for its checkpoint
 *   recorded_order.c     counts coherence misses in recorded order, beside lockstep
 *   distance_file.c      writes the file of all distances
 *   block_kinds.c        finds the kinds and the threads of the references of blocks
 *   hierarchy_feed.c     feeds blocks and kinds to the simulation of caches
 *   machine_caches.c     finds the default caches of attribution
 *
 * An analysis ends early only with rdi_analysis_end_early(). After every other failure there is no
 * result, because the engine may be incomplete.
 */
#ifndef RDI_ANALYSIS_STATE_H
#define RDI_ANALYSIS_STATE_H

#include "analysis/attribution_feed.h"
#include "analysis/block_kinds.h"
#include "analysis/bursts.h"
#include "analysis/distance_file.h"
#include "analysis/hierarchy_feed.h"
#include "analysis/recorded_order.h"
#include "analysis/trace_parts.h"
#include "base/common.h"
#include "reusedist/analysis.h"
#include "reusedist/predict.h"

#define RDI_USUAL_BLOCK_BYTES 64 /* block size of addresses, unless the user chooses one */

typedef struct rdi_analysis_input {
    char *name;      /* the path, or the name given to rd_analysis_add_trace() */
    rd_trace *trace; /* a trace of the caller; NULL: `name` is a file, which is opened after all
                        earlier traces were read */
} rdi_analysis_input;

struct rd_analysis {
    rd_ctx *ctx;
    rd_analysis_config config;
    rd_attribution_config attribution_config; /* a copy of the caller's configuration;
                                                 config.attribution points to it */
    rd_hierarchy hierarchy_config;            /* a copy; config.hierarchy points to it */
    rdi_analysis_input *inputs;
    size_t n_inputs, inputs_room;
    bool ran, ended_early;

    bool block_known;        /* true: the configuration or the first trace has set block_bytes */
    bool processes_known;    /* true: a trace has set `processes` */
    bool processes;          /* rd_trace_has_processes() of the first trace, if threads matter */
    uint64_t block_bytes;    /* block size; 0: one block per address */
    char *checkpoint_of;     /* description for the checkpoint; NULL: no checkpoint */
    rd_engine *engine;       /* NULL: not open yet, or objects or private stacks are analyzed */
    double own_seconds;      /* seconds that private caches or the object cache have taken */
    rd_sharing *sharing;     /* private caches; NULL: not requested, or no trace is open yet */
    size_t next_event;       /* index of the batch's next event for `sharing` */
    uint64_t sharing_before; /* the thread of all references before the last batch:
                                sharing_seen.first, before that batch was looked at */
    rdi_threads_seen sharing_seen; /* whether the references belong to several threads, if `sharing`
                                      has an order of its own */
    bool beside; /* true: `sharing` gets the references in its own order (feed_beside.c) */
    rd_distance_sink sink; /* receives every distance; NULL: there is no receiver */
    void *sink_user;
    rd_objects *objects;              /* NULL: references are analyzed in blocks */
    rd_objects_config objects_config; /* a copy of the caller's configuration; config.objects points
                                         to it */
    rdi_distance_file *distance_file; /* NULL: not open */
    rd_status distances_status;       /* status of the first failure to write distances */
    char distances_error[256];        /* message of that failure */
    rd_sampler *sampler;              /* NULL: none */
    rdi_attribution_feed *attribution; /* NULL: not requested, or no trace is open yet */
    rdi_hierarchy_feed *hierarchy;     /* NULL: no simulation, or no trace is open yet */
    rdi_threads_seen threads_seen; /* whether the simulated references belong to several threads */
    rdi_bursts *bursts;            /* NULL: the error of bursts is not estimated */
    uint64_t *distances;           /* memory for the distances of a batch; see
                                      rdi_analysis_reserve_distances() */
    size_t distances_room;         /* number of distances that fit */
    rd_parts parts;                /* used if the engine reads the trace itself */
    char *parts_text;              /* memory of parts.what */
    rdi_parts_watch watch;

    rd_interleaving interleaving;       /* turn 0: no trace was interleaved */
    rdi_recorded_order *recorded_order; /* NULL: not in lockstep, or no private caches */

    rd_source *sources; /* one per opened trace */
    size_t n_sources;
    rd_progress progress;
    uint64_t bytes_before; /* number of bytes of the finished traces */
    uint64_t repeats;      /* number of references that recorders only counted and that were not fed
                              to the engine */
    uint64_t skipped;      /* number of references that recorders left out; RD_UNKNOWN: an unknown
                              number */
    rd_profile *profile;   /* NULL: none */
};

/* An opened trace that is being analyzed. */
typedef struct rdi_analysis_reading {
    rd_trace *trace;
    const char *name;
    bool is_file; /* true: `name` is the path of a file, which can be opened again */
    bool joined;  /* true: `trace` consists of several inputs; the checks and the notes are made for
                     each input (analysis_join.c) */
    rd_mapping mapping;
    rd_mapper *mapper;
    rd_source *source; /* source of this trace; its bytes and references are kept up to date */
} rdi_analysis_reading;

/* ---- one trace (analysis_input.c) ---- */

rd_status rdi_analysis_read_input(rd_analysis *a, const rdi_analysis_input *input);
/* Opens an input, unless it is an open trace of the caller, and sets *r. */
rd_status rdi_analysis_open_input(const rd_analysis *a, const rdi_analysis_input *input,
                                  rdi_analysis_reading *r);
/* Prepares an opened trace: chooses its block size, makes notes about its format, and selects its calling
 * contexts if they are needed. */
rd_status rdi_analysis_begin_input(rd_analysis *a, const rdi_analysis_reading *r);
/* Adds the source of the trace, unless r->source is not NULL. */
void rdi_analysis_add_source(rd_analysis *a, rdi_analysis_reading *r);
/* Reads an opened trace. If `reading->source` is not NULL, it is used instead of a new element of
 * a->sources. */
rd_status rdi_analysis_read_opened(rd_analysis *a, rdi_analysis_reading *reading);
/* Reads all inputs, merged by time (analysis_merge.c). */
rd_status rdi_analysis_read_merged(rd_analysis *a);
/* Reads all inputs, one after the other, as one trace (analysis_join.c). */
rd_status rdi_analysis_read_joined(rd_analysis *a);

/* Makes notes about columns that are missing or ignored. `fields` is the mask of the trace's
 * columns. */
void rdi_analysis_note_columns(const rd_analysis *a, const rdi_analysis_reading *r,
                               uint32_t fields);

/* Makes a note if threads of an interleaved trace missed turns. */
void rdi_analysis_note_overflows(const rd_analysis *a, const char *name,
                                 rd_interleaved_facts facts);

/* Makes room in a->distances for the distances of n references and, for attribution of simulated
 * misses, as many tags after them (feed_plain.c). */
rd_status rdi_analysis_reserve_distances(rd_analysis *a, size_t n);

rd_status rdi_feed_plain(rd_analysis *a, const rdi_analysis_reading *reading);
/* Feeds a batch in recorded order to everything, except to `sharing` while a->beside is true. */
rd_status rdi_feed_batch(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs);
/* Returns whether the batch has synchronization or references of several threads. */
bool rdi_feed_beside_begins(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs);
/* Feeds the batch `first` and the rest of the trace: in lockstep to `sharing`, and in recorded
 * order to everything else (feed_beside.c). */
rd_status rdi_feed_beside(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *first);
/* Reads an opened trace of requests (a->objects is not NULL). */
rd_status rdi_feed_objects(rd_analysis *a, const rdi_analysis_reading *reading);
/* Makes notes about unusual requests of all traces, such as requests with a size of 0. */
void rdi_note_objects(const rd_analysis *a, const rd_profile *profile);
/* Makes the private caches if they are requested and do not exist yet. `trace` is the first trace. */
rd_status rdi_private_open(rd_analysis *a, const rd_trace *trace);
/* Fails if the analysis has private caches, measured or simulated, and the trace has object ids or lacks
 * a column that these caches need. `fields` is the mask of the trace's columns. */
rd_status rdi_private_check(const rd_analysis *a, const rdi_analysis_reading *r, uint32_t fields);
/* Feeds n blocks of the batch `refs` to the private caches. If there is no engine and the distances
 * are needed, stores them in a->distances and passes them to the sink. */
rd_status rdi_private_feed(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs,
                           const uint64_t *blocks, size_t n);
/* Ends a batch of references: passes the events after its last block reference to the private
 * caches. */
rd_status rdi_private_end_batch(rd_analysis *a, const rdi_analysis_reading *r);
bool rdi_feed_ahead_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_ahead(rd_analysis *a, const rdi_analysis_reading *reading);
bool rdi_feed_parts_is_possible(const rd_analysis *a, const rdi_analysis_reading *reading);
rd_status rdi_feed_parts(rd_analysis *a, const rdi_analysis_reading *reading);

/* Returns whether distances are needed together with their blocks. */
static inline bool rdi_analysis_wants_distances(const rd_analysis *a) {
    return a->sampler || a->config.attribution || a->bursts ||
           rdi_hierarchy_feed_wants_distances(a->hierarchy);
}

/* Returns whether an engine measures the distances. */
static inline bool rdi_analysis_has_engine(const rd_analysis *a) {
    return !a->config.objects && a->config.stacks == RD_STACKS_SHARED;
}

/* Returns whether the engine is exact and immediate. */
bool rdi_analysis_is_exact(const rd_analysis *a);

/* Returns whether the analysis needs private caches of threads, either to measure distances or to find
 * the data that threads share. */
static inline bool rdi_analysis_wants_sharing(const rd_analysis *a) {
    return a->config.stacks == RD_STACKS_PRIVATE || a->config.sharing;
}

/* Returns whether the data that threads share are found in lockstep, while the engine gets the
 * references in recorded order. */
static inline bool rdi_analysis_has_own_order(const rd_analysis *a) {
    return a->config.sharing && a->config.sharing_interleave && !a->config.interleave &&
           a->config.stacks == RD_STACKS_SHARED;
}

/* Returns whether the simulated caches are private to threads. */
static inline bool rdi_analysis_has_private_caches(const rd_analysis *a) {
    return a->config.hierarchy && a->config.private_caches;
}

/* Returns whether one thread must see all blocks in order, because something other than the engine and
 * the simulation of shared caches uses them. */
static inline bool rdi_analysis_wants_references(const rd_analysis *a) {
    return a->sampler || a->config.attribution || a->bursts || a->config.blocks ||
           rdi_analysis_wants_sharing(a) || rdi_analysis_has_private_caches(a);
}

/* Returns whether one thread must see all blocks in order. */
static inline bool rdi_analysis_wants_blocks(const rd_analysis *a) {
    return rdi_analysis_wants_references(a) || a->config.hierarchy;
}

/* ---- reporting (analysis.c) ---- */

/* Calls the progress callback. Returns RD_ECANCELED if it cancels the analysis. */
rd_status rdi_analysis_tell(rd_analysis *a, const rd_progress *progress);
/* Counts `n` further references that were read from `r`, and calls the progress callback. If the
 * callback cancels the analysis, the analysis ends early. */
rd_status rdi_analysis_tell_read(rd_analysis *a, const rdi_analysis_reading *r, size_t n);
void rdi_analysis_note(const rd_analysis *a, rd_note_kind kind, const char *format, ...)
    RDI_PRINTF(3, 4);
/* Notes that the analysis ends early with `status`, and returns `status`. The engine must be intact
 * and must have received all references before the point where the analysis ends. */
rd_status rdi_analysis_end_early(rd_analysis *a, rd_status status);

/* ---- checkpoint and profile ---- */

/* Returns a description of the analysis, or NULL if memory is exhausted. A checkpoint is valid only
 * for an analysis with the same description. */
char *rdi_checkpoint_words(const rd_analysis *a);

/* Makes the profile: takes the profile of the engine and adds the facts that only the analysis
 * knows. */
rd_status rdi_analysis_make_profile(rd_analysis *a);

#endif
