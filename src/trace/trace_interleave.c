/* Interleaves the threads of a trace in lockstep. See rd_trace_interleave() in reusedist/trace.h, and
 * docs/threads.md for the definition of the order.
 *
 * Each thread has a queue of its records that are in sight, which means in the reorder buffer.
 * Queues are lists of segments of records, and any queue can use a free segment, so memory is
 * proportional to the size of the reorder buffer. Records are read only when a turn ends or a queue
 * is empty, because it matters only at these moments which records are in sight. So the order is
 * the same as if one record were read after each delivery.
 *
 * This file is long because reading, queues, walls and turns share one state. */
#include "base/sized.h"
#include "trace/interleave_waits.h"
#include "trace/interleave_walls.h"
#include "trace/lookup.h"

#include <inttypes.h>
#include <string.h>

#define CHUNK_RECORDS 512
#define REORDER_USUAL (UINT64_C(1) << 20)
#define REORDER_MOST  (UINT64_C(1) << 32)

typedef struct order_record {
    uint64_t addr, pc; /* for an event, `addr` is its entry in `waits` */
    uint64_t position; /* number in recorded order */
    uint32_t size;
    uint8_t kind; /* 0: an event */
} order_record;

typedef struct order_chunk {
    struct order_chunk *next;
    order_record records[CHUNK_RECORDS];
} order_chunk;

/* The records of one thread that are in sight. */
typedef struct order_queue {
    uint64_t key; /* identifies the thread, see rdi_thread_key() */
    size_t index; /* index in `queues` of the reader */
    rdi_walled *process;
    order_chunk *first, *last;
    size_t head, tail; /* index of the next record in `first`, and of the free place in `last` */
    size_t n;
    size_t waits_for; /* entry of the event that the next record waits for; RDI_NO_EVENT: unknown */
    uint64_t waits_position; /* position of that event; if the entry `waits_for` has another
                                position, it was reused */
    uint64_t missed; /* number of turns missed while the reorder buffer was full and had no record
                        of the thread */
    /* number of turns that the thread missed before its first record was read, less the turns that it has had since */
    uint64_t late;
    bool began; /* true: a record of the thread was read */
} order_queue;

typedef struct order_reader {
    rdi_reader *r;
    rd_trace *source;
    rd_refs_sink recorded; /* receives the references in recorded order; NULL: none */
    void *recorded_user;
    uint64_t turn, room;  /* references per turn, and records in the reorder buffer */
    bool processes;       /* see rd_trace_has_processes() */
    order_queue **queues; /* in ascending order of keys */
    size_t n_queues, queues_room;
    order_queue *had_turn; /* the thread that has or had the turn; NULL: none yet */
    uint64_t left;         /* number of references until this turn ends; 0: it has ended */
    uint64_t full_rounds;  /* number of rounds of turns that began with a full reorder buffer */
    order_queue *recent;   /* the thread of the last record that was read; NULL: none */
    order_chunk *spare;    /* list of free segments of records */

    const rd_refs *refs; /* batch of the source; NULL: none */
    size_t next;         /* index of the next reference in `refs` */
    const rd_event *events;
    size_t next_event, n_events;
    uint64_t before;  /* number of references in all earlier batches */
    bool ended;       /* true: the source has no more records */
    rd_status failed; /* status of the source's failure, which is reported after all records */
    uint32_t fields;

    uint64_t read;      /* number of records that were read; walls do not count */
    uint64_t held;      /* number of records that were read but not delivered */
    uint64_t delivered; /* number of references that were delivered */
    rdi_waits waits;
    rdi_walls walls;
    rdi_event_list out; /* events of the batch */
    rd_interleaved_facts facts;
} order_reader;

/* The argument of order_open(), from rd_trace_interleave(). */
typedef struct order_source {
    rd_trace *trace;
    const rd_interleave *config;
} order_source;

/* ---- queues ---- */

