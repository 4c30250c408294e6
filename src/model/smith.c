/* Computes the miss probability of a set-associative cache. See smith.h.
 *
 * The binomial tail is a sum of terms outward from the term at the number of ways, on the side that
 * has less than about half of the probability. So nothing cancels, and the terms that matter are
 * within a few standard deviations. The first term comes from Loader's form of the binomial
 * probability, which loses no digits when the number of trials is large; factorials or log-gamma
 * would lose most digits at 2^40 trials. Beyond a variance of 2^20, an Edgeworth series is precise
 * enough. src/profile/binomial.c has the whole distribution in cells; its normal approximation
 * begins earlier and is too coarse here.
 */
#include "model/smith.h"

#include <math.h>

#define SERIES_FROM 0x1p20 /* minimum variance for the Edgeworth series */
#define NEGLIGIBLE  1e-17  /* terms below this fraction of the sum end the sum */
/* rdi_smith.low and .high leave out at most exp(-REACH^2 / 2), which is below 1e-17. */
#define REACH 9.0
#define CELLS 48.0 /* cells per standard deviation of the distance at which a miss begins */

/* ---- one probability ---- */

/* Returns the error of Stirling's formula: log(z!) - log(sqrt(2 pi z) (z/e)^z). */
static double stirling_error(double z) {
    if (z < 10)
        return log(tgamma(z + 1)) - (z + 0.5) * log(z) + z - 0.9189385332046727;
    double s = 1 / (z * z);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / z;
}

