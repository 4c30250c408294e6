/* Makes every allocation fail in every engine, reader, writer and generator, in the verifier and in
 * functions for profiles. Each failure must give the right status and message, without a leak. */
#include "fuzz/fuzz_read.h"
#include "reusedist/reusedist.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/registry.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 3000
#define BLOCKS     900u

static uint64_t blocks[REFERENCES];

static int make_blocks(void **state) {
    (void)state;
    uint64_t x = 1;
    for (size_t i = 0; i < REFERENCES; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        blocks[i] = (x >> 33) % (1 + i * BLOCKS / REFERENCES) * 64;
    }
    return 0;
}

/* ---- engines ---- */

typedef struct engine_work {
    const char *spec;
    rd_engine_config config;
} engine_work;

static rd_status swallow(void *user, const uint64_t *distances, size_t n) {
    (void)user;
    (void)distances;
    (void)n;
    return RD_OK;
}

static rd_status feed_and_finish(rd_engine *e) {
    for (size_t at = 0; at < REFERENCES; at += 500) {
        rd_status status = rd_engine_feed(e, blocks + at, 500, NULL);
        if (status != RD_OK)
            return status;
    }
    rd_status status = rd_engine_finish(e);
    rd_profile *p = NULL;
    if (status == RD_OK)
        status = rd_engine_profile(e, &p);
    rd_profile_free(p);
    return status;
}

static rd_status run_engine(rd_ctx *ctx, void *user) {
    const engine_work *work = user;
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, work->spec, &work->config, &e);
    if (status == RD_OK)
        status = feed_and_finish(e);
    rd_engine_close(e);
    return status;
}

static bool runs_here(const char *spec) {
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_status status = rd_engine_open(ctx, spec, NULL, &e);
    rd_engine_close(e);
    rd_ctx_free(ctx);
    return status != RD_EUNSUPPORTED;
}

/* Lets every allocation of the engine fail: without a bound, with a bound, and with every distance
 * requested, as far as the engine supports that. */
static void inject_engine(const rd_engine_info *info, const char *spec) {
    engine_work work = {.spec = spec, .config = {.size = sizeof(rd_engine_config)}};
    work.config.threads = info->caps & RD_CAP_THREADS ? 3 : 1;
    faults_inject(spec, run_engine, &work, RD_OK);
    if (info->caps & RD_CAP_BOUND) {
        work.config.bound = 100;
        faults_inject(spec, run_engine, &work, RD_OK);
    }
    if (info->caps & RD_CAP_DISTANCES) {
        work.config.bound = 0;
        work.config.sink = swallow;
        faults_inject(spec, run_engine, &work, RD_OK);
    }
}

static void engines_survive_every_failing_allocation(void **state) {
    (void)state;
    for (size_t i = 0; rd_engine_info_at(i); i++) {
        const rd_engine_info *info = rd_engine_info_at(i);
        if (rd_engine_unavailable(info))
            continue;
        inject_engine(info, info->name);
        for (const char *const *v = info->variants; v && *v; v++) {
            char spec[256];
            snprintf(spec, sizeof spec, "%s:%s", info->name, *v);
            if (runs_here(spec))
                inject_engine(info, spec);
        }
    }
}

/* ---- the verifier ---- */

static rd_status run_verifier(rd_ctx *ctx, void *user) {
    (void)user;
    const char *const engines[] = {registry_oracle()};
    rd_verify *v = NULL;
    rd_verify_config config = {
        .size = sizeof config, .engines = engines, .n_engines = 1, .longest = 100};
    rd_status status = rd_verify_new(ctx, &config, &v);
    for (int i = 0; i < 3 && status == RD_OK; i++)
        status = rd_verify_next(v);
    rd_verify_free(v);
    return status;
}

static void the_verifier_survives_every_failing_allocation(void **state) {
    (void)state;
    faults_inject("verify", run_verifier, NULL, RD_OK);
}

/* ---- profiles ---- */

static rd_status make_profile(rd_ctx *ctx, rd_profile **out) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
    rd_status status = rd_engine_open(ctx, registry_oracle(), &config, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, blocks, REFERENCES, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, out);
    rd_engine_close(e);
    if (status == RD_OK)
        status = rd_profile_set_kinds(*out, "LS");
    if (status == RD_OK)
        status = rd_profile_add_source(*out, &(rd_source){"a", "u64", 1, 1});
    return status;
}

static rd_status write_and_read(rd_ctx *ctx, rd_profile *p) {
    char *text = NULL;
    size_t n = 0;
    rd_profile *again = NULL;
    rd_status status = rd_profile_json(p, &text, &n);
    if (status == RD_OK)
        status = rd_profile_parse(ctx, "again", text, n, &again);
    rd_profile_free(again);
    rd_text_free(ctx, text);
    return status;
}

static rd_status rebin_and_merge(rd_ctx *ctx, rd_profile *p) {
    rd_profile *coarse = NULL, *sum = NULL;
    rd_status status = rd_profile_rebin(p, (rd_binning){RD_BINS_REFERENCE, 10}, &coarse);
    rd_profile *const parts[] = {p, p};
    if (status == RD_OK)
        status = rd_profile_merge(ctx, parts, 2, &sum);
    rd_profile_free(coarse);
    rd_profile_free(sum);
    return status;
}

static rd_status compare(rd_ctx *ctx, rd_profile *p) {
    rd_comparison result;
    return rd_compare(ctx, p, p, (rd_binning){RD_BINS_LOG, 0}, &result);
}