static rd_status add_queue(order_reader *o, size_t at, uint64_t key, order_queue **out) {
    if (o->n_queues == o->queues_room) {
        order_queue **grown = rdi_grow(o->r->ctx, o->queues, &o->queues_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        o->queues = grown;
    }
    rdi_walled *process;
    RD_TRY(rdi_walls_process(&o->walls, (uint32_t)(key >> 32), &process));
    order_queue *q = rdi_calloc(o->r->ctx, 1, sizeof *q);
    if (!q)
        return RD_ENOMEM;
    q->key = key;
    q->process = process;
    q->waits_for = RDI_NO_EVENT;
    memmove(o->queues + at + 1, o->queues + at, (o->n_queues - at) * sizeof *o->queues);
    o->queues[at] = *out = q;
    o->n_queues++;
    for (size_t i = at; i < o->n_queues; i++)
        o->queues[i]->index = i;
    return RD_OK;
}

/* Finds the queue of a thread, or makes it. */
static rd_status find_queue(order_reader *o, uint64_t key, order_queue **out) {
    if (o->recent && o->recent->key == key) {
        *out = o->recent;
        return RD_OK;
    }
    size_t low = 0, high = o->n_queues;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->queues[middle]->key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == o->n_queues || o->queues[low]->key != key)
        RD_TRY(add_queue(o, low, key, out));
    else
        *out = o->queues[low];
    o->recent = *out;
    return RD_OK;
}

/* Gives the thread of the references before the first batch the turn that it has after them. */
static rd_status continue_turn(order_reader *o, const rd_interleave *config) {
    if (config->before == 0)
        return RD_OK;
    o->left = (o->turn - config->before % o->turn) % o->turn;
    return find_queue(o, config->thread, &o->had_turn);
}

static rd_status order_open(void *self, rdi_reader *r) {
    order_reader *o = self;
    const order_source *source = r->source;
    o->r = r;
    o->source = source->trace;
    o->turn = source->config->turn ? source->config->turn : 1;
    o->room = source->config->reorder ? source->config->reorder : REORDER_USUAL;
    o->recorded = source->config->recorded;
    o->recorded_user = source->config->recorded_user;
    o->processes = r->processes = rd_trace_has_processes(source->trace);
    o->out.ctx = o->walls.ctx = r->ctx;
    o->facts.reorder = o->room;
    o->before = o->delivered = source->config->before;
    o->refs = source->config->first;
    o->n_events = o->refs ? rd_trace_events(o->source, &o->events) : 0;
    o->fields = o->refs ? o->refs->fields & ~(uint32_t)RD_REQUEST_FIELDS : 0;
    r->info = rd_trace_format(o->source);
    r->ids = rd_trace_has_ids(o->source);
    r->requests = rd_trace_request_fields(o->source);
    r->hex_ids = rd_trace_has_hex_ids(o->source);
    r->note = rd_trace_note(o->source);
    r->source = NULL; /* *source ends with the call of rd_trace_interleave() */
    RD_TRY(rdi_waits_init(&o->waits, r->ctx));
    return continue_turn(o, source->config);
}

static rd_status add_chunk(order_reader *o, order_queue *q) {
    order_chunk *chunk = o->spare;
    if (chunk)
        o->spare = chunk->next;
    else if (!(chunk = rdi_alloc(o->r->ctx, 1, sizeof *chunk)))
        return RD_ENOMEM;
    chunk->next = NULL;
    if (q->last)
        q->last->next = chunk;
    else
        q->first = chunk;
    q->last = chunk;
    q->tail = 0;
    return RD_OK;
}

/* Appends a record to the queue of a thread, and returns it for the caller to fill, or NULL if memory is
 * exhausted. If the thread has missed turns, adds them to facts.overflows, unless the record is an
 * acquire. */
static order_record *push(order_reader *o, order_queue *q, bool is_acquire) {
    if ((!q->last || q->tail == CHUNK_RECORDS) && add_chunk(o, q) != RD_OK)
        return NULL;
    if (!q->began)
        q->late = is_acquire || q->process->walled ? 0 : o->full_rounds;
    q->began = true;
    if (q->missed) {
        o->facts.overflows += is_acquire ? 0 : q->missed;
        q->missed = 0;
    }
    rdi_walls_read(q->process, o->read);
    q->n++;
    o->held++;
    return &q->last->records[q->tail++];
}

static const order_record *head(const order_queue *q) {
    return &q->first->records[q->head];
}

