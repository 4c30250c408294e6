/* Divides counts among the callers of library code. See own_view.h.
 *
 * The tree of calling contexts has the references and misses of each caller. Everything else that a profile
 * has about a line (distances, first touches, causes of misses, pairs and data) is known for the line as a
 * whole only. It is divided in proportion to the references that miss in the same caches, so that the
 * counts of a caller's share do not contradict each other, and the shares sum to the line. */
#include "profile/own_view.h"

#include "profile/hist.h"

void rdi_classes_of(size_t n_levels, uint64_t references, const uint64_t *misses, uint64_t *at) {
    for (size_t k = 0; k <= n_levels; k++)
        at[k] = (k ? misses[k - 1] : references) - (k < n_levels ? misses[k] : 0);
}

uint64_t rdi_classes_to_misses(size_t n_levels, const uint64_t *at, uint64_t *misses) {
    uint64_t sum = 0;
    for (size_t k = n_levels; k > 0; k--)
        misses[k - 1] = sum += at[k];
    return sum + at[0];
}

/* Each result is rounded down or up, so no result is larger than its weight unless `total` is larger than
 * the sum of the weights. */
void rdi_deal(uint64_t total, const uint64_t *weights, size_t n, uint64_t *out) {
    rdi_u128 sum = 0;
    uint64_t left = total;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    for (size_t i = 0; i < n; i++) {
        out[i] = sum ? (uint64_t)((rdi_u128)total * weights[i] / sum) : 0;
        left -= out[i];
    }
    for (size_t i = 0; i < n && left && sum; i++)
        if ((rdi_u128)total * weights[i] % sum) {
            out[i]++;
            left--;
        }
    if (n)
        out[0] += left;
}

/* The state of a division. at[k * n + i] is the number of references of share i in class k that have no
 * bin yet; the references of class k miss in the k smallest caches and hit in the next one. `out` has
 * room for n counts. */
typedef struct division {
    rd_share *parts;
    size_t n, n_levels;
    uint64_t *at, *out;
} division;

static uint64_t sum_of_class(const division *d, size_t k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->at[k * d->n + i];
    return sum;
}

/* Divides the infinite distances among the references that miss at all levels. */
static void divide_infinite(division *d, const rd_share *all) {
    uint64_t *last = &d->at[d->n_levels * d->n];
    rdi_deal(all->infinite, last, d->n, d->out);
    for (size_t i = 0; i < d->n; i++) {
        d->parts[i].infinite = d->out[i];
        last[i] -= d->out[i];
    }
}

/* Divides the bins. Bins and classes divide the same references, sorted by distance, so it is known how many
 * references of a bin are in a class. */
static void divide_bins(division *d, const rd_share *all) {
    size_t class = 0;
    uint64_t in_class = sum_of_class(d, 0);
    for (size_t b = 0; b < RD_LOG_BINS; b++)
        for (uint64_t left = all->bins[b]; left;) {
            while (!in_class && class < d->n_levels)
                in_class = sum_of_class(d, ++class);
            uint64_t take = in_class && in_class < left ? in_class : left,
                     *at = &d->at[class * d->n];
            rdi_deal(take, at, d->n, d->out);
            for (size_t i = 0; i < d->n; i++) {
                d->parts[i].bins[b] += d->out[i];
                at[i] -= d->out[i];
            }
            left -= take;
            in_class -= in_class ? take : 0;
        }
}

/* Divides the sum of the distances: each share gets the least sum that its bins allow, and the rest is
 * divided in proportion to the widths of the bins. */
static void divide_distances(const division *d, const rd_share *all) {
    rdi_u128 rest = rdi_sum_wide(all->distance_sum), room = 0;
    for (size_t pass = 0; pass < 3; pass++) {
        const rdi_u128 whole = rest;
        for (size_t i = 0; i < d->n; i++) {
            rdi_u128 low = 0, high = 0, add, sum = rdi_sum_wide(d->parts[i].distance_sum);
            for (size_t b = 0; b < RD_LOG_BINS; b++) {
                low += (rdi_u128)d->parts[i].bins[b] * rdi_log_bin_low(b);
                high += (rdi_u128)d->parts[i].bins[b] * rdi_log_bin_high(b);
            }
            if (pass == 0) {
                add = low;
                room += high - low;
            } else {
                add = pass == 1 && room
                          ? (rdi_u128)((double)whole * ((double)(high - low) / (double)room))
                          : rest;
                add = add < high - sum ? add : high - sum;
            }
            add = add < rest ? add : rest;
            d->parts[i].distance_sum = rdi_sum_narrow(sum + add);
            rest -= add;
        }
    }
}

rd_status rdi_divide_share(rdi_own_view *v, const rd_share *all, rd_share *parts, size_t n) {
    size_t n_levels = v->d->n_levels;
    uint64_t at[RD_LEVELS_MAX + 1];
    division d = {.parts = parts, .n = n, .n_levels = n_levels};
    d.at = rdi_arena_alloc(v->arena, (n_levels + 2) * n, sizeof *d.at);
    if (!d.at)
        return RD_ENOMEM;
    d.out = &d.at[(n_levels + 1) * n];
    for (size_t i = 0; i < n; i++) {
        rdi_classes_of(n_levels, parts[i].references, parts[i].misses, at);
        for (size_t k = 0; k <= n_levels; k++)
            d.at[k * n + i] = at[k];
    }
    divide_infinite(&d, all);
    divide_bins(&d, all);
    divide_distances(&d, all);
    return RD_OK;
}

rd_status rdi_divide_causes(rdi_own_view *v, const rd_causes *all, const rd_share *parts, size_t n,
                            rd_causes *out) {
    size_t caches = v->d->causes->n_caches;
    uint64_t *weights = rdi_arena_alloc(v->arena, 4 * n, sizeof *weights);
    if (!weights)
        return RD_ENOMEM;
    uint64_t *cold = weights + n, *capacity = cold + n, *conflict = capacity + n;
    for (size_t i = 0; i < n; i++)
        weights[i] = v->d->n_levels ? parts[i].misses[0] : parts[i].references;
    for (size_t k = 0; k < caches; k++) {
        rdi_deal(all[k].cold, weights, n, cold);
        rdi_deal(all[k].capacity, weights, n, capacity);
        rdi_deal(all[k].conflict, weights, n, conflict);
        for (size_t i = 0; i < n; i++)
            out[i * caches + k] = (rd_causes){cold[i], capacity[i], conflict[i]};
    }
    return RD_OK;
}
