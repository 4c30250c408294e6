/* Tests reading references from the channel: order, recovery, and recorders that write invalid
 * data. The test acts as the recorder. */
#include "live/channel.h"
#include "reusedist/analysis.h"
#include "support/faults.h"
#include "trace/lookup.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct live_test {
    rd_ctx *ctx;
    rd_live *live;
    rd_trace *trace;
    rdi_channel *channel; /* the channel as the recorder sees it */
} live_test;

static bool nothing_comes(void *user) {
    (void)user;
    return false;
}

static void start(live_test *t, rd_live_config config) {
    assert_int_equal(rd_ctx_new(NULL, &t->ctx), RD_OK);
    if (!config.running)
        config.running = nothing_comes;
    assert_int_equal(rd_live_new(t->ctx, &config, &t->live), RD_OK);
    assert_int_equal(rd_trace_open_live(t->ctx, t->live, &t->trace), RD_OK);
    int fd = open(rd_live_path(t->live), O_RDWR);
    assert_true(fd >= 0);
    t->channel = mmap(NULL, RDI_CHANNEL_BYTES(RDI_CHANNEL_BUFFERS), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fd, 0);
    assert_true(t->channel != MAP_FAILED);
    close(fd);
    assert_true(t->channel->magic == RDI_CHANNEL_MAGIC);
}

static void stop(live_test *t) {
    rd_trace_close(t->trace);
    rd_live_free(t->live);
    assert_int_equal(t->channel->closed, 1);
    munmap(t->channel, RDI_CHANNEL_BYTES(RDI_CHANNEL_BUFFERS));
    assert_int_equal(rd_ctx_live_bytes(t->ctx), 0);
    rd_ctx_free(t->ctx);
}

static uint64_t record(uint64_t address, unsigned size, unsigned kind) {
    return address << RDI_RECORD_SHIFT | RDI_RECORD_LOW(size, kind);
}

/* Fills a buffer with n loads of 8 bytes from `address` on, without handing it over. Returns the index of the
 * buffer. */
static int fill_buffer(rdi_channel *channel, uint64_t address, size_t n) {
    int index = rdi_channel_take(channel, (uint32_t)getpid());
    assert_true(index >= 0);
    for (size_t i = 0; i < n; i++)
        rdi_channel_words(channel, (unsigned)index)[i] =
            record(address + 8 * i, 8, RDI_RECORD_LOAD);
    return index;
}

static void assert_next(live_test *t, uint64_t address, size_t n) {
    while (n > 0) {
        const rd_refs *refs = NULL;
        assert_int_equal(rd_trace_read(t->trace, &refs), RD_OK);
        assert_true(refs->n > 0 && refs->n <= n);
        for (size_t i = 0; i < refs->n; i++, address += 8)
            assert_true(refs->addr[i] == address);
        n -= refs->n;
    }
}

static void assert_end(live_test *t) {
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_read(t->trace, &refs), RD_OK);
    assert_int_equal(refs->n, 0);
}

static void assert_failure(live_test *t, const char *why) {
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_read(t->trace, &refs);
    assert_true(status == RD_EFORMAT || status == RD_ERANGE);
    assert_non_null(strstr(rd_last_error(t->ctx), why));
}

static void records_become_columns(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .thread = true});
    int index = rdi_channel_take(t.channel, 1);
    uint64_t *words = rdi_channel_words(t.channel, (unsigned)index);
    words[0] = record(0x7fffffffffff, 1, RDI_RECORD_LOAD);
    words[1] = record(0xffffffffff600000, RDI_RECORD_SIZE_MAX, RDI_RECORD_STORE);
    words[2] = record(0, 64, RDI_RECORD_FETCH);
    t.channel->buffer[index].thread = 7;
    rdi_channel_submit(t.channel, index, 3);
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 3);
    assert_int_equal(refs->fields, RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_THREAD);
    assert_true(refs->addr[0] == 0x7fffffffffff && refs->addr[2] == 0);
    assert_true(refs->addr[1] == 0xffffffffff600000);
    assert_true(refs->size[0] == 1 && refs->size[1] == RDI_RECORD_SIZE_MAX && refs->size[2] == 64);
    assert_true(refs->kind[0] == RD_LOAD && refs->kind[1] == RD_STORE && refs->kind[2] == RD_FETCH);
    assert_int_equal(refs->thread[2], 7);
    assert_end(&t);
    stop(&t);
}

