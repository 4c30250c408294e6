/* Processes requests: finds the byte distance of each, and keeps the state of an infinite cache.
 * See reusedist/objects.h. */
#include "base/sized.h"
#include "objects/objects_state.h"

#include <string.h>

#define TILE      RDI_OBJECTS_TILE /* number of requests whose memory accesses overlap */
#define STAGES    4                /* number of tiles in progress, each at a different stage */
#define RING      (TILE * STAGES)
#define RUN       RDI_EXPIRY_STEP     /* requests per run; room is made once per run */
#define AXIS_UNIT (UINT64_C(1) << 16) /* smallest number of slots of the axis */
#define GROUP     4                   /* larger expiring groups were probably not announced */

/* One request. The lifetime is in nanoseconds; 0: none is given. */
typedef struct request {
    uint64_t bytes, lifetime;
    uint64_t operation;
    uint32_t number; /* number of the object in the table */
} request;

rd_status rd_objects_new(rd_ctx *ctx, const rd_objects_config *config, rd_objects **out) {
    RDI_NEED(ctx, ctx, out);
    rd_objects_config known = {0};
    if (config)
        RD_TRY(rdi_sized_copy(ctx, "rd_objects_config", config, &known, sizeof known));
    if (known.n_sizes)
        RDI_NEED(ctx, known.sizes);
    if (!(known.sample_rate >= 0 && known.sample_rate <= 1) || (known.sample_rate && known.every))
        return rdi_fail(ctx, RD_EINVAL,
                        known.every ? "stretches of time (--every) cannot be combined with a "
                                      "sample; analyze all objects"
                                    : "the sample rate is %g; it must be from 0 to 1",
                        known.sample_rate);
    rd_objects *o = rdi_calloc(ctx, 1, sizeof *o);
    if (!o)
        return RD_ENOMEM;
    o->ctx = ctx;
    o->config = known;
    o->warmup = known.warmup;
    o->moments.stride = o->moments.until = 1;
    rd_status status = rdi_byte_bins_init(&o->bins, ctx, known.sizes, known.n_sizes);
    if (status == RD_OK)
        status = rdi_stretches_init(&o->stretches, ctx, known.every, &o->bins, known.sizes,
                                    known.n_sizes);
    if (status == RD_OK && known.sample_rate > 0) {
        o->sample = rdi_object_sample_new(ctx, known.sample_rate, known.sample_seed);
        o->warmup = known.warmup ? UINT64_MAX : 0;
        status = o->sample ? RD_OK : RD_ENOMEM;
    }
    if (status == RD_OK)
        status = rdi_object_table_init(&o->table, ctx);
    if (status == RD_OK)
        status = rdi_weight_axis_init(&o->axis, ctx, AXIS_UNIT);
    if (status != RD_OK) {
        rd_objects_free(o);
        return status;
    }
    *out = o;
    return RD_OK;
}

uint64_t rd_objects_requests(const rd_objects *o) {
    return !o ? 0 : o->sample ? o->sample->requests : o->requests;
}

void rd_objects_free(rd_objects *o) {
    if (!o)
        return;
    rdi_weight_axis_fini(&o->axis, o->ctx);
    rdi_object_table_fini(&o->table, o->ctx);
    rdi_expiry_fini(&o->queue, o->ctx);
    rdi_byte_bins_fini(&o->bins, o->ctx);
    rdi_stretches_fini(&o->stretches, o->ctx);
    rdi_free(o->ctx, o->sample);
    rdi_free(o->ctx, o);
}

/* Counts all requests of the list o->found in one loop, so that their memory accesses overlap. */
static void count_found(rd_objects *o) {
    for (size_t i = 0; i < o->n_found; i++)
        rdi_byte_bins_add(&o->bins, o->found[i].distance, o->found[i].bytes);
    o->n_found = 0;
}

/* ---- time ---- */

static bool is_present(const rdi_cached *x) {
    return rdi_cached_state_of(x) == RDI_CACHED_PRESENT;
}

/* Returns whether the object is absent even from an infinite cache in which nothing expires. */
static bool is_absent(const rdi_cached *x) {
    return rdi_cached_state_of(x) == RDI_CACHED_NEW || rdi_cached_state_of(x) == RDI_CACHED_DELETED;
}

/* Removes an object whose lifetime has ended from the cache or, if expiry is lazy, marks it as
 * stale. */
