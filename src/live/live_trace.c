/* Reads the references of running programs from the channel (channel.h).
 *
 * Other processes write to the channel, so the reader checks the contents of the channel like those of
 * a file: it reports a number out of range as an error, and such a number never causes a fault.
 */
#include "live/live.h"
#include "live/live_decode.h"
#include "trace/events.h"
#include "trace/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Time without a full buffer, in nanoseconds, after which the reader checks whether recorders still
 * run. */
#define WAIT_NS 50000000
/* Maximum number of processes, because 16 bits of the address hold the process number. */
#define PROCESSES_MAX 0x10000
#define PROCESS_SHIFT 48
#define EVENTS_MANY   65536 /* least value of live_reader.events_many */
#define RUN_MAX       64    /* maximum number of records in a run, which is decoded as a unit */
#define FETCH_AHEAD   (8 * RUN_MAX) /* number of words between decoding and prefetching */

typedef struct live_reader {
    rdi_reader *r;
    rd_live *live;
    rdi_decode_words *decode_words;
    rdi_decode_bare *decode_bare;
    int buffer; /* index of the buffer being read; -1: none */
    const uint64_t *words;
    size_t at, end; /* index of the next word, and number of words */
    bool ended;     /* true: no more records will come */
    bool bare;      /* true: the batch has no sizes, and kinds only with collapse_loads */
    rdi_event_list events;
    size_t events_many; /* number of events at which unnecessary events are dropped */
    uint64_t *contexts; /* the calling contexts of a batch; NULL: they are not recorded */
    uint64_t context;   /* the calling context of the next reference in the buffer; 0: none */
} live_reader;

/* The beginning of messages about contents of the channel that no recorder writes. */
#define DAMAGED                                                                                    \
    "the recording is damaged, perhaps because the recorded program wrote to memory of the "       \
    "recorder: the recorder handed over "

static bool is_full(const rdi_buffer *buffer) {
    return __atomic_load_n(&buffer->state, __ATOMIC_ACQUIRE) == RDI_BUFFER_FULL;
}

/* Returns the index of the full buffer that was handed over first, or -1 if there is none. */
static int first_full(const rd_live *live) {
    const rdi_channel *channel = live->channel;
    int first = -1;
    for (int i = 0; i < (int)live->buffers; i++)
        if (is_full(&channel->buffer[i]) &&
            (first < 0 || channel->buffer[i].ticket < channel->buffer[first].ticket))
            first = i;
    return first;
}

static void release_buffer(live_reader *l) {
    rdi_channel *channel = l->live->channel;
    memset(rdi_channel_words(channel, (unsigned)l->buffer), 0, l->end * sizeof *l->words);
    channel->buffer[l->buffer].words = channel->buffer[l->buffer].repeats = 0;
    __atomic_store_n(&channel->buffer[l->buffer].state, RDI_BUFFER_FREE, __ATOMIC_RELEASE);
    l->buffer = -1;
    __atomic_fetch_add(&channel->frees, 1, __ATOMIC_SEQ_CST);
    if (rdi_channel_full(channel) <= RDI_CHANNEL_FULL_MAX / 2)
        rdi_channel_wake_recorders(channel);
}

static size_t record_words(const live_reader *l) {
    return l->live->config.pc ? 2 : 1;
}

static bool has_events(const live_reader *l) {
    return l->live->config.events || l->live->config.sync;
}

/* Returns the number of filled words in the buffer at l->words, up to the first record that is 0.
 * The recorder has not stated this number. */
static uint64_t find_end(const live_reader *l) {
    uint64_t words = 0;
    while (words < RDI_CHANNEL_BUFFER_WORDS && l->words[words] != 0) {
        bool event = has_events(l) && (l->words[words] & 3) == RDI_RECORD_EVENT;
        words += event ? rdi_channel_event_words(l->words[words]) : record_words(l);
    }
    return words < RDI_CHANNEL_BUFFER_WORDS ? words : RDI_CHANNEL_BUFFER_WORDS;
}