static void program_counters_are_the_second_words(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .pc = true});
    assert_int_equal(t.channel->record_words, 2);
    int index = rdi_channel_take(t.channel, 1);
    uint64_t *words = rdi_channel_words(t.channel, (unsigned)index);
    for (uint64_t i = 0; i < 5; i++) {
        words[2 * i] = record(64 * i, 4, RDI_RECORD_LOAD);
        words[2 * i + 1] = 1000 + i;
    }
    rdi_channel_submit(t.channel, index, 11); /* half a record is ignored */
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_true(refs->addr[i] == 64 * i && refs->pc[i] == 1000 + i);
    assert_end(&t);
    stop(&t);
}

static void buffers_come_in_the_order_of_handing_over(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    int a = fill_buffer(t.channel, 0, 100),
        b = fill_buffer(t.channel, 10000, RDI_CHANNEL_BUFFER_WORDS);
    int c = fill_buffer(t.channel, 20000, 5000);
    rdi_channel_submit(t.channel, c, 5000);
    rdi_channel_submit(t.channel, a, 100);
    rdi_channel_submit(t.channel, b, RDI_CHANNEL_BUFFER_WORDS);
    assert_next(&t, 20000, 5000);
    assert_next(&t, 0, 100);
    assert_next(&t, 10000, RDI_CHANNEL_BUFFER_WORDS);
    assert_end(&t);
    stop(&t);
}

static void a_buffer_that_was_read_is_free_and_zero(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    for (int round = 0; round < 3 * RDI_CHANNEL_FULL_MAX; round++) {
        int index = fill_buffer(t.channel, (uint64_t)round * 64, 10);
        assert_int_equal(rdi_channel_words(t.channel, (unsigned)index)[10], 0);
        rdi_channel_submit(t.channel, index, 10);
        assert_next(&t, (uint64_t)round * 64, 10);
    }
    assert_end(&t);
    stop(&t);
}

/* Tests that recorders do not deadlock: the owner of a buffer may wait for a thread that has no
 * buffer yet. */
static void only_full_buffers_keep_recorders_waiting(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    int first[RDI_CHANNEL_FULL_MAX];
    for (int i = 0; i < RDI_CHANNEL_FULL_MAX; i++)
        first[i] = fill_buffer(t.channel, 64 * (uint64_t)i, 1);
    for (int i = 0; i < RDI_CHANNEL_FULL_MAX; i++) {
        assert_true(rdi_channel_take(t.channel, 1) >= 0);
        rdi_channel_submit(t.channel, first[i], 1);
    }
    assert_int_equal(rdi_channel_take(t.channel, 1), -1);
    assert_next(&t, 0, 1);
    assert_next(&t, 64, 1); /* the first buffer has been freed by now */
    assert_true(rdi_channel_take(t.channel, 1) >= 0);
    stop(&t);
}

static void waiting_is_hopeless_when_nobody_gets_on(void **state) {
    (void)state;
    live_test t;
    unsigned turns = 0;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    for (int i = 0; i < RDI_CHANNEL_BUFFERS; i++)
        fill_buffer(t.channel, 64 * (uint64_t)i, 1);
    assert_int_equal(rdi_channel_take(t.channel, 1), -1);
    for (int i = 0; i < RDI_CHANNEL_PATIENCE; i++)
        assert_false(rdi_channel_is_hopeless(t.channel, &turns));
    rdi_channel_submit(t.channel, 0, 1);
    assert_false(rdi_channel_is_hopeless(t.channel, &turns));
    assert_next(&t, 0, 1);
    stop(&t);
}

static bool something_comes(void *user) {
    (void)user;
    return true;
}

static void a_stopped_trace_ends_before_the_next_buffer(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .running = something_comes});
    for (uint64_t i = 0; i < 3; i++)
        rdi_channel_submit(t.channel, fill_buffer(t.channel, 64 * i, 1), 1);
    assert_next(&t, 0, 1);
    rd_live_stop(t.live);
    assert_end(&t);
    assert_end(&t);
    stop(&t);
}

static void what_was_not_handed_over_is_found_at_the_end(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    fill_buffer(t.channel, 4096, 123);
    fill_buffer(t.channel, 0, 0);
    assert_next(&t, 4096, 123);
    assert_end(&t);
    stop(&t);
}

