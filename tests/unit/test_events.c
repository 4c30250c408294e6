/* Tests events in native traces, among other things their positions, damage and hostile files. */
#include "support/faults.h"
#include "support/files.h"
#include "trace/checksum.h"
#include "trace/format.h"
#include "trace/native_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER = 24, REFS = 9000, EVENTS_MAX = 200000 };

/* The written events and the events that were read back. */
static rd_event given[EVENTS_MAX], got[EVENTS_MAX];
static char got_paths[64][RDI_EVENT_PATH_MAX + 1];
static size_t given_count, got_count;

/* ---- making events ---- */

static rd_event random_event(rdi_rng *rng, uint64_t at) {
    rd_event_kind kind = (rd_event_kind)(1 + rdi_rng_below(rng, RD_EVENT_UNLOAD));
    if (kind == RD_EVENT_MODULE && rdi_rng_below(rng, 20))
        kind = RD_EVENT_RELEASE;
    bool wild = rdi_rng_below(rng, 10) == 0;
    return (rd_event){
        .at = at,
        .kind = kind,
        .thread = wild ? UINT32_MAX : (uint32_t)rdi_rng_below(rng, 3),
        .address = wild ? rdi_rng_next(rng) : 0x5555000 + 16 * rdi_rng_below(rng, 1000),
        .size = wild ? rdi_rng_next(rng) : rdi_rng_below(rng, 4096),
        .pc = wild ? rdi_rng_next(rng) : 0x401000 + rdi_rng_below(rng, 5000),
        .path = kind == RD_EVENT_MODULE ? "/usr/bin/a program" : NULL,
    };
}

/* Makes about one event per `spread` references, some of them at the same position and some at the
 * very end. */
static void make_events(uint64_t seed, size_t refs, uint64_t spread) {
    rdi_rng rng = {seed};
    given_count = 0;
    for (uint64_t at = 0; at <= refs; at++)
        while (rdi_rng_below(&rng, spread + 1) == 0 && given_count < EVENTS_MAX)
            given[given_count++] = random_event(&rng, at);
}

static void give(uint64_t at, rd_event event) {
    event.at = at;
    given[given_count++] = event;
}

/* ---- writing and reading ---- */

static rd_status write_trace(rd_ctx *ctx, const char *path, const char *spec, size_t refs) {
    static uint64_t addr[REFS];
    for (size_t i = 0; i < REFS; i++)
        addr[i] = 8 * i;
    rd_trace_writer *w = NULL;
    rd_status status = rd_trace_writer_open(ctx, path, spec, RD_FIELD_EVENTS, false, &w);
    size_t at = 0;
    for (size_t i = 0; i < given_count && status == RD_OK; i++) {
        rd_refs part = {.n = (size_t)given[i].at - at, .addr = addr + at};
        status = rd_trace_writer_write(w, &part);
        at = (size_t)given[i].at;
        if (status == RD_OK)
            status = rd_trace_writer_event(w, &given[i]);
    }
    if (status == RD_OK)
        status = rd_trace_writer_write(w, &(rd_refs){.n = refs - at, .addr = addr + at});
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    rd_trace_writer_close(w);
    return status;
}

static void keep_events(const rd_trace *t, uint64_t first, size_t n) {
    const rd_event *events = NULL;
    size_t count = rd_trace_events(t, &events);
    static size_t paths;
    for (size_t i = 0; i < count; i++) {
        uint64_t last = n ? first + n - 1 : first;
        assert_true(events[i].at >= first && events[i].at <= last);
        assert_true(got_count < EVENTS_MAX);
        got[got_count] = events[i];
        if (events[i].path) {
            char *copy = got_paths[paths++ % 64];
            strcpy(copy, events[i].path);
            got[got_count].path = copy;
        }
        got_count++;
    }
}

/* Reads the whole trace if `status`, the status of opening it, is RD_OK. Closes it, sets *refs to
 * the number of references, and returns the status. */
static rd_status read_opened(rd_status status, rd_trace *t, uint64_t *refs) {
    const rd_refs *batch = NULL;
    *refs = got_count = 0;
    while (status == RD_OK && (status = rd_trace_read(t, &batch)) == RD_OK) {
        keep_events(t, *refs, batch->n);
        if (batch->n == 0)
            break;
        *refs += batch->n;
    }
    rd_trace_close(t);
    return status;
}

static rd_status read_trace(rd_ctx *ctx, const char *path, uint64_t *refs) {
    rd_trace *t = NULL;
    rd_status status = rd_trace_open(ctx, path, "native", &t);
    return read_opened(status, t, refs);
}