static rd_status open_buffer(live_reader *l, int index) {
    rdi_channel *channel = l->live->channel;
    uint64_t words = channel->buffer[index].words, repeats = channel->buffer[index].repeats;
    bool lost = words == RDI_WORDS_CHANGING;
    if (lost)
        words = RDI_CHANNEL_BUFFER_WORDS;
    if (words > RDI_CHANNEL_BUFFER_WORDS)
        return rdi_fail(l->r->ctx, RD_EFORMAT,
                        DAMAGED "a buffer of %" PRIu64 " words; a buffer has at most %d", words,
                        (int)RDI_CHANNEL_BUFFER_WORDS);
    if (channel->buffer[index].process >= PROCESSES_MAX)
        return rdi_fail(l->r->ctx, RD_ERANGE,
                        "more than %d processes were recorded, which is the limit; record fewer",
                        PROCESSES_MAX);
    l->words = rdi_channel_words(channel, (unsigned)index);
    if (words == 0)
        words = find_end(l);
    l->buffer = index;
    l->context = 0;
    l->at = lost ? (size_t)words : 0;
    l->end = (size_t)words;
    l->live->repeats += lost ? 0 : repeats;
    return RD_OK;
}

#define EIGHT_FIELDS " %*s %*s %*s %*s %*s %*s %*s %*s" /* for sscanf() */

/* Returns whether a process has a thread that has not ended. If this is unknown, the function returns
 * true. After the first thread of a process has called pthread_exit(), the process is in the state of a
 * zombie, but its number of threads is above 1 until its last thread has ended. */
