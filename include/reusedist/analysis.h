/* Analyses: they read traces and make a profile. The commands `analyze`, `mrc` and `run` use them.
 *
 *   rd_analysis_config config = {.size = sizeof config, .threads = 4};
 *   rd_analysis_open(ctx, &config, &a);
 *   rd_analysis_add_file(a, "prog.trace.xz");
 *   rd_analysis_run(a);
 *   rd_analysis_profile(a, &profile);
 *   rd_analysis_close(a);
 *
 * An analysis reads its traces one after the other, or merged by time, and treats them as one
 * trace. It maps the references to blocks and feeds the blocks to an engine or to private caches, or
 * feeds the requests to an object cache. Attribution and sampling receive the distances of the same
 * references. The analysis chooses how a trace is read: by the caller's thread, by several threads
 * that decode a file ahead, or by the engine itself, one part per thread. The way of reading does
 * not change the result.
 */
#ifndef REUSEDIST_ANALYSIS_H
#define REUSEDIST_ANALYSIS_H

#include "attribution.h"
#include "base.h"
#include "cluster.h"
#include "engine.h"
#include "hierarchy.h"
#include "objects.h"
#include "profile.h"
#include "sharing.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Special values of rd_analysis_config.block, which is otherwise a size in bytes. */
#define RD_BLOCK_AUTO    UINT64_C(0) /* blocks of 64 bytes, or one block per object id */
#define RD_BLOCK_ADDRESS UINT64_MAX  /* one block per address */

/* The progress of an analysis. Every number either grows or stays the same from one call of the
 * callback to the next. The library fills this struct, and later versions may append fields. */
typedef struct rd_progress {
    uint64_t references;       /* number of references read so far from all traces */
    uint64_t block_references; /* number of block references fed to the engine so far: a reference
                                  of the selected kinds counts once for each block that it
                                  touches */
    uint64_t bytes;       /* number of stored (possibly compressed) bytes read so far; generated
                                  traces and running programs count references here */
    uint64_t total_bytes; /* the value that `bytes` will reach; 0: unknown */
} rd_progress;

/* The analysis calls this function every few thousand references. The function returns false to
 * cancel the analysis. Only one thread calls it at a time, which need not be the thread that called
 * rd_analysis_run(). */
typedef bool (*rd_progress_callback)(void *user, const rd_progress *progress);

typedef enum rd_note_kind {
    RD_NOTE_WARNING, /* the result may not mean what the user expects */
    RD_NOTE_CHOICE   /* the analysis decided something that the configuration left open */
} rd_note_kind;

/* Receives a message for people, one sentence without a full stop. `text` is valid during the
 * call. */
typedef void (*rd_note_callback)(void *user, rd_note_kind kind, const char *text);

/* A program or library file of the analyzed program, for traces that do not say which files were
 * mapped. `address` has the same meaning as in rd_attributor_add_object(). */
typedef struct rd_object_file {
    const char *path;
    uint64_t address;
} rd_object_file;

/* Configuration of attribution. A field that is 0 or NULL has its default. */
typedef struct rd_attribution_config {
    size_t size;            /* sizeof(rd_attribution_config) */
    const rd_level *levels; /* caches whose misses are counted; NULL: the caches of this machine or,
                               if blocks have no size in bytes, caches of 1000, 10000, 100000 and
                               1000000 objects. These defaults leave out caches larger than the
                               bound; if none remains, the only cache is as large as the bound */
    size_t n_levels;
    size_t windows; /* maximum number of windows; default RD_WINDOWS_MAX */
    bool spatial;   /* true: also measure distances in words */
    const rd_object_file *objects;
    size_t n_objects;
    bool contexts;          /* true: count calling contexts, if the trace has them */
    bool levels_in_bytes;   /* true: `levels` have sizes in bytes. The analysis then fails with
                               RD_EINVAL if blocks have no size in bytes */
    const char *const *own; /* folders or files of the user's own code; see rd_attributor_config */
    size_t n_own;
} rd_attribution_config;

/* The order in which the references of several traces are analyzed. */
typedef enum rd_merge {
    RD_MERGE_NONE, /* one after the other */
    RD_MERGE_TIME  /* by time; see rd_trace_merge() */
} rd_merge;

/* Configuration of an analysis. A field that is 0 or NULL has its default. The analysis borrows
 * everything that the struct points to until rd_analysis_close(). */