static void assert_given_came_back(void) {
    assert_int_equal(got_count, given_count);
    for (size_t i = 0; i < got_count; i++) {
        const rd_event *a = &given[i], *b = &got[i];
        assert_true(a->at == b->at && a->kind == b->kind && a->thread == b->thread);
        assert_true(a->address == b->address && a->size == b->size && a->pc == b->pc);
        if (a->kind == RD_EVENT_MODULE)
            assert_string_equal(a->path, b->path);
        else
            assert_null(b->path);
    }
}

static rd_ctx *new_ctx(void) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    return ctx;
}

static void free_ctx(rd_ctx *ctx) {
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static void check_round_trip(const char *spec, size_t refs) {
    rd_ctx *ctx = new_ctx();
    char *path = files_path();
    uint64_t read = 0;
    assert_int_equal(write_trace(ctx, path, spec, refs), RD_OK);
    assert_int_equal(read_trace(ctx, path, &read), RD_OK);
    assert_int_equal(read, refs);
    assert_given_came_back();
    files_remove(path);
    free_ctx(ctx);
}

/* ---- the positions of events ---- */

static void events_come_back_where_they_were(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        size_t refs;
    } traces[] = {{"native", REFS},
                  /* This trace is short, because writing a frame takes long even if it has few
                   * references. */
                  {"native:frame=1", 500},
                  {"native:frame=777", REFS},
                  {"native:frame=4096", REFS}};
    for (size_t i = 0; i < RDI_COUNT(traces); i++)
        for (uint64_t spread = 1; spread <= 1000; spread *= 10) {
            make_events(i, traces[i].refs, spread);
            check_round_trip(traces[i].spec, traces[i].refs);
        }
}

static void events_may_stand_alone_first_and_last(void **state) {
    (void)state;
    rd_event stack = {.kind = RD_EVENT_STACK, .thread = 1, .address = 0x7ff000, .size = 1 << 23};
    given_count = 0;
    check_round_trip("native", 0);
    give(0, stack);
    check_round_trip("native", 0);
    check_round_trip("native", 5);
    give(5, stack);
    check_round_trip("native", 5);
    check_round_trip("native:frame=5", 5);
    check_round_trip("native", 6);
}

/* Tests that more events than one frame holds can lie between two references. */
static void any_number_of_events_fits_between_two_references(void **state) {
    (void)state;
    rdi_rng rng = {7};
    given_count = 0;
    for (size_t i = 0; i < EVENTS_MAX; i++)
        given[given_count++] = random_event(&rng, i < 10 ? 0 : 1);
    check_round_trip("native", 2);
}

static void paths_of_any_length_fit(void **state) {
    (void)state;
    static char longest[RDI_EVENT_PATH_MAX + 1];
    memset(longest, 'x', RDI_EVENT_PATH_MAX);
    given_count = 0;
    for (uint64_t i = 0; i < 600; i++)
        give(0, (rd_event){.kind = RD_EVENT_MODULE, .path = i % 2 ? longest : "/"});
    check_round_trip("native", 1);
}

static void a_trace_with_events_is_read_from_its_beginning(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    char *path = files_path();
    make_events(3, 100, 10);
    assert_int_equal(write_trace(ctx, path, "native", 100), RD_OK);
    rd_trace *t = NULL;
    assert_int_equal(rd_trace_open(ctx, path, NULL, &t), RD_OK);
    assert_int_equal(rd_trace_count(t), 0);
    assert_int_equal(rd_trace_seek(t, 5, 5), RD_EINVAL);
    rd_trace_close(t);
    files_remove(path);
    free_ctx(ctx);
}

static void writers_without_events_leave_them_out(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    char *path = files_path();
    make_events(3, 100, 10);
    assert_int_equal(write_trace(ctx, path, "u64", 100), RD_OK);
    size_t bytes = 0;
    free(files_read(path, &bytes));
    assert_int_equal(bytes, 800);
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, "native", 0, false, &w), RD_OK);
    assert_int_equal(rd_trace_writer_event(w, &given[0]), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    assert_int_equal(rd_trace_writer_event(w, &given[0]), RD_ESTATE);
    rd_trace_writer_close(w);
    uint64_t refs = 0;
    assert_int_equal(read_trace(ctx, path, &refs), RD_OK);
    assert_int_equal(got_count, 0);
    files_remove(path);
    free_ctx(ctx);
}

