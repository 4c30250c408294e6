/* Computes reuse distances from the time distances of parts. See time_parts.h. */
#include "profile/time_parts.h"

#include "profile/cells.h"

#include <math.h>
#include <string.h>

#define CELL_BITS    6 /* log2 of the number of cells per octave */
#define CELLS        ((size_t)(64 - CELL_BITS + 1) << CELL_BITS)
#define FIRST_LENGTH 1024
#define ANY_TIME     0x1p64

struct rdi_time_cell {
    uint64_t count;
    double sum;
    double squares;
};

rd_status rdi_time_parts_init(rdi_time_parts *p, rd_ctx *ctx, size_t most, uint64_t known_upto) {
    *p = (rdi_time_parts){
        .ctx = ctx,
        .most = (most + 1) & ~(size_t)1,
        .known_upto = known_upto,
        .length = FIRST_LENGTH,
    };
    p->cell = rdi_calloc(ctx, CELLS, sizeof *p->cell);
    p->distinct = rdi_alloc(ctx, p->most, sizeof *p->distinct);
    return p->cell && p->distinct ? RD_OK : RD_ENOMEM;
}

void rdi_time_parts_destroy(rdi_time_parts *p) {
    rdi_free(p->ctx, p->cell);
    rdi_free(p->ctx, p->distinct);
}

uint64_t rdi_time_parts_cell_end(uint64_t time) {
    return time | ((UINT64_C(1) << rdi_scale_shift(time, CELL_BITS)) - 1);
}

/* ---- a pass through the histogram of a part, in ascending order of time ---- */

typedef struct pass {
    const rdi_time_cell *cell, *end;
    double time;    /* mean time of the current cell; above ANY_TIME: no cell is left */
    double share;   /* probability of each reference of the part: 1 / number of references */
    double longer;  /* fraction of the references whose gaps have not been passed yet */
    double shorter; /* sum of share x (gap - 1) over the references whose gaps have been passed */
} pass;

static void find_cell(pass *at) {
    while (at->cell < at->end && at->cell->count == 0)
        at->cell++;
    at->time = at->cell < at->end ? at->cell->sum / (double)at->cell->count : (double)INFINITY;
}

static void pass_cell(pass *at) {
    double share = (double)at->cell->count * at->share;
    at->shorter += share * (at->time - 1);
    at->longer -= share;
    at->cell++;
    find_cell(at);
}

/* Returns the sum over u = 1 to x - 1 of P(T > u), for an x from the time of the cell that was
 * passed last to the time of the current cell. */
static double expected(const pass *at, double x) {
    return at->shorter + at->longer * (x - 1);
}

/* Returns half of the width over which the distances of the current cell are spread, on the
 * assumption that its gaps are spread evenly. */
static double half_width(const pass *at) {
    double count = (double)at->cell->count;
    double variance = at->cell->squares / count - at->time * at->time;
    double slope = at->longer - count * at->share / 2;
    return variance > 0 && slope > 0 ? sqrt(3 * variance) * slope : 0;
}

/* Rounds a distance and clamps it to the range that a gap of `time` allows: at most the smaller of
 * time - 1 and the number of other blocks, and at least 1 unless this maximum is 0. */
static uint64_t possible(const rdi_time_parts *p, double time, double distance) {
    double gaps = time - 1, others = (double)p->blocks - 1;
    uint64_t most = (uint64_t)(gaps < others ? gaps : others), least = most > 0;
    if (distance + 0.5 >= (double)most)
        return most;
    return distance < 1 ? least : (uint64_t)(distance + 0.5);
}

static rd_status add_cell(const rdi_time_parts *p, const pass *at, double mean, rdi_hist *out) {
    if (at->time <= (double)p->known_upto)
        return RD_OK;
    double half = half_width(at);
    uint64_t low = possible(p, at->time, mean - half), high = possible(p, at->time, mean + half);
    if (low >= high)
        return rdi_hist_add_many(out, high, at->cell->count);
    return rdi_hist_add_evenly(out, low, high, at->cell->count);
}

