/* Runs the suites of `bench`, and checks and times each run of an engine. See bench.h. */
#include "bench.h"

#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static uint64_t digest_of(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_bin *bins = NULL;
    size_t n = rd_profile_bins(p, &bins);
    uint64_t h = mix(facts->references) ^ mix(facts->infinite + 1);
    for (size_t i = 0; i < n; i++) {
        h = mix(h ^ bins[i].low) + mix(h ^ bins[i].count);
        h = mix(h ^ bins[i].sum.low) + bins[i].sum.high;
    }
    return h;
}

bool bench_run(bench *b, const bench_trace *t, const char *engine, uint32_t threads, rd_ctx **ctx,
               rd_profile **profile, double *seconds, char *note) {
    rd_engine *e = NULL;
    if (rd_ctx_new(NULL, ctx) != RD_OK) {
        b->status = fail("out of memory");
        return false;
    }
    rd_engine_config config = {
        .size = sizeof config, .bound = b->bound, .threads = threads, .references = t->n};
    double start = bench_now();
    rd_status status = rd_engine_open(*ctx, engine, &config, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, t->blocks, t->n, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    *seconds = bench_now() - start;
    if (status == RD_OK)
        status = rd_engine_profile(e, profile);
    if (status == RD_OK && note)
        snprintf(note, BENCH_NOTE, "%s", rd_engine_note(e));
    rd_engine_close(e);
    if (status != RD_OK)
        b->status = fail_status(*ctx, status);
    return status == RD_OK;
}

bool bench_has(bench *b, const char *engine) {
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(b->ctx, engine, NULL, &e);
    rd_engine_close(e);
    if (status == RD_EUNSUPPORTED && !b->options->json)
        printf("skipped: %s\n", rd_last_error(b->ctx));
    return status == RD_OK;
}

static bool is_comparable(const rd_profile *p, uint64_t bound) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool whole = facts->bound == bound; /* false: an option of the engine sets another bound */
    return facts->exact && whole && facts->sums_known && facts->binning.kind == RD_BINS_LOGLINEAR;
}

static bool compare_answer(bench *b, const rd_profile *p, bench_answer *expected, bench_result *r) {
    r->blocks = rd_profile_facts_of(p)->blocks;
    r->answer = "not compared";
    if (!is_comparable(p, b->bound))
        return true;
    uint64_t digest = digest_of(p);
    if (!expected->engine) {
        *expected = (bench_answer){r->engine, digest, r->blocks};
        r->answer = "reference";
        return true;
    }
    if (digest != expected->digest) {
        b->status = fail("%s on %s: the answer differs from the answer of %s; no time is reported",
                         r->engine, r->trace, expected->engine);
        return false;
    }
    r->answer = "same";
    return true;
}

/* Returns the system time of this process in seconds. */
static double system_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

bool bench_check(bench *b, const bench_trace *t, const char *engine, uint32_t threads,
                 bench_answer *expected, bench_result *out) {
    *out =
        (bench_result){.engine = engine, .trace = t->name, .threads = threads, .references = t->n};
    rd_profile *profile = NULL;
    rd_ctx *ctx = NULL;
    double system = system_seconds();
    bool ok = bench_run(b, t, engine, threads, &ctx, &profile, &out->checked, out->note);
    out->system = system_seconds() - system;
    ok = ok && compare_answer(b, profile, expected, out);
    out->peak_bytes = ctx ? rd_ctx_peak_bytes(ctx) : 0;
    rd_profile_free(profile);
    rd_ctx_free(ctx);
    return ok;
}

bool bench_repeat(bench *b, const bench_trace *t, bench_result *r) {
    rd_profile *profile = NULL;
    rd_ctx *ctx = NULL;
    bool ok = bench_run(b, t, r->engine, r->threads, &ctx, &profile, &r->seconds[r->repeats], NULL);
    r->repeats += ok;
    rd_profile_free(profile);
    rd_ctx_free(ctx);
    return ok;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_summarize(bench_result *r) {
    double sorted[32];
    memcpy(sorted, r->seconds, sizeof sorted);
    qsort(sorted, r->repeats, sizeof *sorted, by_value);
    r->best = r->repeats ? sorted[0] : 0;
    r->median = r->repeats ? (sorted[(r->repeats - 1) / 2] + sorted[r->repeats / 2]) / 2 : 0;
}

bool bench_time(bench *b, const bench_trace *t, bench_result *r) {
    bool ok = true;
    if (r->checked >= BENCH_LONG)
        r->seconds[r->repeats++] = r->checked;
    else
        while (ok && r->repeats < b->options->repeats)
            ok = bench_repeat(b, t, r);
    bench_summarize(r);
    return ok;
}

bool bench_compare(bench *b, const bench_trace *t, const char *const *engines, size_t n,
                   const uint32_t *threads, bench_answer *expected) {
    bench_result *r = calloc(n, sizeof *r);
    bool ok = r != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = bench_check(b, t, engines[i], threads[i], expected, &r[i]);
    for (uint64_t k = 0; k < b->options->repeats && ok; k++)
        for (size_t i = 0; i < n && ok; i++)
            ok = bench_repeat(b, t, &r[i]);
    for (size_t i = 0; i < n && ok; i++) {
        bench_summarize(&r[i]);
        bench_print(b, &r[i]);
    }
    free(r);
    return ok;
}

/* ---- suites ---- */

static void run(bench *b, const bench_suite *suite, int n, char **traces) {
    rd_status status = rd_json_writer_new(b->ctx, RD_JSON_COMPACT, &b->line);
    if (status != RD_OK)
        b->status = fail_status(b->ctx, status);
    else if (!suite->run(b, n, traces) && b->status == EXIT_OK)
        b->status = fail("out of memory");
    rd_json_writer_free(b->line);
}

/* Checks engines and output before anything is printed. Reports a failure and returns the exit
 * status. */
static int check_options(rd_ctx *ctx, const bench_options *o, int n, char **traces) {
    for (size_t i = 0; i < o->engines.n; i++) {
        rd_engine *e = NULL;
        rd_status status = rd_engine_open(ctx, o->engines.value[i], NULL, &e);
        rd_engine_close(e);
        if (status != RD_OK && status != RD_EUNSUPPORTED)
            return fail_status(ctx, status);
    }
    output_place place = {.option = "-o", .path = o->output};
    return output_check(ctx, &place, 1, (const char *const *)traces, (size_t)n);
}

int bench_run_suite(rd_ctx *ctx, const bench_options *o, const bench_suite *suite, int n,
                    char **traces) {
    bench b = {.ctx = ctx, .options = o, .suite = suite->name};
    int status = check_options(ctx, o, n, traces);
    if (status != EXIT_OK)
        return status;
    if (o->output && !(b.lines = fopen(o->output, "a")))
        return fail("%s: cannot open: %s", o->output, strerror(errno));
    if (o->json && !b.lines)
        b.lines = stdout;
    if (!o->json)
        printf("%s: %s\n", suite->name, suite->question);
    run(&b, suite, n, traces);
    if (o->output && (ferror(b.lines) | fclose(b.lines)) != 0 && b.status == EXIT_OK)
        b.status = fail("%s: cannot write: %s", o->output, strerror(errno));
    return b.status;
}
