/* Analyses: traces in, a profile out. This is what the commands `analyze`, `mrc` and `run` use.
 *
 *   rd_analysis_config config = {.size = sizeof config, .threads = 4};
 *   rd_analysis_open(ctx, &config, &a);
 *   rd_analysis_add_file(a, "prog.trace.xz");
 *   rd_analysis_run(a);
 *   rd_analysis_profile(a, &profile);
 *   rd_analysis_close(a);
 *
 * An analysis reads its traces one after the other, as one trace, maps their references to blocks
 * and feeds the blocks to an engine. Attribution and sampling receive the distances of the same
 * references. The analysis chooses how a trace is read: by the caller's thread, by several threads
 * that decode a file ahead, or by the engine itself, one part per thread. The result is the same.
 */
#ifndef REUSEDIST_ANALYSIS_H
#define REUSEDIST_ANALYSIS_H

#include "attribution.h"
#include "base.h"
#include "cluster.h"
#include "engine.h"
#include "profile.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Special values of rd_analysis_config.block, which is otherwise a size in bytes. */
#define RD_BLOCK_AUTO    UINT64_C(0) /* 64 bytes, or one block per id in a trace of object ids */
#define RD_BLOCK_ADDRESS UINT64_MAX  /* one block per address */

/* The progress of an analysis. No number decreases from one call of the callback to the next. The
 * library makes this struct: later versions may append fields. */
typedef struct rd_progress {
    uint64_t references;       /* read so far from all traces */
    uint64_t block_references; /* fed to the engine so far: one per block that a reference of the
                                  selected kinds touches */
    uint64_t bytes;            /* of the files as stored, read so far; 0 if there are no files */
    uint64_t total_bytes;      /* 0: unknown */
} rd_progress;

/* Called every few thousand references. Returns false to cancel the analysis. Only one thread calls
 * it at a time, but it need not be the thread that called rd_analysis_run(). */
typedef bool (*rd_progress_callback)(void *user, const rd_progress *progress);

typedef enum rd_note_kind {
    RD_NOTE_WARNING, /* the result may not mean what the user expects */
    RD_NOTE_CHOICE   /* the analysis decided something that the configuration left open */
} rd_note_kind;

/* Receives a message for people: one sentence without a full stop. `text` is valid during the call.
 */
typedef void (*rd_note_callback)(void *user, rd_note_kind kind, const char *text);

/* A file of the analyzed program, for traces that do not say which files were mapped. `address` has
 * the same meaning as in rd_attributor_add_object(). */
typedef struct rd_object_file {
    const char *path;
    uint64_t address;
} rd_object_file;

/* Configuration of attribution. Zeros stand for the defaults. */
typedef struct rd_attribution_config {
    size_t size;            /* sizeof(rd_attribution_config) */
    const rd_level *levels; /* caches whose misses are counted; NULL: the caches of this machine
                               that are not larger than the bound */
    size_t n_levels;
    size_t windows; /* maximum number of windows; default RD_WINDOWS_MAX */
    bool spatial;   /* also measure distances in words */
    const rd_object_file *objects;
    size_t n_objects;
} rd_attribution_config;

/* Configuration of an analysis. Zeros stand for the defaults. The analysis borrows everything that
 * the struct points to until rd_analysis_close(). */