/* Returns x log(x / mean) + mean - x, without cancellation if x is close to the mean. */
static double deviance(double x, double mean) {
    double difference = x - mean, v = difference / (x + mean);
    if (fabs(v) >= 0.1)
        return x * log(x / mean) - difference;
    double sum = difference * v, power = 2 * x * v;
    for (unsigned j = 1; j < 50; j++) {
        power *= v * v;
        double next = sum + power / (2 * j + 1);
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

/* Returns the probability of exactly k successes in n trials with probability 1 / sets each. */
static double exactly(double k, double n, double sets) {
    double p = 1 / sets, failures = n - k;
    if (k == 0)
        return exp(n * log1p(-p));
    if (failures == 0)
        return exp(-n * log(sets));
    double exponent = stirling_error(n) - stirling_error(k) - stirling_error(failures) -
                      deviance(k, n * p) - deviance(failures, n * ((sets - 1) / sets));
    return exp(exponent) * sqrt(n / (6.283185307179586 * k * failures));
}

/* Returns the probability of `ways` or more successes as a sum upward from `ways`. */
static double sum_up(double n, double sets, double ways) {
    double term = 1, sum = 1;
    for (double k = ways; k < n && term > NEGLIGIBLE * sum; k++) {
        term *= (n - k) / ((k + 1) * (sets - 1));
        sum += term;
    }
    return exactly(ways, n, sets) * sum;
}

/* Returns the probability of fewer than `ways` successes as a sum downward from ways - 1. */
static double sum_down(double n, double sets, double ways) {
    double term = 1, sum = 1;
    for (double k = ways - 1; k > 0 && term > NEGLIGIBLE * sum; k--) {
        term *= k * (sets - 1) / (n - k + 1);
        sum += term;
    }
    return exactly(ways - 1, n, sets) * sum;
}

/* Returns the probability of `ways` or more successes for a large variance, as an Edgeworth series
 * at ways - 1/2. A sum over whole numbers differs from the integral of a smooth density (Euler and
 * Maclaurin); the corrections of k2 and k4 by 1/12 and 1/120 account for that. */
static double series(double n, double sets, double ways) {
    double p = 1 / sets, q = (sets - 1) / sets, variance = n * p * q;
    double k2 = variance - 1.0 / 12, k3 = variance * (q - p);
    double k4 = variance * (1 - 6 * p * q) + 1.0 / 120;
    double z = (ways - 0.5 - n * p) / sqrt(k2), zz = z * z;
    double skew = k3 / (k2 * sqrt(k2)), excess = k4 / (k2 * k2);
    double terms = skew / 6 * (zz - 1) + excess / 24 * z * (zz - 3) +
                   skew * skew / 72 * z * (zz * zz - 10 * zz + 15);
    double density = exp(-zz / 2) * 0.3989422804014327;
    double miss = erfc(z * 0.7071067811865476) / 2 + density * terms;
    return miss < 0 ? 0 : miss > 1 ? 1 : miss;
}

double rdi_smith_miss(uint64_t d, uint64_t sets, uint64_t ways) {
    if (d < ways)
        return 0;
    if (sets == 1)
        return 1;
    double n = (double)d, s = (double)sets, a = (double)ways, mean = n / s;
    if (mean * (1 - 1 / s) > SERIES_FROM)
        return series(n, s, a);
    return a > mean ? sum_up(n, s, a) : 1 - sum_down(n, s, a);
}

/* ---- many probabilities ---- */

/* Converts d to a distance from 0 to 2^63, so that the end of the cell after the last one does not
 * overflow. */
static uint64_t to_distance(double d) {
    return d <= 0 ? 0 : d < 0x1p63 ? (uint64_t)d : UINT64_C(1) << 63;
}

/* Sets the limits `low` and `high` from Chernoff's bounds. If the mean number of blocks in the set
 * is m, the probability of `ways` or more blocks is at most exp(-(ways - m)^2 / (2 ways)) for ways
 * > m, and the probability of fewer is at most exp(-(m - ways)^2 / (2 m)) for m > ways. */
rdi_smith rdi_smith_start(uint64_t sets, uint64_t ways) {
    double s = (double)sets, a = (double)ways, half = REACH * REACH / 2;
    rdi_smith smith = {.sets = sets, .ways = ways, .cell = UINT64_MAX};
    uint64_t low = to_distance(s * (a - REACH * sqrt(a)));
    smith.low = low > ways ? low : ways;
    smith.high = to_distance(s * (a + half + sqrt(half * half + 2 * half * a)));
    if (sets == 1)
        smith.high = ways;
    double third = s * sqrt(a * (1 - 1 / s)) / (3 * CELLS);
    smith.step = third >= 2 ? 3 * to_distance(third) : 1;
    return smith;
}

/* Computes the nodes of the cell with number `cell`. If the cell follows the cell whose nodes are
 * known, its first node is the last node of that cell. */
static void find_nodes(rdi_smith *s, uint64_t cell) {
    uint64_t begin = s->low + cell * s->step, third = s->step / 3;
    bool next = s->cell != UINT64_MAX && cell == s->cell + 1;
    s->node[0] = next ? s->node[3] : rdi_smith_miss(begin, s->sets, s->ways);
    for (unsigned i = 1; i < 4; i++)
        s->node[i] = rdi_smith_miss(begin + i * third, s->sets, s->ways);
    s->cell = cell;
}

double rdi_smith_at(rdi_smith *s, uint64_t d) {
    if (d < s->low)
        return 0;
    if (d >= s->high)
        return 1;
    if (s->step == 1)
        return rdi_smith_miss(d, s->sets, s->ways);
    uint64_t cell = (d - s->low) / s->step;
    if (cell != s->cell)
        find_nodes(s, cell);
    double x = 3 * (double)((d - s->low) % s->step) / (double)s->step;
    double a = x - 1, b = x - 2, c = x - 3;
    return -a * b * c / 6 * s->node[0] + x * b * c / 2 * s->node[1] - x * a * c / 2 * s->node[2] +
           x * a * b / 6 * s->node[3];
}

/* Returns the sum of the probabilities at the distances [from, end), which lie in one cell. Inside
 * a cell the probability is a cubic polynomial. The sum of a cubic polynomial over 2 j + 1
 * consecutive numbers follows from its values at the first, the middle and the last of them. */
static double sum_in_range(rdi_smith *s, uint64_t from, uint64_t end) {
    double sum = 0;
    if ((end - from) % 2 == 0)
        sum += rdi_smith_at(s, from++);
    uint64_t j = (end - from) / 2;
    if (j == 0)
        return sum + rdi_smith_at(s, from);
    double outer = (double)(j + 1) / (6 * (double)j), n = (double)(end - from);
    double ends = rdi_smith_at(s, from) + rdi_smith_at(s, end - 1);
    return sum + n * (outer * ends + (1 - 2 * outer) * rdi_smith_at(s, from + j));
}

double rdi_smith_mean(rdi_smith *s, uint64_t from, uint64_t end) {
    uint64_t d = from > s->low ? from : s->low, last = end < s->high ? end : s->high;
    uint64_t certain = from > s->high ? from : s->high;
    double sum = end > certain ? (double)(end - certain) : 0;
    while (d < last) {
        uint64_t next = s->low + ((d - s->low) / s->step + 1) * s->step;
        next = next > d && next < last ? next : last;
        sum += sum_in_range(s, d, next);
        d = next;
    }
    return sum / (double)(end - from);
}