static void pop(order_reader *o, order_queue *q) {
    q->n--;
    rdi_walls_delivered(q->process);
    o->held--;
    if (++q->head < CHUNK_RECORDS && q->n > 0)
        return;
    order_chunk *done = q->first;
    q->first = done->next;
    q->head = 0;
    if (!q->first)
        q->last = NULL;
    done->next = o->spare;
    o->spare = done;
}

/* ---- reading ---- */

static rd_status read_batch(order_reader *o) {
    o->before += o->refs ? o->refs->n : 0;
    rd_status status = rd_trace_read(o->source, &o->refs);
    o->next = o->next_event = o->n_events = 0;
    if (status != RD_OK) {
        o->refs = NULL;
        o->failed = status;
        o->ended = true;
        return RD_OK;
    }
    o->n_events = rd_trace_events(o->source, &o->events);
    if (o->refs->n) /* joined traces may have different columns */
        o->fields |= o->refs->fields & ~(uint32_t)RD_REQUEST_FIELDS;
    o->ended = o->refs->n == 0 && o->n_events == 0;
    return o->recorded && !o->ended ? o->recorded(o->recorded_user, o->refs) : RD_OK;
}

/* Puts up to `n` references of the batch into the queues of their threads, as many as fit in the reorder
 * buffer. */
static rd_status take_references(order_reader *o, size_t n) {
    const rd_refs *refs = o->refs;
    if (n > o->room - o->held)
        n = (size_t)(o->room - o->held);
    for (size_t end = o->next + n; o->next < end; o->next++) {
        size_t i = o->next;
        order_queue *q;
        uint32_t thread = refs->thread ? refs->thread[i] : 0;
        RD_TRY(find_queue(o, rdi_thread_key(o->processes, refs->addr[i], thread), &q));
        order_record *record = push(o, q, false);
        if (!record)
            return RD_ENOMEM;
        *record = (order_record){.addr = refs->addr[i],
                                 .pc = refs->pc ? refs->pc[i] : 0,
                                 .position = o->read++,
                                 .size = refs->size ? refs->size[i] : 1,
                                 .kind = refs->kind ? refs->kind[i] : RD_LOAD};
    }
    return RD_OK;
}

static rd_status take_event(order_reader *o, const rd_event *event) {
    uint64_t key = rdi_thread_key(o->processes, event->address, event->thread);
    if (event->kind == RD_EVENT_MODULE || event->kind == RD_EVENT_UNLOAD)
        return rdi_walls_add(&o->walls, (uint32_t)(key >> 32), event, o->read);
    order_queue *q;
    size_t entry;
    RD_TRY(find_queue(o, key, &q));
    RD_TRY(rdi_waits_add(&o->waits, event, o->read, &entry));
    order_record *record = push(o, q, event->kind == RD_EVENT_SYNC_ACQUIRE);
    if (!record)
        return RD_ENOMEM;
    *record = (order_record){.addr = entry, .position = o->read++};
    return RD_OK;
}

/* Reads records until the reorder buffer is full or the source has ended. */
static rd_status fill(order_reader *o) {
    while (o->held < o->room && !o->ended) {
        size_t left = o->refs ? o->refs->n - o->next : 0;
        if (o->next_event < o->n_events) {
            const rd_event *event = &o->events[o->next_event];
            uint64_t until = event->at - o->before; /* index in the batch */
            if (until <= o->next || left == 0) {
                o->next_event++;
                RD_TRY(take_event(o, event));
                continue;
            }
            left = until - o->next < left ? (size_t)(until - o->next) : left;
        }
        if (left > 0)
            RD_TRY(take_references(o, left));
        else if (o->refs && o->refs->n == 0)
            o->ended = true;
        else
            RD_TRY(read_batch(o));
    }
    return RD_OK;
}

static rd_status deliver_event(order_reader *o, const rd_event *event) {
    rd_event copy = *event;
    copy.at = o->delivered;
    return rdi_event_list_add(&o->out, &copy, copy.path ? strlen(copy.path) : 0);
}

/* Delivers the walls of a process that lie before record `position`. All records of the process before
 * these walls must have been delivered. */