typedef struct rd_analysis_config {
    size_t size;        /* sizeof(rd_analysis_config) */
    const char *engine; /* "NAME[:key=value,...]"; NULL: auto, or parda with a checkpoint */
    const char *format; /* of the files, "NAME[:key=value,...]"; NULL: detected from the content */
    uint64_t block;     /* bytes, a power of two; RD_BLOCK_AUTO; RD_BLOCK_ADDRESS */
    uint32_t kinds;     /* mask of RD_LOAD ...; 0: all */
    bool kinds_chosen;  /* the recorder already dropped the references of all other kinds */
    rd_binning binning; /* of the histogram */
    uint64_t bound;     /* in blocks; 0: unbounded */
    uint32_t threads;   /* for reading files and for engines that use several; 0: one */
    uint64_t mem_bytes; /* memory that the engine plans to stay within; 0: unlimited. With a
                           limit, one thread reads. rd_ctx_set_limit() enforces one */
    const char *checkpoint; /* file, see rd_engine_config; NULL: none */
    bool live;              /* a hint: the analyzed program runs at the same time */
    bool partial; /* if the analysis ends early, make a profile of what was analyzed until then */
    const rd_attribution_config *attribution; /* NULL: none */
    const rd_sampler_config *sampling;        /* to find peaks; NULL: none */
    rd_distance_sink sink;                    /* receives every distance; NULL: none */
    void *sink_user;
    rd_progress_callback progress; /* NULL: none */
    void *progress_user;
    rd_note_callback note; /* NULL: notes are dropped */
    void *note_user;
    const char *distances; /* file that gets every distance, a line each: a number or "inf"; "-":
                              standard output; NULL: none. It appears when all distances are known,
                              also if the analysis ends early */
} rd_analysis_config;

typedef struct rd_analysis rd_analysis;

/* Checks the configuration and, without a checkpoint, opens the engine. Mistakes in these are
 * therefore reported here (RD_EINVAL), before the caller starts a program to analyze; mistakes about
 * the traces (the format, attribution) when rd_analysis_run() opens the first one. `config` NULL: all
 * defaults. */
RD_API RD_CHECKED rd_status rd_analysis_open(rd_ctx *ctx, const rd_analysis_config *config,
                                             rd_analysis **out);

/* Adds a trace file, "-" for standard input. The analysis opens the file when it reaches it. The
 * path is copied. */
RD_API RD_CHECKED rd_status rd_analysis_add_file(rd_analysis *a, const char *path);
/* Adds an open trace of any kind: of a running program, in memory or generated. The caller keeps
 * the trace and closes it after the analysis. The profile calls it `name`, which is copied. */
RD_API RD_CHECKED rd_status rd_analysis_add_trace(rd_analysis *a, rd_trace *trace,
                                                  const char *name);

/* Analyzes everything that was added. May be called once. The analysis ends early if a trace is
 * damaged or cannot be read (RD_EFORMAT, RD_EIO, or another error of rd_trace_open() and
 * rd_trace_read()), or if the progress callback cancels it (RD_ECANCELED). The references before
 * that point are still analyzed, and with config.partial there is a profile of them, provided that
 * a trace was opened. After any other failure, of the engine, of the sink or of the file of distances,
 * there is no profile. There is neither a profile nor a file of distances, but no failure either, if the
 * only trace never began, see rd_trace_never_began().
 */
RD_API RD_CHECKED rd_status rd_analysis_run(rd_analysis *a);

/* Whether rd_analysis_profile() has a profile to hand over. */
RD_API bool rd_analysis_has_profile(const rd_analysis *a);
/* Hands over the profile once; the caller frees it. RD_ESTATE if there is none. */
RD_API RD_CHECKED rd_status rd_analysis_profile(rd_analysis *a, rd_profile **out);

/* Writes the peaks found so far to `out`, like rd_sampler_peaks(), and returns how many there are;
 * 0 without config.sampling. The progress callback may call it, too. */
RD_API size_t rd_analysis_peaks(const rd_analysis *a, rd_peak *out);
/* Returns rd_engine_note() of the engine, or "" before the engine is open. Borrowed. */
RD_API const char *rd_analysis_engine_note(const rd_analysis *a);

RD_API void rd_analysis_close(rd_analysis *a);

/* Serves the analyses of rank 0 until rank 0 leaves the cluster: every other rank calls this
 * function, reads its parts of the traces and analyzes them. */
RD_API RD_CHECKED rd_status rd_analysis_serve(rd_cluster *c);

/* Writes the data caches of this machine's first processor to `out`, in ascending order and at most
 * RD_LEVELS_MAX of them, and returns how many there are. If the system does not report its caches,
 * the function assumes 32 KiB, 1 MiB and 32 MiB and sets *known to false. `known` may be NULL. */
RD_API size_t rd_machine_caches(rd_level *out, bool *known);

#ifdef __cplusplus
}
#endif
#endif
