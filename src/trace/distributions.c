/* Draws random numbers and permutes block numbers for generators, with bit-identical results on every
 * machine. See generate.h. */
#include "trace/generate.h"

#include <inttypes.h>
#include <string.h>

/* ln 2 as a sum of two numbers. The first has so few bits that its product with an exponent of a
 * double is exact. */
#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW  0x1.ef35793c7673p-45

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Computes log x: splits x into m * 2^e with m near 1, and computes log m = 2 atanh(s), where s =
 * (m - 1) / (m + 1), with a series. */
double rdi_log(double x) {
    static const double inverse[] = {1. / 23, 1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13,
                                     1. / 11, 1. / 9,  1. / 7,  1. / 5,  1. / 3,  1.};
    uint64_t bits = bits_of(x), fraction = bits & ((UINT64_C(1) << 52) - 1);
    int e = (int)(bits >> 52) - 1023;
    double m = double_of(fraction | UINT64_C(1023) << 52);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (size_t i = 0; i < RDI_COUNT(inverse); i++)
        sum = sum * square + inverse[i];
    return e * LN2_HIGH + (e * LN2_LOW + 2 * s * sum);
}

/* Computes exp x: splits x into e * ln 2 + r with r near 0, and computes exp r with a series. */
double rdi_exp(double x) {
    static const double inverse_factorial[] = {1. / 6227020800,
                                               1. / 479001600,
                                               1. / 39916800,
                                               1. / 3628800,
                                               1. / 362880,
                                               1. / 40320,
                                               1. / 5040,
                                               1. / 720,
                                               1. / 120,
                                               1. / 24,
                                               1. / 6,
                                               1. / 2,
                                               1.,
                                               1.};
    if (x < -700)
        return 0;
    x = x < 700 ? x : 700;
    double scaled = x * 1.4426950408889634;
    int e = (int)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    double r = (x - e * LN2_HIGH) - e * LN2_LOW, sum = 0;
    for (size_t i = 0; i < RDI_COUNT(inverse_factorial); i++)
        sum = sum * r + inverse_factorial[i];
    return sum * double_of((uint64_t)(e + 1023) << 52);
}

/* ---- Zipf distribution: rejection-inversion (Hoermann and Derflinger 1996), without a table of
 * blocks ---- */

/* These functions compute (e^t - 1) / t and log(1 + t) / t, also near 0, where the direct formula
 * loses digits. */
static double exp_less_one_by(double t) {
    return t > 1e-5 || t < -1e-5 ? (rdi_exp(t) - 1) / t : 1 + t / 2 * (1 + t / 3);
}

static double log_one_more_by(double t) {
    return t > 1e-5 || t < -1e-5 ? rdi_log(1 + t) / t : 1 - t * (1. / 2 - t / 3);
}

/* These two functions compute the area under t^-alpha for t from 1 to x, and the x that has a given
 * area. */
static double area(const rdi_zipf *z, double x) {
    double l = rdi_log(x);
    return l * exp_less_one_by((1 - z->alpha) * l);
}

static double area_inverse(const rdi_zipf *z, double y) {
    double t = y * (1 - z->alpha);
    if (t <= -1) /* rounding can cause this at the far end of a steep curve */
        return z->n;
    return rdi_exp(y * log_one_more_by(t));
}

static double density(const rdi_zipf *z, double x) {
    return rdi_exp(-z->alpha * rdi_log(x));
}

void rdi_zipf_init(rdi_zipf *z, uint64_t n, double alpha) {
    z->alpha = alpha;
    z->n = (double)n;
    z->h_first = area(z, 1.5) - 1;
    z->h_last = area(z, z->n + 0.5);
    z->shortcut = 2 - area_inverse(z, area(z, 2.5) - density(z, 2));
}

uint64_t rdi_zipf_draw(const rdi_zipf *z, rdi_rng *rng) {
    while (true) {
        double y = z->h_last + rdi_rng_unit(rng) * (z->h_first - z->h_last);
        double x = area_inverse(z, y);
        x = x < 1 ? 1 : x > z->n ? z->n : x;
        double k = (double)(uint64_t)(x + 0.5);
        k = k > z->n ? z->n : k;
        if (k - x <= z->shortcut || y >= area(z, k + 0.5) - density(z, k))
            return (uint64_t)k - 1;
    }
}

/* ---- choice by weight ---- */

rd_status rdi_choice_init(rd_ctx *ctx, const char *owner, rdi_choice *c, size_t n,
                          const rd_sizes *weights) {
    if (weights->n != 0 && weights->n != n)
        return rdi_fail(ctx, RD_EINVAL,
                        "generator %s: weights= and at= have %zu and %zu numbers; give as many "
                        "weights as values of at=",
                        owner, weights->n, n);
    c->n = n;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t weight = weights->n ? weights->value[i] : 1;
        if (weight > UINT32_MAX)
            return rdi_fail(ctx, RD_EINVAL,
                            "generator %s: a weight of %" PRIu64 " does not fit in 32 bits", owner,
                            weight);
        c->bound[i] = sum += weight;
    }
    if (sum == 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "generator %s: all weights are 0; at least one must be above 0", owner);
    return RD_OK;
}

size_t rdi_choice_draw(const rdi_choice *c, rdi_rng *rng) {
    uint64_t x = rdi_rng_below(rng, c->bound[c->n - 1]);
    size_t i = 0;
    while (c->bound[i] <= x)
        i++;
    return i;
}

/* ---- permutation ---- */

/* Permutes x with steps that are bijections of the numbers with `bits` bits. A result of n or more
 * is permuted again until it is below n. */
uint64_t rdi_scramble(uint64_t x, uint64_t n) {
    unsigned bits = rdi_bit_width(n - 1), half = bits / 2 + 1;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    do {
        x = (x * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0xd1b54a32d192ed03)) & mask;
        x ^= x >> half;
        x = x * UINT64_C(0xbf58476d1ce4e5b9) & mask;
        x ^= x >> half;
    } while (x >= n);
    return x;
}
