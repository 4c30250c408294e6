/* Measures the speed of the gpu engine from pinned memory to the finished histogram, stage by
 * stage.
 *
 * usage: gpu_bench OUTPUT REFERENCES THREADS REPEATS TRACE...
 *
 * A TRACE is a generator without refs= ("zipf:blocks=4M"), which each thread runs with its own
 * seed, or a file, whose references are repeated until there are REFERENCES. The result is compared
 * with that of `auto` on THREADS threads before a speed is printed. The time of every stage is
 * printed beside the time that a plain copy of its bytes on the device would take. Result lines in
 * JSON are appended to OUTPUT.
 */
#include "base/threads.h"
#include "engine/gpu/gpu.h"
#include "reusedist/experimental.h"
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define REPEATS_MOST 32
#define CEILING_BYTES                                                                              \
    ((size_t)1 << 30) /* bytes that are copied to measure the two upper limits of the speed */
#define CEILING_TIMES 5
/* Maximum number of references of the run on one thread, which is slow. */
#define ONE_CORE_REFS ((size_t)1 << 25)

typedef struct bench {
    rd_ctx *ctx;
    rdi_device *device;
    FILE *out;
    uint64_t *refs; /* references in pinned memory */
    size_t n;
    unsigned threads, repeats;
    double copy_rate, upload_rate; /* rates of copies on the device and from the host, in bytes per
                                      second */
} bench;