typedef struct rd_analysis_config {
    size_t size;        /* sizeof(rd_analysis_config) */
    const char *engine; /* "NAME[:key=value,...]"; NULL: auto, or parda with a checkpoint */
    const char *format; /* format of the files, "NAME[:key=value,...]"; NULL: detected from the
                           content */
    uint64_t block;     /* block size in bytes, a power of two; or RD_BLOCK_AUTO or
                           RD_BLOCK_ADDRESS */
    uint32_t kinds;     /* mask of the kinds to analyze, RD_LOAD and so on; 0: all kinds */
    bool kinds_chosen;  /* true: the recorder already dropped the references of all other kinds */
    rd_binning binning; /* binning of the histogram */
    uint64_t bound;     /* bound of the distances in blocks; 0: unbounded */
    uint32_t threads;   /* number of threads that read files and run the engine; 0: one */
    uint64_t mem_bytes; /* memory in bytes that the engine plans to stay within; 0: unlimited. If it
                           is set, no threads decode files ahead. Use rd_ctx_set_limit() to enforce
                           a limit */
    const char *checkpoint; /* checkpoint file, see rd_engine_config; NULL: none */
    bool live;              /* true: the analyzed program runs at the same time (a hint) */
    bool partial; /* true: an analysis that ends early still makes a profile of the references
                     before that point */
    const rd_attribution_config *attribution; /* NULL: no attribution. Attribution and `sampling`
                                                 need an engine with RD_CAP_DISTANCES and without
                                                 RD_CAP_LATE (RD_EINVAL) */
    const rd_sampler_config *sampling;        /* configuration of the sampler that finds peaks;
                                                 NULL: no sampling. Must not be combined with a
                                                 bound (RD_EINVAL) */
    rd_distance_sink sink;                    /* receives every distance; NULL: none */
    void *sink_user;
    rd_progress_callback progress; /* NULL: none */
    void *progress_user;
    rd_note_callback note; /* NULL: notes are dropped */
    void *note_user;
    const char *distances; /* File for all distances, one line per distance: a number or "inf". "-"
                              is standard output; NULL: no file. The file appears when all distances
                              are known, even if the analysis ends early. */
    /* Length of a burst in references: the recorder alternately recorded this many references and
     * skipped others; 0: no bursts. With bursts and an exact, immediate engine, the analysis
     * estimates the error: the profile has a confidence band for the miss ratios. All references
     * must come from one sequence of bursts. */
    uint64_t burst;
    /* Caches to simulate with the same references; NULL: none. rd_hierarchy_check() must accept
     * them for the block size of the trace. This field must not be combined with a checkpoint
     * (RD_EINVAL). The profile gets the result, see rd_profile_simulation(). */
    const rd_hierarchy *hierarchy;
    bool without_causes;  /* see rd_simulator_config */
    rd_block_sink blocks; /* receives the block ids of all references; NULL: none. A failure ends
                             the analysis */
    void *blocks_user;
    /* Analyzes requests of object caches in bytes instead of blocks: the traces must have object
     * ids and sizes, and the engine is not used. The profile is that of rd_objects_profile(). This
     * field must not be combined with the fields about engine, blocks, kinds, bounds, distances,
     * checkpoints, sampling and attribution, nor with caches to simulate (RD_EINVAL). NULL:
     * references are analyzed in blocks. */
    const rd_objects_config *objects;
    rd_merge merge; /* RD_MERGE_TIME must not be combined with a checkpoint (RD_EINVAL) */
    /* RD_STACKS_PRIVATE: every thread has a cache of its own, see sharing.h. The traces must have
     * threads and kinds. The profile is that of rd_sharing_profile(). Private stacks must not be
     * combined with an engine, a bound, a checkpoint, sampling, bursts, objects, or kinds without
     * stores, nor with caches to simulate unless `private_caches` is true (RD_EINVAL). */
    rd_stacks stacks;
    /* Analyzes the references of threads in lockstep, see rd_trace_interleave(); NULL: in the recorded
     * order. Several traces are interleaved as one trace, see rd_trace_join(). This field must not be
     * combined with a checkpoint or objects (RD_EINVAL). The profile states the order, see
     * rd_profile_interleaving(). */
    const rd_interleave *interleave;
    /* true: also find the data that threads share, see rd_profile_shared(). The traces must have
     * threads and kinds; program counters and events give the names of code and data. This field
     * works with both kinds of stacks. It must not be combined with a bound, a checkpoint, bursts,
     * objects, or kinds without stores (RD_EINVAL). */
    bool sharing;
    /* The order in which the analysis finds the data that threads share: lockstep, while all other
     * results have the recorded order. Lockstep begins with the batch that has the first
     * synchronization or the first reference of a second thread. This field has an effect only with
     * `sharing`, with RD_STACKS_SHARED and without `interleave`. NULL: all results have the same
     * order. */
    const rd_interleave *sharing_interleave;
    /* true: the caches of `hierarchy` that are not shared are private to each thread, see
     * rd_simulator_config. The traces must have threads and kinds, and the kinds to analyze must
     * include stores. The profile gets the result, see rd_profile_private_simulation(). Misses of
     * private caches are not attributed. Without caches to simulate, this field has no effect. */
    bool private_caches;
} rd_analysis_config;