static bool once_more(void *user) {
    return (*(int *)user)++ == 0;
}

/* Tests that the buffer of a process that has ended is read although the program still runs. */
static void a_buffer_of_a_dead_owner_is_reclaimed(void **state) {
    (void)state;
    live_test t;
    int asked = 0;
    start(&t,
          (rd_live_config){.size = sizeof(rd_live_config), .running = once_more, .user = &asked});
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(rdi_channel_take(t.channel, (uint32_t)getpid()) == 0 ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rdi_channel_words(t.channel, 0)[0] = record(640, 8, RDI_RECORD_LOAD);
    assert_next(&t, 640, 1);
    assert_int_equal(asked, 1); /* the trace has asked once whether the program runs */
    stop(&t);
}

static void programs_have_addresses_of_their_own(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    int index = fill_buffer(t.channel, 64, 1);
    t.channel->buffer[index].process = 3;
    rdi_channel_submit(t.channel, index, 1);
    assert_next(&t, UINT64_C(3) << 48 | 64, 1);
    stop(&t);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    static const uint64_t bad[] = {1 << 16, 3 | 8 << 2, 0};
    for (size_t i = 0; i < 6; i++) {
        live_test t;
        start(&t,
              (rd_live_config){.size = sizeof(rd_live_config), .collapse_bytes = i < 3 ? 0 : 1});
        int index = fill_buffer(t.channel, 0, 10);
        rdi_channel_words(t.channel, (unsigned)index)[7] = bad[i % 3];
        rdi_channel_submit(t.channel, index, 10);
        assert_failure(&t, "invalid reference");
        stop(&t);
    }
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    rdi_channel_submit(t.channel, fill_buffer(t.channel, 0, 1), RDI_CHANNEL_BUFFER_WORDS + 1);
    assert_failure(&t, "a buffer of");
    stop(&t);
    start(&t, (rd_live_config){.size = sizeof(rd_live_config)});
    int index = fill_buffer(t.channel, 0, 1);
    t.channel->buffer[index].process = 1 << 16;
    rdi_channel_submit(t.channel, index, 1);
    assert_failure(&t, "more than 65536 processes");
    stop(&t);
}

/* ---- events ---- */

/* Writes an event at `words`. Returns the number of words that it takes. */
static uint64_t put_event(uint64_t *words, unsigned kind, uint64_t address, uint64_t pc,
                          const char *path) {
    uint64_t head = RDI_EVENT_HEAD(kind, path ? strlen(path) : 0, 7);
    rdi_channel_put_event(words, head, address, 100, pc, path);
    return rdi_channel_event_words(head);
}

static uint64_t put_pair(uint64_t *words, uint64_t address) {
    words[0] = record(address, 8, RDI_RECORD_LOAD);
    words[1] = 0x400;
    return 2;
}

/* Fills a buffer with a module, 3 references, an allocation, an empty event, 2 references and a
 * release. Returns the number of words. */
static uint64_t fill_with_events(rdi_channel *channel, int *index) {
    *index = rdi_channel_take(channel, (uint32_t)getpid());
    uint64_t *words = rdi_channel_words(channel, (unsigned)*index), n = 0;
    n += put_event(words + n, RD_EVENT_MODULE, 0x401000, 0x400000, "/bin/a program of that name");
    for (uint64_t i = 0; i < 3; i++)
        n += put_pair(words + n, 64 * i);
    n += put_event(words + n, RD_EVENT_ALLOCATE, 0x5000, 0x401234, NULL);
    n += put_event(words + n, 0, 1, 2, NULL);
    for (uint64_t i = 3; i < 5; i++)
        n += put_pair(words + n, 64 * i);
    return n + put_event(words + n, RD_EVENT_RELEASE, 0x5000, 0, NULL);
}

static void assert_event(const rd_event *e, rd_event_kind kind, uint64_t at, uint64_t address,
                         uint64_t pc) {
    assert_true(e->kind == kind && e->at == at && e->address == address && e->pc == pc);
    assert_true(e->size == 100 && e->thread == 7);
}

static void assert_events(live_test *t, uint64_t first, uint64_t tag) {
    const rd_refs *refs = NULL;
    const rd_event *events = NULL;
    assert_int_equal(rd_trace_read(t->trace, &refs), RD_OK);
    assert_int_equal(refs->n, 5);
    assert_int_equal(refs->fields, RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_EVENTS);
    for (uint64_t i = 0; i < 5; i++)
        assert_true(refs->addr[i] == (64 * i | tag) && refs->pc[i] == (0x400 | tag));
    assert_int_equal(rd_trace_events(t->trace, &events), 3);
    assert_event(&events[0], RD_EVENT_MODULE, first, 0x401000 | tag, 0x400000 | tag);
    assert_string_equal(events[0].path, "/bin/a program of that name");
    assert_event(&events[1], RD_EVENT_ALLOCATE, first + 3, 0x5000 | tag, 0x401234 | tag);
    assert_event(&events[2], RD_EVENT_RELEASE, first + 5, 0x5000 | tag, 0);
    assert_null(events[1].path);
}

static void events_stand_between_references(void **state) {
    (void)state;
    live_test t;
    int index;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .events = true});
    assert_int_equal(t.channel->record_words, 2);
    assert_int_equal(t.channel->events, 1);
    uint64_t words = fill_with_events(t.channel, &index);
    rdi_channel_submit(t.channel, index, words);
    assert_events(&t, 0, 0);
    fill_with_events(t.channel, &index);
    t.channel->buffer[index].process = 2;
    rdi_channel_submit(t.channel, index, words);
    assert_events(&t, 5, UINT64_C(2) << 48);
    fill_with_events(t.channel, &index); /* this buffer is never handed over, but the reader finds
                                            it at the end */
    assert_events(&t, 10, 0);
    assert_end(&t);
    stop(&t);
}

