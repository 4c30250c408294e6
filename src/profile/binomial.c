/* Computes binomial probabilities without factorials. See binomial.h. */
#include "profile/binomial.h"

#include "profile/cells.h"

#include <math.h>

#define NORMAL_FROM 1000.0 /* minimum variance for the normal approximation */
/* Maximum number of terms on one side of the mode: more than 30 standard deviations. */
#define REACH       1024
#define NEGLIGIBLE  1e-18 /* terms below this fraction of the largest term are dropped */
#define NORMAL_ENDS 5.5   /* standard deviations on each side; a probability of 4e-8 lies outside */

/* Does the work of rdi_binomial_spread() for a small variance. Computes the terms from the mode
 * outward, each from its neighbor by their ratio, and divides them by their sum at the end.
 * Computing them with log-gamma would lose as many digits as n has: most of them for n = 10^12. */
static void spread_terms(uint64_t n, double p, double q, double weight, double *mass) {
    double term[2 * REACH + 1];
    double mode_real = floor(((double)n + 1) * p);
    uint64_t mode = mode_real < (double)n ? (uint64_t)mode_real : n;
    uint64_t first = mode, last = mode;
    double *at_mode = &term[REACH], sum = 1;
    at_mode[0] = 1;
    for (double t = 1; first > 0 && mode - first < REACH && t > NEGLIGIBLE; first--) {
        t *= (double)first * q / ((double)(n - first + 1) * p);
        at_mode[-(ptrdiff_t)(mode - first + 1)] = t;
        sum += t;
    }
    for (double t = 1; last < n && last - mode < REACH && t > NEGLIGIBLE; last++) {
        t *= (double)(n - last) * p / ((double)(last + 1) * q);
        at_mode[last - mode + 1] = t;
        sum += t;
    }
    for (uint64_t k = first; k <= last; k++)
        mass[rdi_cell_of(k)] += weight / sum * at_mode[(ptrdiff_t)(k - mode)];
}

/* Returns the normal distribution function at z with the first term of its Edgeworth series, which
 * accounts for the skewness of the binomial distribution. */
static double normal_below(double z, double skewness) {
    double density = exp(-z * z / 2) * 0.3989422804014327;
    return erfc(-z * 0.7071067811865476) / 2 - density * skewness / 6 * (z * z - 1);
}

static void spread_normal(uint64_t n, double mean, double variance, double skewness, double weight,
                          double *mass) {
    double deviation = sqrt(variance), reach = NORMAL_ENDS * deviation, below = 0;
    size_t first = mean > reach ? rdi_cell_of((uint64_t)(mean - reach)) : 0;
    size_t last = mean + reach < (double)n ? rdi_cell_of((uint64_t)(mean + reach)) : rdi_cell_of(n);
    for (size_t cell = first; cell < last; cell++) {
        double edge = (double)rdi_cell_high(cell) + 0.5;
        double upto = normal_below((edge - mean) / deviation, skewness);
        mass[cell] += weight * (upto - below);
        below = upto;
    }
    mass[last] += weight * (1 - below);
}

void rdi_binomial_spread(uint64_t n, double mean, double weight, double *mass) {
    double p = n ? mean / (double)n : 0, q = n ? ((double)n - mean) / (double)n : 1;
    double variance = mean * q;
    if (p <= 0)
        mass[0] += weight;
    else if (q <= 0)
        mass[rdi_cell_of(n)] += weight;
    else if (variance < NORMAL_FROM)
        spread_terms(n, p, q, weight, mass);
    else
        spread_normal(n, mean, variance, (q - p) / sqrt(variance), weight, mass);
}
