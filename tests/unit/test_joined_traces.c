/* Tests that lockstep interleaves several traces as one: random traces, divided at random places into up to 5
 * files, must have the profile of the whole. The traces are like recordings, with processes, threads,
 * synchronization, allocations and modules. An argument sets the number of traces. */
#include "base/common.h"
#include "reusedist/analysis.h"
#include "support/context.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORDS_MAX 600
#define FILES_MAX   5
#define THREADS_MAX 12

static uint64_t traces = 60;

static const uint32_t fields =
    RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS | RD_FIELD_SYNC;

typedef struct record {
    bool is_event;
    rd_event event; /* a reference has only thread, address, size and pc */
    uint8_t kind;
} record;

typedef struct scene {
    size_t n, n_references;
    record records[RECORDS_MAX];
    uint64_t process[THREADS_MAX]; /* in the top bits; threads have different numbers, too */
    uint32_t n_threads;
} scene;

static void add_event(scene *s, uint32_t thread, rd_event_kind kind, uint64_t address,
                      uint64_t size) {
    s->records[s->n++] = (record){
        .is_event = true,
        .event = {.kind = kind,
                  .thread = thread,
                  .address = s->process[thread] | address,
                  .size = size,
                  .path = kind == RD_EVENT_MODULE ? "/nowhere/program" : NULL},
    };
}

/* Adds a thread that begins after a release of the thread that creates it, as recorders report it. A thread
 * of a new process begins after everything before. */
static uint32_t add_thread(scene *s, rdi_rng *rng, uint32_t creator) {
    uint32_t thread = s->n_threads++;
    bool new_process = rdi_rng_below(rng, 4) == 0;
    s->process[thread] = new_process ? (uint64_t)thread << 48 : s->process[creator];
    add_event(s, creator, RD_EVENT_SYNC_RELEASE, 0x10 + thread, 0);
    add_event(s, thread, RD_EVENT_SYNC_ACQUIRE, new_process ? 0 : 0x10 + thread, 0);
    return thread;
}

static void add_random_event(scene *s, rdi_rng *rng, uint32_t thread) {
    uint64_t which = rdi_rng_below(rng, 100), address = 0x1000 + 64 * rdi_rng_below(rng, 12);
    rd_event_kind kind = which < 35   ? RD_EVENT_SYNC_RELEASE
                         : which < 70 ? RD_EVENT_SYNC_ACQUIRE
                         : which < 83 ? RD_EVENT_ALLOCATE
                         : which < 96 ? RD_EVENT_RELEASE
                         : which < 98 ? RD_EVENT_MODULE
                                      : RD_EVENT_UNLOAD;
    bool sync = kind == RD_EVENT_SYNC_RELEASE || kind == RD_EVENT_SYNC_ACQUIRE;
    add_event(s, thread, kind, sync ? 0x100 : address,
              sync                        ? 0
              : kind == RD_EVENT_RELEASE  ? 0
              : kind == RD_EVENT_ALLOCATE ? 1 + rdi_rng_below(rng, 200)
                                          : 4096);
}

static void add_reference(scene *s, rdi_rng *rng, uint32_t thread) {
    s->records[s->n++] =
        (record){.event = {.thread = thread,
                           .address = s->process[thread] | (0x1000 + 8 * rdi_rng_below(rng, 100)),
                           .size = 1 + rdi_rng_below(rng, 16),
                           .pc = 0x400 + rdi_rng_below(rng, 9)},
                 .kind = rdi_rng_below(rng, 3) ? RD_LOAD : RD_STORE};
    s->n_references++;
}

static void make_scene(uint64_t seed, scene *s) {
    rdi_rng rng = {seed};
    uint64_t events = rdi_rng_below(&rng, 3) * 8, run = 1 + rdi_rng_below(&rng, 60);
    uint32_t thread = 0, most = 1 + (uint32_t)rdi_rng_below(&rng, THREADS_MAX);
    size_t n = 1 + rdi_rng_below(&rng, RECORDS_MAX - 3);
    *s = (scene){.n_threads = 1};
    add_reference(s, &rng, 0);
    while (s->n < n) {
        if (rdi_rng_below(&rng, run) == 0)
            thread = (uint32_t)rdi_rng_below(&rng, s->n_threads);
        if (s->n_threads < most && rdi_rng_below(&rng, 30) == 0)
            thread = add_thread(s, &rng, thread);
        else if (rdi_rng_below(&rng, 100) < events)
            add_random_event(s, &rng, thread);
        else
            add_reference(s, &rng, thread);
    }
}

