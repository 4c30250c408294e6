/* Reads a trace in a fuzz target. See fuzz_read.h. */
#include "fuzz/fuzz_read.h"

#include "fuzz/fuzz.h"

#include <string.h>

#define REFERENCES_MAX 200000 /* maximum number of references to read: many batches */
#define BLOCKS_MAX     100000

size_t fuzz_take_spec(const char *format, const uint8_t *data, size_t n, char *spec, size_t room) {
    snprintf(spec, room, "%s", format);
    const uint8_t *end = n && data[0] == ':' ? memchr(data, '\n', n) : NULL;
    size_t length = end ? (size_t)(end - data) : 0;
    size_t used = strlen(spec);
    if (!end || strcmp(spec, "auto") == 0 || used + length + 1 > room)
        return 0;
    memcpy(spec + used, data, length);
    spec[used + length] = '\0';
    return length + 1;
}

static void check_batch(const rd_refs *refs) {
    FUZZ_CHECK(refs->n <= 4096, "a batch has %zu references, more than 4096", refs->n);
    FUZZ_CHECK(!refs->n || refs->addr, "a batch has no addresses");
    uint64_t sum = 0;
    for (size_t i = 0; i < refs->n; i++) {
        sum += refs->addr[i];
        sum += refs->pc ? refs->pc[i] : 0;
        sum += refs->thread ? refs->thread[i] : 0;
        for (unsigned j = 0; j < RD_MORE_COLUMNS; j++)
            sum += refs->more[j] ? refs->more[j][i] : 0;
        FUZZ_CHECK(!refs->size || refs->size[i] >= 1, "a reference has the size 0");
        FUZZ_CHECK(!refs->kind || refs->kind[i] == RD_LOAD || refs->kind[i] == RD_STORE ||
                       refs->kind[i] == RD_FETCH,
                   "a reference has the unknown kind %u", refs->kind[i]);
    }
    volatile uint64_t seen = sum; /* reads every column, so that sanitizers check it */
    (void)seen;
}

/* Checks the events of a batch. `first` is the number of references before the batch. */
static void check_events(const rd_trace *t, const rd_refs *refs, uint64_t first) {
    const rd_event *events = NULL;
    size_t n = rd_trace_events(t, &events);
    uint64_t at = first;
    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(events[i].at >= at && events[i].at <= first + refs->n - (refs->n > 0),
                   "the event before reference %llu is not in this batch or out of order",
                   (unsigned long long)events[i].at);
        FUZZ_CHECK(events[i].kind >= RD_EVENT_MODULE && events[i].kind <= RD_EVENT_UNLOAD,
                   "an event has the unknown kind %d", (int)events[i].kind);
        FUZZ_CHECK((events[i].kind == RD_EVENT_MODULE) == (events[i].path && events[i].path[0]),
                   "a module has no path, or another event has one");
        at = events[i].at;
    }
}

static rd_status map_batch(rd_mapper *m, const rd_refs *refs, uint64_t *blocks) {
    const uint64_t *out = NULL;
    size_t n = 0;
    rd_status status;
    rd_mapper_feed(m, refs);
    while ((status = rd_mapper_next(m, &out, &n)) == RD_OK && n > 0 && *blocks < BLOCKS_MAX)
        *blocks += n;
    return status;
}

static rd_status read_all(rd_ctx *ctx, rd_trace *t) {
    rd_mapper *m = NULL;
    uint64_t references = 0, blocks = 0;
    const rd_refs *refs = NULL;
    rd_status status =
        rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64}, &m);
    while (status == RD_OK && references < REFERENCES_MAX && blocks < BLOCKS_MAX) {
        status = rd_trace_read(t, &refs);
        if (status == RD_OK)
            check_events(t, refs, references);
        if (status != RD_OK || refs->n == 0)
            break;
        check_batch(refs);
        references += refs->n;
        status = map_batch(m, refs, &blocks);
    }
    rd_mapper_free(m);
    return status;
}

static void read_fields(const char *spec, const uint8_t *data, size_t n, uint32_t fields) {
    rd_ctx *ctx = fuzz_ctx_new();
    rd_trace *t = NULL;
    rd_status status = rd_trace_open_memory(ctx, "input", data, n, spec, &t);
    if (status == RD_OK)
        status = rd_trace_select(t, fields);
    if (status == RD_OK)
        status = read_all(ctx, t);
    fuzz_check_failure(ctx, status);
    rd_trace_close(t);
    fuzz_ctx_free(ctx);
}

/* Reads the trace without and with the columns of requests. */
void fuzz_read_trace(const char *spec, const uint8_t *data, size_t n) {
    read_fields(spec, data, n, 0);
    read_fields(spec, data, n, RD_REQUEST_FIELDS);
}
