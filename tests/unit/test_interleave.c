/* Tests rd_trace_interleave() against the oracle of lockstep, which was written from docs/threads.md, on random
 * traces with processes, threads, synchronization, allocations and walls (events that map or unmap a module),
 * and on small examples. An argument sets the number of traces. */
#include "base/common.h"
#include "reusedist/trace.h"
#include "support/context.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/interleave_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORDS_MAX 400

static uint64_t traces = 1500;

typedef struct scene {
    size_t n;
    oracle_record records[RECORDS_MAX];
    uint64_t turn, room;
} scene;

static const uint32_t fields =
    RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS | RD_FIELD_SYNC;

/* Returns one of the n values, each with the same probability. */
static uint64_t one_of(rdi_rng *rng, const uint64_t *values, size_t n) {
    return values[rdi_rng_below(rng, n)];
}

static oracle_record random_record(rdi_rng *rng, uint64_t events) {
    oracle_record r = {.kind = ORACLE_REFERENCE};
    uint64_t which = rdi_rng_below(rng, 100);
    if (which >= events)
        return r;
    which = rdi_rng_below(rng, 100);
    r.kind = which < 35   ? ORACLE_SYNC_RELEASE
             : which < 70 ? ORACLE_SYNC_ACQUIRE
             : which < 83 ? ORACLE_ALLOCATE
             : which < 96 ? ORACLE_RELEASE
             : which < 98 ? ORACLE_OTHER
                          : ORACLE_WALL;
    if (r.kind == ORACLE_SYNC_RELEASE || r.kind == ORACLE_SYNC_ACQUIRE) {
        r.address = 0x1000 + 16 * rdi_rng_below(rng, 4);
        r.size = rdi_rng_below(rng, 2) ? 0 : rdi_rng_below(rng, 6);
        if (r.kind == ORACLE_SYNC_ACQUIRE && rdi_rng_below(rng, 12) == 0)
            r.address = 0;
    } else {
        static const uint64_t sizes[] = {0, 0, 0, 1, 16, 100, 5000, 400000};
        r.address = 0x100000 + 1024 * rdi_rng_below(rng, 20);
        r.size = one_of(rng, sizes, RDI_COUNT(sizes));
    }
    return r;
}

static void set_process(oracle_record *r, uint32_t process) {
    r->process = process;
    r->address |= (uint64_t)process << 48;
}

/* Makes a trace whose threads alternate after random numbers of records, as in a recording. Threads of
 * different processes have the same numbers. */
static void make_scene(uint64_t seed, scene *s) {
    static const uint64_t threads[] = {1, 2, 2, 3, 4, 7, 16, 64}, events[] = {0, 5, 30, 70, 100};
    static const uint64_t runs[] = {1, 4, 30, 200}, turns[] = {1, 1, 2, 3, 7, 20, 1000};
    static const uint64_t rooms[] = {1, 2, 3, 8, 30, 100, 100000}, processes[] = {1, 1, 2, 3, 9};
    rdi_rng rng = {seed};
    uint32_t n_threads = (uint32_t)one_of(&rng, threads, RDI_COUNT(threads)), thread = 0;
    uint32_t n_processes = (uint32_t)one_of(&rng, processes, RDI_COUNT(processes)), process = 0;
    uint64_t share = one_of(&rng, events, RDI_COUNT(events));
    uint64_t run = one_of(&rng, runs, RDI_COUNT(runs));
    *s = (scene){.n = rdi_rng_below(&rng, RECORDS_MAX + 1),
                 .turn = one_of(&rng, turns, RDI_COUNT(turns)),
                 .room = one_of(&rng, rooms, RDI_COUNT(rooms))};
    for (size_t i = 0; i < s->n; i++) {
        if (rdi_rng_below(&rng, run) == 0) {
            thread = (uint32_t)rdi_rng_below(&rng, n_threads);
            process = (uint32_t)rdi_rng_below(&rng, n_processes);
        }
        s->records[i] = random_record(&rng, share);
        s->records[i].thread = thread;
        set_process(&s->records[i], process);
    }
}

/* ---- the trace ---- */

