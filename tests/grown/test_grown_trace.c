/* Tests that a column or an event kind of a later release needs only a line in columns.def or events.def
 * to be written and read. The test is built with the lists of this folder instead of those in src/trace.
 */
#include "support/faults.h"
#include "support/files.h"
#include "support/traces.h"
#include "trace/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 70000, STAMP = 5, PURPOSE = 6, LOCK = 14, MARK = 15, FIELD_LATER = 64 };
#define FIELDS                                                                                     \
    (RD_FIELD_SIZE | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_MORE(STAMP) | RD_FIELD_MORE(PURPOSE))

static uint64_t addr[N], pc[N], stamp[N], purpose[N];
static uint32_t size[N], thread[N];

static rd_refs all_columns(uint32_t fields) {
    rdi_rng rng = {7};
    for (size_t i = 0; i < N; i++) {
        addr[i] = rdi_rng_below(&rng, 1 << 20);
        size[i] = 8;
        pc[i] = 0x400000 + rdi_rng_below(&rng, 500);
        thread[i] = (uint32_t)rdi_rng_below(&rng, 4);
        stamp[i] = (i ? stamp[i - 1] : UINT64_MAX / 2) + rdi_rng_below(&rng, 1000);
        purpose[i] = rdi_rng_next(&rng);
    }
    rd_refs refs = {.n = N, .fields = fields, .addr = addr, .size = size, .pc = pc};
    refs.thread = thread;
    refs.more[STAMP] = stamp;
    refs.more[PURPOSE] = purpose;
    return refs;
}

static rd_trace *open_trace(rd_ctx **ctx, const char *path) {
    rd_trace *t = NULL;
    assert_int_equal(rd_ctx_new(NULL, ctx), RD_OK);
    assert_int_equal(rd_trace_open(*ctx, path, NULL, &t), RD_OK);
    return t;
}

static void close_trace(rd_ctx *ctx, rd_trace *t) {
    rd_trace_close(t);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

/* Asserts that the rest of the trace, from reference `first` on, equals the references that were written. */
static void assert_columns(rd_trace *t, size_t first, uint32_t fields) {
    const rd_refs *refs = NULL;
    size_t at = first;
    while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
        assert_int_equal(refs->fields, fields);
        assert_memory_equal(refs->addr, addr + at, refs->n * sizeof *addr);
        assert_memory_equal(refs->pc, pc + at, refs->n * sizeof *pc);
        assert_memory_equal(refs->thread, thread + at, refs->n * sizeof *thread);
        for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
            assert_true((refs->more[i] != NULL) == ((fields & RD_FIELD_MORE(i)) != 0));
        if (refs->more[STAMP])
            assert_memory_equal(refs->more[STAMP], stamp + at, refs->n * sizeof *stamp);
        if (refs->more[PURPOSE])
            assert_memory_equal(refs->more[PURPOSE], purpose + at, refs->n * sizeof *purpose);
        at += refs->n;
    }
    assert_int_equal(at, N);
}

static void further_columns_round_trip(void **state) {
    (void)state;
    const uint32_t without = FIELDS & ~RD_FIELD_MORE(STAMP);
    const uint32_t sets[] = {FIELDS, without};
    for (size_t i = 0; i < RDI_COUNT(sets); i++) {
        char *path = files_path();
        rd_refs refs = all_columns(sets[i]);
        traces_write_file(path, "native", &refs);
        rd_ctx *ctx = NULL;
        rd_trace *t = open_trace(&ctx, path);
        assert_null(rd_trace_note(t));
        assert_columns(t, 0, sets[i]);
        close_trace(ctx, t);
        files_remove(path);
    }
}

static void reading_begins_anywhere(void **state) {
    (void)state;
    char *path = files_path();
    rd_refs refs = all_columns(FIELDS);
    traces_write_file(path, "native:frame=1000", &refs);
    rd_ctx *ctx = NULL;
    rd_trace *t = open_trace(&ctx, path);
    assert_int_equal(rd_trace_count(t), N);
    assert_int_equal(rd_trace_seek(t, 12345, N - 12345), RD_OK);
    assert_columns(t, 12345, FIELDS);
    close_trace(ctx, t);
    files_remove(path);
}

static void a_missing_column_counts_as_0(void **state) {
    (void)state;
    char *path = files_path();
    rd_refs refs = all_columns(FIELDS);
    refs.more[STAMP] = NULL;
    traces_write_file(path, "native", &refs);
    memset(stamp, 0, sizeof stamp);
    rd_ctx *ctx = NULL;
    rd_trace *t = open_trace(&ctx, path);
    assert_columns(t, 0, FIELDS);
    close_trace(ctx, t);
    files_remove(path);
}