static void check(bench *b, rd_status status) {
    if (status == RD_OK)
        return;
    fprintf(stderr, "gpu_bench: %s\n", rd_last_error(b->ctx));
    exit(EXIT_FAILURE);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- upper limits of the speed ---- */

/* Returns the best rate of several copies, in bytes moved per second. */
static double best_rate(bench *b, void *to, void *from, bool on_device) {
    rdi_event *begin = NULL, *end = NULL;
    double best = 1e9;
    check(b, rdi_event_new(b->device, &begin));
    check(b, rdi_event_new(b->device, &end));
    for (int i = 0; i < CEILING_TIMES; i++) {
        double seconds = 0;
        rdi_stream s = RDI_STREAM_WORK;
        check(b, rdi_event_record(b->device, begin, s));
        check(b, on_device ? rdi_device_copy(b->device, s, to, from, CEILING_BYTES)
                           : rdi_device_upload(b->device, s, to, from, CEILING_BYTES));
        check(b, rdi_event_record(b->device, end, s));
        check(b, rdi_event_elapsed(b->device, begin, end, &seconds));
        best = seconds < best ? seconds : best;
    }
    rdi_event_free(b->device, begin);
    rdi_event_free(b->device, end);
    return (on_device ? 2.0 : 1.0) * (double)CEILING_BYTES / best;
}

static void measure_ceilings(bench *b) {
    void *pinned = NULL;
    rdi_device_buffer from = {0}, to = {0};
    check(b, rdi_pinned_alloc(b->device, CEILING_BYTES, &pinned));
    check(b, rdi_device_reserve(b->device, &from, CEILING_BYTES));
    check(b, rdi_device_reserve(b->device, &to, CEILING_BYTES));
    b->copy_rate = best_rate(b, to.at, from.at, true);
    b->upload_rate = best_rate(b, to.at, pinned, false);
    rdi_device_release(b->device, &from);
    rdi_device_release(b->device, &to);
    rdi_pinned_free(b->device, pinned, CEILING_BYTES);
    printf("%s: copies %.2f TB/s on the device (read and written), %.1f GB/s from the host\n",
           rdi_device_name(b->device), b->copy_rate * 1e-12, b->upload_rate * 1e-9);
}

/* ---- traces ---- */

typedef struct fill_job {
    bench *b;
    const char *trace;
} fill_job;

/* Reads at most n block ids of a trace and returns their number. */
static size_t read_blocks(bench *b, rd_trace *trace, uint64_t *to, size_t n) {
    rd_mapper *mapper = NULL;
    rd_mapping mapping = {.size = sizeof mapping, .block_bytes = rd_trace_has_ids(trace) ? 0 : 64};
    const rd_refs *refs = NULL;
    size_t done = 0;
    check(b, rd_mapper_new(b->ctx, &mapping, &mapper));
    while (done < n) {
        check(b, rd_trace_read(trace, &refs));
        if (refs->n == 0)
            break;
        rd_mapper_feed(mapper, refs);
        const uint64_t *blocks = NULL;
        size_t got = 0;
        while (true) {
            check(b, rd_mapper_next(mapper, &blocks, &got));
            if (got == 0)
                break;
            got = got < n - done ? got : n - done;
            memcpy(to + done, blocks, got * sizeof *to);
            done += got;
        }
    }
    rd_mapper_free(mapper);
    return done;
}

/* Makes one thread's share of a generated trace, with its own seed. */
static void fill_part(void *arg, unsigned worker) {
    const fill_job *job = arg;
    bench *b = job->b;
    size_t begin = b->n / b->threads * worker;
    size_t end = worker + 1 == b->threads ? b->n : begin + b->n / b->threads;
    char spec[512];
    rd_trace *trace = NULL;
    snprintf(spec, sizeof spec, "%s%srefs=%zu,seed=%u", job->trace,
             strchr(job->trace, ':') ? "," : ":", end - begin, worker + 1);
    check(b, rd_trace_generate(b->ctx, spec, &trace));
    if (read_blocks(b, trace, b->refs + begin, end - begin) != end - begin) {
        fprintf(stderr, "gpu_bench: %s: the trace is too short\n", spec);
        exit(EXIT_FAILURE);
    }
    rd_trace_close(trace);
}

/* Fills the memory with references. If a file has too few references, repeats them. Returns the
 * number of references read from the file, or 0 for a generated trace. */
static size_t fill(bench *b, const char *what) {
    struct stat st;
    if (stat(what, &st) != 0) {
        fill_job job = {b, what};
        rdi_pool *pool = NULL;
        check(b, rdi_pool_new(b->ctx, b->threads, &pool));
        rdi_pool_run(pool, fill_part, &job);
        rdi_pool_free(pool);
        return 0;
    }
    rd_trace *trace = NULL;
    check(b, rd_trace_open(b->ctx, what, NULL, &trace));
    size_t n = read_blocks(b, trace, b->refs, b->n);
    rd_trace_close(trace);
    for (size_t at = n; n && at < b->n; at += n)
        memcpy(b->refs + at, b->refs, (b->n - at < n ? b->n - at : n) * sizeof *b->refs);
    return n;
}

/* ---- runs ---- */

typedef struct run {
    double open, seconds; /* seconds to open the engine, and from then to the finished histogram */
    rdi_gpu_costs costs;
    rd_profile *profile;
} run;

static run run_engine(bench *b, const char *spec, unsigned threads, size_t n) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .threads = threads, .references = n};
    run r = {0};
    double start = now();
    check(b, rd_engine_open(b->ctx, spec, &config, &e));
    r.open = now() - start;
    start = now();
    check(b, rd_engine_feed(e, b->refs, n, NULL));
    check(b, rd_engine_finish(e));
    r.seconds = now() - start;
    check(b, rd_engine_profile(e, &r.profile));
    if (strncmp(spec, "gpu", 3) == 0)
        r.costs = *rdi_gpu_costs_of(rdi_engine_state(e));
    rd_engine_close(e);
    return r;
}

static bool same_answer(const rd_profile *p, const rd_profile *q) {
    const rd_profile_facts *x = rd_profile_facts_of(p), *y = rd_profile_facts_of(q);
    const rd_bin *bins_p = NULL, *bins_q = NULL;
    size_t n = rd_profile_bins(p, &bins_p), m = rd_profile_bins(q, &bins_q);
    if (x->references != y->references || x->blocks != y->blocks || x->infinite != y->infinite ||
        n != m)
        return false;
    for (size_t i = 0; i < n; i++)
        if (bins_p[i].low != bins_q[i].low || bins_p[i].count != bins_q[i].count ||
            bins_p[i].sum.low != bins_q[i].sum.low || bins_p[i].sum.high != bins_q[i].sum.high)
            return false;
    return true;
}

