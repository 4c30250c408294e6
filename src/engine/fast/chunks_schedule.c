/* Executes the steps of the ranks of `chunks`, and decides which step is due. See chunks.h. */
#include "engine/fast/chunks.h"

/* Time to resolve a first touch, relative to the time to analyze a reference. */
#define RESOLVE_COST 1.8
#define EXPECTED     0.7 /* fraction of a chunk's expected blocks for which room is reserved */
#define BLOCK_BYTES  48  /* upper estimate of the bytes per block in `stream` */

/* ---- where chunks and slices begin ---- */

/* Returns the index at which chunk i begins if n references are cut into chunks 1 to `chunks`, or n
 * if there is no chunk i. Every rank except the last resolves about as many first touches as a
 * chunk has, so its chunk is shorter by the cost of resolving them. */
static uint64_t chunk_beginning(const rdi_chunks *e, uint64_t n, size_t i, size_t chunks) {
    if (i > chunks)
        return n;
    double others = 1 - RESOLVE_COST * e->first_share;
    others = others > 0.5 ? others : 0.5;
    double all = others * (double)(chunks - 1) + 1;
    uint64_t at = (uint64_t)((double)n * (others * (double)(i - 1) / all));
    return at < n ? at : n;
}

static uint64_t round_references(const rdi_chunks_round *p) {
    return p->parts ? p->parts->references : p->n;
}

/* Returns the index in the round at which slice s of chunk i begins. In a short round, the last
 * chunks are empty. */
static uint64_t beginning(const rdi_chunks *e, const rdi_chunks_round *p, size_t i, size_t s) {
    uint64_t n = round_references(p);
    uint64_t least = e->chunk_option ? e->chunk_option : p->parts ? 1 : RDI_CHUNKS_LEAST;
    size_t chunks = n / least < e->n_chunks ? (size_t)(n / least) : e->n_chunks;
    chunks = chunks ? chunks : 1;
    uint64_t first = chunk_beginning(e, n, i, chunks), end = chunk_beginning(e, n, i + 1, chunks);
    return first + (end - first) / RDI_CHUNKS_SLICES * s +
           (end - first) % RDI_CHUNKS_SLICES * s / RDI_CHUNKS_SLICES;
}

/* ---- executing steps, outside the monitor ---- */

static rdi_chunks_result *result_of(rdi_chunks *e, uint64_t number, size_t i) {
    return &rdi_chunks_round_of(e, number)->chunks[i - 1];
}

/* Returns the slice that the rank's next step analyzes or resolves. */
static rdi_chunks_slice *next_slice(rdi_chunks *e, const rdi_chunks_rank *r) {
    return &result_of(e, r->round, r->chunk_at)->slice[r->slice_at];
}

/* Returns the number of blocks for which a chunk reserves room. This is less than the expected
 * number, because too much room would cost more than growing once. The initial tables of all chunks
 * may use half of the memory limit. */
static uint64_t expected_blocks(const rdi_chunks *e) {
    double references = (double)round_references(&e->rounds[0]) / (double)e->n_chunks;
    uint64_t expected = (uint64_t)(EXPECTED * e->first_share * references);
    uint64_t affordable = e->run->in->mem_bytes / (BLOCK_BYTES * 2 * (e->n_chunks + 1));
    return expected < affordable ? expected : affordable;
}

static rd_status open_chunk(rdi_chunks *e, rdi_chunk *c) {
    return c->engine ? RD_OK : rdi_chunk_open(c, &e->plan, expected_blocks(e));
}

/* Ends the rank's chunk of the previous round, if it has one, and begins its next chunk. */
static rd_status begin_chunk(rdi_chunks *e, size_t i) {
    rdi_chunks_rank *r = &e->ranks[i];
    rdi_chunks_result *result = result_of(e, r->round, i);
    for (size_t s = 0; s < RDI_CHUNKS_SLICES; s++)
        result->slice[s].open.n = result->slice[s].places.n = 0;
    result->state.n = 0;
    if (r->chunk.met > 0) {
        RD_TRY(rdi_chunk_state(&r->chunk, &result_of(e, r->round - 1, i)->state));
        RD_TRY(rdi_engine_restart(r->chunk.engine));
    }
    rdi_chunk_begin(&r->chunk, r->round == 0 && i == 1);
    return RD_OK;
}