static void impossible_events_are_not_written(void **state) {
    (void)state;
    static char too_long[RDI_EVENT_PATH_MAX + 2];
    memset(too_long, 'x', RDI_EVENT_PATH_MAX + 1);
    const rd_event bad[] = {{.kind = (rd_event_kind)0},
                            {.kind = (rd_event_kind)31},
                            {.kind = RD_EVENT_MODULE},
                            {.kind = RD_EVENT_MODULE, .path = ""},
                            {.kind = RD_EVENT_MODULE, .path = too_long}};
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        rd_ctx *ctx = new_ctx();
        char *path = files_path();
        rd_trace_writer *w = NULL;
        assert_int_equal(rd_trace_writer_open(ctx, path, NULL, RD_FIELD_EVENTS, false, &w), RD_OK);
        assert_int_equal(rd_trace_writer_event(w, &bad[i]), RD_EINVAL);
        rd_trace_writer_close(w);
        files_remove(path);
        free_ctx(ctx);
    }
}

static void synchronization_without_references_is_summed_up(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rdi_event_list list = {.ctx = ctx};
    const uint64_t process = UINT64_C(3) << 48;
    const rd_event events[] = {
        {.kind = RD_EVENT_SYNC_RELEASE, .thread = 1, .address = process + 8, .size = 4},
        {.kind = RD_EVENT_SYNC_ACQUIRE, .thread = 2, .address = process + 8, .size = 4},
        {.kind = RD_EVENT_STACK, .thread = 2, .address = 5, .size = 3},
        {.kind = RD_EVENT_SYNC_RELEASE, .thread = 2, .address = process + 16},
        {.kind = RD_EVENT_SYNC_ACQUIRE, .thread = 1, .address = process + 16},
        {.kind = RD_EVENT_SYNC_RELEASE, .thread = 1, .address = process + 8, .size = 5},
        {.kind = RD_EVENT_SYNC_ACQUIRE, .thread = 2, .address = process + 24}};
    const rd_event kept[] = {
        {.kind = RD_EVENT_STACK, .thread = 2, .address = 5, .size = 3},
        {.kind = RD_EVENT_SYNC_ACQUIRE, .thread = 1, .address = process},
        {.kind = RD_EVENT_SYNC_ACQUIRE, .thread = 2, .address = process},
        {.kind = RD_EVENT_SYNC_RELEASE, .thread = 1, .address = process + 8, .size = 4},
        {.kind = RD_EVENT_SYNC_RELEASE, .thread = 2, .address = process + 16}};
    for (size_t i = 0; i < RDI_COUNT(events); i++)
        assert_int_equal(rdi_event_list_add(&list, &events[i], 0), RD_OK);
    assert_int_equal(rdi_event_list_compact(&list), RD_OK);
    assert_int_equal(list.n, RDI_COUNT(kept));
    for (size_t i = 0; i < RDI_COUNT(kept); i++)
        assert_memory_equal(&list.items[i], &kept[i], sizeof *kept);
    rdi_event_list_free(&list);
    free_ctx(ctx);
}

static void only_the_last_event_of_an_address_is_kept(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rdi_event_list list = {.ctx = ctx};
    const rd_event events[] = {{.kind = RD_EVENT_MODULE, .address = 5, .path = "/a"},
                               {.kind = RD_EVENT_ALLOCATE, .address = 5, .size = 1},
                               {.kind = RD_EVENT_ALLOCATE, .address = 6, .size = 2},
                               {.kind = RD_EVENT_RELEASE, .address = 5},
                               {.kind = RD_EVENT_RELEASE, .address = 6, .size = 1},
                               {.kind = RD_EVENT_STACK, .address = 5, .size = 3},
                               {.kind = RD_EVENT_ALLOCATE, .address = 5, .size = 4},
                               {.kind = RD_EVENT_UNLOAD, .address = 5, .size = 3}};
    static const size_t kept[] = {0, 2, 4, 5, 6, 7};
    assert_int_equal(rdi_event_list_compact(&list), RD_OK);
    for (size_t i = 0; i < RDI_COUNT(events); i++)
        assert_int_equal(rdi_event_list_add(&list, &events[i], events[i].path ? 2 : 0), RD_OK);
    assert_int_equal(rdi_event_list_compact(&list), RD_OK);
    assert_int_equal(list.n, RDI_COUNT(kept));
    for (size_t i = 0; i < RDI_COUNT(kept); i++)
        assert_true(list.items[i].kind == events[kept[i]].kind &&
                    list.items[i].size == events[kept[i]].size);
    rdi_event_list_free(&list);
    free_ctx(ctx);
}

