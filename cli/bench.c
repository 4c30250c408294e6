/* Checked and timed runs. See bench.h. */
#include "bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- traces ---- */

static bool is_generator(const char *what) {
    size_t len = strcspn(what, ":");
    for (size_t i = 0; rd_generator_info_at(i); i++) {
        const char *name = rd_generator_info_at(i)->name;
        if (strlen(name) == len && memcmp(name, what, len) == 0)
            return true;
    }
    return false;
}

static rd_status open_trace(bench *b, const char *what, rd_trace **out) {
    if (!is_generator(what))
        return rd_trace_open(b->ctx, what, NULL, out);
    char spec[512];
    bool has_refs = strstr(what, "refs=") != NULL;
    uint64_t refs = b->options->refs ? b->options->refs : 50000000;
    snprintf(spec, sizeof spec,
             has_refs            ? "%s"
             : strchr(what, ':') ? "%s,refs=%" PRIu64
                                 : "%s:refs=%" PRIu64,
             what, refs);
    return rd_trace_generate(b->ctx, spec, out);
}

static bool append(bench_trace *t, size_t *room, const uint64_t *blocks, size_t n) {
    if (t->n + n > *room) {
        size_t grown = *room ? *room * 2 : 1 << 20;
        uint64_t *p = realloc(t->blocks, grown * sizeof *p);
        if (!p)
            return false;
        t->blocks = p;
        *room = grown;
    }
    memcpy(t->blocks + t->n, blocks, n * sizeof *blocks);
    t->n += n;
    return true;
}

static rd_status read_blocks(bench *b, rd_trace *trace, rd_mapper *mapper, bench_trace *t) {
    size_t room = 0;
    while (true) {
        const rd_refs *refs = NULL;
        rd_status status = rd_trace_read(trace, &refs);
        if (status != RD_OK || refs->n == 0)
            return status;
        rd_mapper_feed(mapper, refs);
        const uint64_t *blocks = NULL;
        size_t n = 0;
        while ((status = rd_mapper_next(mapper, &blocks, &n)) == RD_OK && n > 0)
            if (!append(t, &room, blocks, n)) {
                b->status = fail("out of memory: %zu references", t->n);
                return RD_ENOMEM;
            }
        if (status != RD_OK)
            return status;
    }
}

bool bench_load(bench *b, const char *what, bench_trace *out) {
    rd_trace *trace = NULL;
    rd_mapper *mapper = NULL;
    const char *slash = strrchr(what, '/');
    *out = (bench_trace){.name = slash ? slash + 1 : what};
    rd_status status = open_trace(b, what, &trace);
    rd_mapping mapping = {.block_bytes = 64};
    if (status == RD_OK && rd_trace_has_ids(trace))
        mapping.block_bytes = 0;
    if (status == RD_OK && b->options->block && strcmp(b->options->block, "addr") == 0)
        mapping.block_bytes = 0;
    else if (status == RD_OK && b->options->block)
        status = rd_parse_size(b->ctx, b->options->block, &mapping.block_bytes);
    if (status == RD_OK)
        status = rd_mapper_new(b->ctx, &mapping, &mapper);
    if (status == RD_OK)
        status = read_blocks(b, trace, mapper, out);
    if (status != RD_OK && b->status == EXIT_OK)
        b->status = fail_status(b->ctx, status);
    rd_mapper_free(mapper);
    rd_trace_close(trace);
    if (status != RD_OK)
        bench_unload(out);
    return status == RD_OK;
}

void bench_unload(bench_trace *t) {
    free(t->blocks);
    t->blocks = NULL;
}

/* ---- runs ---- */

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
    rd_engine_config config = {.bound = b->bound, .threads = threads, .references = t->n};
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
        printf("left out: %s\n", rd_last_error(b->ctx));
    return status == RD_OK;
}

static bool is_comparable(const rd_profile *p, uint64_t bound) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool whole = facts->bound == bound; /* nothing was cut off by an option of the engine */
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
        b->status = fail("%s on %s: the answer differs from that of %s: no speed is worth that",
                         r->engine, r->trace, expected->engine);
        return false;
    }
    r->answer = "same";
    return true;
}