static int by_seconds(const void *a, const void *b) {
    const run *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* ---- results ---- */

/* Prints the time of each stage, and the floor of this time: the time of a plain copy of the
 * stage's bytes. */
static void print_stages(const bench *b, const run *r) {
    double refs = (double)b->n, work = 0;
    for (unsigned i = 0; i < RDI_GPU_STAGES; i++)
        work += r->costs.seconds[i];
    printf("  %-10s %9s %9s %9s %9s\n", "stage", "ms", "ps/ref", "floor ms", "x floor");
    for (unsigned i = 0; i < RDI_GPU_STAGES; i++) {
        double floor = r->costs.bytes[i] / b->copy_rate;
        printf("  %-10s %9.2f %9.1f %9.2f %9.1f\n", rdi_gpu_stage_name((rdi_gpu_stage)i),
               r->costs.seconds[i] * 1e3, r->costs.seconds[i] / refs * 1e12, floor * 1e3,
               r->costs.seconds[i] / floor);
    }
    double upload = refs * 8 / b->upload_rate;
    printf("  all work   %9.2f %9.1f; upload alone %.2f ms; whole run %.2f ms; %" PRIu64
           " rounds, %.0f %% of the positions carried over\n",
           work * 1e3, work / refs * 1e12, upload * 1e3, r->seconds * 1e3, r->costs.rounds,
           100.0 * (double)r->costs.carried / refs);
}

static void put_stages(rd_json_writer *w, const bench *b, const rdi_gpu_costs *costs, size_t n) {
    rd_json_put_u64(w, "batches", costs->rounds);
    rd_json_put_u64(w, "carried", costs->carried);
    rd_json_begin_object(w, "stages", RD_JSON_INLINE);
    for (unsigned i = 0; i < RDI_GPU_STAGES; i++) {
        rd_json_begin_object(w, rdi_gpu_stage_name((rdi_gpu_stage)i), RD_JSON_INLINE);
        rd_json_put_fixed(w, "seconds", costs->seconds[i], 6);
        rd_json_put_fixed(w, "floor_seconds", costs->bytes[i] / b->copy_rate, 6);
        rd_json_end_object(w);
    }
    rd_json_end_object(w);
    rd_json_put_fixed(w, "upload_floor_seconds", (double)n * 8 / b->upload_rate, 6);
}

static void write_result(bench *b, const char *trace, size_t own, const char *engine,
                         unsigned threads, size_t n, const run *runs, unsigned repeats) {
    const run *median = &runs[repeats / 2];
    rd_json_writer *w = NULL;
    char *line = NULL;
    size_t bytes = 0;
    check(b, rd_json_writer_new(b->ctx, RD_JSON_COMPACT, &w));
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "suite", "gpu");
    rd_json_put_string(w, "device", rdi_device_name(b->device));
    rd_json_put_string(w, "trace", trace);
    rd_json_put_u64(w, "file_references", own);
    rd_json_put_string(w, "engine", engine);
    rd_json_put_u64(w, "threads", threads);
    rd_json_put_u64(w, "references", n);
    rd_json_put_u64(w, "blocks", rd_profile_facts_of(runs[0].profile)->blocks);
    rd_json_put_string(w, "answer", "same");
    rd_json_begin_array(w, "seconds", RD_JSON_INLINE);
    for (unsigned i = 0; i < repeats; i++)
        rd_json_put_fixed(w, NULL, runs[i].seconds, 6);
    rd_json_end_array(w);
    rd_json_put_fixed(w, "median_seconds", median->seconds, 6);
    rd_json_put_fixed(w, "open_seconds", median->open, 6);
    rd_json_put_fixed(w, "mrefs_per_second", (double)n / median->seconds * 1e-6, 1);
    if (median->costs.rounds)
        put_stages(w, b, &median->costs, n);
    rd_json_end_object(w);
    check(b, rd_json_writer_take(w, &line, &bytes));
    fwrite(line, 1, bytes, b->out);
    fflush(b->out);
    rd_text_free(b->ctx, line);
    rd_json_writer_free(w);
}