/* ---- parts ---- */

/* A part, in times relative to the beginning of an interval. */
typedef struct view {
    double begin, end;
    double upto; /* largest gap of the reuses that belong to the interval */
} view;

static rd_status end_part_for(const rdi_time_parts *p, pass *at, const view *v, double *distinct,
                              rdi_hist *out) {
    double before = *distinct - expected(at, v->begin);
    for (; at->time <= v->upto; pass_cell(at))
        RD_TRY(add_cell(p, at, before + expected(at, at->time), out));
    *distinct = before + expected(at, v->end);
    return RD_OK;
}

/* Counts successive intervals, from the interval of view `v` to older ones, in which the part has
 * no reuses left, because all remaining gaps are longer than the `upto` of the interval. Returns at
 * most `most`. */
static size_t not_reached(const pass *at, const view *v, double length, size_t most) {
    double n = ceil((at->time - v->upto) / length);
    if (n <= 0)
        return 0;
    return n < (double)most ? (size_t)n : most;
}

static void move_view(view *v, double by) {
    v->begin += by;
    v->end += by;
    v->upto += by;
}

/* Adds the distances of the reuses of the current part to `out`, and updates p->distinct. The
 * function assigns the reuses to intervals, which begin in the middle of parts. The oldest interval
 * gets all remaining reuses. */
static rd_status pass_part(rdi_time_parts *p, rdi_hist *out) {
    double length = (double)p->length, here = (double)p->references;
    pass at = {.cell = p->cell + 1, .end = p->cell + CELLS, .share = 1 / here, .longer = 1};
    view v = {.begin = 1, .end = here / 2, .upto = p->n ? length / 2 : ANY_TIME};
    find_cell(&at);
    p->distinct[p->n] = 0;
    RD_TRY(end_part_for(p, &at, &v, &p->distinct[p->n], out));
    v = (view){.begin = length / 2, .end = length / 2 + here, .upto = 1.5 * length};
    for (size_t left = p->n++; left > 0; left--) {
        size_t skip = not_reached(&at, &v, length, left - 1);
        for (size_t i = left - skip; i < left; i++)
            p->distinct[i] += at.longer * here;
        left -= skip;
        move_view(&v, (double)skip * length);
        if (left == 1)
            v.upto = ANY_TIME;
        RD_TRY(end_part_for(p, &at, &v, &p->distinct[left - 1], out));
        move_view(&v, length);
    }
    return RD_OK;
}

static void join_neighbors(rdi_time_parts *p) {
    p->n /= 2;
    p->length *= 2;
    for (size_t i = 0; i < p->n; i++)
        p->distinct[i] = (p->distinct[2 * i] + p->distinct[2 * i + 1]) / 2;
}

static rd_status end_part(rdi_time_parts *p, rdi_hist *out) {
    p->blocks += p->cell[0].count;
    RD_TRY(pass_part(p, out));
    memset(p->cell, 0, CELLS * sizeof *p->cell);
    p->references = 0;
    if (p->n == p->most)
        join_neighbors(p);
    return RD_OK;
}

rd_status rdi_time_parts_count(rdi_time_parts *p, const uint64_t *gap, size_t n, uint64_t repeats,
                               rdi_hist *out) {
    rdi_time_cell *cells = p->cell;
    for (size_t i = 0; i < n; i++) {
        rdi_time_cell *cell = &cells[rdi_scale_cell(gap[i], CELL_BITS)];
        double time =
            (double)(int64_t)gap[i]; /* a gap is below 2^63, and signed conversion is faster */
        cell->count++;
        cell->sum += time;
        cell->squares += time * time;
    }
    cells[1].count += repeats;
    cells[1].sum += (double)repeats;
    cells[1].squares += (double)repeats;
    p->references += n + repeats;
    return p->references >= p->length ? end_part(p, out) : RD_OK;
}

rd_status rdi_time_parts_finish(rdi_time_parts *p, rdi_hist *out) {
    return p->references ? end_part(p, out) : RD_OK;
}