/* Appends the state of the next chunk of the previous round to the past; before the first chunk,
 * begins the round of the past. Does nothing in the first round. */
static rd_status append_chunk(rdi_chunks *e) {
    rdi_chunks_rank *past = &e->ranks[0];
    if (past->round == 0)
        return RD_OK;
    if (past->prepared == 0)
        rdi_chunk_begin(&past->chunk, true);
    const rdi_u64_list *state = &result_of(e, past->round - 1, past->prepared + 1)->state;
    return rdi_chunk_append(&past->chunk, state->at, state->n);
}

static rd_status analyze_read(void *user, const uint64_t *blocks, size_t n) {
    rdi_chunks_rank *r = user;
    return rdi_chunk_analyze(&r->chunk, blocks, n, NULL, r->open);
}

/* Reads and analyzes the next slice of rank r: n references of the trace from `first` on. Closes
 * the rank's reader after the last slice. */
static rd_status read_slice(rdi_chunks *e, rdi_chunks_rank *r, uint64_t first, uint64_t n) {
    const rd_parts *parts = rdi_chunks_round_of(e, r->round)->parts;
    r->open = &next_slice(e, r)->open;
    if (!r->reader)
        RD_TRY(parts->open(e->run->ctx, parts->what, parts->user, &r->reader));
    RD_TRY(parts->read(r->reader, first, n, analyze_read, r));
    if (r->slice_at == RDI_CHUNKS_SLICES - 1) {
        e->close_reader(r->reader);
        r->reader = NULL;
    }
    return RD_OK;
}

/* For each open first touch of the slice, stores its index in the round. The distances of the slice
 * begin at dist[at]. */
static rd_status note_places(rdi_chunks *e, rdi_chunks_slice *slice, const uint64_t *dist,
                             uint64_t at) {
    rdi_u64_list *places = &slice->places;
    RD_TRY(rdi_u64_list_reserve(e->run->ctx, places, slice->open.n));
    for (; places->n < slice->open.n; at++)
        if (RDI_UNLIKELY(dist[at] == RD_COLD))
            places->at[places->n++] = at;
    return RD_OK;
}

static rd_status analyze(rdi_chunks *e, size_t i) {
    rdi_chunks_rank *r = &e->ranks[i];
    rdi_chunks_round *p = rdi_chunks_round_of(e, r->round);
    rdi_chunks_slice *slice = next_slice(e, r);
    uint64_t at = beginning(e, p, i, r->slice_at), n = beginning(e, p, i, r->slice_at + 1) - at;
    if (n == 0 && !p->parts)
        return RD_OK;
    RD_TRY(open_chunk(e, &r->chunk));
    if (p->parts)
        return read_slice(e, r, at, n);
    uint64_t *dist = e->run->in->distances ? p->dist.at : NULL;
    RD_TRY(rdi_chunk_analyze(&r->chunk, p->refs + at, (size_t)n, dist ? dist + at : NULL,
                             &slice->open));
    return dist ? note_places(e, slice, dist, at) : RD_OK;
}

/* Resolves a slice and writes the distances that it finds to their places in `dist`. The first
 * touches whose distances rdi_chunk_resolve() does not find stay open. With a bound, only the
 * earliest of these first touches stay open, and the distances of the rest are infinite. */
static rd_status resolve_places(rdi_chunk *c, rdi_chunks_slice *slice, uint64_t *dist,
                                rdi_u64_list *open) {
    uint64_t *place = slice->places.at, found[RDI_FEED_MAX];
    size_t kept = 0;
    for (size_t at = 0, n = slice->open.n; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(rdi_chunk_resolve(c, slice->open.at + at, part, found, open));
        for (size_t i = 0; i < part; i++)
            if (found[i] != RD_COLD)
                dist[place[at + i]] = found[i];
            else if (kept < open->n)
                place[kept++] = place[at + i];
    }
    slice->places.n = kept;
    return RD_OK;
}

/* Resolves the next slice of rank i against the rank's chunk, unless the chunk is empty. First
 * touches that stay open overwrite the slice's list from its beginning. */