/* ---- files ---- */

static rd_status write_record(rd_trace_writer *w, const record *r) {
    if (r->is_event)
        return rd_trace_writer_event(w, &r->event);
    uint32_t size = (uint32_t)r->event.size;
    rd_refs one = {.n = 1,
                   .fields = fields,
                   .addr = &r->event.address,
                   .size = &size,
                   .kind = &r->kind,
                   .pc = &r->event.pc,
                   .thread = &r->event.thread};
    return rd_trace_writer_write(w, &one);
}

/* Writes the records from `from` to before `to` to a new file. */
static char *write_part(rd_ctx *ctx, const scene *s, size_t from, size_t to) {
    char *path = files_path();
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, "native:frame=64", fields, false, &w), RD_OK);
    for (size_t i = from; i < to; i++)
        assert_int_equal(write_record(w, &s->records[i]), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    return path;
}

typedef struct parts {
    size_t n;
    char *path[FILES_MAX];
    uint64_t references[FILES_MAX];
} parts;

/* Divides a trace into `n` files, of which some may have no records. */
static void write_parts(rd_ctx *ctx, const scene *s, rdi_rng *rng, size_t n, parts *p) {
    size_t from = 0;
    *p = (parts){.n = n};
    for (size_t k = 0; k < n; k++) {
        size_t to = k + 1 == n ? s->n : from + rdi_rng_below(rng, 2 * (s->n - from) / (n - k) + 1);
        to = to < s->n ? to : s->n;
        p->path[k] = write_part(ctx, s, from, to);
        for (size_t i = from; i < to; i++)
            p->references[k] += !s->records[i].is_event;
        from = to;
    }
}

static void remove_parts(parts *p) {
    for (size_t k = 0; k < p->n; k++)
        files_remove(p->path[k]);
}

/* ---- analyses ---- */

static rd_status analyze(rd_ctx *ctx, const rd_analysis_config *config, const parts *p,
                         rd_profile **out) {
    rd_analysis *a = NULL;
    rd_status status = rd_analysis_open(ctx, config, &a);
    for (size_t k = 0; k < p->n && status == RD_OK; k++)
        status = rd_analysis_add_file(a, p->path[k]);
    if (status == RD_OK)
        status = rd_analysis_run(a);
    if (rd_analysis_has_profile(a))
        status = rd_analysis_profile(a, out) == RD_OK ? status : RD_EINVAL;
    rd_analysis_close(a);
    return status;
}