/* Processor time that the system has spent for this process. */
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

void bench_summarise(bench_result *r) {
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
    bench_summarise(r);
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
        bench_summarise(&r[i]);
        bench_print(b, &r[i]);
    }
    free(r);
    return ok;
}

/* ---- results ---- */

static void print_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= 0x20)
            fputc(*text, out);
    }
    fputc('"', out);
}

/* First line of a /proc file that begins with `key`, without it. */
static void proc_value(const char *path, const char *key, char *out, size_t room) {
    out[0] = '\0';
    FILE *f = fopen(path, "r");
    char line[512];
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *value = strchr(line, ':');
            value = value ? value + 1 + strspn(value + 1, " \t") : "";
            snprintf(out, room, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    if (f)
        fclose(f);
}

static void print_machine(FILE *out) {
    char cpu[256], memory[64];
    proc_value("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    proc_value("/proc/meminfo", "MemTotal", memory, sizeof memory);
    fputs("\"machine\":{\"cpu\":", out);
    print_string(out, cpu);
    fprintf(out, ",\"cores\":%ld,\"memory\":", sysconf(_SC_NPROCESSORS_ONLN));
    print_string(out, memory);
    fputs(",\"compiler\":", out);
    print_string(out, __VERSION__);
    fprintf(out, "},\"version\":\"%s\"", rd_version());
}

void bench_json(bench *b, const char *format, ...) {
    if (!b->lines)
        return;
    va_list args;
    va_start(args, format);
    fputs("{\"suite\":", b->lines);
    print_string(b->lines, b->suite);
    fputc(',', b->lines);
    vfprintf(b->lines, format, args);
    fputc(',', b->lines);
    print_machine(b->lines);
    fputs("}\n", b->lines);
    fflush(b->lines);
    va_end(args);
}

static void print_line(bench *b, const bench_result *r) {
    FILE *out = b->lines;
    fputs("{\"suite\":", out);
    print_string(out, b->suite);
    fputs(",\"trace\":", out);
    print_string(out, r->trace);
    fputs(",\"engine\":", out);
    print_string(out, r->engine);
    fprintf(out, ",\"threads\":%" PRIu32 ",\"references\":%" PRIu64, r->threads, r->references);
    if (r->blocks != RD_UNKNOWN)
        fprintf(out, ",\"blocks\":%" PRIu64, r->blocks);
    fprintf(out, ",\"answer\":\"%s\",\"seconds\":[", r->answer);
    for (size_t i = 0; i < r->repeats; i++)
        fprintf(out, "%s%.6f", i ? "," : "", r->seconds[i]);
    fprintf(out,
            "],\"median_seconds\":%.6f,\"best_seconds\":%.6f,\"mrefs_per_second\":%.3f,"
            "\"ns_per_reference\":%.3f,\"peak_bytes\":%zu,",
            r->median, r->best, (double)r->references / r->median / 1e6,
            r->median * 1e9 / (double)r->references, r->peak_bytes);
    fprintf(out, "\"checked_seconds\":%.6f,\"checked_system_seconds\":%.6f,\"note\":", r->checked,
            r->system);
    print_string(out, r->note);
    fputc(',', out);
    print_machine(out);
    fputs("}\n", out);
    fflush(out);
}

void bench_header(const bench *b) {
    if (!b->options->json)
        printf("%-26s %-34s %3s %10s %10s %8s %12s  %s\n", "trace", "engine", "thr", "M refs/s",
               "best", "ns/ref", "peak bytes", "answer");
}

void bench_print(bench *b, const bench_result *r) {
    if (b->lines)
        print_line(b, r);
    if (b->options->json)
        return;
    double n = (double)r->references;
    printf("%-26.26s %-34s %3" PRIu32 " %10.2f %10.2f %8.2f %12zu  %s\n", r->trace, r->engine,
           r->threads, n / r->median / 1e6, n / r->best / 1e6, r->median * 1e9 / n, r->peak_bytes,
           r->answer);
    if (b->notes)
        printf("    %.3f s, %.3f s of it the system's; %s\n", r->checked, r->system, r->note);
    fflush(stdout);
}