static rd_event_kind kind_of(const oracle_record *r, size_t i) {
    return r->kind == ORACLE_SYNC_RELEASE   ? RD_EVENT_SYNC_RELEASE
           : r->kind == ORACLE_SYNC_ACQUIRE ? RD_EVENT_SYNC_ACQUIRE
           : r->kind == ORACLE_ALLOCATE     ? RD_EVENT_ALLOCATE
           : r->kind == ORACLE_RELEASE      ? RD_EVENT_RELEASE
           : r->kind == ORACLE_OTHER        ? RD_EVENT_STACK
           : i % 2                          ? RD_EVENT_MODULE
                                            : RD_EVENT_UNLOAD;
}

/* Returns record i as an event whose program counter is i. */
static rd_event event_of(const oracle_record *r, size_t i) {
    rd_event_kind kind = kind_of(r, i);
    return (rd_event){.kind = kind,
                      .thread = r->thread,
                      .address = r->address,
                      .size = r->size,
                      .pc = i,
                      .path = kind == RD_EVENT_MODULE ? "/bin/x" : NULL};
}

static rd_status write_record(rd_trace_writer *w, const oracle_record *r, size_t i) {
    if (r->kind != ORACLE_REFERENCE) {
        rd_event event = event_of(r, i);
        return rd_trace_writer_event(w, &event);
    }
    uint64_t addr = (uint64_t)r->process << 48 | 64 * i, pc = i;
    uint32_t size = 1 + (uint32_t)i % 9;
    uint8_t kind = i % 3 ? RD_LOAD : RD_STORE;
    rd_refs one = {.n = 1,
                   .fields = fields,
                   .addr = &addr,
                   .size = &size,
                   .kind = &kind,
                   .pc = &pc,
                   .thread = &r->thread};
    return rd_trace_writer_write(w, &one);
}

static void write_scene(rd_ctx *ctx, const scene *s, const char *path) {
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, NULL, fields, false, &w), RD_OK);
    for (size_t i = 0; i < s->n; i++)
        assert_int_equal(write_record(w, &s->records[i], i), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
}

/* ---- comparison ---- */

static void check_event(const rd_event *e, const oracle_record *r, size_t i) {
    rd_event expected = event_of(r, i);
    assert_true(e->kind == expected.kind && e->address == r->address && e->size == r->size &&
                e->pc == i && e->thread == r->thread);
    if (expected.path)
        assert_string_equal(e->path, expected.path);
}

static void check_reference(const rd_refs *refs, size_t at, const oracle_record *r, size_t i) {
    assert_int_equal(refs->addr[at], (uint64_t)r->process << 48 | 64 * i);
    assert_int_equal(refs->pc[at], i);
    assert_int_equal(refs->size[at], 1 + i % 9);
    assert_int_equal(refs->kind[at], i % 3 ? RD_LOAD : RD_STORE);
    assert_int_equal(refs->thread[at], r->thread);
}

/* Checks one batch. `first` is the number of references before it, and `done` the number of records. Returns
 * the number of records up to the end of the batch. */
static size_t check_batch(const rd_trace *t, const rd_refs *refs, uint64_t first, const scene *s,
                          const size_t *order, size_t done) {
    const rd_event *events = NULL;
    size_t n = rd_trace_events(t, &events), next = 0;
    for (size_t at = 0; at <= refs->n; at++) {
        for (; next < n && events[next].at == first + at; next++, done++) {
            assert_true(done < s->n);
            check_event(&events[next], &s->records[order[done]], order[done]);
        }
        if (at == refs->n)
            break;
        assert_true(done < s->n);
        assert_int_equal(s->records[order[done]].kind, ORACLE_REFERENCE);
        check_reference(refs, at, &s->records[order[done]], order[done]);
        done++;
    }
    assert_int_equal(next, n);
    return done;
}

