/* The suites of `bench` that run engines on traces in memory: engines, threads, growth and
 * memory. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The engine whose answer all other comparable answers of `bench engines` are checked against. It
 * is slow, but independent of the other engines. */
#define REFERENCE_ENGINE "bk"

/* ---- engines ---- */

static bool compare_engines(bench *b, const bench_trace *t) {
    static const char *const usual[] = {"null", "footprint", "auto", "bk", "olken:tree=splay"};
    const rd_strings *asked = &b->options->engines;
    const char *const *engines = asked->n ? asked->value : usual;
    size_t n = asked->n ? asked->n : sizeof usual / sizeof *usual;
    uint32_t threads[RD_STRINGS_MAX];
    for (size_t i = 0; i < n; i++)
        threads[i] = (uint32_t)b->options->threads;
    bench_result reference;
    bench_answer expected = {0};
    return bench_check(b, t, REFERENCE_ENGINE, 1, &expected, &reference) &&
           bench_compare(b, t, engines, n, threads, &expected);
}

static bool run_engines(bench *b, int n, char **traces) {
    bench_header(b);
    return bench_each_trace(b, n, traces, compare_engines);
}

const bench_suite bench_engines = {"engines", "which engine is fastest on which trace?",
                                   run_engines};

/* ---- threads ---- */

static bool compare_threads(bench *b, const bench_trace *t) {
    const rd_sizes *asked = &b->options->counts;
    uint32_t most = (uint32_t)b->options->threads, threads[RD_STRINGS_MAX];
    const char *engines[RD_STRINGS_MAX];
    const char *engine = b->options->engines.n ? b->options->engines.value[0] : "auto";
    size_t n = 0;
    for (; n < asked->n; n++)
        threads[n] = (uint32_t)asked->value[n];
    for (uint32_t k = 1; asked->n == 0 && (n == 0 || threads[n - 1] < most); k *= 2)
        threads[n++] = k < most ? k : most;
    for (size_t i = 0; i < n; i++)
        engines[i] = engine;
    bench_answer expected = {0};
    return bench_compare(b, t, engines, n, threads, &expected);
}

static bool run_threads(bench *b, int n, char **traces) {
    bench_header(b);
    return bench_each_trace(b, n, traces, compare_threads);
}

const bench_suite bench_threads = {"threads", "how much do more threads help?", run_threads};

/* ---- growth ---- */

static bool run_growth(bench *b, int n, char **traces) {
    (void)traces;
    if (n > 0) {
        b->status = fail_usage("bench growth generates its own traces; omit TRACE");
        return false;
    }
    static const char *const usual[] = {"auto"};
    const rd_strings *asked = &b->options->engines;
    const char *const *engines = asked->n ? asked->value : usual;
    size_t n_engines = asked->n ? asked->n : 1;
    uint32_t threads[RD_STRINGS_MAX];
    for (size_t i = 0; i < n_engines; i++)
        threads[i] = (uint32_t)b->options->threads;
    b->notes = true; /* the notes report the time spent on maintenance */
    bench_header(b);
    for (uint64_t blocks = 1000; blocks <= 100000000; blocks *= 10) {
        uint64_t refs = b->options->refs ? b->options->refs : 50000000;
        /* The trace is long enough that all blocks are live during most of the run. */
        refs = refs > 4 * blocks ? refs : 4 * blocks;
        char spec[128];
        snprintf(spec, sizeof spec, "uniform:blocks=%" PRIu64 ",refs=%" PRIu64, blocks, refs);
        bench_trace t;
        if (!bench_load(b, spec, &t))
            return false;
        bench_answer expected = {0};
        bool ok = bench_compare(b, &t, engines, n_engines, threads, &expected);
        bench_unload(&t);
        if (!ok)
            return false;
    }
    return true;
}

const bench_suite bench_growth = {
    "growth", "what does a reference cost with 10^3 to 10^8 distinct blocks?", run_growth};

/* ---- memory ---- */

/* Feeds `blocks` distinct blocks with scattered ids, twice, and finishes the engine. The ids are
 * computed while feeding, so that the process holds no data except the engine's. */
static rd_status feed_rounds(rd_engine *e, uint64_t blocks) {
    uint64_t batch[4096];
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < blocks;) {
            size_t n = 0;
            for (; n < 4096 && at < blocks; at++)
                /* The factor is odd, so all ids differ. */
                batch[n++] = at * UINT64_C(0x9e3779b97f4a7c15);
            rd_status status = rd_engine_feed(e, batch, n, NULL);
            if (status != RD_OK)
                return status;
        }
    return rd_engine_finish(e);
}

/* Runs an engine and sets *counted to the peak memory that its context counted. The function runs
 * in a child process, so that the peak resident memory of that process is the memory of the engine.
 * Reports a failure and returns the exit status. */
static int measure_memory(const char *engine, uint32_t threads, uint64_t blocks, size_t *counted) {
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .threads = threads};
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return fail("out of memory");
    rd_status status = rd_engine_open(ctx, engine, &config, &e);
    if (status == RD_OK)
        status = feed_rounds(e, blocks);
    *counted = rd_ctx_peak_bytes(ctx);
    int exit_status = status == RD_OK ? EXIT_OK : fail_status(ctx, status);
    rd_engine_close(e);
    rd_ctx_free(ctx);
    return exit_status;
}

static bool print_memory(bench *b, const char *engine, uint64_t blocks) {
    int ends[2];
    uint32_t threads = (uint32_t)b->options->threads;
    fflush(NULL);
    if (pipe(ends) != 0) {
        b->status = fail("cannot make a pipe: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        size_t counted = 0;
        int status = measure_memory(engine, threads, blocks, &counted);
        ssize_t wrote = write(ends[1], &counted, sizeof counted);
        _exit(wrote == (ssize_t)sizeof counted ? status : EXIT_FAILED);
    }
    close(ends[1]);
    size_t counted = 0;
    bool got = child > 0 && read(ends[0], &counted, sizeof counted) == (ssize_t)sizeof counted;
    close(ends[0]);
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 || !got) {
        b->status =
            fail("%s with %" PRIu64
                 " blocks: the process that measures this engine failed; if it left no message, "
                 "memory may have run out",
                 engine, blocks);
        return false;
    }
    double resident = (double)usage.ru_maxrss * 1024 / (double)blocks;
    if (!b->options->json)
        printf("%-20s %12" PRIu64 " blocks %8.1f bytes resident per block, %8.1f counted\n", engine,
               blocks, resident, (double)counted / (double)blocks);
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "engine", engine);
    rd_json_put_u64(w, "threads", threads);
    rd_json_put_u64(w, "blocks", blocks);
    rd_json_put_fixed(w, "resident_bytes_per_block", resident, 2);
    rd_json_put_fixed(w, "counted_bytes_per_block", (double)counted / (double)blocks, 2);
    bench_end_line(b);
    return true;
}

static bool run_memory(bench *b, int n, char **traces) {
    static const uint64_t sizes[] = {1000000, 10000000, 30000000, 50000000, 70000000};
    (void)traces;
    if (n > 0) {
        b->status = fail_usage("bench memory generates its own traces; omit TRACE");
        return false;
    }
    static const char *const usual[] = {"auto", "bk"};
    const rd_strings *asked = &b->options->engines;
    const char *const *engines = asked->n ? asked->value : usual;
    for (size_t i = 0; i < (asked->n ? asked->n : sizeof usual / sizeof *usual); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (!print_memory(b, engines[i], sizes[k]))
                return false;
    return true;
}

const bench_suite bench_memory = {
    "memory", "how many bytes does a distinct block need, also while tables grow?", run_memory};