static void synchronization_stands_between_records_of_one_word(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .sync = true});
    assert_int_equal(t.channel->record_words, 1);
    assert_int_equal(t.channel->events, RDI_EVENTS_SYNC);
    int index = rdi_channel_take(t.channel, 1);
    uint64_t *words = rdi_channel_words(t.channel, (unsigned)index), n = 0;
    t.channel->buffer[index].thread = 7;
    words[n++] = record(64, 8, RDI_RECORD_LOAD);
    n += put_event(words + n, RD_EVENT_SYNC_RELEASE, 0x5000, 0, NULL);
    words[n++] = record(128, 8, RDI_RECORD_STORE);
    n += put_event(words + n, RD_EVENT_SYNC_ACQUIRE, 0x6000, 0, NULL);
    rdi_channel_submit(t.channel, index, n);
    const rd_refs *refs = NULL;
    const rd_event *events = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 2);
    assert_int_equal(refs->fields, RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_THREAD | RD_FIELD_SYNC);
    assert_true(refs->addr[0] == 64 && refs->addr[1] == 128 && refs->thread[1] == 7);
    assert_int_equal(rd_trace_events(t.trace, &events), 2);
    assert_event(&events[0], RD_EVENT_SYNC_RELEASE, 1, 0x5000, 0);
    assert_event(&events[1], RD_EVENT_SYNC_ACQUIRE, 2, 0x6000, 0);
    assert_end(&t);
    stop(&t);
}

static void events_alone_come_with_what_follows_or_the_end(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .events = true});
    for (int i = 0; i < 3; i++) {
        int index = rdi_channel_take(t.channel, 1);
        uint64_t *words = rdi_channel_words(t.channel, (unsigned)index);
        uint64_t n = put_event(words, RD_EVENT_STACK, 0x7000, 0, NULL);
        n += i == 1 ? put_pair(words + n, 64) : 0;
        rdi_channel_submit(t.channel, index, n);
    }
    const rd_refs *refs = NULL;
    const rd_event *events = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 1);
    assert_int_equal(rd_trace_events(t.trace, &events), 2);
    assert_end(&t);
    assert_int_equal(rd_trace_events(t.trace, &events), 1);
    assert_int_equal(events[0].at, 1);
    assert_end(&t);
    assert_int_equal(rd_trace_events(t.trace, &events), 0);
    stop(&t);
}

/* Tests that the reader drops events that have no effect any more: a program repeatedly allocates
 * and frees the same memory while recording is paused. */
