/* Computes a histogram of reuse distances from a histogram of time distances. See time_model.h. */
#include "profile/time_model.h"

#include "profile/binomial.h"
#include "profile/cells.h"

#include <math.h>

/* Reuses whose intervals have nearly the same mean distance. Their distances are spread
 * together. */
typedef struct alike {
    double first; /* mean distance of the reuses that began the group */
    double sum;   /* sum of the mean distances of all reuses of the group */
    double weight;
} alike;

/* Returns whether `mean` differs from the first mean of the group by at most 1/8 of the standard
 * deviation of the binomial distribution with the mean `mean` and `others` trials. */
static bool is_alike(const alike *group, double mean, double others) {
    double variance = mean * (1 - mean / others);
    return (mean - group->first) * (mean - group->first) <= variance / 64;
}

static void spread_group(alike *group, uint64_t others, double *mass) {
    if (group->weight > 0)
        rdi_binomial_spread(others, group->sum / group->weight, group->weight, mass);
    *group = (alike){0};
}

/* Adds the expected number of references per cell of distance to mass[], for the reuses whose time
 * distance is above times->known_upto. */
static void spread_points(const rdi_time_histogram *times, uint64_t others, double *mass) {
    /* Number of gaps that are at least as long as the time distance of the current point. */
    double longer = (double)times->blocks;
    double inside = 0; /* sum of (time - 1) over all shorter gaps */
    for (size_t i = 0; i < times->n; i++)
        longer += (double)times->points[i].count;
    double references = longer;
    alike group = {0};
    for (size_t i = 0; i < times->n; i++) {
        const rdi_time_point *point = &times->points[i];
        double interval = point->time - 1, count = (double)point->count;
        /* The sum over tau < D of the number of gaps with T > tau is the sum of min(T, D) - 1 over
         * all gaps. */
        double mean = (inside + interval * longer) / references;
        inside += interval * count;
        longer -= count;
        if (point->time <= times->known_upto)
            continue;
        if (!is_alike(&group, mean, (double)others))
            spread_group(&group, others, mass);
        if (group.weight == 0)
            group.first = mean;
        group.sum += mean * count;
        group.weight += count;
    }
    spread_group(&group, others, mass);
}

static uint64_t count_unknown(const rdi_time_histogram *times) {
    uint64_t count = 0;
    for (size_t i = 0; i < times->n; i++)
        if (times->points[i].time > times->known_upto)
            count += times->points[i].count;
    return count;
}

rd_status rdi_time_model(rd_ctx *ctx, const rdi_time_histogram *times, rdi_hist *out) {
    uint64_t total = count_unknown(times);
    if (total == 0)
        return RD_OK;
    /* Number of other blocks, which is also the largest distance. */
    uint64_t others = times->blocks - 1;
    double *mass = rdi_calloc(ctx, rdi_cell_of(others) + 1, sizeof *mass);
    if (!mass)
        return RD_ENOMEM;
    spread_points(times, others, mass);
    rd_status status = rdi_cells_count(mass, others, total, out);
    rdi_free(ctx, mass);
    return status;
}