static rd_status report(rd_ctx *ctx, rd_profile *p) {
    char *csv = NULL, *text = NULL;
    size_t n = 0;
    rd_mrc_point *points = NULL;
    rd_status status = rd_mrc_curve(ctx, p, &points, &n);
    if (status == RD_OK)
        status = rd_report_csv(p, &csv, &n);
    if (status == RD_OK)
        status = rd_report_text(
            p, &(rd_report_style){.size = sizeof(rd_report_style), .unicode = true}, &text, &n);
    rd_mrc_free(ctx, points);
    rd_text_free(ctx, csv);
    rd_text_free(ctx, text);
    return status;
}

typedef rd_status (*profile_step)(rd_ctx *ctx, rd_profile *p);

static rd_status run_profile(rd_ctx *ctx, void *user) {
    rd_profile *p = NULL;
    rd_status status = make_profile(ctx, &p);
    if (status == RD_OK)
        status = (*(profile_step *)user)(ctx, p);
    rd_profile_free(p);
    return status;
}

static void profiles_survive_every_failing_allocation(void **state) {
    (void)state;
    profile_step steps[] = {write_and_read, rebin_and_merge, compare, report};
    const char *const names[] = {"write and read", "rebin and merge", "compare", "report"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        faults_inject(names[i], run_profile, &steps[i], RD_OK);
}

/* ---- formats ---- */

typedef struct format_work {
    const char *spec;
    const char *path;
} format_work;

static rd_status write_trace(rd_ctx *ctx, void *user) {
    const format_work *work = user;
    rd_trace_writer *w = NULL;
    rd_refs refs = {.n = 500, .addr = blocks};
    rd_status status = rd_trace_writer_open(ctx, work->path, work->spec, 0, false, &w);
    for (int i = 0; i < 3 && status == RD_OK; i++)
        status = rd_trace_writer_write(w, &refs);
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    rd_trace_writer_close(w);
    return status;
}

/* Reads the trace to its end, and maps all references. */
static rd_status read_trace(rd_ctx *ctx, void *user) {
    const format_work *work = user;
    rd_trace *t = NULL;
    rd_mapper *m = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_open(ctx, work->path, work->spec, &t);
    if (status == RD_OK)
        status =
            rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64}, &m);
    while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
        const uint64_t *out;
        size_t n = 0;
        rd_mapper_feed(m, refs);
        while ((status = rd_mapper_next(m, &out, &n)) == RD_OK && n > 0) {
        }
    }
    rd_mapper_free(m);
    rd_trace_close(t);
    return status;
}

/* Returns the status of read_trace() if no allocation fails. */
static rd_status plain_status(const format_work *work) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_status status = read_trace(ctx, (void *)(uintptr_t)work);
    rd_ctx_free(ctx);
    return status;
}

static void writers_survive_every_failing_allocation(void **state) {
    (void)state;
    for (size_t i = 0; rd_format_info_at(i); i++) {
        const rd_format_info *info = rd_format_info_at(i);
        char *path = files_path();
        format_work work = {.spec = info->name, .path = path};
        if (info->writable) {
            faults_inject(info->name, write_trace, &work, RD_OK);
            faults_inject(info->name, read_trace, &work, RD_OK);
        }
        files_remove(path);
    }
}

/* Lets every allocation fail while a file of the corpus is read. Most files are valid, some are
 * damaged, and none may cause a leak. */
static void inject_sample(const char *format, const char *sample) {
    size_t n = 0;
    uint8_t *data = files_read(sample, &n);
    char spec[256];
    size_t taken = fuzz_take_spec(format, data, n, spec, sizeof spec);
    char *path = files_path();
    files_write(path, data + taken, n - taken);
    format_work work = {.spec = spec, .path = path};
    faults_inject(sample, read_trace, &work, plain_status(&work));
    files_remove(path);
    free(data);
}

static void readers_survive_every_failing_allocation(void **state) {
    (void)state;
    for (size_t i = 0; rd_format_info_at(i); i++) {
        const char *format = rd_format_info_at(i)->name;
        char folder[1024], sample[2048];
        snprintf(folder, sizeof folder, "%s/format_%s", CORPUS, format);
        DIR *dir = opendir(folder);
        if (!dir)
            fail_msg("no samples of format %s: add some to %s", format, folder);
        struct dirent *entry;
        while ((entry = readdir(dir)) != NULL) {
            snprintf(sample, sizeof sample, "%s/%s", folder, entry->d_name);
            if (entry->d_name[0] != '.')
                inject_sample(format, sample);
        }
        closedir(dir);
    }
}

/* ---- generators ---- */

static rd_status run_generator(rd_ctx *ctx, void *user) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_generate(ctx, user, &t);
    for (int i = 0; i < 3 && status == RD_OK; i++)
        status = rd_trace_read(t, &refs);
    rd_trace_close(t);
    return status;
}

static void generators_survive_every_failing_allocation(void **state) {
    (void)state;
    for (size_t i = 0; rd_generator_info_at(i); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s:refs=20000", rd_generator_info_at(i)->name);
        faults_inject(spec, run_generator, spec, RD_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(engines_survive_every_failing_allocation, make_blocks),
        cmocka_unit_test_setup(profiles_survive_every_failing_allocation, make_blocks),
        cmocka_unit_test(the_verifier_survives_every_failing_allocation),
        cmocka_unit_test_setup(writers_survive_every_failing_allocation, make_blocks),
        cmocka_unit_test(generators_survive_every_failing_allocation),
        cmocka_unit_test(readers_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