static void needless_events_do_not_pile_up(void **state) {
    (void)state;
    live_test t;
    uint64_t put = 0;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .events = true});
    for (int i = 0; i < RDI_CHANNEL_FULL_MAX; i++) {
        int index = rdi_channel_take(t.channel, 1);
        uint64_t *words = rdi_channel_words(t.channel, (unsigned)index), n = 0;
        while (n + RDI_EVENT_WORDS <= RDI_CHANNEL_BUFFER_WORDS - 2) {
            unsigned kind = put % 2 ? RD_EVENT_RELEASE : RD_EVENT_ALLOCATE;
            rdi_channel_put_event(words + n, RDI_EVENT_HEAD(kind, 0, 0), put / 2 % 10,
                                  kind == RD_EVENT_ALLOCATE ? put : 0, 0, NULL);
            n += RDI_EVENT_WORDS;
            put++;
        }
        n += i == RDI_CHANNEL_FULL_MAX - 1 ? put_pair(words + n, 64) : 0;
        rdi_channel_submit(t.channel, index, n);
    }
    assert_true(put > 100000);
    const rd_refs *refs = NULL;
    const rd_event *events = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 1);
    size_t n = rd_trace_events(t.trace, &events);
    assert_true(n >= 10 && n <= 65536);
    for (size_t i = 0; i < 10; i++) { /* the last ten events are kept, in their order */
        assert_int_equal(events[n - 1 - i].address, (put - 1 - i) / 2 % 10);
        assert_int_equal(events[n - 1 - i].kind, i % 2 ? RD_EVENT_ALLOCATE : RD_EVENT_RELEASE);
    }
    stop(&t);
}

static void events_without_sense_are_refused(void **state) {
    (void)state;
    static const struct {
        uint64_t head, words;
        const char *why;
    } bad[] = {{RDI_EVENT_HEAD(31, 0, 0), 4, "invalid event"},
               {RDI_EVENT_HEAD(RD_EVENT_MODULE, 0, 0), 4, "invalid event"},
               {RDI_EVENT_HEAD(RD_EVENT_MODULE, 20, 0), 8, "invalid event"}, /* a path of zeros */
               {RDI_EVENT_HEAD(RD_EVENT_MODULE, 5000, 0), 8000, "invalid event"},
               {RDI_EVENT_HEAD(RD_EVENT_STACK, 0, 0), 2, "incomplete event"},
               {RDI_EVENT_HEAD(RD_EVENT_MODULE, 65535, 0), 8192, "incomplete event"}};
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        live_test t;
        start(&t, (rd_live_config){.size = sizeof(rd_live_config), .events = true});
        int index = rdi_channel_take(t.channel, 1);
        uint64_t *words = rdi_channel_words(t.channel, (unsigned)index);
        if (bad[i].words == 8000)
            memset(words, 'x', 8000);
        words[0] = bad[i].head;
        rdi_channel_submit(t.channel, index, bad[i].words);
        assert_failure(&t, bad[i].why);
        stop(&t);
    }
    rd_ctx *ctx = NULL;
    rd_live *live = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_live_config config = {
        .size = sizeof config, .events = true, .collapse_bytes = 64, .running = nothing_comes};
    assert_int_equal(rd_live_new(ctx, &config, &live), RD_EINVAL);
    config =
        (rd_live_config){.size = sizeof config, .collapse_loads = true, .running = nothing_comes};
    assert_int_equal(rd_live_new(ctx, &config, &live), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "collapse_bytes"));
    rd_ctx_free(ctx);
}

/* Makes loads and stores at addresses near each other, and lets some of them cross a block boundary. */
static void fill_random(uint64_t *words, size_t n, uint64_t *seed) {
    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        unsigned bits = (unsigned)(*seed >> 33);
        uint64_t base = bits & 1 ? 0x7fff12345000 : 0xffffffffff600000;
        words[i] = record(base + (bits >> 1 & 0x7f), 1 + (bits >> 8 & 31), bits >> 13 & 1);
    }
}

static void repeats_are_left_out_alike_on_every_processor(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .collapse_bytes = 64});
    uint64_t plain[100], vectors[100], seed = 1;
    uint32_t widest = t.channel->vector_bits;
    for (uint64_t n = 0; n <= 100; n++)
        for (uint32_t i = 0; i < 16; i++) {
            uint64_t before = seed;
            t.channel->collapse = (1 + i / 2) | (i % 2 ? RDI_COLLAPSE_LOADS : 0);
            fill_random(plain, n, &seed);
            t.channel->vector_bits = 0;
            uint64_t kept = rdi_channel_collapse(t.channel, plain, n);
            for (uint32_t bits = 256; bits <= widest; bits *= 2) {
                uint64_t again = before;
                fill_random(vectors, n, &again);
                t.channel->vector_bits = bits;
                assert_true(rdi_channel_collapse(t.channel, vectors, n) == kept);
                assert_memory_equal(plain, vectors, n * sizeof *plain);
            }
        }
    stop(&t);
}