static bool is_alive(uint32_t pid) {
    char path[32], line[512], state = 0;
    long threads = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT;
    ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    line[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(line, ')');
    /* The state, 16 other fields, and the number of threads follow the name. */
    bool known = name_end &&
                 sscanf(name_end + 1, " %c" EIGHT_FIELDS EIGHT_FIELDS "%ld", &state, &threads) == 2;
    return !known || threads > 1 || (state != 'Z' && state != 'X');
}

/* Hands over the buffers whose owners ended while filling them, for example because of SIGKILL. If
 * `at_end` is true, the function hands over all buffers that are being filled. */
static void reclaim(rd_live *live, bool at_end) {
    uint32_t owner, last = 0;
    bool keeps = false; /* true: process `last` keeps its buffers */
    for (int i = 0; i < (int)live->buffers; i++) {
        if (!rdi_channel_is_filling(&live->channel->buffer[i], &owner))
            continue;
        if (owner != last) /* consecutive buffers of one process need only one check */
            keeps = !at_end && is_alive(owner);
        last = owner;
        if (!keeps)
            rdi_channel_hand_over(live->channel, i, live->channel->buffer[i].words);
    }
}

/* Sleeps until a recorder wakes the reader, but at most WAIT_NS nanoseconds. Returns at once if a
 * buffer is full. */
static void wait_for_full(rd_live *live) {
    rdi_channel *channel = live->channel;
    struct timespec moment = {.tv_nsec = WAIT_NS};
    uint32_t before = __atomic_load_n(&channel->fulls, __ATOMIC_SEQ_CST);
    __atomic_store_n(&channel->reader_waits, 1, __ATOMIC_SEQ_CST);
    if (first_full(live) < 0)
        rdi_channel_futex(&channel->fulls, FUTEX_WAIT, before, &moment);
    __atomic_store_n(&channel->reader_waits, 0, __ATOMIC_SEQ_CST);
}

static rd_status next_buffer(live_reader *l) {
    rd_live *live = l->live;
    while (!__atomic_load_n(&live->stopped, __ATOMIC_RELAXED)) {
        int index = first_full(live);
        if (index >= 0)
            return open_buffer(l, index);
        if (l->ended)
            return RD_OK;
        wait_for_full(live);
        if (first_full(live) >= 0)
            continue;
        l->ended = !live->config.running(live->config.user);
        reclaim(live, l->ended);
    }
    return RD_OK;
}

/* ---- records ---- */

/* Prefetches the run that begins FETCH_AHEAD words after `run`, because it takes long to fetch words
 * that another processor has written. */
static void fetch_ahead(const live_reader *l, const uint64_t *run) {
    size_t left = (size_t)(l->words + l->end - run), end = FETCH_AHEAD + RUN_MAX;
    for (size_t i = FETCH_AHEAD; i < (left < end ? left : end); i += 64 / sizeof *run)
        RDI_PREFETCH(run + i);
}

/* Decodes records in runs. Sets l->bare to whether the analysis needs no sizes of the first run, and stops before
 * the first run for which this differs. Returns the number of decoded records. If l->bare is false, sets *good to
 * whether all decoded records are valid. */
static size_t decode_runs(live_reader *l, const uint64_t *words, size_t n, uint64_t tag,
                          bool *good) {
    unsigned shift = l->live->collapse - 1;
    rdi_columns *col = l->r->col;
    bool kinds = l->live->config.collapse_loads;
    size_t done = 0;
    while (done < n) {
        size_t k = n - done < RUN_MAX ? n - done : RUN_MAX;
        fetch_ahead(l, words + done);
        bool bare = l->decode_bare(words + done, k, tag, shift, col->addr + done,
                                   kinds ? col->kind + done : NULL);
        if (done == 0)
            l->bare = bare;
        else if (bare != l->bare)
            break;
        done += k;
    }
    if (!l->bare)
        *good = l->decode_words(words, done, tag, col);
    return done;
}

/* Decodes records of two words each: the record and the program counter. Returns false if a record
 * is invalid. */
static bool decode_pairs(const live_reader *l, const uint64_t *pairs, size_t n, uint64_t tag,
                         rdi_columns *col) {
    uint64_t words[RDI_REFS_MAX];
    for (size_t i = 0; i < n; i++) {
        words[i] = pairs[2 * i];
        col->pc[i] = pairs[2 * i + 1] ^ tag;
    }
    return l->decode_words(words, n, tag, col);
}

/* Drops unnecessary events if there are l->events_many or more. While recording is off, events may
 * arrive without references for a long time. */
static rd_status limit_events(live_reader *l) {
    if (l->events.n < l->events_many)
        return RD_OK;
    RD_TRY(rdi_event_list_compact(&l->events));
    l->events_many = 2 * l->events.n > EVENTS_MANY ? 2 * l->events.n : EVENTS_MANY;
    return RD_OK;
}

/* Converts a recorder's number of a calling context to its number in the trace, which contains `tag`,
 * so that contexts of different processes have different numbers. 0, no context, stays 0. */
static uint64_t context_number(uint64_t context, uint64_t tag) {
    return context ? context ^ tag : 0;
}

static rd_status add_event(live_reader *l, const rd_event *event, size_t path_bytes) {
    RD_TRY(rdi_event_list_add(&l->events, event, path_bytes));
    return rdi_event_check(&l->events.items[l->events.n - 1])
               ? rdi_fail(l->r->ctx, RD_EFORMAT, DAMAGED "an invalid event")
               : RD_OK;
}

/* Appends the event at `words`, which comes before reference `n` of this batch; an event of kind 0
 * is skipped. Before an allocation that has a calling context, the function also appends an event
 * RD_EVENT_CALLER. `head` is a copy of the first word of the event, whose size the caller has
 * checked. The word itself is not read again, because the recorded program may have changed it. */
static rd_status take_event(live_reader *l, uint64_t head, const uint64_t *words, uint64_t tag,
                            size_t n) {
    rd_event event = {.at = l->r->done + n,
                      .kind = (rd_event_kind)RDI_EVENT_KIND(head),
                      .thread = RDI_EVENT_THREAD(head),
                      .address = words[1] ^ tag,
                      .size = words[2],
                      .pc = words[3] ? words[3] ^ tag : 0,
                      .path = (const char *)(words + RDI_EVENT_WORDS)};
    if (event.kind == 0)
        return RD_OK;
    if (event.kind == RD_EVENT_MODULE) /* `pc` is the load bias, including the tag */
        event.pc = event.address - (words[1] - words[3]);
    if (event.kind == RD_EVENT_CONTEXT)
        event.size = context_number(words[2], tag);
    if (event.kind == RD_EVENT_ALLOCATE && l->context) {
        rd_event caller = {.at = event.at, .kind = RD_EVENT_CALLER, .thread = event.thread};
        caller.address = l->context;
        RD_TRY(add_event(l, &caller, 0));
    }
    if (!rdi_event_info_of(event.kind))
        return rdi_fail(l->r->ctx, RD_EFORMAT, DAMAGED "an invalid event");
    return add_event(l, &event, RDI_EVENT_PATH_BYTES(head));
}

/* Copies the references of one word each that come before the next event, but at most `most`, to
 * `to`. Returns their number. The innermost loop has no branches, so that compilers vectorize
 * it. */
static size_t copy_references(const live_reader *l, uint64_t *restrict to, size_t most) {
    const uint64_t *from = l->words + l->at;
    most = l->end - l->at < most ? l->end - l->at : most;
    for (size_t k = 0, run; k < most; k += run) {
        uint64_t events = 0;
        run = most - k < RUN_MAX ? most - k : RUN_MAX;
        fetch_ahead(l, from + k);
        for (size_t i = k; i < k + run; i++) {
            to[i] = from[i];
            events |= to[i] & to[i] >> 1 & 1; /* the kind RDI_RECORD_EVENT has both bits */
        }
        if (events) {
            while (k < most && (to[k] & 3) != RDI_RECORD_EVENT)
                k++;
            return k;
        }
    }
    return most;
}

/* Decodes up to RDI_REFS_MAX references and the events between them. Sets *n to the number of
 * references, and *good to whether all of them are valid. */
static rd_status decode_events(live_reader *l, uint64_t tag, size_t *n, bool *good) {
    rdi_columns *col = l->r->col;
    uint64_t words[RDI_REFS_MAX];
    size_t step = record_words(l);
    for (*n = 0; l->end - l->at >= step && *n < RDI_REFS_MAX;) {
        const uint64_t *next = l->words + l->at;
        size_t copied = step == 1 ? copy_references(l, words + *n, RDI_REFS_MAX - *n) : 0;
        l->at += copied;
        *n += copied;
        if (copied > 0)
            continue;
        uint64_t head = __atomic_load_n(next, __ATOMIC_RELAXED); /* read once, see take_event() */
        if ((head & 3) != RDI_RECORD_EVENT) {
            words[*n] = head;
            if (l->contexts)
                l->contexts[*n] = l->context;
            col->pc[(*n)++] = next[1] ^ tag;
            l->at += step;
            continue;
        }
        if (RDI_EVENT_KIND(head) == RDI_CONTEXT_SWITCH) {
            l->context = context_number(RDI_EVENT_THREAD(head), tag);
            l->at += RDI_SWITCH_WORDS;
            continue;
        }
        size_t size = (size_t)rdi_channel_event_words(head);
        if (size > l->end - l->at)
            return rdi_fail(l->r->ctx, RD_EFORMAT, DAMAGED "an incomplete event");
        RD_TRY(take_event(l, head, next, tag, *n));
        if (*n == 0)
            RD_TRY(limit_events(l));
        l->at += size;
    }
    *good = l->decode_words(words, *n, tag, col);
    return RD_OK;
}

/* Decodes the next records of the buffer into columns. Sets *n to the number of references; 0:
 * there were only events. */
static rd_status decode(live_reader *l, size_t *n) {
    const rdi_buffer *buffer = &l->live->channel->buffer[l->buffer];
    const rd_live_config *config = &l->live->config;
    const uint64_t *words = l->words + l->at;
    rdi_columns *col = l->r->col;
    uint64_t tag = (uint64_t)buffer->process << PROCESS_SHIFT;
    bool good = true;
    if (has_events(l)) {
        RD_TRY(decode_events(l, tag, n, &good));
    } else {
        *n = (l->end - l->at) / record_words(l);
        *n = *n < RDI_REFS_MAX ? *n : RDI_REFS_MAX;
        if (config->collapse_bytes && !config->pc)
            *n = decode_runs(l, words, *n, tag, &good);
        else
            good = config->pc ? decode_pairs(l, words, *n, tag, col)
                              : l->decode_words(words, *n, tag, col);
        l->at += *n * record_words(l);
    }
    const uint32_t thread = buffer->thread;
    for (size_t i = 0; i < *n && config->thread; i++)
        col->thread[i] = thread;
    if (!good)
        return rdi_fail(l->r->ctx, RD_EFORMAT, DAMAGED "an invalid reference");
    return RD_OK;
}

static rd_status live_open(void *self, rdi_reader *r) {
    live_reader *l = self;
    l->r = r;
    r->processes = true;
    l->live = r->source;
    l->buffer = -1;
    l->decode_words = rdi_choose_decode_words(l->live->vector_bits);
    l->decode_bare = rdi_choose_decode_bare(l->live->vector_bits);
    l->events.ctx = r->ctx;
    l->events_many = EVENTS_MANY;
    if (l->live->config.contexts)
        l->contexts = rdi_alloc(r->ctx, RDI_REFS_MAX, sizeof *l->contexts);
    return l->live->config.contexts && !l->contexts ? RD_ENOMEM : RD_OK;
}

static void live_close(void *self) {
    live_reader *l = self;
    rdi_event_list_free(&l->events);
    if (l->contexts)
        rdi_free(l->r->ctx, l->contexts);
}

/* Reads the next references, and the events before and among them. *n must be 0, and becomes the number
 * of references; it stays 0 only at the end of the trace. */
static rd_status read_records(live_reader *l, size_t *n) {
    rdi_event_list_clear(&l->events);
    while (*n == 0) {
        if (l->end - l->at >= record_words(l)) {
            RD_TRY(decode(l, n));
            continue;
        }
        if (l->buffer >= 0)
            release_buffer(l);
        l->at = l->end = 0;
        RD_TRY(next_buffer(l));
        if (l->buffer < 0) {
            l->r->never_began = rd_live_programs(l->live) == 0;
            break;
        }
    }
    l->r->events = l->events.items;
    l->r->event_count = l->events.n;
    return RD_OK;
}

static rd_status live_read(void *self, rd_refs *refs) {
    live_reader *l = self;
    const rd_live_config *config = &l->live->config;
    const rdi_columns *col = l->r->col;
    size_t n = 0;
    RD_TRY(read_records(l, &n));
    bool kinds = !l->bare || config->collapse_loads;
    l->r->done += n;
    *refs = (rd_refs){
        .n = n,
        .fields = (l->bare ? 0 : RD_FIELD_SIZE) | (kinds ? RD_FIELD_KIND : 0) |
                  (config->pc ? RD_FIELD_PC : 0) | (config->thread ? RD_FIELD_THREAD : 0) |
                  (config->events ? RD_FIELD_EVENTS : 0) | (config->sync ? RD_FIELD_SYNC : 0) |
                  (config->contexts ? RD_FIELD_CONTEXT : 0),
        .addr = col->addr,
        .size = l->bare ? NULL : col->size,
        .kind = kinds ? col->kind : NULL,
        .pc = config->pc ? col->pc : NULL,
        .thread = config->thread ? col->thread : NULL,
        .more = {[RD_MORE_CONTEXT] = l->contexts}};
    return RD_OK;
}

static void live_omitted(const void *self, uint64_t *skipped, uint64_t *repeats) {
    const rd_live *live = ((const live_reader *)self)->live;
    *skipped = __atomic_load_n(&live->channel->skipped, __ATOMIC_RELAXED);
    *repeats = live->repeats;
}

static const rdi_format_ops live_ops = {
    .info =
        {
            .name = "live",
            .summary = "a running program",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD |
                      RD_FIELD_EVENTS | RD_FIELD_SYNC | RD_FIELD_CONTEXT,
        },
    .state_size = sizeof(live_reader),
    .open = live_open,
    .read = live_read,
    .omitted = live_omitted,
    .close = live_close,
};

rd_status rd_trace_open_live(rd_ctx *ctx, rd_live *live, rd_trace **out) {
    RDI_NEED(ctx, ctx, live, out);
    return rdi_trace_open_from(ctx, &live_ops, live, out);
}