static void expire_object(rd_objects *o, rdi_cached *x) {
    o->live -= x->bytes;
    rdi_cached_set_state(x, RDI_CACHED_STALE);
    if (o->config.expiry == RD_EXPIRY_LAZY)
        return;
    rdi_weight_remove(&o->axis, x->slot);
    x->slot = 0;
    rdi_cached_set_state(x, RDI_CACHED_EXPIRED);
}

/* Prefetches what expire() will need. The queue of expirations calls this function. */
static void prepare_expiry(void *user, const uint32_t *number, unsigned n) {
    const rd_objects *o = user;
    for (unsigned i = 0; i < n && o->config.expiry == RD_EXPIRY_EAGER; i++)
        rdi_weight_prefetch(&o->axis, o->table.object[number[i]].slot);
}

/* Removes n objects whose lifetime has ended, or marks them as stale. The queue of expirations calls
 * this function. Objects that expire in a large group were not announced, so their memory accesses
 * are made to overlap here. */
static void expire(void *user, const uint32_t *number, unsigned n) {
    rd_objects *o = user;
    if (n > GROUP)
        prepare_expiry(o, number, n);
    for (unsigned i = 0; i < n; i++)
        expire_object(o, &o->table.object[number[i]]);
}

/* Advances the present time to `time`, the time of request i of the run. If `time` is before the
 * present time, the function only counts the request in o->backwards. */
static void advance(rd_objects *o, size_t i, uint64_t time) {
    o->backwards += time < o->now;
    if (time <= o->now)
        return;
    o->now = time;
    if (rdi_stretches_ended(&o->stretches, time)) {
        count_found(o);
        rdi_object_totals totals = rdi_objects_totals(o);
        rdi_stretches_turn(&o->stretches, o->ctx, &o->bins, &totals, time);
    }
    if (o->queue.room)
        rdi_expiry_reach(&o->queue, i, time, expire, o);
}

/* Begins the lifetime of an object that was written, refetched or renewed now. */
static void begin_lifetime(rd_objects *o, uint32_t number, uint64_t lifetime) {
    uint64_t end;
    if (!o->queue.room)
        return;
    o->queue.entry[number].lifetime = lifetime;
    if (lifetime == 0 || __builtin_add_overflow(o->now, lifetime, &end))
        end = 0;
    rdi_expiry_set(&o->queue, number, end);
}

/* Returns the lifetime that a request gives, or else the lifetime that the object got before. */
static uint64_t lifetime_or_old(const rd_objects *o, const request *r) {
    return r->lifetime || !o->queue.room ? r->lifetime : o->queue.entry[r->number].lifetime;
}

/* ---- operations ---- */

static void add_traffic(rdi_traffic *t, uint64_t bytes) {
    t->requests++;
    t->bytes += bytes;
}

static void add_sum(rdi_traffic *t, const rdi_traffic *more) {
    t->requests += more->requests;
    t->bytes += more->bytes;
}

/* Counts a request unless it belongs to the warm-up or its operation does not count. `distance` is
 * its byte distance or, for a miss of an infinite cache, the cause RD_MISS_*. A request with a byte
 * distance also goes to the list o->found, for count_found(). `before` is the size of the object
 * before the request. */
static void count(rd_objects *o, const request *r, uint64_t distance, uint64_t before) {
    if (o->requests <= o->warmup || !rdi_objects_counts(o, r->operation))
        return;
    uint64_t needed = distance + before - (distance + before > 0);
    if (RDI_UNLIKELY(o->sample))
        needed = rdi_object_sample_count(o->sample, o->table.object[r->number].id, r->operation,
                                         distance, before, r->bytes);
    add_traffic(&o->counted, r->bytes);
    if (distance == RD_MISS_COLD)
        add_traffic(&o->cold, r->bytes);
    else if (distance == RD_MISS_DELETED)
        add_traffic(&o->deleted, r->bytes);
    else if (distance == RD_MISS_EXPIRED)
        add_traffic(&o->expired, r->bytes);
    else
        o->found[o->n_found++] = (rdi_found){needed, r->bytes};
}

/* Makes the object the most recent one, with the size of the request. Returns the byte distance or,
 * for a miss of an infinite cache, the cause RD_MISS_*. */