static void files_name_what_they_have(void **state) {
    (void)state;
    static const char described[] = "\1\0\1\5stamp\1\1\1\7purpose";
    size_t bytes = 0;
    rd_refs refs = all_columns(FIELDS);
    uint8_t *file = traces_write("native", &refs, false, &bytes);
    assert_int_equal(file[8], 2);
    assert_int_equal(rdi_load_le32(file + 12), sizeof described - 1);
    assert_memory_equal(file + RDI_NATIVE_HEADER, described, sizeof described - 1);
    free(file);
    refs.fields &= RDI_NATIVE_PLAIN_FIELDS;
    file = traces_write("native", &refs, false, &bytes);
    assert_int_equal(file[8], 1);
    free(file);
    assert_string_equal(rd_field_name(RD_FIELD_MORE(PURPOSE)), "purpose");
    assert_true(rd_format_info_find("native")->fields & RD_FIELD_MORE(PURPOSE));
}

/* ---- events ---- */

static const rd_event given[] = {
    {.kind = RD_EVENT_ALLOCATE, .thread = 1, .address = 4096, .size = 64, .pc = 0x401000},
    {.kind = (rd_event_kind)LOCK, .thread = 2, .address = 1 << 30, .size = 1},
    {.kind = (rd_event_kind)MARK, .thread = 1, .pc = 0x401008, .path = "begin of phase 2"},
    {.kind = (rd_event_kind)LOCK, .thread = 3, .address = (1 << 30) - 8},
    {.kind = RD_EVENT_RELEASE, .thread = 1, .address = 4096},
};

/* Writes the events, with two references before each. */
static rd_status write_events(rd_ctx *ctx, const char *path, uint32_t fields) {
    rd_trace_writer *w = NULL;
    rd_refs refs = {.n = 2, .addr = addr};
    rd_status status = rd_trace_writer_open(ctx, path, "native:frame=3", fields, false, &w);
    for (size_t i = 0; i < RDI_COUNT(given) && status == RD_OK; i++) {
        status = rd_trace_writer_write(w, &refs);
        if (status == RD_OK)
            status = rd_trace_writer_event(w, &given[i]);
    }
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    rd_trace_writer_close(w);
    return status;
}

static void assert_event(const rd_event *got, const rd_event *e, uint64_t at) {
    assert_true(got->kind == e->kind && got->thread == e->thread && got->at == at);
    assert_true(got->address == e->address && got->size == e->size && got->pc == e->pc);
    assert_true(e->path ? strcmp(got->path, e->path) == 0 : !got->path);
}

/* Reads the trace and asserts that its events are the given events of the kinds in `fields`, in the same order. Returns
 * the status of reading. */
static rd_status read_events(rd_ctx *ctx, const char *path, uint32_t fields) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    size_t next = 0;
    rd_status status = rd_trace_open(ctx, path, NULL, &t);
    while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK) {
        const rd_event *events = NULL;
        size_t n = rd_trace_events(t, &events);
        assert_int_equal(refs->fields, fields);
        for (size_t i = 0; i < n; i++, next++) {
            while (!(rdi_event_info_of(given[next].kind)->field & fields))
                next++;
            assert_event(&events[i], &given[next], 2 * (next + 1));
        }
        if (refs->n == 0)
            break;
    }
    while (next < RDI_COUNT(given) && !(rdi_event_info_of(given[next].kind)->field & fields))
        next++;
    if (status == RD_OK)
        assert_int_equal(next, RDI_COUNT(given));
    rd_trace_close(t);
    return status;
}

static rd_status write_and_read(rd_ctx *ctx, void *path) {
    uint32_t fields = RD_FIELD_EVENTS | FIELD_LATER;
    rd_status status = write_events(ctx, path, fields);
    return status == RD_OK ? read_events(ctx, path, fields) : status;
}

static void further_kinds_of_events_round_trip(void **state) {
    (void)state;
    const uint32_t sets[] = {RD_FIELD_EVENTS | FIELD_LATER, FIELD_LATER, RD_FIELD_EVENTS};
    for (size_t i = 0; i < RDI_COUNT(sets); i++) {
        char *path = files_path();
        rd_ctx *ctx = NULL;
        assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
        assert_int_equal(write_events(ctx, path, sets[i]), RD_OK);
        assert_int_equal(read_events(ctx, path, sets[i]), RD_OK);
        assert_int_equal(rd_ctx_live_bytes(ctx), 0);
        rd_ctx_free(ctx);
        files_remove(path);
    }
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    char *path = files_path();
    assert_true(faults_inject("native", write_and_read, path, RD_OK) > 5);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_columns_round_trip),
        cmocka_unit_test(reading_begins_anywhere),
        cmocka_unit_test(a_missing_column_counts_as_0),
        cmocka_unit_test(files_name_what_they_have),
        cmocka_unit_test(further_kinds_of_events_round_trip),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