/* ---- damage ---- */

enum { SMALL = 100 };

static uint8_t *small_file(size_t *bytes) {
    rd_ctx *ctx = new_ctx();
    char *path = files_path();
    make_events(11, SMALL, 3);
    given_count = given_count < 64 ? given_count : 64;
    assert_int_equal(write_trace(ctx, path, "native:frame=40", SMALL), RD_OK);
    uint8_t *file = files_read(path, bytes);
    files_remove(path);
    free_ctx(ctx);
    return file;
}

/* Returns the status of reading the bytes of a file, and copies the message of a failure to
 * `error`. */
static rd_status read_bytes(const uint8_t *file, size_t bytes, char error[512]) {
    rd_ctx *ctx = new_ctx();
    rd_trace *t = NULL;
    uint64_t refs = 0;
    rd_status status = rd_trace_open_memory(ctx, "file", file, bytes, "native", &t);
    status = read_opened(status, t, &refs);
    snprintf(error, 512, "%s", status == RD_OK ? "" : rd_last_error(ctx));
    free_ctx(ctx);
    return status;
}

static void every_damaged_byte_and_truncation_is_found(void **state) {
    (void)state;
    size_t bytes = 0;
    uint8_t *file = small_file(&bytes);
    char error[512];
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(read_bytes(file, i, error), RD_EFORMAT);
        file[i] ^= 0x10;
        assert_int_equal(read_bytes(file, bytes, error), RD_EFORMAT);
        file[i] ^= 0x10;
    }
    free(file);
}

static size_t frame_bytes(const uint8_t *frame) {
    return 16 + rdi_load_le32(frame + 4);
}

static void a_missing_or_doubled_frame_of_events_is_found(void **state) {
    (void)state;
    size_t bytes = 0;
    uint8_t *file = small_file(&bytes), *copy = malloc(2 * bytes);
    assert_non_null(copy);
    assert_int_equal(rdi_load_le32(file + HEADER), 0); /* events come first */
    size_t first = frame_bytes(file + HEADER);
    char error[512];
    memcpy(copy, file, HEADER);
    memcpy(copy + HEADER, file + HEADER + first, bytes - HEADER - first);
    assert_int_equal(read_bytes(copy, bytes - first, error), RD_EFORMAT);
    memcpy(copy, file, HEADER + first);
    memcpy(copy + HEADER + first, file + HEADER, bytes - HEADER);
    assert_int_equal(read_bytes(copy, bytes + first, error), RD_EFORMAT);
    free(copy);
    free(file);
}

/* ---- one error at a time, with valid checksums ---- */

/* Makes a file without events. */
static uint8_t *eventless_file(size_t refs, size_t *bytes) {
    rd_ctx *ctx = new_ctx();
    char *path = files_path();
    given_count = 0;
    assert_int_equal(write_trace(ctx, path, "native", refs), RD_OK);
    uint8_t *file = files_read(path, bytes);
    files_remove(path);
    free_ctx(ctx);
    return file;
}

/* Inserts a frame of events with this payload before the references of the file, sets the flags of
 * the header, and returns the status of reading the result. */
static rd_status read_sealed(const uint8_t *file, size_t bytes, const uint8_t *payload, size_t n,
                             uint8_t flags, char error[512]) {
    uint8_t *made = malloc(bytes + n + 16);
    assert_non_null(made);
    memcpy(made, file, HEADER);
    made[10] = flags;
    rdi_store_le64(made + 16, rdi_xxh64(made, 16, 0));
    rdi_store_le32(made + HEADER, 0);
    rdi_store_le32(made + HEADER + 4, (uint32_t)n);
    memcpy(made + HEADER + 8, payload, n);
    rdi_store_le64(made + HEADER + 8 + n, rdi_xxh64(made + HEADER, 8 + n, 0));
    memcpy(made + HEADER + 16 + n, file + HEADER, bytes - HEADER);
    uint64_t seed = UINT64_C(1) << 40, before = 0; /* as if the inserted frame had one event */
    for (size_t at = HEADER + 16 + n; at < bytes + 16 + n; at += frame_bytes(made + at)) {
        size_t checked = frame_bytes(made + at) - 8;
        rdi_store_le64(made + at + checked, rdi_xxh64(made + at, checked, before + seed));
        before += rdi_load_le32(made + at);
    }
    rd_status status = read_bytes(made, bytes + 16 + n, error);
    free(made);
    return status;
}