static void check_scene(rd_ctx *ctx, const scene *s) {
    static size_t order[RECORDS_MAX];
    uint64_t overflows = oracle_interleave(s->records, s->n, s->turn, s->room, order), first = 0;
    char *path = files_path();
    write_scene(ctx, s, path);
    rd_trace *source = NULL, *t = NULL;
    rd_interleave config = {.size = sizeof config, .turn = s->turn, .reorder = s->room};
    assert_int_equal(rd_trace_open(ctx, path, NULL, &source), RD_OK);
    assert_int_equal(rd_trace_interleave(ctx, source, &config, &t), RD_OK);
    assert_string_equal(rd_trace_format(t)->name, "native");
    const rd_refs *refs = NULL;
    size_t done = 0;
    do {
        assert_int_equal(rd_trace_read(t, &refs), RD_OK);
        done = check_batch(t, refs, first, s, order, done);
        first += refs->n;
    } while (refs->n > 0);
    assert_int_equal(done, s->n);
    assert_int_equal(rd_trace_interleaved(t).overflows, overflows);
    assert_int_equal(rd_trace_interleaved(t).reorder, s->room);
    rd_trace_close(t);
    rd_trace_close(source);
    files_remove(path);
}

static void lockstep_is_equal_to_the_oracle(void **state) {
    static scene s;
    for (uint64_t seed = 1; seed <= traces; seed++) {
        make_scene(seed, &s);
        check_scene(*state, &s);
    }
}

/* ---- special cases ---- */

/* Stores the threads of the references in the order of lockstep in `out`, as digits. */
static void order_of(rd_ctx *ctx, const oracle_record *records, size_t n, uint64_t turn,
                     char *out) {
    scene s = {.n = n};
    memcpy(s.records, records, n * sizeof *records);
    char *path = files_path();
    write_scene(ctx, &s, path);
    rd_trace *source = NULL, *t = NULL;
    const rd_refs *refs = NULL;
    rd_interleave config = {.size = sizeof config, .turn = turn};
    assert_int_equal(rd_trace_open(ctx, path, NULL, &source), RD_OK);
    assert_int_equal(rd_trace_interleave(ctx, source, &config, &t), RD_OK);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    for (size_t i = 0; i < refs->n; i++)
        *out++ = (char)('0' + refs->thread[i]);
    *out = '\0';
    rd_trace_close(t);
    rd_trace_close(source);
    files_remove(path);
}

static void threads_take_turns(void **state) {
    char order[16];
    const oracle_record refs[] = {{.thread = 1}, {.thread = 1}, {.thread = 1}, {.thread = 1},
                                  {.thread = 2}, {.thread = 2}, {.thread = 0}, {.thread = 0}};
    order_of(*state, refs, 8, 1, order);
    assert_string_equal(order, "01201211");
    order_of(*state, refs, 8, 2, order);
    assert_string_equal(order, "00112211");
    order_of(*state, refs, 8, 0, order);
    assert_string_equal(order, "01201211");
}

static void a_thread_stays_behind_its_release(void **state) {
    char order[16];
    const oracle_record records[] = {
        {.thread = 1}, {.thread = 1}, {.kind = ORACLE_SYNC_RELEASE, .thread = 1, .address = 16},
        {.thread = 1}, {.thread = 2}, {.kind = ORACLE_SYNC_ACQUIRE, .thread = 2, .address = 16},
        {.thread = 2}, {.thread = 2}};
    order_of(*state, records, 8, 1, order);
    assert_string_equal(order, "121122");
}

static void threads_of_processes_take_turns(void **state) {
    char order[16];
    oracle_record refs[] = {{.thread = 1}, {.thread = 1}, {.thread = 1},
                            {.thread = 2}, {.thread = 2}, {.thread = 1},
                            {.thread = 1}, {.thread = 3}, {.thread = 3}};
    for (size_t i = 5; i < 9; i++)
        set_process(&refs[i], 1);
    order_of(*state, refs, 9, 1, order);
    assert_string_equal(order, "121312131");
}

/* Tests that the top 16 bits of an address are not taken for the number of a process if the format
 * is not that of a recorder. */
static void threads_of_other_formats_are_of_one_process(void **state) {
    rd_ctx *ctx = *state;
    static const char text[] = "0x40,1\n0x1000000000040,1\n0x40,1\n0x1000000000040,1\n0x40,2\n";
    char *path = files_path();
    rd_trace *source = NULL, *t = NULL;
    const rd_refs *refs = NULL;
    files_write(path, text, sizeof text - 1);
    assert_int_equal(rd_trace_open(ctx, path, "csv:addr=1,thread=2", &source), RD_OK);
    assert_int_equal(rd_trace_interleave(ctx, source, NULL, &t), RD_OK);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    assert_int_equal(refs->n, 5);
    assert_int_equal(refs->thread[1], 2);
    assert_int_equal(rd_trace_interleaved(t).threads, 2);
    rd_trace_close(t);
    rd_trace_close(source);
    files_remove(path);
}

