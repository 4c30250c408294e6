/* Finds the phases of a run. See phases.h.
 *
 * First, the windows are cut into intervals wherever the signature changes. Then an interval that
 * only brings in the working set of the next interval is joined to the next interval: the first
 * pass over new data has infinite distances, and the first pass over data that was used long ago
 * has long distances, but neither is a behavior of its own. Finally, intervals with the same
 * signature get the number of the same phase.
 *
 * The references that bring in the working set of a phase have longer distances than nearly all
 * other references of the phase (its `reach`): infinite ones at the first visit, long ones at later
 * visits. So the bins beyond the reach are compared as one bin if the later interval has at most
 * ROUNDING times as many references there as the earlier interval. */
#include "attribution/phases.h"

#include <math.h>

/* Two signatures whose difference is at most this number count as equal. The difference is half the
 * sum of the absolute differences between the fractions in their bins. */
#define PHASE_CHANGE 0.25
/* The smallest fraction of the finite distances that is within the reach of an interval. */
#define WITHIN_REACH 0.95
/* Factor by which a number of references may exceed the limit that it is compared with. */
#define ROUNDING 1.1

#define BINS     (RD_LOG_BINS + 1) /* number of bins; the last bin is for infinite distances */

typedef struct signature {
    double references;
    double bin[BINS];
} signature;

typedef struct interval {
    size_t first;     /* index of the first window */
    signature whole;  /* sum of all windows */
    signature steady; /* sum of the windows except transitions and windows that bring in the working
                         set */
    size_t reach;     /* the first bin beyond nearly all distances, which are below 2^(reach - 1) */
    size_t number;    /* number of the phase, from 1 */
} interval;

static signature signature_of(const rd_share *s) {
    signature g = {.references = (double)s->references};
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        g.bin[k] = (double)s->bins[k];
    g.bin[BINS - 1] = (double)s->infinite;
    return g;
}

/* Adds a signature to *sum, or subtracts it if `factor` is -1. */
static void add(signature *sum, const signature *s, int factor) {
    sum->references += factor * s->references;
    for (size_t k = 0; k < BINS; k++)
        sum->bin[k] += factor * s->bin[k];
}

/* Returns the difference of two signatures. The bins from `fold` on are compared as one bin. */
static double folded_difference(const signature *a, const signature *b, size_t fold) {
    double sum = 0, beyond = 0;
    for (size_t k = 0; k < BINS; k++) {
        double more = a->bin[k] / a->references - b->bin[k] / b->references;
        if (k < fold)
            sum += fabs(more);
        else
            beyond += more;
    }
    return (sum + fabs(beyond)) / 2;
}

static double difference(const signature *a, const signature *b) {
    return folded_difference(a, b, BINS);
}

static bool differ(const signature *a, const signature *b) {
    return difference(a, b) > PHASE_CHANGE;
}

/* ---- intervals ---- */

/* Returns whether the interval `now` ends before window i: windows i and i + 1 both differ from the
 * steady windows of the interval, or both differ from each of the two windows before window i. One
 * different window is not a change, so the last window never begins an interval. */
static bool changes(const interval *now, const signature *window, size_t i, size_t n) {
    if (i + 1 == n)
        return false;
    if (now->steady.references > 0 && differ(&now->steady, &window[i]) &&
        differ(&now->steady, &window[i + 1]))
        return true;
    for (size_t before = 1; before <= 2; before++)
        if (i < now->first + before || !differ(&window[i - before], &window[i]) ||
            !differ(&window[i - before], &window[i + 1]))
            return false;
    return true;
}

/* Returns whether window i is typical of the interval. A first window that differs from the next
 * one is a transition between two phases. */
static bool is_typical(const interval *now, const signature *window, size_t i, size_t n) {
    if (now->steady.references > 0)
        return !differ(&now->steady, &window[i]);
    return i > now->first || i + 1 == n || !differ(&window[i], &window[i + 1]);
}

static size_t cut(const signature *window, size_t n, interval *intervals) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || changes(&intervals[found - 1], window, i, n))
            intervals[found++] = (interval){.first = i};
        interval *now = &intervals[found - 1];
        add(&now->whole, &window[i], 1);
        if (is_typical(now, window, i, n))
            add(&now->steady, &window[i], 1);
    }
    return found;
}

/* ---- working sets ---- */

static size_t reach(const signature *s) {
    double finite = s->references - s->bin[BINS - 1], sum = 0;
    size_t k = 0;
    while (k < RD_LOG_BINS && (sum += s->bin[k]) < WITHIN_REACH * finite)
        k++;
    return k + 1;
}

/* Finds the reach of each interval from its last quarter, where its working set is complete. */
static void find_reaches(interval *intervals, size_t n, const signature *window, size_t windows) {
    for (size_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? intervals[i + 1].first : windows;
        signature last = {0};
        for (size_t k = end - (end - intervals[i].first + 3) / 4; k < end; k++)
            add(&last, &window[k], 1);
        intervals[i].reach = reach(&last);
    }
}