typedef struct rd_analysis rd_analysis;

/* Makes an analysis: checks the configuration and, without a checkpoint, opens the engine. This
 * function therefore reports mistakes in the configuration and in the engine's options (RD_EINVAL)
 * before the caller starts a program to analyze. rd_analysis_run() reports mistakes that depend on
 * the traces (format, attribution) when it opens the first trace. `config` NULL selects all
 * defaults. */
RD_API RD_CHECKED rd_status rd_analysis_open(rd_ctx *ctx, const rd_analysis_config *config,
                                             rd_analysis **out);

/* Adds a trace file, "-" for standard input. The path is copied. The analysis opens the file when it
 * has read all earlier traces; with RD_MERGE_TIME, it opens all files at the beginning. */
RD_API RD_CHECKED rd_status rd_analysis_add_file(rd_analysis *a, const char *path);
/* Adds an open trace of any kind: a running program, memory or a generator. The caller owns the
 * trace and closes it after the analysis. The profile stores `name` (copied) as the name of the
 * trace. */
RD_API RD_CHECKED rd_status rd_analysis_add_trace(rd_analysis *a, rd_trace *trace,
                                                  const char *name);

/* Analyzes everything that was added. The caller may call this function once. The analysis ends
 * early if a trace is damaged or cannot be read (RD_EFORMAT, RD_EIO, or another error of
 * rd_trace_open() and rd_trace_read()), or if the progress callback cancels it (RD_ECANCELED). The
 * references before that point are still analyzed, and with config.partial the analysis has a
 * profile of them, provided that it opened a trace. After any other failure, for example of the
 * engine, the sink or the file of distances, it has no profile. If the only trace never began (see
 * rd_trace_never_began()), the function succeeds without a profile and without a file of
 * distances. */
RD_API RD_CHECKED rd_status rd_analysis_run(rd_analysis *a);

/* Returns whether rd_analysis_profile() has a profile to hand over. */
RD_API bool rd_analysis_has_profile(const rd_analysis *a);
/* Hands over the profile; the caller frees it. The function returns RD_ESTATE if there is no
 * profile or if the profile was already handed over. */
RD_API RD_CHECKED rd_status rd_analysis_profile(rd_analysis *a, rd_profile **out);

/* Writes the peaks found so far to `out`, like rd_sampler_peaks(), and returns their number; 0
 * without config.sampling. The progress callback may call this function. */
RD_API size_t rd_analysis_peaks(const rd_analysis *a, rd_peak *out);
/* Returns rd_engine_note() of the engine, or "" before the engine is open. The text is borrowed until
 * rd_analysis_close(). */
RD_API const char *rd_analysis_engine_note(const rd_analysis *a);

RD_API void rd_analysis_close(rd_analysis *a);

/* Works for the analyses of rank 0 until rank 0 leaves the cluster: reads the parts of the traces that
 * belong to this rank, and analyzes them. Every rank except 0 calls this function. */
RD_API RD_CHECKED rd_status rd_analysis_serve(rd_cluster *c);

/* Writes the data caches of this machine's first processor to `out`, in ascending order and at most
 * RD_LEVELS_MAX of them, and returns the number written. If the system does not report its caches,
 * the function assumes 32 KiB, 1 MiB and 32 MiB and sets *known to false. `known` may be NULL. */
RD_API size_t rd_machine_caches(rd_level *out, bool *known);

#ifdef __cplusplus
}
#endif
#endif