/* Writes a file of `n` references, the first half of thread 0 and the second half of thread 1.
 * Returns its path. */
static char *write_halves(rd_ctx *ctx, size_t n) {
    char *path = files_path();
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_trace_writer_open(ctx, path, "native:frame=1000", fields, false, &w),
                     RD_OK);
    for (size_t i = 0; i < n; i++) {
        oracle_record r = {.thread = i >= n / 2};
        assert_int_equal(write_record(w, &r, i), RD_OK);
    }
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    return path;
}

static void everything_before_damage_is_delivered(void **state) {
    rd_ctx *ctx = *state;
    enum { N = 10000 };
    char *path = write_halves(ctx, N);
    size_t bytes = 0;
    uint8_t *file = files_read(path, &bytes);
    files_write(path, file, bytes - 100);
    free(file);
    rd_trace *source = NULL, *t = NULL;
    const rd_refs *refs = NULL;
    uint64_t n = 0;
    assert_int_equal(rd_trace_open(ctx, path, NULL, &source), RD_OK);
    assert_int_equal(rd_trace_interleave(ctx, source, NULL, &t), RD_OK);
    rd_status status;
    while ((status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
        for (size_t i = 0; i < refs->n && n + i < N - 2000; i++) /* both threads have references */
            assert_int_equal(refs->thread[i], (n + i) % 2);
        n += refs->n;
    }
    assert_int_equal(status, RD_EFORMAT);
    assert_int_equal(n, N - 1000);
    rd_trace_close(t);
    rd_trace_close(source);
    files_remove(path);
}

static rd_status read_interleaved(rd_ctx *ctx, void *path) {
    rd_trace *source = NULL, *t = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_open(ctx, path, NULL, &source);
    if (status == RD_OK)
        status = rd_trace_interleave(ctx, source, NULL, &t);
    while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0)
        continue;
    rd_trace_close(t);
    rd_trace_close(source);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    static scene s;
    char *path = files_path();
    rdi_rng rng = {1};
    s.n = RECORDS_MAX;
    for (size_t i = 0; i < s.n; i++) {
        s.records[i] = random_record(&rng, 70);
        s.records[i].thread = (uint32_t)rdi_rng_below(&rng, 7);
        set_process(&s.records[i], (uint32_t)rdi_rng_below(&rng, 2));
    }
    write_scene(*state, &s, path);
    assert_true(faults_inject("interleaving", read_interleaved, path, RD_OK) > 20);
    files_remove(path);
}

static void wrong_sizes_are_refused(void **state) {
    rd_ctx *ctx = *state;
    rd_trace *source = NULL, *t = NULL;
    assert_int_equal(rd_trace_generate(ctx, "cycle:blocks=3,refs=5", &source), RD_OK);
    rd_interleave config = {.size = sizeof config, .turn = RD_TURN_MAX + 1};
    assert_int_equal(rd_trace_interleave(ctx, source, &config, &t), RD_EINVAL);
    config = (rd_interleave){.size = sizeof config, .reorder = UINT64_C(1) << 33};
    assert_int_equal(rd_trace_interleave(ctx, source, &config, &t), RD_EINVAL);
    config = (rd_interleave){.turn = 1};
    assert_int_equal(rd_trace_interleave(ctx, source, &config, &t), RD_EINVAL);
    assert_null(t);
    assert_int_equal(rd_trace_interleaved(source).threads, 0);
    rd_trace_close(source);
}

int main(int argc, char **argv) {
    if (argc > 1)
        traces = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lockstep_is_equal_to_the_oracle, context_new, context_free),
        cmocka_unit_test_setup_teardown(threads_take_turns, context_new, context_free),
        cmocka_unit_test_setup_teardown(threads_of_processes_take_turns, context_new, context_free),
        cmocka_unit_test_setup_teardown(threads_of_other_formats_are_of_one_process, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(a_thread_stays_behind_its_release, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(everything_before_damage_is_delivered, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_survived, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(wrong_sizes_are_refused, context_new, context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