static void bench_trace(bench *b, const char *what) {
    static run runs[REPEATS_MOST + 1];
    double start = now();
    size_t own = fill(b, what);
    printf("\n%s, %zu references (made in %.1f s)\n", what, b->n, now() - start);
    runs[0] = run_engine(b, "gpu", 1, b->n);
    run cpu = run_engine(b, "auto", b->threads, b->n);
    if (!same_answer(runs[0].profile, cpu.profile)) {
        fprintf(stderr, "gpu_bench: %s: the answer differs from that of auto\n", what);
        exit(EXIT_FAILURE);
    }
    run one = run_engine(b, "auto", 1, b->n < ONE_CORE_REFS ? b->n : ONE_CORE_REFS);
    write_result(b, what, own, "auto", b->threads, b->n, &cpu, 1);
    write_result(b, what, own, "auto", 1, b->n < ONE_CORE_REFS ? b->n : ONE_CORE_REFS, &one, 1);
    for (unsigned i = 1; i <= b->repeats; i++)
        runs[i] = run_engine(b, "gpu", 1, b->n);
    qsort(runs + 1, b->repeats, sizeof *runs, by_seconds);
    const run *median = &runs[1 + b->repeats / 2];
    double refs = (double)b->n;
    write_result(b, what, own, "gpu", 1, b->n, runs + 1, b->repeats);
    printf("  gpu %.0f M refs/s (best %.0f, first %.0f, open %.0f ms); auto on %u threads %.1f, on "
           "one %.1f; same answer\n",
           refs / median->seconds * 1e-6, refs / runs[1].seconds * 1e-6,
           refs / runs[0].seconds * 1e-6, median->open * 1e3, b->threads, refs / cpu.seconds * 1e-6,
           (double)rd_profile_facts_of(one.profile)->references / one.seconds * 1e-6);
    print_stages(b, median);
    fflush(stdout);
    for (unsigned i = 0; i <= b->repeats; i++)
        rd_profile_free(runs[i].profile);
    rd_profile_free(cpu.profile);
    rd_profile_free(one.profile);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fputs("usage: gpu_bench OUTPUT REFERENCES THREADS REPEATS TRACE...\n", stderr);
        return 2;
    }
    bench b = {.threads = (unsigned)atoi(argv[3]), .repeats = (unsigned)atoi(argv[4])};
    b.threads = b.threads ? b.threads : 1;
    b.repeats = b.repeats < REPEATS_MOST ? b.repeats : REPEATS_MOST;
    if (rd_ctx_new(NULL, &b.ctx) != RD_OK)
        return EXIT_FAILURE;
    uint64_t n = 0;
    check(&b, rd_parse_size(b.ctx, argv[2], &n));
    b.n = (size_t)n;
    b.out = fopen(argv[1], "a");
    if (!b.out) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    check(&b, rdi_device_open(b.ctx, &b.device));
    measure_ceilings(&b);
    void *pinned = NULL;
    check(&b, rdi_pinned_alloc(b.device, b.n * sizeof *b.refs, &pinned));
    b.refs = pinned;
    for (int i = 5; i < argc; i++)
        bench_trace(&b, argv[i]);
    rdi_pinned_free(b.device, pinned, b.n * sizeof *b.refs);
    rdi_device_close(b.device);
    fclose(b.out);
    rd_ctx_free(b.ctx);
    return EXIT_SUCCESS;
}