static rd_status resolve(rdi_chunks *e, size_t i) {
    rdi_chunks_rank *r = &e->ranks[i];
    rdi_chunks_slice *slice = next_slice(e, r);
    bool empty = i ? r->chunk.met == 0 : r->round == 0;
    if (empty || slice->open.n == 0)
        return RD_OK;
    rdi_u64_list open = {slice->open.at, 0, slice->open.room};
    RD_TRY(e->run->in->distances
               ? resolve_places(&r->chunk, slice, rdi_chunks_round_of(e, r->round)->dist.at, &open)
               : rdi_chunk_resolve(&r->chunk, slice->open.at, slice->open.n, NULL, &open));
    slice->open.n = open.n;
    return RD_OK;
}

/* Returns the number of preparations of rank i: its steps before the first slice of a round. */
static size_t preparations(const rdi_chunks *e, size_t i) {
    return i ? 1 : e->n_chunks;
}

static bool is_analysis(const rdi_chunks *e, size_t i) {
    return e->ranks[i].prepared == preparations(e, i) && e->ranks[i].chunk_at == i;
}

static rd_status do_step(rdi_chunks *e, size_t i) {
    if (e->ranks[i].prepared < preparations(e, i))
        return i ? begin_chunk(e, i) : append_chunk(e);
    return is_analysis(e, i) ? analyze(e, i) : resolve(e, i);
}

/* ---- choosing the step that is due, inside the monitor ---- */

/* Returns whether rank i has done the first n preparations of round `number`. */
static bool has_prepared(const rdi_chunks *e, size_t i, uint64_t number, size_t n) {
    const rdi_chunks_rank *r = &e->ranks[i];
    return r->round > number || (r->round == number && r->prepared >= n);
}

static bool is_due(rdi_chunks *e, size_t i) {
    const rdi_chunks_rank *r = &e->ranks[i];
    if (r->busy || r->round >= e->submitted)
        return false;
    if (r->prepared == preparations(e, i))
        return r->chunk_at == i || next_slice(e, r)->from == i + 1;
    /* The past appends a chunk after the chunk's rank has ended it. A rank begins a chunk after the
     * past has appended the rank's chunk of two rounds ago, which has the same place in memory. */
    return i == 0 ? has_prepared(e, r->prepared + 1, r->round, 1)
                  : r->round == 0 || has_prepared(e, 0, r->round - 1, e->n_chunks);
}

static void advance(rdi_chunks *e, size_t i) {
    rdi_chunks_rank *r = &e->ranks[i];
    if (r->prepared < preparations(e, i)) {
        r->prepared++;
        return;
    }
    next_slice(e, r)->from = i;
    if (++r->slice_at < RDI_CHUNKS_SLICES)
        return;
    r->slice_at = 0;
    if (++r->chunk_at <= e->n_chunks)
        return;
    r->chunk_at = i ? i : 1;
    r->prepared = 0;
    r->round++;
}

/* Returns whether the next step of rank i is due but has no work, because no first touch of its
 * slice is open any more. */
static bool is_idle_step(rdi_chunks *e, size_t i) {
    const rdi_chunks_rank *r = &e->ranks[i];
    return r->prepared == preparations(e, i) && r->chunk_at != i && is_due(e, i) &&
           next_slice(e, r)->open.n == 0;
}

static void take_step(rdi_chunks *e, size_t i) {
    rdi_chunks_rank *r = &e->ranks[i];
    uint64_t met = r->chunk.met, references = r->chunk.references;
    r->busy = true;
    e->busy++;
    rdi_monitor_leave(&e->monitor);
    rd_status status = do_step(e, i);
    rdi_monitor_enter(&e->monitor);
    r->busy = false;
    e->busy--;
    if (status != RD_OK && e->status == RD_OK)
        e->status = status;
    if (status == RD_OK) {
        if (is_analysis(e, i)) {
            e->firsts += r->chunk.met - met;
            e->references += r->chunk.references - references;
        }
        do
            advance(e, i);
        while (is_idle_step(e, i));
    }
    rdi_monitor_wake(&e->monitor);
}

/* Prefers the lowest rank that has a due step, because other ranks wait for its results. */
bool rdi_chunks_work(rdi_chunks *e) {
    for (size_t i = 0; e->status == RD_OK && i <= e->n_chunks; i++)
        if (is_due(e, i)) {
            take_step(e, i);
            return true;
        }
    return false;
}