/* Returns the number of references in the given bin and the bins after it. */
static double from_bin(const signature *s, size_t bin) {
    double sum = 0;
    for (size_t k = bin; k < BINS; k++)
        sum += s->bin[k];
    return sum;
}

/* Returns the bin b for which `early` has the largest surplus of references over `late` in all bins
 * from b up, and sets *most to this surplus as a fraction of the references. Bins from `reach` on
 * count as one. */
static size_t surplus(const signature *early, const signature *late, size_t reach, double *most) {
    size_t best = reach;
    *most = -1;
    for (size_t bin = reach; bin > 0; bin--) {
        double more =
            from_bin(early, bin) / early->references - from_bin(late, bin) / late->references;
        if (more > *most) {
            *most = more;
            best = bin;
        }
    }
    return best;
}

/* Returns whether the interval `early` brings in the working set of `late`, which follows it. In
 * this case the two differ mainly because `early` has more references with long distances. The
 * number of these references, plus the references that `late` has absorbed from other intervals, is
 * at most ROUNDING times the number of blocks in a working set with the reach of `late`. The first
 * window of `early` does not count, because it can also contain the end of the previous phase. */
static bool brings_in(const interval *early, const interval *late, const signature *window) {
    signature e = early->whole;
    if (e.references > window[early->first].references)
        add(&e, &window[early->first], -1);
    double more;
    size_t bin = surplus(&e, &late->steady, late->reach, &more);
    double brought = from_bin(&e, bin) + from_bin(&late->whole, bin) - from_bin(&late->steady, bin);
    return more >= difference(&e, &late->steady) / 2 &&
           brought <= ROUNDING * ldexp(1, (int)late->reach - 1);
}

/* Joins every interval that brings in a working set to the next interval. Returns the number of
 * intervals that are left. */
static size_t absorb(interval *intervals, size_t n, const signature *window) {
    size_t left = n - 1; /* index of the earliest interval that is left; the intervals that are left
                            gather at the end of the array */
    for (size_t i = n - 1; i-- > 0;) {
        interval *late = &intervals[left];
        if (brings_in(&intervals[i], late, window)) {
            late->first = intervals[i].first;
            add(&late->whole, &intervals[i].whole, 1);
        } else {
            intervals[--left] = intervals[i];
        }
    }
    for (size_t i = left; i < n; i++)
        intervals[i - left] = intervals[i];
    return n - left;
}

/* ---- the same phase again ---- */

/* Returns the difference between an interval of a phase and a later interval. Bins beyond the reach
 * of `phase`, the earlier interval, count as one if that makes the difference smaller and `later`
 * has at most ROUNDING times as many references there as `phase`. */
static double distance(const interval *phase, const interval *later) {
    double plain = difference(&phase->steady, &later->steady);
    size_t bin = phase->reach;
    if (from_bin(&later->whole, bin) > ROUNDING * from_bin(&phase->whole, bin))
        return plain;
    return fmin(plain, folded_difference(&phase->steady, &later->steady, bin));
}

/* Numbers the intervals by phase, and joins neighbors of the same phase. Returns the number of
 * intervals that are left. */
static size_t number(interval *intervals, size_t n) {
    size_t phases = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        double nearest = PHASE_CHANGE;
        interval now = intervals[i];
        for (size_t k = 0; k < left; k++) {
            double away = distance(&intervals[k], &now);
            if (away <= nearest) {
                nearest = away;
                now.number = intervals[k].number;
            }
        }
        if (!now.number)
            now.number = ++phases;
        if (left == 0 || intervals[left - 1].number != now.number)
            intervals[left++] = now;
    }
    return left;
}

rd_status rdi_phases_find(rd_ctx *ctx, const rd_window *rows, size_t n, size_t *begins,
                          size_t *numbers, size_t *found) {
    *found = 0;
    if (n == 0)
        return RD_OK;
    signature *window = rdi_calloc(ctx, n, sizeof *window);
    interval *intervals = rdi_calloc(ctx, n, sizeof *intervals);
    rd_status status = window && intervals ? RD_OK : RD_ENOMEM;
    if (status == RD_OK) {
        for (size_t i = 0; i < n; i++)
            window[i] = signature_of(&rows[i].share);
        size_t cuts = cut(window, n, intervals);
        find_reaches(intervals, cuts, window, n);
        *found = number(intervals, absorb(intervals, cuts, window));
        for (size_t i = 0; i < *found; i++) {
            begins[i] = intervals[i].first;
            numbers[i] = intervals[i].number;
        }
    }
    rdi_free(ctx, window);
    rdi_free(ctx, intervals);
    return status;
}
