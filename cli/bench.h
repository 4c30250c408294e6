/* Benchmarks: traces in memory, checked and timed runs, and result lines, which the suites of
 * `reusedist bench` and of bench/papers share. */
#ifndef RD_BENCH_H
#define RD_BENCH_H

#include "cli.h"

#include "reusedist/experimental.h"

#define BENCH_LONG 5 /* bench_time() does not repeat a run of this many seconds or more */

typedef struct bench_options {
    rd_strings engines; /* engines to compare; none: the engines that the suite chooses */
    uint64_t repeats;   /* number of times that each run is timed */
    uint64_t refs;      /* length of generated traces in references; 0: the suite chooses it */
    uint64_t threads;   /* maximum number of threads */
    rd_sizes counts;    /* suite threads: the numbers of threads to measure */
    const char *block;  /* block size: bytes or "addr"; NULL: 64, or "addr" for object ids */
    const char *output; /* file to which the JSON lines are appended; NULL: none */
    bool json;          /* true: print no table, and without `output` print the JSON lines */
} bench_options;

#define BENCH_NOTE 512

/* The state of a suite, and the destinations of its results. */
typedef struct bench {
    rd_ctx *ctx;
    const bench_options *options;
    FILE *lines;          /* where JSON lines go; NULL: nowhere */
    rd_json_writer *line; /* the JSON line that is being written */
    const char *suite;
    uint64_t bound; /* bound of every run in blocks; 0: unbounded */
    bool notes;     /* true: the table shows times and the engine's note below each engine */
    void *summary;  /* data that the suite keeps from trace to trace */
    int status;     /* exit status; if it is not EXIT_OK, the failure has already been reported */
} bench;

/* All block ids of a trace, in memory. */
typedef struct bench_trace {
    const char *name;
    uint64_t *blocks;
    size_t n;
} bench_trace;

/* Loads a trace. `what` is a generator ("zipf:blocks=4M") or a file. Returns false after a failure,
 * like all functions here that return bool, except bench_has(). If b->status is then still EXIT_OK,
 * bench_run_suite() reports that memory is exhausted. */
bool bench_load(bench *b, const char *what, bench_trace *out);
void bench_unload(bench_trace *t);

/* Calls `work` for each trace that the user names, or for the default traces. */
bool bench_each_trace(bench *b, int n, char **traces, bool (*work)(bench *b, const bench_trace *t));

/* The result of one engine on one trace. */
typedef struct bench_result {
    const char *engine; /* engine specification, "NAME[:key=value,...]" */
    const char *trace;
    uint32_t threads;
    uint64_t references, blocks;
    double checked;        /* seconds of the run whose answer was checked */
    double system;         /* system time of that run in seconds, summed over all threads */
    char note[BENCH_NOTE]; /* the note of the engine about that run */
    double seconds[32];    /* seconds of each repeat */
    size_t repeats;
    double median, best; /* median and minimum of `seconds` */
    size_t peak_bytes;   /* peak memory of the engine in bytes */
    const char *answer;  /* "same", "reference" or "not compared" */
} bench_result;

/* The answer of an engine: a digest of histogram and totals, which shows whether two engines
 * agree. */
typedef struct bench_answer {
    const char *engine; /* engine that gave this answer; NULL: there is no answer yet */
    uint64_t digest, blocks;
} bench_answer;

/* Runs an engine once and checks its answer against *expected, if the answer is exact, has the sums
 * of the distances, log-linear bins, and the bound of `b`. The first answer of this kind fills
 * *expected. Returns false if the engine fails or its answer differs. */
bool bench_check(bench *b, const bench_trace *t, const char *engine, uint32_t threads,
                 bench_answer *expected, bench_result *out);
/* Runs the engine of `r` once more and appends the time to r->seconds. */
bool bench_repeat(bench *b, const bench_trace *t, bench_result *r);
/* Times all repeats and summarizes them. If the checked run took BENCH_LONG seconds or more, its
 * time is the result. */
bool bench_time(bench *b, const bench_trace *t, bench_result *r);
/* Computes median and best of the repeats. */
void bench_summarize(bench_result *r);

/* Measures all engines on one trace and prints a line for each. All answers are checked first. The
 * repeats then alternate between the engines, so that noise affects all of them alike. */
bool bench_compare(bench *b, const bench_trace *t, const char *const *engines, size_t n,
                   const uint32_t *threads, bench_answer *expected);

/* bench_header() prints the header of the table, and bench_print() one line, unless options->json
 * is set. bench_print() also writes the JSON line. */
void bench_header(const bench *b);
void bench_print(bench *b, const bench_result *r);
/* These functions begin and end a JSON line with other members than the lines of bench_print(). The
 * line begins with the suite and ends with the machine; in between, the caller writes its own
 * members with the writer that bench_begin_line() returns. */
rd_json_writer *bench_begin_line(bench *b);
void bench_end_line(bench *b);

double bench_now(void);

/* A suite: one question and the runs that answer it. */
typedef struct bench_suite {
    const char *name;
    const char *question;
    bool (*run)(bench *b, int n, char **traces);
} bench_suite;

/* Checks the options, opens the output, runs the suite, and returns the exit status. */
int bench_run_suite(rd_ctx *ctx, const bench_options *o, const bench_suite *suite, int n,
                    char **traces);

/* Runs an engine on the whole trace in a new context, so that its memory is known. `note` gets the
 * note of the engine; it must have room for BENCH_NOTE bytes, or be NULL. The caller frees *ctx and
 * *profile even after a failure. */
bool bench_run(bench *b, const bench_trace *t, const char *engine, uint32_t threads, rd_ctx **ctx,
               rd_profile **profile, double *seconds, char *note);

/* Returns whether this engine can run here. If it is not available, the function prints the reason,
 * unless results are printed as JSON. */
bool bench_has(bench *b, const char *engine);

/* Returns suite number `index` in the order of the help, or NULL past the last one. */
const bench_suite *bench_suite_at(size_t index);

extern const bench_suite bench_engines, bench_threads, bench_growth, bench_memory, bench_formats;

#endif