static uint64_t use(rd_objects *o, const request *r) {
    static const uint64_t misses[] = {
        [RDI_CACHED_NEW] = RD_MISS_COLD,
        [RDI_CACHED_STALE] = RD_MISS_EXPIRED,
        [RDI_CACHED_EXPIRED] = RD_MISS_EXPIRED,
        [RDI_CACHED_DELETED] = RD_MISS_DELETED,
    };
    rdi_cached *x = &o->table.object[r->number];
    uint64_t distance = 0;
    bool present = is_present(x);
    o->live += r->bytes - (present ? x->bytes : 0);
    /* Without expiry, an expired object would still be in the cache. */
    bool counted = !is_absent(x);
    o->no_expiry += r->bytes - (counted ? x->bytes : 0);
    if (x->slot)
        x->slot = rdi_weight_move(&o->axis, x->slot, r->number, x->bytes, r->bytes, &distance);
    else
        x->slot = rdi_weight_push(&o->axis, r->number, r->bytes);
    if (!present)
        distance = misses[rdi_cached_state_of(x)];
    x->bytes = r->bytes;
    rdi_cached_use(x);
    return distance;
}

static void delete_object(rd_objects *o, const request *r) {
    rdi_cached *x = &o->table.object[r->number];
    if (is_absent(x))
        return;
    if (is_present(x))
        o->live -= x->bytes;
    o->no_expiry -= x->bytes;
    if (x->slot)
        rdi_weight_remove(&o->axis, x->slot);
    if (o->queue.room)
        rdi_expiry_set(&o->queue, r->number, 0);
    x->slot = 0;
    rdi_cached_set_state(x, RDI_CACHED_DELETED);
}

static uint64_t process(rd_objects *o, request *r) {
    const rdi_cached *x = &o->table.object[r->number];
    uint64_t before = x->bytes;
    bool present = is_present(x);
    if (RDI_UNLIKELY(r->operation == RD_OPERATION_DELETE)) {
        delete_object(o, r);
        return RD_NO_DISTANCE;
    }
    if (RDI_UNLIKELY(r->operation == RD_OPERATION_TOUCH)) {
        if (!present) {
            o->absent_touches++;
            return RD_NO_DISTANCE;
        }
        r->bytes = before;
    }
    uint64_t distance = use(o, r);
    if (RDI_UNLIKELY(r->operation == RD_OPERATION_WRITE)) {
        o->unlimited += o->gives_lifetimes && r->lifetime == 0;
        begin_lifetime(o, r->number, r->lifetime);
    }
    if (RDI_UNLIKELY((!present && r->operation == RD_OPERATION_READ) ||
                     r->operation == RD_OPERATION_TOUCH || r->operation == RD_OPERATION_READ_TOUCH))
        begin_lifetime(o, r->number, lifetime_or_old(o, r));
    count(o, r, distance, before);
    return distance;
}

/* ---- batches ---- */

/* Checks a request and counts it by its operation. */
static rd_status note_request(rd_objects *o, const request *r) {
    RD_TRY(rdi_objects_check(o, o->requests + 1, r->bytes, r->operation));
    if (RDI_LIKELY(r->operation != RD_OPERATION_DELETE && r->operation != RD_OPERATION_TOUCH)) {
        const rdi_cached *x = &o->table.object[r->number];
        if (RDI_UNLIKELY(o->no_expiry - (is_absent(x) ? 0 : x->bytes) + r->bytes >=
                         RDI_OBJECTS_BYTES_MAX))
            return rdi_objects_refuse(o, o->requests + 1, r->bytes, r->operation);
        o->largest = r->bytes > o->largest ? r->bytes : o->largest;
    }
    add_traffic(&o->by_operation[r->operation], r->bytes);
    o->empty += r->bytes == 0;
    o->requests++;
    return RD_OK;
}

static rd_status make_room(rd_objects *o, uint64_t n) {
    RD_TRY(rdi_object_table_room(&o->table, o->ctx, n));
    if (o->has_lifetimes)
        RD_TRY(rdi_expiry_room(&o->queue, o->ctx, &o->table, n, o->now));
    rdi_slot_places slots = {&o->table.object->slot, sizeof *o->table.object};
    return rdi_weight_axis_room(&o->axis, o->ctx, n, slots);
}

/* The requests of the tiles that are being processed. Each stage prefetches the memory that the
 * next stage needs. */
typedef struct ring {
    uint64_t hash[RING], place[RING];
    uint32_t number[RING];
} ring;

/* A tile: the requests from `begin` to `end` - 1 of a run. */
typedef struct range {
    size_t begin, end;
} range;

