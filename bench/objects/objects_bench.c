/* Measures the speed of the analysis of object caches, and writes traces for comparisons with
 * simulators.
 *
 * usage: objects_bench measure [REQUESTS [REPEAT [TRACE]]]
 *        objects_bench write FOLDER [REQUESTS [TRACE]]
 *
 * `measure` analyzes requests in memory, and prints a line of JSON per trace and repetition. The line
 * has the processor seconds of the plain byte curve; the processor seconds of the same requests with
 * operations, times, lifetimes and, in the first three traces, changing sizes, once with eager and once
 * with lazy expiry; and the peak memory per object. `write` writes the plain requests of TRACE, or of the
 * first three traces, to FOLDER as oracleGeneral records, and the requests of `web` also as CSV.
 *
 *   zipf    Zipf 0.99, 4 Mi objects
 *   drift   Zipf 0.8 over a range of 1 Mi objects that moves by one object every 16 requests; a
 *           tenth of the requests scan 8 Mi other objects in turn
 *   web     Zipf 0.7, 1 Mi objects
 *   expire-1, expire-3, expire-10
 *           every request is a write with a lifetime of up to 100,000 seconds, uniformly distributed,
 *           to one of 1,000,000 objects, all equally popular; 1, 3 or 10 requests per second of the
 *           trace. Few objects are present, and almost every request lets another object expire.
 *   expire-3-small
 *           like expire-3, but with 200,000 objects
 *
 * The sizes of objects are log-normal and do not depend on their popularity. */
#include "reusedist/experimental.h"
#include "reusedist/objects.h"
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND        UINT64_C(1000000000)
#define SIZE_LEAST    64
#define SIZE_MOST     (UINT64_C(16) << 20)
#define SCAN_IDS      (UINT64_C(1) << 40) /* the ids of scanned objects begin here */
#define NEVER_AGAIN   (-1)
#define RECORD        24
#define REQUESTS      20000000
#define REPEAT        5
#define LIFETIME_BITS 14     /* lifetimes of mixed operations are 1 to 2^14 seconds */
#define LIFETIME_MOST 100000 /* longest lifetime in seconds if all requests are writes */

typedef struct kind {
    const char *name, *generator;
    double median, spread; /* sizes of objects: median in bytes, and sigma of the logarithm */
    unsigned per_second;   /* requests per second of the trace */
    bool writes; /* true: all requests are writes; false: operations and sizes are mixed */
} kind;

static const kind kinds[] = {
    {"zipf", "zipf:blocks=4M,alpha=0.99,stride=1", 4096, 1.5, 2000, false},
    {"drift", "zipf:blocks=1M,alpha=0.8,stride=1", 16384, 1.2, 2000, false},
    {"web", "zipf:blocks=1M,alpha=0.7,stride=1", 12000, 2, 2000, false},
    {"expire-1", "uniform:blocks=1000000,stride=1", 4096, 1.5, 1, true},
    {"expire-3", "uniform:blocks=1000000,stride=1", 4096, 1.5, 3, true},
    {"expire-10", "uniform:blocks=1000000,stride=1", 4096, 1.5, 10, true},
    {"expire-3-small", "uniform:blocks=200000,stride=1", 4096, 1.5, 3, true},
};

/* All columns of a trace. The plain trace has `id`, `bytes` and `time` only. */
typedef struct requests {
    size_t n;
    uint64_t *id, *bytes, *time, *changed, *lifetime, *operation;
} requests;

static void stop(const char *what) {
    fprintf(stderr, "objects_bench: %s\n", what);
    exit(1);
}