/* Tests `collapse_loads`: of consecutive references to one block, the recorder keeps the first one, and each store
 * that does not follow another store. Batches have kinds even if they have no sizes. */
static void a_store_stays_if_only_loads_are_left_out(void **state) {
    (void)state;
    static const uint8_t kinds[] = {RDI_RECORD_LOAD,  RDI_RECORD_LOAD,  RDI_RECORD_STORE,
                                    RDI_RECORD_STORE, RDI_RECORD_LOAD,  RDI_RECORD_STORE,
                                    RDI_RECORD_LOAD,  RDI_RECORD_FETCH, RDI_RECORD_STORE};
    static const uint8_t left[] = {RD_LOAD, RD_STORE, RD_STORE, RD_STORE};
    for (unsigned spans = 0; spans < 2; spans++) {
        live_test t;
        const rd_refs *refs = NULL;
        start(&t, (rd_live_config){.size = sizeof(rd_live_config),
                                   .collapse_bytes = 64,
                                   .collapse_loads = true});
        int index = rdi_channel_take(t.channel, (uint32_t)getpid());
        uint64_t *words = rdi_channel_words(t.channel, (unsigned)index);
        for (size_t i = 0; i < RDI_COUNT(kinds); i++)
            words[i] = record(0x1000 + 4 * i, 4, kinds[i]);
        words[RDI_COUNT(kinds)] = record(0x20fc, spans ? 8 : 4, RDI_RECORD_FETCH);
        rdi_channel_submit(t.channel, index, RDI_COUNT(kinds) + 1);
        assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
        assert_int_equal(refs->n, 5);
        assert_int_equal(rd_trace_repeats(t.trace), 5);
        assert_true(refs->fields & RD_FIELD_KIND && refs->kind);
        assert_true(!refs->size == !spans);
        assert_memory_equal(refs->kind, left, sizeof left);
        assert_int_equal(refs->kind[4], RD_FETCH);
        assert_true(refs->addr[3] == 0x1020 && refs->addr[4] == 0x20fc);
        stop(&t);
    }
}

/* Fills a buffer with four loads of each of `blocks` blocks. Returns its index. */
static int fill_blocks(rdi_channel *channel, uint64_t blocks) {
    int index = rdi_channel_take(channel, (uint32_t)getpid());
    for (uint64_t i = 0; i < 4 * blocks; i++)
        rdi_channel_words(channel, (unsigned)index)[i] = record(i / 4 * 64, 8, RDI_RECORD_LOAD);
    return index;
}

static void repeats_are_those_of_what_was_read(void **state) {
    (void)state;
    live_test t;
    const rd_refs *refs = NULL;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config),
                               .collapse_bytes = 64,
                               .running = something_comes});
    for (int i = 0; i < 2; i++)
        rdi_channel_submit(t.channel, fill_blocks(t.channel, 10), 40);
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 10);
    assert_int_equal(rd_trace_repeats(t.trace), 30);
    rd_live_stop(t.live);
    assert_end(&t);
    assert_int_equal(rd_trace_repeats(t.trace), 30);
    stop(&t);
}

/* Tests that an analysis that needs each reference fails if recorders left out repeated references. */
static void repeats_are_refused_where_each_reference_counts(void **state) {
    (void)state;
    const rd_interleave order = {.size = sizeof order};
    const rd_analysis_config configs[] = {
        {.size = sizeof configs[0], .live = true},
        {.size = sizeof configs[0], .live = true, .stacks = RD_STACKS_PRIVATE},
        {.size = sizeof configs[0], .live = true, .sharing = true},
        {.size = sizeof configs[0], .live = true, .interleave = &order}};
    for (size_t i = 0; i < RDI_COUNT(configs); i++) {
        live_test t = {0};
        rd_analysis *a = NULL;
        start(&t, (rd_live_config){
                      .size = sizeof(rd_live_config), .collapse_bytes = 64, .thread = true});
        __atomic_store_n(&t.channel->processes, 1, __ATOMIC_RELEASE);
        /* Some references span two blocks, so the reader delivers their kinds. */
        rdi_channel_submit(t.channel, fill_buffer(t.channel, 60, 16), 16);
        assert_int_equal(rd_analysis_open(t.ctx, &configs[i], &a), RD_OK);
        assert_int_equal(rd_analysis_add_trace(a, t.trace, "program"), RD_OK);
        assert_int_equal(rd_analysis_run(a), i == 0 ? RD_OK : RD_EINVAL);
        if (i > 0)
            assert_non_null(strstr(rd_last_error(t.ctx), "left out 14 repeated references"));
        rd_analysis_close(a);
        stop(&t);
    }
}