/* Prefetches the values of a tile in one column. The processor's own prefetching does not cross the
 * border of a page. */
static void prefetch_column(const uint64_t *column, range t) {
    for (size_t i = t.begin; column && i < t.end; i += 8)
        RDI_PREFETCH(column + i);
}

static void hash_ids(const rd_objects *o, ring *g, const uint64_t *id, range t) {
    for (size_t i = t.begin; i < t.end; i++) {
        g->hash[i % RING] = rdi_cached_hash(&o->table, id[i]);
        rdi_cached_prefetch(&o->table, g->hash[i % RING]);
    }
}

static void probe_table(const rd_objects *o, ring *g, range t) {
    for (size_t i = t.begin; i < t.end; i++)
        g->place[i % RING] = rdi_cached_probe(&o->table, g->hash[i % RING]);
}

static void find_objects(rd_objects *o, ring *g, const uint64_t *id, range t) {
    for (size_t i = t.begin; i < t.end; i++) {
        size_t k = i % RING;
        uint32_t number = rdi_cached_find(&o->table, id[i], g->hash[k], g->place[k]);
        g->number[k] = number;
        rdi_weight_prefetch(&o->axis, o->table.object[number].slot);
        if (o->queue.room)
            RDI_PREFETCH(&o->queue.entry[number]);
    }
}

static rd_status process_requests(rd_objects *o, const ring *g, const rd_requests *q, range t,
                                  uint64_t *distances) {
    for (size_t i = t.begin; i < t.end; i++) {
        request r = {.bytes = q->bytes ? q->bytes[i] : 1,
                     .lifetime = q->lifetime ? q->lifetime[i] : 0,
                     .number = g->number[i % RING],
                     .operation = q->operation ? q->operation[i] : RD_OPERATION_READ};
        RD_TRY(note_request(o, &r));
        if (q->time)
            advance(o, i, q->time[i]);
        uint64_t distance = process(o, &r);
        if (distances)
            distances[i] = distance;
        rdi_live_note(&o->moments, &(rd_live_bytes){o->requests, o->now, o->live, o->no_expiry});
    }
    count_found(o);
    return o->stretches.status;
}

/* Returns whether process_plain() can process the next requests: all requests so far are reads of
 * objects that do not expire, the warm-up is over, and there are no stretches, no sample and no
 * array of distances. So every object that is not new is present. */
static bool is_plain(const rd_objects *o, const uint64_t *distances) {
    return !o->has_operations && !o->has_lifetimes && !o->queue.room && !o->sample && !distances &&
           !o->stretches.every && o->requests >= o->warmup;
}

/* Does the same as process_requests() for plain requests, but faster: it keeps the totals of the
 * tile in registers, and makes no decisions whose result is known. */
static rd_status process_plain(rd_objects *o, const ring *g, const rd_requests *q, range t) {
    rdi_traffic all = {.requests = t.end - t.begin}, cold = {0};
    uint64_t live = o->live;
    for (size_t i = t.begin; i < t.end; i++) {
        uint64_t bytes = q->bytes ? q->bytes[i] : 1, distance;
        uint32_t number = g->number[i % RING];
        rdi_cached *x = &o->table.object[number];
        uint64_t before = x->bytes;
        if (RDI_UNLIKELY(bytes >= RDI_OBJECTS_BYTES_MAX ||
                         live - before + bytes >= RDI_OBJECTS_BYTES_MAX))
            return rdi_objects_refuse(o, (o->requests += i - t.begin) + 1, bytes,
                                      RD_OPERATION_READ);
        if (x->slot) {
            x->slot = rdi_weight_move(&o->axis, x->slot, number, before, bytes, &distance);
            o->found[o->n_found++] =
                (rdi_found){distance + before - (distance + before > 0), bytes};
        } else {
            x->slot = rdi_weight_push(&o->axis, number, bytes);
            add_traffic(&cold, bytes);
        }
        live += bytes - before;
        x->bytes = bytes;
        rdi_cached_use(x);
        all.bytes += bytes;
        o->empty += bytes == 0;
        o->largest = bytes > o->largest ? bytes : o->largest;
        if (q->time) {
            o->backwards += q->time[i] < o->now;
            o->now = q->time[i] > o->now ? q->time[i] : o->now;
        }
        rdi_live_note(&o->moments,
                      &(rd_live_bytes){o->requests + (i - t.begin) + 1, o->now, live, live});
    }
    o->requests += all.requests;
    o->live = o->no_expiry = live;
    add_sum(&o->by_operation[RD_OPERATION_READ], &all);
    add_sum(&o->counted, &all);
    add_sum(&o->cold, &cold);
    count_found(o);
    return RD_OK;
}