static rd_status deliver_walls(order_reader *o, rdi_walled *p, uint64_t position) {
    const rdi_wall *wall;
    while ((wall = rdi_walls_next(p, position))) {
        RD_TRY(deliver_event(o, &wall->event));
        rdi_walls_remove(&o->walls, p);
    }
    return RD_OK;
}

/* ---- turns ---- */

static bool is_oldest(const order_reader *o, const order_queue *own) {
    uint64_t position = head(own)->position;
    for (size_t i = 0; i < o->n_queues; i++) {
        const order_queue *q = o->queues[i];
        if (q != own && q->n > 0 && head(q)->position < position)
            return false;
    }
    return true;
}

/* Returns whether the next record of a thread, which is an event, waits for another event. */
static bool waits(const order_reader *o, order_queue *q) {
    const rdi_waits *w = &o->waits;
    size_t entry = (size_t)head(q)->addr;
    if (rdi_waits_for_all(&w->held[entry].event))
        return !is_oldest(o, q);
    if (q->waits_for != RDI_NO_EVENT && w->held[q->waits_for].position == q->waits_position)
        return true;
    q->waits_for = rdi_waits_find(w, entry);
    q->waits_position = q->waits_for != RDI_NO_EVENT ? w->held[q->waits_for].position : 0;
    return q->waits_for != RDI_NO_EVENT;
}

/* Returns whether a thread is runnable. If its queue is empty, fill() must have been called before. */
static bool is_runnable(const order_reader *o, order_queue *q) {
    return q->n > 0 && !rdi_walls_hold(q->process, head(q)->position) &&
           (head(q)->kind != 0 || !waits(o, q));
}

/* Called when the turn passes over the `n` threads after the thread that had it. If the reorder
 * buffer is full, counts a missed turn for each of these threads whose queue is empty. Also counts
 * rounds, because each round is a missed turn for every thread that comes into sight later. */
static void count_missed(order_reader *o, size_t n) {
    if (o->held < o->room || !o->had_turn)
        return;
    o->full_rounds += o->had_turn->index + 1 + n >= o->n_queues;
    for (size_t i = 0; i < n; i++) {
        order_queue *q = o->queues[(o->had_turn->index + 1 + i) % o->n_queues];
        q->missed += q->n == 0 && !rdi_walls_hold(q->process, q->process->last);
    }
}

/* Gives the turn to the next runnable thread. Leaves o->left at 0 if there is none. */
static rd_status pass_turn(order_reader *o) {
    RD_TRY(fill(o));
    size_t first = o->had_turn ? o->had_turn->index + 1 : 0;
    for (size_t i = 0; i < o->n_queues; i++) {
        order_queue *q = o->queues[(first + i) % o->n_queues];
        if (!is_runnable(o, q))
            continue;
        count_missed(o, i);
        if (q->late) {
            q->late--;
            o->facts.overflows++;
        }
        o->had_turn = q;
        o->left = o->turn;
        break;
    }
    return RD_OK;
}

/* Delivers the next record of the thread that has the turn. *n is the number of references in the
 * batch. */
static rd_status deliver_record(order_reader *o, size_t *n) {
    order_queue *q = o->had_turn;
    rdi_columns *col = o->r->col;
    const order_record *record = head(q);
    RD_TRY(deliver_walls(o, q->process, record->position));
    if (record->kind == 0) {
        size_t entry = (size_t)record->addr;
        RD_TRY(deliver_event(o, &o->waits.held[entry].event));
        rdi_waits_remove(&o->waits, entry);
        q->waits_for = RDI_NO_EVENT;
    } else {
        col->addr[*n] = record->addr;
        col->pc[*n] = record->pc;
        col->size[*n] = record->size;
        col->kind[*n] = record->kind;
        col->thread[(*n)++] = (uint32_t)q->key;
        o->delivered++;
        o->left--;
    }
    pop(o, q);
    return RD_OK;
}

/* Sets *out to whether the turn goes on. If the queue of the thread is empty, reads more records first. */
static rd_status goes_on(order_reader *o, bool *out) {
    *out = false;
    if (o->left == 0)
        return RD_OK;
    if (o->had_turn->n == 0)
        RD_TRY(fill(o));
    *out = is_runnable(o, o->had_turn);
    if (!*out)
        o->left = 0;
    return RD_OK;
}