/* Tests that the reader drops the buffer of a recorder that was killed while it removed repeats,
 * because the buffer may have records twice. */
static void a_buffer_half_rid_of_repeats_is_not_read(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .collapse_bytes = 64});
    rdi_channel_submit(t.channel, fill_blocks(t.channel, 1), 4);
    int index = fill_blocks(t.channel, 10);
    t.channel->buffer[index].words = RDI_WORDS_CHANGING;
    assert_next(&t, 0, 1);
    assert_end(&t);
    assert_int_equal(rd_trace_repeats(t.trace), 3);
    assert_int_equal(rdi_channel_words(t.channel, (unsigned)index)[39], 0);
    assert_true(t.channel->buffer[index].state == RDI_BUFFER_FREE &&
                t.channel->buffer[index].words == 0);
    stop(&t);
}

/* Checks the next batch, whose records are `words`: the decoded values must be equal to the written
 * values. If the batch has no sizes and kinds, adds its length to *bare. Returns the number of
 * references. */
static size_t assert_batch(live_test *t, const uint64_t *words, size_t *bare) {
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_read(t->trace, &refs), RD_OK);
    assert_true(!refs->size == !refs->kind);
    *bare += refs->size ? 0 : refs->n;
    for (size_t i = 0; i < refs->n; i++) {
        unsigned size = (unsigned)words[i] >> 2 & RDI_RECORD_SIZE_MAX;
        assert_true(refs->addr[i] == (uint64_t)((int64_t)words[i] >> RDI_RECORD_SHIFT));
        if (refs->size)
            assert_true(refs->size[i] == size && refs->kind[i] == RD_LOAD);
        else
            assert_true(refs->addr[i] >> 6 == (refs->addr[i] + size - 1) >> 6);
    }
    return refs->n;
}

static void sizes_are_told_where_a_reference_spans_blocks(void **state) {
    (void)state;
    live_test t;
    enum { N = 4000 };
    static uint64_t words[N];
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .collapse_bytes = 64});
    int index = rdi_channel_take(t.channel, (uint32_t)getpid());
    for (uint64_t i = 0; i < N; i++) /* references every second block; the 1001st reference spans
                                        two blocks */
        words[i] = record(128 * i, i == 1000 ? 65 : 64, RDI_RECORD_LOAD);
    words[3000] = record(0xffffffffff600000, 8, RDI_RECORD_LOAD);
    memcpy(rdi_channel_words(t.channel, (unsigned)index), words, sizeof words);
    rdi_channel_submit(t.channel, index, N);
    size_t done = 0, bare = 0;
    while (done < N)
        done += assert_batch(&t, words + done, &bare);
    assert_true(bare >= N - 2 * 256 && bare < N);
    assert_end(&t);
    stop(&t);
}

/* Tests that the reader ignores settings in the channel that a recorded program has overwritten. It
 * must use the requested block size to decide whether a reference spans two blocks, and only vector
 * instructions that this processor has. */
static void a_changed_head_changes_nothing_for_the_reader(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .collapse_bytes = 64});
    t.channel->collapse = 218;
    t.channel->vector_bits = t.channel->vector_bits ? 0 : 512;
    int index = fill_buffer(t.channel, 0x1000, 3);
    rdi_channel_words(t.channel, (unsigned)index)[2] = record(0x103c, 8, RDI_RECORD_LOAD);
    rdi_channel_hand_over(t.channel, index, 3);
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
    assert_int_equal(refs->n, 3);
    assert_true(refs->addr[2] == 0x103c && refs->size && refs->size[2] == 8);
    stop(&t);
}