/* Returns the tile that is `stage` tiles before the tile that begins at `at`. The tile ends at the
 * end of the run of n requests at the latest, and is empty if it lies outside of the run. */
static range tile_before(size_t at, size_t stage, size_t n) {
    size_t begin = at >= stage * TILE ? at - stage * TILE : n;
    size_t end = begin + TILE < n ? begin + TILE : n;
    return (range){begin < n ? begin : n, end};
}

/* Processes a run of at most RUN requests. Every stage works on a different tile. */
static rd_status feed_run(rd_objects *o, const rd_requests *q, uint64_t *distances) {
    ring g;
    RD_TRY(make_room(o, q->n));
    for (size_t at = 0; at < q->n + (STAGES - 1) * TILE; at += TILE) {
        range first = tile_before(at, 0, q->n);
        if (q->operation || q->lifetime) {
            prefetch_column(q->bytes, first);
            prefetch_column(q->time, first);
            prefetch_column(q->lifetime, first);
            prefetch_column(q->operation, first);
        }
        hash_ids(o, &g, q->id, first);
        probe_table(o, &g, tile_before(at, 1, q->n));
        range next = tile_before(at, 2, q->n), last = tile_before(at, 3, q->n);
        find_objects(o, &g, q->id, next);
        if (o->queue.room && q->time) {
            rdi_expiry_announce(&o->queue, prepare_expiry, o);
            rdi_expiry_advance(&o->queue, q->time, next.begin, next.end);
        }
        RD_TRY(is_plain(o, distances) ? process_plain(o, &g, q, last)
                                      : process_requests(o, &g, q, last, distances));
    }
    return RD_OK;
}

static const uint64_t *column_from(const uint64_t *column, size_t at) {
    return column ? column + at : NULL;
}

static rd_requests requests_from(const rd_requests *q, size_t at) {
    return (rd_requests){.n = q->n - at < RUN ? q->n - at : RUN,
                         .id = q->id + at,
                         .bytes = column_from(q->bytes, at),
                         .time = column_from(q->time, at),
                         .lifetime = column_from(q->lifetime, at),
                         .operation = column_from(q->operation, at)};
}

/* Notes which fields the trace has. Lifetimes need times; a lifetime without a time never ends. */
static void note_fields(rd_objects *o, const rd_requests *q) {
    o->has_operations = o->has_operations || q->operation;
    o->has_times = o->has_times || q->time;
    o->gives_lifetimes = o->gives_lifetimes || q->lifetime;
    for (size_t i = 0; i < q->n && q->lifetime && q->time && !o->has_lifetimes; i++)
        o->has_lifetimes = q->lifetime[i] != 0;
}

rd_status rdi_objects_process(rd_objects *o, const rd_requests *requests, uint64_t *distances) {
    for (size_t at = 0; at < requests->n; at += RUN) {
        rd_requests run = requests_from(requests, at);
        RD_TRY(feed_run(o, &run, distances ? distances + at : NULL));
    }
    return RD_OK;
}

rd_status rd_objects_feed(rd_objects *o, const rd_requests *requests, uint64_t *distances) {
    RDI_NEED(o ? o->ctx : NULL, o, requests);
    if (requests->n)
        RDI_NEED(o->ctx, requests->id);
    if (o->broken)
        return rdi_fail(o->ctx, RD_ESTATE, "an earlier request failed; start a new analysis");
    note_fields(o, requests);
    if (o->config.every && requests->n && !requests->time)
        return rdi_fail(o->ctx, RD_EINVAL,
                        "stretches of time (--every) need the times of the requests, which this "
                        "trace lacks; if a "
                        "column has them, name it, for example with -f csv:time=1");
    if (o->sample && distances)
        return rdi_fail(
            o->ctx, RD_EINVAL,
            "a sample does not have the distances of all requests; pass NULL for distances");
    o->broken = true;
    RD_TRY(o->sample ? rdi_object_sample_feed(o, requests)
                     : rdi_objects_process(o, requests, distances));
    o->broken = false;
    return RD_OK;
}
