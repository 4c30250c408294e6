/* What the suites of `reusedist bench` and of bench/papers share: traces in memory, checked and timed
 * runs, result lines. */
#ifndef RD_BENCH_H
#define RD_BENCH_H

#include "cli.h"

#include "reusedist/experimental.h"

#define BENCH_LONG 5 /* seconds: a run that long need not be repeated */

typedef struct bench_options {
    rd_strings engines; /* to compare; none: the suite's own */
    uint64_t repeats;   /* of every timed run */
    uint64_t refs;      /* references of generated traces; 0: the suite's own */
    uint64_t threads;   /* at most */
    rd_sizes counts;    /* suite threads: these numbers of threads */
    const char *block;  /* granularity of trace files: bytes or "addr" */
    const char *output; /* JSON lines go here as well */
    bool json;          /* JSON lines instead of a table on standard output */
} bench_options;

#define BENCH_NOTE 512

/* Where results go. */
typedef struct bench {
    rd_ctx *ctx;
    const bench_options *options;
    FILE *lines;          /* JSON lines, or NULL */
    rd_json_writer *line; /* the one being written */
    const char *suite;
    uint64_t bound; /* of every run, in blocks; 0: none */
    bool notes;     /* what the engine says of its run is printed below its line */
    void *summary;  /* what the suite carries on from trace to trace */
    int status;     /* exit status; not EXIT_OK: reported */
} bench;

/* Block ids of a trace, whole in memory. */
typedef struct bench_trace {
    const char *name;
    uint64_t *blocks;
    size_t n;
} bench_trace;

/* `what` is a generator ("zipf:blocks=4M") or a file. false: reported. */
bool bench_load(bench *b, const char *what, bench_trace *out);
void bench_unload(bench_trace *t);

/* Calls `work` for each trace named by the user, or for the usual ones; false: reported. */
bool bench_each_trace(bench *b, int n, char **traces, bool (*work)(bench *b, const bench_trace *t));

/* One engine on one trace. */
typedef struct bench_result {
    const char *engine; /* spec */
    const char *trace;
    uint32_t threads;
    uint64_t references, blocks;
    double checked;        /* seconds of the run whose answer was compared */
    double system;         /* of them, the system's: processor time of all threads */
    char note[BENCH_NOTE]; /* what the engine says of that run */
    double seconds[32];    /* of every repeat */
    size_t repeats;
    double median, best; /* seconds */
    size_t peak_bytes;   /* of the engine's memory */
    const char *answer;  /* "same as ENGINE", "reference", "not compared" */
} bench_result;

/* Histogram and totals as one number, to tell whether two engines agree. */
typedef struct bench_answer {
    const char *engine; /* NULL: none yet */
    uint64_t digest, blocks;
} bench_answer;

/* Runs once and checks the answer against *expected (filled by the first exact engine); false: the
 * engine failed or differs, reported. */
bool bench_check(bench *b, const bench_trace *t, const char *engine, uint32_t threads,
                 bench_answer *expected, bench_result *out);
/* Times one more repeat. */
bool bench_repeat(bench *b, const bench_trace *t, bench_result *r);
/* Times all repeats and summarises them; of a run that took BENCH_LONG seconds when it was checked,
 * that one counts. */
bool bench_time(bench *b, const bench_trace *t, bench_result *r);
/* Median and best of the repeats. */
void bench_summarise(bench_result *r);

/* All engines on one trace: every answer first, then repeats in turn, so that noise hits all alike.
 */
bool bench_compare(bench *b, const bench_trace *t, const char *const *engines, size_t n,
                   const uint32_t *threads, bench_answer *expected);

/* One line of the table, and the JSON line. */
void bench_header(const bench *b);
void bench_print(bench *b, const bench_result *r);
/* A result of another kind: the suite comes first, the machine last. What is between them the caller
 * puts into the writer. */
rd_json_writer *bench_begin_line(bench *b);
void bench_end_line(bench *b);

double bench_now(void);

/* One suite. */
typedef struct bench_suite {
    const char *name;
    const char *question;
    bool (*run)(bench *b, int n, char **traces); /* false: reported */
} bench_suite;

/* Opens the output, runs the suite, and returns the exit status. */
int bench_run_suite(rd_ctx *ctx, const bench_options *o, const bench_suite *suite, int n,
                    char **traces);

/* A whole run of the caller's own context, so that its memory is known; `note` has room for
 * BENCH_NOTE bytes, or is NULL. Frees nothing: the caller does, also after a failure, which is
 * reported. */
bool bench_run(bench *b, const bench_trace *t, const char *engine, uint32_t threads, rd_ctx **ctx,
               rd_profile **profile, double *seconds, char *note);

/* Whether this engine runs here; otherwise says why not, once per suite. */
bool bench_has(bench *b, const char *engine);

/* In the order of the help. NULL past the last one. */
const bench_suite *bench_suite_at(size_t index);

extern const bench_suite bench_engines, bench_threads, bench_growth, bench_memory, bench_formats;

#endif