/* Removes the lines with the sources and with the time that the analysis took. */
static void remove_lines(char *json) {
    char *to = json;
    for (char *line = json, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        char last = *end;
        *end = '\0';
        bool differs = strstr(line, "{\"path\": ") || strstr(line, "\"seconds\": ");
        *end = last;
        if (!differs) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
}

static void assert_same(rd_ctx *ctx, rd_profile *x, rd_profile *y) {
    char *a = profiles_json(ctx, x), *b = profiles_json(ctx, y);
    remove_lines(a);
    remove_lines(b);
    assert_string_equal(a, b);
    rd_text_free(ctx, a);
    rd_text_free(ctx, b);
}

static void assert_sources(const rd_profile *profile, const parts *p) {
    const rd_source *sources;
    assert_int_equal(rd_profile_sources(profile, &sources), p->n);
    for (size_t k = 0; k < p->n; k++) {
        assert_string_equal(sources[k].path, p->path[k]);
        assert_int_equal(sources[k].references, p->references[k]);
        assert_true(sources[k].bytes > 0);
    }
}

static void check_config(rd_ctx *ctx, const rd_analysis_config *config, const parts *whole,
                         const parts *p) {
    rd_profile *x = NULL, *y = NULL;
    assert_int_equal(analyze(ctx, config, whole, &x), RD_OK);
    assert_int_equal(analyze(ctx, config, p, &y), RD_OK);
    assert_same(ctx, x, y);
    assert_sources(y, p);
    rd_profile_free(x);
    rd_profile_free(y);
}

static void check_trace(rd_ctx *ctx, uint64_t seed) {
    static const uint64_t rooms[] = {0, 0, 1, 2, 3, 8, 30, 100};
    rdi_rng rng = {seed + 1000000};
    scene s;
    parts whole, p;
    rd_hierarchy caches;
    const rd_interleave order = {.size = sizeof order,
                                 .turn = 1 + rdi_rng_below(&rng, 5),
                                 .reorder = rooms[rdi_rng_below(&rng, RDI_COUNT(rooms))]};
    const rd_attribution_config attribution = {.size = sizeof attribution};
    assert_int_equal(rd_hierarchy_parse(ctx, "L1=512:2,L2=2K:2:shared=yes", &caches), RD_OK);
    const rd_analysis_config configs[] = {
        {.size = sizeof *configs, .interleave = &order, .sharing = true},
        {.size = sizeof *configs, .interleave = &order, .stacks = RD_STACKS_PRIVATE},
        {.size = sizeof *configs,
         .interleave = &order,
         .hierarchy = &caches,
         .private_caches = true},
        {.size = sizeof *configs, .interleave = &order, .attribution = &attribution},
        {.size = sizeof *configs,
         .sharing_interleave = &order,
         .sharing = true,
         .attribution = &attribution},
    };
    make_scene(seed, &s);
    write_parts(ctx, &s, &rng, 1, &whole);
    write_parts(ctx, &s, &rng, 2 + rdi_rng_below(&rng, FILES_MAX - 1), &p);
    for (size_t i = 0; i < RDI_COUNT(configs); i++)
        check_config(ctx, &configs[i], &whole, &p);
    remove_parts(&whole);
    remove_parts(&p);
}

static void several_files_are_interleaved_as_one(void **state) {
    for (uint64_t seed = 1; seed <= traces; seed++)
        check_trace(*state, seed);
}

static const rd_interleave usual_order = {.size = sizeof usual_order};

static void make_some_parts(rd_ctx *ctx, parts *p) {
    rdi_rng rng = {3};
    scene s;
    make_scene(5, &s);
    write_parts(ctx, &s, &rng, 3, p);
}

static bool stop(void *user, const rd_progress *now) {
    return now->references < *(const uint64_t *)user;
}

/* Tests that the sources of a canceled analysis have as many references as were analyzed. */
static void canceled_analysis_counts_what_it_analyzed(void **state) {
    uint64_t most = 1, sum = 0;
    rd_profile *profile = NULL;
    const rd_source *sources;
    const rd_analysis_config config = {.size = sizeof config,
                                       .interleave = &usual_order,
                                       .partial = true,
                                       .progress = stop,
                                       .progress_user = &most};
    rd_trace *big[2] = {NULL};
    rd_analysis *a = NULL;
    assert_int_equal(rd_analysis_open(*state, &config, &a), RD_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rd_trace_generate(*state, "cycle:blocks=100,refs=9000", &big[i]), RD_OK);
        assert_int_equal(rd_analysis_add_trace(a, big[i], "cycle"), RD_OK);
    }
    assert_int_equal(rd_analysis_run(a), RD_ECANCELED);
    assert_int_equal(rd_analysis_profile(a, &profile), RD_OK);
    for (size_t i = rd_profile_sources(profile, &sources); i-- > 0;)
        sum += sources[i].references;
    assert_true(sum > 0 && sum < 9000);
    assert_int_equal(sum, rd_profile_facts_of(profile)->references);
    rd_profile_free(profile);
    rd_analysis_close(a);
    rd_trace_close(big[0]);
    rd_trace_close(big[1]);
}

static rd_status analyze_parts(rd_ctx *ctx, void *user) {
    const rd_analysis_config config = {
        .size = sizeof config, .interleave = &usual_order, .sharing = true};
    rd_profile *profile = NULL;
    rd_status status = analyze(ctx, &config, user, &profile);
    rd_profile_free(profile);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    parts p;
    make_some_parts(*state, &p);
    assert_true(faults_inject("joined traces", analyze_parts, &p, RD_OK) > 20);
    remove_parts(&p);
}

int main(int argc, char **argv) {
    if (argc > 1)
        traces = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(several_files_are_interleaved_as_one, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(canceled_analysis_counts_what_it_analyzed, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_survived, context_new,
                                        context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
