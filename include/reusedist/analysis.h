/* Analyses: traces in, a profile out. This is what the commands `analyze`, `mrc` and `run` use.
 *
 *   rd_analysis_config config = {.size = sizeof config, .threads = 4};
 *   rd_analysis_open(ctx, &config, &a);
 *   rd_analysis_add_file(a, "prog.trace.xz");
 *   rd_analysis_run(a);
 *   rd_analysis_profile(a, &profile);
 *   rd_analysis_close(a);
 *
 * An analysis reads its traces one after the other, as one trace, splits their references into
 * blocks and feeds an engine with them. Attribution and sampling get the distances of the same
 * references. The analysis decides who reads: the caller's thread, several threads that decode a
 * file ahead, or the engine itself, a part per thread. The result is the same.
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

/* Values of rd_analysis_config.block beside a size in bytes. */
#define RD_BLOCK_AUTO    UINT64_C(0) /* 64 bytes, or one block per id in a trace of object ids */
#define RD_BLOCK_ADDRESS UINT64_MAX  /* one block per address */

/* How far an analysis is. Numbers never decrease from one call of the callback to the next. The
 * library makes this struct: later versions may append fields. */
typedef struct rd_progress {
    uint64_t references;       /* read from all traces */
    uint64_t block_references; /* what the engine got: references of the wanted kinds, split */
    uint64_t bytes;            /* of the files as stored; 0 where there are no files */
    uint64_t total_bytes;      /* 0: unknown */
} rd_progress;

/* Called every few thousand references. Returns false to cancel the analysis. Only one thread calls
 * it at a time, but it need not be the thread that called rd_analysis_run(). */
typedef bool (*rd_progress_callback)(void *user, const rd_progress *progress);

typedef enum rd_note_kind {
    RD_NOTE_WARNING, /* the result may not mean what the user expects */
    RD_NOTE_CHOICE   /* what was chosen where the configuration left the choice open */
} rd_note_kind;

/* A sentence for people, without a full stop; `text` is valid during the call. */
typedef void (*rd_note_callback)(void *user, rd_note_kind kind, const char *text);

/* A file of the analyzed program, for traces that do not say which files were mapped. `address` as
 * for rd_attributor_add_object(). */
typedef struct rd_object_file {
    const char *path;
    uint64_t address;
} rd_object_file;

/* Configuration of attribution. Zeros stand for the defaults. */
typedef struct rd_attribution_config {
    size_t size;            /* sizeof(rd_attribution_config) */
    const rd_level *levels; /* caches whose misses count; NULL: those of this machine, as far as
                               they are not above the bound */
    size_t n_levels;
    size_t windows; /* over time, at most; RD_WINDOWS_MAX */
    bool spatial;   /* measure distances in words, too */
    const rd_object_file *objects;
    size_t n_objects;
} rd_attribution_config;

/* Zeros stand for the defaults. The analysis borrows everything that the struct points to until
 * rd_analysis_close(). */
typedef struct rd_analysis_config {
    size_t size;        /* sizeof(rd_analysis_config) */
    const char *engine; /* "NAME[:key=value,...]"; NULL: auto, or parda with a checkpoint */
    const char *format; /* of the files, "NAME[:key=value,...]"; NULL: by content */
    uint64_t block;     /* bytes, a power of two; RD_BLOCK_AUTO; RD_BLOCK_ADDRESS */
    uint32_t kinds;     /* mask of RD_LOAD ...; 0: all */
    bool kinds_chosen;  /* the traces have references of no other kinds: the recorder chose them */
    rd_binning binning; /* of the histogram */
    uint64_t bound;     /* in blocks; 0: unbounded */
    uint32_t threads;   /* to read files and for engines that use several; 0: one */
    uint64_t mem_bytes; /* what the engine may use; 0: no limit. With a limit, one thread reads */
    const char *checkpoint; /* file, see rd_engine_config; NULL: none */
    bool live;              /* a hint: the program that is analyzed runs at the same time */
    bool partial;           /* when the analysis ends early, make the profile of what came before */
    const rd_attribution_config *attribution; /* NULL: none */
    const rd_sampler_config *sampling;        /* to find peaks; NULL: none */
    rd_distance_sink sink;                    /* wants every distance; NULL: nobody does */
    void *sink_user;
    rd_progress_callback progress; /* NULL: nobody asks */
    void *progress_user;
    rd_note_callback note; /* NULL: notes are dropped */
    void *note_user;
} rd_analysis_config;

typedef struct rd_analysis rd_analysis;

/* Opens the engine, too, unless there is a checkpoint: what is wrong with the configuration is
 * reported here (RD_EINVAL), before a program is started for it. `config` NULL: all defaults. */
RD_API RD_CHECKED rd_status rd_analysis_open(rd_ctx *ctx, const rd_analysis_config *config,
                                             rd_analysis **out);

/* A file, "-" for standard input; it is opened when its turn comes. The path is copied. */
RD_API RD_CHECKED rd_status rd_analysis_add_file(rd_analysis *a, const char *path);
/* An open trace of any kind: of a running program, in memory, generated. It stays the caller's, who
 * closes it after the analysis. The profile calls it `name`, which is copied. */
RD_API RD_CHECKED rd_status rd_analysis_add_trace(rd_analysis *a, rd_trace *trace,
                                                  const char *name);

/* Analyzes everything that was added; once. An analysis ends early where a trace is damaged or
 * cannot be read (RD_EFORMAT, RD_EIO and what else rd_trace_open() and rd_trace_read() return) and
 * where the progress callback says so (RD_ECANCELED). What came before is then analyzed as well,
 * and there is a profile of it if config.partial is set and a trace had been opened. After any
 * other failure, of the engine or of the sink, there is none. */
RD_API RD_CHECKED rd_status rd_analysis_run(rd_analysis *a);

/* Whether there is a profile to be taken. */
RD_API bool rd_analysis_has_profile(const rd_analysis *a);
/* Hands over the profile, once; the caller frees it. RD_ESTATE when there is none. */
RD_API RD_CHECKED rd_status rd_analysis_profile(rd_analysis *a, rd_profile **out);

/* The peaks found so far, as rd_sampler_peaks(), also from inside the progress callback; none
 * without config.sampling. */
RD_API size_t rd_analysis_peaks(const rd_analysis *a, rd_peak *out);
/* rd_engine_note() of the engine, "" before there is one. Borrowed. */
RD_API const char *rd_analysis_engine_note(const rd_analysis *a);

RD_API void rd_analysis_close(rd_analysis *a);

/* Ranks other than 0 of a cluster: read and analyze their parts of the traces of rank 0's analyses,
 * until that leaves. */
RD_API RD_CHECKED rd_status rd_analysis_serve(rd_cluster *c);

/* Writes the data caches of this machine's first processor to `out`, ascending, RD_LEVELS_MAX at
 * most, and returns how many there are. If the system does not tell, these are 32 KiB, 1 MiB and 32
 * MiB, and *known is false. `known` may be NULL. */
RD_API size_t rd_machine_caches(rd_level *out, bool *known);

#ifdef __cplusplus
}
#endif
#endif