static void assert_refused(const char *payload, size_t n, size_t refs, const char *why) {
    char error[512];
    size_t bytes = 0;
    uint8_t *file = eventless_file(refs, &bytes);
    assert_int_equal(read_sealed(file, bytes, (const uint8_t *)payload, n, 4, error), RD_EFORMAT);
    if (!strstr(error, why))
        fail_msg("the message '%s' does not contain '%s'", error, why);
    free(file);
}

#define REFUSED(payload, refs, why) assert_refused(payload, sizeof payload - 1, refs, why)

static void each_impossible_event_has_its_message(void **state) {
    (void)state;
    char error[512];
    const uint8_t good[] = {2, 0, 1, 4, 5, 6};
    size_t bytes = 0;
    uint8_t *file = eventless_file(3, &bytes);
    assert_int_equal(read_sealed(file, bytes, good, sizeof good, 4, error), RD_OK);
    assert_int_equal(got_count, 1);
    assert_true(got[0].address == 2 && got[0].size == 5 && got[0].pc == 3 && got[0].thread == 1);
    assert_int_equal(read_sealed(file, bytes, good, sizeof good, 0, error), RD_EFORMAT);
    assert_non_null(strstr(error, "its length is invalid"));
    free(file);
    REFUSED("\0\0\1\4\5\6", 3, "an unknown kind");
    REFUSED("\6\0\1\4\5\6", 3, "an unknown kind");
    REFUSED("\2\0\1\4\5", 3, "cut off");
    REFUSED("\2\0\1\4\5\x86", 3, "cut off");
    REFUSED("\2\0\1\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\6", 3, "cut off");
    REFUSED("\2\0\x80\x80\x80\x80\x10\4\5\6", 3, "more than 32 bits");
    REFUSED("\2\3\1\4\5\6", 3, "after its frame");
    REFUSED("\2\1\1\4\5\6", 0, "after its frame");
    REFUSED("\2\x80\x80\4\1\4\5\6", 3, "after its frame");
    REFUSED("\1\0\1\4\5\6\0", 3, "no valid path");
    REFUSED("\1\0\1\4\5\6\2/\0", 3, "no valid path");
    REFUSED("\1\0\1\4\5\6\3/", 3, "cut off");
}

static void sealed_nonsense_does_no_harm(void **state) {
    (void)state;
    rdi_rng rng = {5};
    char error[512];
    size_t good = 0, bytes = 0;
    uint8_t *file = eventless_file(3, &bytes);
    for (size_t trial = 0; trial < 3000; trial++) {
        uint8_t payload[64];
        size_t n = 1 + (size_t)rdi_rng_below(&rng, sizeof payload);
        for (size_t i = 0; i < n; i++)
            payload[i] = (uint8_t)(rdi_rng_next(&rng) >> rdi_rng_below(&rng, 8));
        rd_status status = read_sealed(file, bytes, payload, n, 4, error);
        assert_true(status == RD_OK || status == RD_EFORMAT);
        good += status == RD_OK;
    }
    assert_true(good < 3000);
    free(file);
}

/* ---- memory ---- */

static rd_status write_and_read(rd_ctx *ctx, void *user) {
    rd_status status = write_trace(ctx, user, "native:frame=500", REFS);
    uint64_t refs;
    return status == RD_OK ? read_trace(ctx, user, &refs) : status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    char *path = files_path();
    make_events(5, REFS, 200);
    assert_true(faults_inject("events", write_and_read, path, RD_OK) > 5);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_back_where_they_were),
        cmocka_unit_test(events_may_stand_alone_first_and_last),
        cmocka_unit_test(any_number_of_events_fits_between_two_references),
        cmocka_unit_test(paths_of_any_length_fit),
        cmocka_unit_test(a_trace_with_events_is_read_from_its_beginning),
        cmocka_unit_test(writers_without_events_leave_them_out),
        cmocka_unit_test(impossible_events_are_not_written),
        cmocka_unit_test(synchronization_without_references_is_summed_up),
        cmocka_unit_test(only_the_last_event_of_an_address_is_kept),
        cmocka_unit_test(every_damaged_byte_and_truncation_is_found),
        cmocka_unit_test(a_missing_or_doubled_frame_of_events_is_found),
        cmocka_unit_test(each_impossible_event_has_its_message),
        cmocka_unit_test(sealed_nonsense_does_no_harm),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