static void need(rd_ctx *ctx, rd_status status) {
    if (status != RD_OK)
        stop(rd_last_error(ctx));
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t *column(size_t n) {
    uint64_t *c = malloc(n * sizeof *c);
    if (!c)
        stop("out of memory");
    return c;
}

/* ---- requests ---- */

/* Returns a hash of x: a step of the generator SplitMix64. */
static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns a number above 0 and at most 1. */
static double unit(uint64_t hash) {
    return (double)((hash >> 11) + 1) * 0x1p-53;
}

static uint64_t size_of(const kind *k, uint64_t id) {
    double normal = sqrt(-2 * log(unit(mix(id)))) * cos(6.283185307179586 * unit(mix(~id)));
    double size = k->median * exp(k->spread * normal);
    return size < SIZE_LEAST ? SIZE_LEAST : size > (double)SIZE_MOST ? SIZE_MOST : (uint64_t)size;
}

static void generate_ids(rd_ctx *ctx, const kind *k, requests *q) {
    char spec[128];
    rd_trace *trace = NULL;
    const rd_refs *refs = NULL;
    size_t at = 0;
    snprintf(spec, sizeof spec, "%s,refs=%zu", k->generator, q->n);
    need(ctx, rd_trace_generate(ctx, spec, &trace));
    while (need(ctx, rd_trace_read(trace, &refs)), refs->n > 0) {
        memcpy(q->id + at, refs->addr, refs->n * sizeof *q->id);
        at += refs->n;
    }
    rd_trace_close(trace);
    for (size_t i = 0; i < q->n && strcmp(k->name, "drift") == 0; i++)
        q->id[i] = mix(i) % 10 == 0 ? SCAN_IDS + i / 10 % (UINT64_C(8) << 20) : q->id[i] + i / 16;
}

/* Returns the operation for a number below 100: 70 of the numbers give reads, 24 writes, 3 touches,
 * 1 a get-and-touch, and 2 deletes. */
static uint64_t operation_of(uint64_t dice) {
    return dice < 70   ? RD_OPERATION_READ
           : dice < 94 ? RD_OPERATION_WRITE
           : dice < 97 ? RD_OPERATION_TOUCH
           : dice < 98 ? RD_OPERATION_READ_TOUCH
                       : RD_OPERATION_DELETE;
}

/* Sets the operation, the size and the lifetime of request i. If operations are mixed, about half of
 * the requests have the size of their object, and all other requests are up to 7/8 larger; only writes
 * set a lifetime, and one object in eight never expires. */
static void complete_request(const kind *k, requests *q, size_t i) {
    uint64_t dice = mix(i + q->n), h = mix(q->id[i] + q->n);
    if (k->writes) {
        q->operation[i] = RD_OPERATION_WRITE;
        q->changed[i] = q->bytes[i];
        q->lifetime[i] = (1 + dice % LIFETIME_MOST) * SECOND;
        return;
    }
    double lifetime = exp2(LIFETIME_BITS * unit(mix(h)));
    q->operation[i] = operation_of(dice % 100);
    q->changed[i] = q->bytes[i] + (dice >> 32) % 8 * (q->bytes[i] / 8) * (dice >> 48 & 1);
    q->lifetime[i] =
        h % 8 && q->operation[i] == RD_OPERATION_WRITE ? (uint64_t)(lifetime * (double)SECOND) : 0;
}

/* Makes the plain trace and, if `full` is true, the other columns. */
static requests make_requests(rd_ctx *ctx, const kind *k, size_t n, bool full) {
    requests q = {.n = n, .id = column(n), .bytes = column(n), .time = column(n)};
    generate_ids(ctx, k, &q);
    for (size_t i = 0; i < n; i++) {
        q.bytes[i] = size_of(k, q.id[i]);
        q.time[i] = i / k->per_second * SECOND;
    }
    if (!full)
        return q;
    q.changed = column(n);
    q.lifetime = column(n);
    q.operation = column(n);
    for (size_t i = 0; i < n; i++)
        complete_request(k, &q, i);
    return q;
}

static void free_requests(requests *q) {
    free(q->id);
    free(q->bytes);
    free(q->time);
    free(q->changed);
    free(q->lifetime);
    free(q->operation);
}

/* ---- measuring ---- */

typedef struct result {
    double seconds;
    uint64_t objects, cold;
    size_t peak; /* peak memory in bytes */
} result;

static result analyze(const rd_requests *q, rd_expiry expiry) {
    result r = {0};
    rd_ctx *ctx = NULL;
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    rd_objects_config config = {.size = sizeof config, .expiry = expiry};
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        stop("out of memory");
    double begin = seconds_now();
    need(ctx, rd_objects_new(ctx, &config, &o));
    need(ctx, rd_objects_feed(o, q, NULL));
    need(ctx, rd_objects_profile(o, &p));
    r.seconds = seconds_now() - begin;
    r.objects = rd_profile_objects(p)->objects;
    r.cold = rd_profile_objects(p)->cold.requests;
    r.peak = rd_ctx_peak_bytes(ctx);
    rd_profile_free(p);
    rd_objects_free(o);
    rd_ctx_free(ctx);
    return r;
}

static void measure(rd_ctx *ctx, const kind *k, size_t n, unsigned repeat) {
    requests q = make_requests(ctx, k, n, true);
    const rd_requests plain = {.n = n, .id = q.id, .bytes = q.bytes};
    const rd_requests full = {.n = n,
                              .id = q.id,
                              .bytes = q.changed,
                              .time = q.time,
                              .lifetime = q.lifetime,
                              .operation = q.operation};
    analyze(&plain, RD_EXPIRY_EAGER); /* a first run makes the system find free huge pages */
    for (unsigned turn = 0; turn < repeat; turn++) {
        result a = analyze(&plain, RD_EXPIRY_EAGER), b = analyze(&full, RD_EXPIRY_EAGER);
        result c = analyze(&full, RD_EXPIRY_LAZY);
        printf("{\"trace\": \"%s\", \"turn\": %u, \"requests\": %zu, \"objects\": %" PRIu64
               ", \"plain_s\": %.3f, \"eager_s\": %.3f, \"lazy_s\": %.3f"
               ", \"plain_bytes_per_object\": %.1f, \"full_bytes_per_object\": %.1f}\n",
               k->name, turn, n, a.objects, a.seconds, b.seconds, c.seconds,
               (double)a.peak / (double)a.objects, (double)b.peak / (double)b.objects);
        fflush(stdout);
    }
    free_requests(&q);
}

/* ---- files ---- */

static void store(uint8_t *to, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Writes request i as an oracleGeneral record. The field for the next request to the object is -1,
 * because LRU does not need it. */
static void write_record(FILE *out, const requests *q, size_t i) {
    uint8_t record[RECORD];
    store(record, q->time[i] / SECOND + 1, 4);
    store(record + 4, q->id[i], 8);
    store(record + 12, q->bytes[i], 4);
    store(record + 16, (uint64_t)NEVER_AGAIN, 8);
    if (fwrite(record, RECORD, 1, out) != 1)
        stop("cannot write the trace to the folder");
}

/* Writes the requests to FOLDER/NAME, as CSV or as oracleGeneral records. */
static void write_file(const requests *q, const char *folder, const char *name, bool csv) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, csv ? "csv" : "oracleGeneral");
    FILE *out = fopen(path, "w");
    if (!out)
        stop("cannot write the trace to the folder");
    if (csv)
        fputs("time,id,size\n", out);
    for (size_t i = 0; i < q->n; i++) {
        if (csv)
            fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", q->time[i] / SECOND + 1, q->id[i],
                    q->bytes[i]);
        else
            write_record(out, q, i);
    }
    if (fclose(out) != 0)
        stop("cannot write the trace to the folder");
}