static void recording_is_switched(void **state) {
    (void)state;
    live_test t;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .paused = true});
    assert_int_equal(t.channel->recording, 0);
    rd_live_set_recording(t.live, true);
    assert_int_equal(t.channel->recording, 1);
    t.channel->skipped = 12;
    assert_int_equal(rd_trace_skipped(t.trace), 12);
    t.channel->processes = 2;
    assert_int_equal(rd_live_programs(t.live), 2);
    stop(&t);
}

/* One of several threads that fill buffers and hand them over as fast as they can. */
typedef struct writer {
    rdi_channel *channel;
    uint64_t number;
} writer;

#define WRITER_CHUNKS 300

static void *write_buffers(void *user) {
    writer *w = user;
    for (uint64_t k = 0; k < WRITER_CHUNKS;) {
        int index = rdi_channel_take(w->channel, (uint32_t)getpid());
        if (index < 0)
            continue;
        for (uint64_t i = 0; i < 16; i++)
            rdi_channel_words(w->channel, (unsigned)index)[i] =
                record(w->number << 32 | (16 * k + i), 1, RDI_RECORD_LOAD);
        rdi_channel_submit(w->channel, index, 16);
        k++;
    }
    return NULL;
}

static bool not_yet(void *user) {
    return *(bool *)user;
}

static void nothing_is_lost_between_threads(void **state) {
    (void)state;
    live_test t;
    bool more = true;
    start(&t, (rd_live_config){.size = sizeof(rd_live_config), .running = not_yet, .user = &more});
    writer writers[3];
    pthread_t threads[3];
    uint64_t expected[3] = {0};
    for (uint64_t i = 0; i < 3; i++) {
        writers[i] = (writer){t.channel, i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_buffers, &writers[i]), 0);
    }
    for (size_t total = 0; total < 3 * WRITER_CHUNKS * 16;) {
        const rd_refs *refs = NULL;
        assert_int_equal(rd_trace_read(t.trace, &refs), RD_OK);
        for (size_t i = 0; i < refs->n; i++) {
            uint64_t which = refs->addr[i] >> 32;
            assert_true(which < 3 && (refs->addr[i] & UINT32_MAX) == expected[which]++);
        }
        total += refs->n;
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    more = false;
    assert_end(&t);
    stop(&t);
}

static rd_status open_and_read(rd_ctx *ctx, void *user) {
    (void)user;
    rd_live_config config = {.size = sizeof config, .running = nothing_comes};
    rd_live *live = NULL;
    rd_trace *trace = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_live_new(ctx, &config, &live);
    if (status == RD_OK)
        status = rd_trace_open_live(ctx, live, &trace);
    if (status == RD_OK)
        status = rd_trace_read(trace, &refs);
    rd_trace_close(trace);
    rd_live_free(live);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    assert_true(faults_inject("live", open_and_read, NULL, RD_OK) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_become_columns),
        cmocka_unit_test(program_counters_are_the_second_words),
        cmocka_unit_test(buffers_come_in_the_order_of_handing_over),
        cmocka_unit_test(a_buffer_that_was_read_is_free_and_zero),
        cmocka_unit_test(only_full_buffers_keep_recorders_waiting),
        cmocka_unit_test(waiting_is_hopeless_when_nobody_gets_on),
        cmocka_unit_test(a_stopped_trace_ends_before_the_next_buffer),
        cmocka_unit_test(what_was_not_handed_over_is_found_at_the_end),
        cmocka_unit_test(a_buffer_of_a_dead_owner_is_reclaimed),
        cmocka_unit_test(programs_have_addresses_of_their_own),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(events_stand_between_references),
        cmocka_unit_test(synchronization_stands_between_records_of_one_word),
        cmocka_unit_test(events_alone_come_with_what_follows_or_the_end),
        cmocka_unit_test(needless_events_do_not_pile_up),
        cmocka_unit_test(events_without_sense_are_refused),
        cmocka_unit_test(repeats_are_left_out_alike_on_every_processor),
        cmocka_unit_test(a_store_stays_if_only_loads_are_left_out),
        cmocka_unit_test(repeats_are_those_of_what_was_read),
        cmocka_unit_test(repeats_are_refused_where_each_reference_counts),
        cmocka_unit_test(a_buffer_half_rid_of_repeats_is_not_read),
        cmocka_unit_test(sizes_are_told_where_a_reference_spans_blocks),
        cmocka_unit_test(a_changed_head_changes_nothing_for_the_reader),
        cmocka_unit_test(recording_is_switched),
        cmocka_unit_test(nothing_is_lost_between_threads),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