/* Delivers records until the batch of *n references is full or no records are left. */
static rd_status interleave(order_reader *o, size_t *n) {
    while (*n < RDI_REFS_MAX) {
        bool running;
        RD_TRY(goes_on(o, &running));
        if (!running)
            RD_TRY(pass_turn(o));
        if (o->left == 0)
            break;
        RD_TRY(deliver_record(o, n));
    }
    for (size_t i = 0; i < o->walls.n && *n < RDI_REFS_MAX; i++) /* all records were delivered */
        RD_TRY(deliver_walls(o, o->walls.all[i], UINT64_MAX));
    return RD_OK;
}

static rd_status order_read(void *self, rd_refs *refs) {
    order_reader *o = self;
    const rdi_columns *col = o->r->col;
    size_t n = 0;
    rdi_event_list_clear(&o->out);
    RD_TRY(interleave(o, &n));
    rd_trace_progress(o->source, &o->r->done, &o->r->total);
    o->r->never_began = rd_trace_never_began(o->source);
    o->r->events = o->out.items;
    o->r->event_count = o->out.n;
    o->facts.threads = o->n_queues;
    if (n == 0 && o->failed != RD_OK)
        return o->failed;
    *refs = (rd_refs){.n = n,
                      .fields = o->fields,
                      .addr = col->addr,
                      .size = o->fields & RD_FIELD_SIZE ? col->size : NULL,
                      .kind = o->fields & RD_FIELD_KIND ? col->kind : NULL,
                      .pc = o->fields & RD_FIELD_PC ? col->pc : NULL,
                      .thread = o->fields & RD_FIELD_THREAD ? col->thread : NULL};
    return RD_OK;
}

static void order_omitted(const void *self, uint64_t *skipped, uint64_t *repeats) {
    const order_reader *o = self;
    *skipped = rd_trace_skipped(o->source);
    *repeats = rd_trace_repeats(o->source);
}

static void free_chunks(order_reader *o, order_chunk *chunk) {
    while (chunk) {
        order_chunk *next = chunk->next;
        rdi_free(o->r->ctx, chunk);
        chunk = next;
    }
}

static void order_close(void *self) {
    order_reader *o = self;
    if (!o->r)
        return;
    for (size_t i = 0; i < o->n_queues; i++) {
        free_chunks(o, o->queues[i]->first);
        rdi_free(o->r->ctx, o->queues[i]);
    }
    free_chunks(o, o->spare);
    rdi_free(o->r->ctx, o->queues);
    rdi_event_list_free(&o->out);
    rdi_waits_fini(&o->waits);
    rdi_walls_fini(&o->walls);
}

static const rdi_format_ops order_ops = {
    .info =
        {
            .name = "interleaved",
            .summary = "a trace whose threads take turns",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD |
                      RD_FIELD_EVENTS | RD_FIELD_SYNC,
        },
    .state_size = sizeof(order_reader),
    .open = order_open,
    .read = order_read,
    .omitted = order_omitted,
    .close = order_close,
};

rd_status rd_trace_interleave(rd_ctx *ctx, rd_trace *source, const rd_interleave *config,
                              rd_trace **out) {
    RDI_NEED(ctx, ctx, source, out);
    rd_interleave known;
    RD_TRY(rdi_sized_copy(ctx, "rd_interleave", config, &known, sizeof known));
    if (known.turn > RD_TURN_MAX)
        return rdi_fail(ctx, RD_EINVAL,
                        "a turn of %" PRIu64 " references is too long; at most %d are allowed",
                        known.turn, RD_TURN_MAX);
    if (known.reorder > REORDER_MOST)
        return rdi_fail(ctx, RD_EINVAL,
                        "a reorder buffer of %" PRIu64 " records is too large; at most %" PRIu64
                        " are allowed",
                        known.reorder, REORDER_MOST);
    return rdi_trace_open_from(ctx, &order_ops, &(order_source){source, &known}, out);
}

rd_interleaved_facts rd_trace_interleaved(const rd_trace *t) {
    const order_reader *o = rdi_trace_state(t, &order_ops);
    return o ? o->facts : (rd_interleaved_facts){0};
}