static void write_trace(rd_ctx *ctx, const kind *k, size_t n, const char *folder) {
    requests q = make_requests(ctx, k, n, false);
    write_file(&q, folder, k->name, false);
    if (strcmp(k->name, "web") == 0)
        write_file(&q, folder, k->name, true);
    free_requests(&q);
}

static size_t number(const char *text, size_t otherwise) {
    return text ? (size_t)strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    bool writes = argc > 1 && strcmp(argv[1], "write") == 0;
    bool measures = argc > 1 && strcmp(argv[1], "measure") == 0;
    rd_ctx *ctx = NULL;
    if (!(writes && argc >= 3) && !measures)
        stop("usage: objects_bench measure [REQUESTS [REPEAT [TRACE]]]\n"
             "       objects_bench write FOLDER [REQUESTS [TRACE]]");
    char **more = argv + (writes ? 3 : 2); /* ends with NULL */
    size_t n = number(more[0], REQUESTS);
    const char *trace = more[0] && !writes && more[1] ? more[2] : more[0] ? more[1] : NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        stop("out of memory");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        /* Simulators ignore lifetimes, and without lifetimes the traces of writes are all alike. */
        if (trace ? strcmp(trace, kinds[i].name) != 0 : writes && kinds[i].writes)
            continue;
        if (writes)
            write_trace(ctx, &kinds[i], n, argv[2]);
        else
            measure(ctx, &kinds[i], n, (unsigned)number(more[0] ? more[1] : NULL, REPEAT));
    }
    rd_ctx_free(ctx);
    return 0;
}
