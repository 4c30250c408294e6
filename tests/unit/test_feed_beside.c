/* Tests `sharing_interleave`, with which an analysis in recorded order finds shared data in lockstep: the
 * shared data must be those of an analysis in lockstep, and everything else that of an analysis in recorded
 * order. The random traces are like recordings: threads begin after a release that they acquire. */
#include "base/common.h"
#include "reusedist/analysis.h"
#include "support/context.h"
#include "support/faults.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t traces = 60;

static const uint32_t fields =
    RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS | RD_FIELD_SYNC;

static void write_references(rd_trace_writer *w, rdi_rng *rng, uint32_t thread, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        uint64_t addr = 0x1000 + 8 * rdi_rng_below(rng, 100), pc = 0x400 + rdi_rng_below(rng, 9);
        uint32_t size = 8;
        uint8_t kind = rdi_rng_below(rng, 3) ? RD_LOAD : RD_STORE;
        rd_refs one = {.n = 1,
                       .fields = fields,
                       .addr = &addr,
                       .size = &size,
                       .kind = &kind,
                       .pc = &pc,
                       .thread = &thread};
        assert_int_equal(rd_trace_writer_write(w, &one), RD_OK);
    }
}

static void write_event(rd_trace_writer *w, rd_event_kind kind, uint32_t thread, uint64_t address) {
    rd_event event = {.kind = kind, .thread = thread, .address = address};
    assert_int_equal(rd_trace_writer_event(w, &event), RD_OK);
}

/* Writes a trace with up to 5 threads, all of which thread 1 creates. With `alone`, it has only thread 1. */
static char *write_trace(rd_ctx *ctx, uint64_t seed, bool alone) {
    rdi_rng rng = {seed};
    char *path = files_path();
    uint64_t runs = rdi_rng_below(&rng, 60), begun = 1;
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, "native:frame=64", fields, false, &w), RD_OK);
    write_references(w, &rng, 1, rdi_rng_below(&rng, 500));
    for (uint64_t i = 0; i < runs; i++) {
        uint32_t thread = 1 + (uint32_t)rdi_rng_below(&rng, begun);
        if (!alone && begun < 5 && rdi_rng_below(&rng, 4) == 0) {
            write_event(w, RD_EVENT_SYNC_RELEASE, 1, 16 * ++begun);
            write_event(w, RD_EVENT_SYNC_ACQUIRE, (uint32_t)begun, 16 * begun);
            thread = (uint32_t)begun;
        } else if (begun > 1 && rdi_rng_below(&rng, 3) == 0) {
            write_event(w, rdi_rng_below(&rng, 2) ? RD_EVENT_SYNC_RELEASE : RD_EVENT_SYNC_ACQUIRE,
                        thread, 0x900);
        }
        write_references(w, &rng, thread, rdi_rng_below(&rng, 40));
    }
    write_references(w, &rng, 1, 1);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    return path;
}

static rd_status analyze(rd_ctx *ctx, const rd_analysis_config *config, const char *path,
                         rd_profile **out) {
    rd_analysis *a = NULL;
    rd_status status = rd_analysis_open(ctx, config, &a);
    if (status == RD_OK)
        status = rd_analysis_add_file(a, path);
    if (status == RD_OK)
        status = rd_analysis_run(a);
    if (status == RD_OK)
        status = rd_analysis_profile(a, out);
    rd_analysis_close(a);
    return status;
}

static void assert_same_shared(const rd_shared_data *x, const rd_shared_data *y) {
    assert_string_equal(x->interleave, y->interleave);
    assert_true(x->references == y->references && x->threads == y->threads);
    assert_true(x->true_sharing == y->true_sharing && x->false_sharing == y->false_sharing);
    assert_true(x->shared_blocks == y->shared_blocks && x->n_blocks == y->n_blocks);
    for (size_t i = 0; i < x->n_blocks; i++) {
        const rd_shared_block *b = &x->blocks[i], *c = &y->blocks[i];
        assert_true(b->address == c->address && b->removes == c->removes);
        assert_true(b->true_sharing == c->true_sharing && b->false_sharing == c->false_sharing);
    }
}

static void assert_same_distances(const rd_profile *x, const rd_profile *y) {
    const rd_bin *a = NULL, *b = NULL;
    size_t n = rd_profile_bins(x, &a);
    assert_int_equal(rd_profile_bins(y, &b), n);
    assert_int_equal(rd_profile_facts_of(x)->references, rd_profile_facts_of(y)->references);
    for (size_t i = 0; i < n; i++)
        assert_true(a[i].low == b[i].low && a[i].count == b[i].count);
}

static void check_trace(rd_ctx *ctx, uint64_t seed, bool alone) {
    const rd_interleave order = {.size = sizeof order, .turn = 1 + seed % 5};
    const rd_attribution_config attribution = {.size = sizeof attribution};
    const rd_analysis_config beside = {.size = sizeof beside,
                                       .sharing = true,
                                       .attribution = &attribution,
                                       .sharing_interleave = &order},
                             lockstep = {.size = sizeof lockstep,
                                         .sharing = true,
                                         .attribution = &attribution,
                                         .interleave = &order},
                             recorded = {.size = sizeof recorded, .attribution = &attribution};
    rd_profile *b = NULL, *l = NULL, *r = NULL;
    char *path = write_trace(ctx, seed, alone);
    assert_int_equal(analyze(ctx, &beside, path, &b), RD_OK);
    assert_int_equal(analyze(ctx, &lockstep, path, &l), RD_OK);
    assert_int_equal(analyze(ctx, &recorded, path, &r), RD_OK);
    assert_same_shared(rd_profile_shared(b), rd_profile_shared(l));
    assert_same_distances(b, r);
    assert_null(rd_profile_interleaving(b));
    rd_profile_free(b);
    rd_profile_free(l);
    rd_profile_free(r);
    files_remove(path);
}

static void shared_data_are_those_of_lockstep(void **state) {
    for (uint64_t seed = 1; seed <= traces; seed++)
        check_trace(*state, seed, seed % 8 == 0);
}

static rd_status analyze_beside(rd_ctx *ctx, void *path) {
    const rd_interleave order = {.size = sizeof order};
    const rd_analysis_config config = {
        .size = sizeof config, .sharing = true, .sharing_interleave = &order};
    rd_profile *profile = NULL;
    rd_status status = analyze(ctx, &config, path, &profile);
    rd_profile_free(profile);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    char *path = write_trace(*state, 5, false);
    assert_true(faults_inject("shared data in lockstep", analyze_beside, path, RD_OK) > 20);
    files_remove(path);
}

static bool stop(void *user, const rd_progress *now) {
    (void)user;
    return now->references < 200;
}

/* Tests that an analysis can be canceled while lockstep reads the trace. */
static void it_can_be_canceled(void **state) {
    const rd_interleave order = {.size = sizeof order};
    const rd_analysis_config config = {
        .size = sizeof config, .sharing = true, .sharing_interleave = &order, .progress = stop};
    rd_profile *profile = NULL;
    char *path = write_trace(*state, 5, false);
    assert_int_equal(analyze(*state, &config, path, &profile), RD_ECANCELED);
    assert_null(profile);
    files_remove(path);
}

int main(int argc, char **argv) {
    if (argc > 1)
        traces = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shared_data_are_those_of_lockstep, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_survived, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(it_can_be_canceled, context_new, context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
