/* Single-model prediction: every group of references follows one pattern (Zhong, Shen, Ding 2009,
 * section 3.3).
 *
 * A group gets the pattern whose ratio between the inputs is closest to the ratio of the distances.
 * With more than two inputs, the closest pattern is the one with the smallest squared error of the
 * logarithms, which takes all ratios into account. The two coefficients of d = c + e f(s) then
 * follow exactly from two inputs, or by regression from more inputs.
 */
#include "model/locality.h"

#include <math.h>

/* Returns the logarithm of a group's distance. Distances below 1 count as 1, because ratios of tiny
 * distances are not significant. */
static double log_distance(const rdi_training_run *run, size_t group) {
    return log(fmax(1, rd_bin_mean(&run->groups[group])));
}

/* Returns the error of a pattern for a group, a sum of squared differences of logarithms: how much
 * the ratios of the group's distances differ from the ratios of the pattern. */
static double ratio_error(const rdi_training_run *runs, size_t n, size_t group,
                          rd_pattern pattern) {
    double mean = 0, error = 0;
    for (size_t i = 0; i < n; i++)
        mean += log_distance(&runs[i], group) - log(rdi_pattern_at(pattern, runs[i].size));
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) {
        double miss =
            log_distance(&runs[i], group) - log(rdi_pattern_at(pattern, runs[i].size)) - mean;
        error += miss * miss;
    }
    return error;
}

/* Returns the pattern of `set` with the smallest error for a group. *error is set to this error. */
static rd_pattern closest_pattern(const rdi_training_run *runs, size_t n, size_t group,
                                  rd_patterns set, double *error) {
    rd_pattern best = RD_PATTERN_COUNT;
    for (rd_pattern p = 0; p < RD_PATTERN_COUNT; p++) {
        if (!rdi_patterns_has(set, p))
            continue;
        double e = ratio_error(runs, n, group, p);
        if (best == RD_PATTERN_COUNT || e < *error) {
            best = p;
            *error = e;
        }
    }
    return best;
}

double rdi_patterns_error(const rdi_training_run *runs, size_t n, rd_patterns set) {
    double sum = 0, error = 0;
    for (size_t group = 0; group < runs[0].n_groups; group++) {
        closest_pattern(runs, n, group, set, &error);
        sum += error;
    }
    return sum / (double)runs[0].n_groups;
}

/* Minimum improvement of the error that justifies more patterns. The error is a sum of squared
 * differences of logarithms, so 0.01 squared is a difference of one percent between distances. */
#define BETTER 1e-4

rd_patterns rdi_patterns_choose(const rdi_training_run *runs, size_t n, double *error) {
    rd_patterns best = 0;
    for (int d = 0; d < RDI_DIMENSIONS; d++) {
        double missed = rdi_patterns_error(runs, n, rdi_patterns_of_dimension[d]);
        if (!best || missed < *error - BETTER) {
            best = rdi_patterns_of_dimension[d];
            *error = missed;
        }
    }
    return best;
}

/* Returns c and e of a group by least squares. With two inputs the fit is exact, except for
 * constant groups: groups with the constant pattern, and groups whose distance does not grow with
 * the input. For a constant group, c is the mean distance and e is 0. */
static rdi_edge regress(const rdi_training_run *runs, size_t n, size_t group, rd_pattern pattern) {
    double mean_f = 0, mean_d = 0, square = 0, product = 0;
    for (size_t i = 0; i < n; i++) {
        mean_f += rdi_pattern_at(pattern, runs[i].size) / (double)n;
        mean_d += rd_bin_mean(&runs[i].groups[group]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double f = rdi_pattern_at(pattern, runs[i].size) - mean_f;
        square += f * f;
        product += f * (rd_bin_mean(&runs[i].groups[group]) - mean_d);
    }
    if (pattern == RD_PATTERN_CONSTANT || square == 0 || product <= 0)
        return (rdi_edge){mean_d, 0};
    return (rdi_edge){mean_d - product / square * mean_f, product / square};
}

rd_status rdi_model_train_single(rd_model *m, const rdi_training_run *runs, size_t n) {
    for (size_t group = 0; group < runs[0].n_groups; group++) {
        double error = 0;
        rdi_piece piece = {.share = 1};
        piece.pattern = closest_pattern(runs, n, group, m->facts.patterns, &error);
        piece.low = regress(runs, n, group, piece.pattern);
        if (piece.low.e == 0)
            piece.pattern = RD_PATTERN_CONSTANT;
        piece.high = piece.low;
        RD_TRY(rdi_model_add(m, piece));
    }
    return RD_OK;
}
