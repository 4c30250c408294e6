/* Estimates the curves of all objects from a sample, and their bands. See object_sample.h. */
#include "objects/object_sample.h"
#include "objects/objects_state.h"
#include "profile/hist.h"
#include "profile/section_objects.h"

#include <math.h>

#define GROUPS RDI_SAMPLE_GROUPS
#define SIZES  RDI_SAMPLE_SIZES
/* Half width of the band in standard deviations. It is above the 2.04 of Student's t with 30
 * degrees of freedom, because the groups do not show the variance that hot objects outside the
 * sample have. */
#define QUANTILE 2.7
#define NORMAL   1.96 /* 97.5 % quantile of the normal distribution */
/* A deviation of more than this many standard deviations means that the hottest objects are not in
 * the sample. */
#define SURPRISE 2

/* A class of sizes with fewer sampled objects than this is estimated as a proportion: its groups
 * have too few objects each. */
#define MANY (2 * GROUPS)

/* An estimated miss curve, which counts requests or bytes. */
typedef struct curve {
    double total;             /* total of the requests or bytes, hits included */
    double missed[SIZES];     /* estimated misses of caches of 2^k bytes; [SIZES - 1]: infinite */
    double half_width[SIZES]; /* half width of the band of missed[k] */
    double doubt[SIZES]; /* half width of errors that all classes of sizes may have in common */
} curve;

/* Returns the covariance of the sum of x and the sum of y over all groups, estimated from the
 * groups with `freedom` degrees of freedom. */
static double covariance(const double *x, const double *y, double rate, double freedom) {
    double x_sum = 0, y_sum = 0, products = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        x_sum += x[g];
        y_sum += y[g];
    }
    for (size_t g = 0; g < GROUPS; g++)
        products += (x[g] - x_sum / GROUPS) * (y[g] - y_sum / GROUPS);
    return products * (1 - rate) * GROUPS / freedom;
}

static double sum_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double squares_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Estimates the misses of caches of 2^k bytes for all k, from the infinite cache down, by the
 * regression over the groups. */
static void estimate_by_groups(const rdi_sample_groups part, double rate, curve *c) {
    double all[GROUPS], misses[GROUPS] = {0}, more = 0;
    for (size_t g = 0; g < GROUPS; g++)
        all[g] = sum_of(part[g], SIZES);
    double deviation = sum_of(all, GROUPS) - c->total;
    double variance = covariance(all, all, rate, GROUPS - 1);
    double seen = deviation * deviation / (SURPRISE * SURPRISE);
    /* The further the sample deviates, the more the uncertainty of the slope matters. */
    double uncertain = variance > 0 ? 1 + deviation * deviation / ((GROUPS - 1) * variance) : 1;
    variance = seen > variance ? seen : variance;
    for (size_t k = SIZES - 1; k-- > 0;) { /* 2^63 bytes have the misses of an infinite cache */
        for (size_t g = 0; g < GROUPS; g++)
            misses[g] += part[g][k + 1];
        double both = covariance(misses, all, rate, GROUPS - 1);
        double slope = variance > 0 ? both / variance : 0;
        double left = covariance(misses, misses, rate, GROUPS - 2) - slope * both;
        double here = sum_of(misses, GROUPS) - slope * deviation;
        here = here < more ? more : here > c->total ? c->total : here;
        c->missed[k] = more = here;
        c->half_width[k] = QUANTILE * sqrt(left > 0 ? left * uncertain : 0);
    }
    c->missed[SIZES - 1] = c->missed[SIZES - 2];
}

/* ---- bytes ---- */

/* The bytes of a class of sizes with few sampled objects. */
typedef struct few {
    double sampled; /* bytes of sampled objects */
    double n;       /* effective number of sampled objects */
    double alike;   /* bytes of other objects, up to the number that the sampling rate predicts */
    double hot;     /* the remaining bytes of other objects, which must have more requests each */
} few;

/* Divides `total`, the bytes of a class of sizes, into the bytes of sampled and of other objects.
 * The effective number of sampled objects is sum(b)^2 / sum(b^2) (Kish), where b are the bytes of
 * the groups, so it is at most GROUPS. It is used because an object with many bytes tells no more
 * about the misses than an object with few bytes. */
static few find_few(const rdi_sample_groups part, double rate, double total) {
    double all[GROUPS];
    for (size_t g = 0; g < GROUPS; g++)
        all[g] = sum_of(part[g], SIZES) * rate;
    few f = {.sampled = sum_of(all, GROUPS)};
    double others = total > f.sampled ? total - f.sampled : 0;
    double expected = f.sampled * (1 - rate) / rate;
    f.n = f.sampled > 0 ? f.sampled * f.sampled / squares_of(all, GROUPS) : 0;
    f.alike = others < expected ? others : expected;
    f.hot = others - f.alike;
    return f;
}

/* Estimates the misses of a class of sizes with few sampled objects. The share of the bytes of
 * unsampled objects that misses is estimated by the share of the sampled bytes and, counted like
 * one more object, `prior`: the share in the next smaller class. The interval is that of Agresti
 * and Coull, which adds two objects that miss and two that hit, with the variance of a prediction.
 * Hot objects miss less: their share lies between 0 and the upper end of that interval. Whether
 * bytes belong to hot objects is the same question for all classes, so these errors do not cancel
 * out. */
static void estimate_few(const rdi_sample_groups part, double rate, const double *prior, curve *c) {
    few f = find_few(part, rate, c->total);
    double missed = 0;
    for (size_t k = SIZES - 1; k-- > 0;) {
        for (size_t g = 0; g < GROUPS; g++)
            missed += part[g][k + 1] * rate;
        double share = f.sampled > 0 ? missed / f.sampled : 0;
        double guess = (f.n * share + prior[k]) / (f.n + 1);
        double center = (f.n * share + 2) / (f.n + 4);
        double half = NORMAL * sqrt(center * (1 - center) / ((f.n + 4) * (1 - rate)));
        double high = center + half < 1 ? center + half : 1;
        double low = center - half > 0 ? center - half : 0;
        double off = high - guess > guess - low ? high - guess : guess - low;
        c->missed[k] = missed + f.alike * guess + f.hot * guess / 2;
        c->half_width[k] = f.alike * off;
        c->doubt[k] = f.hot * (high - guess / 2);
    }
    c->missed[SIZES - 1] = c->missed[SIZES - 2];
}

/* Adds a class of sizes to the sum of all classes. Except for `doubt`, the errors of different
 * classes are independent. */
static void add_class(curve *sum, const curve *c) {
    for (size_t k = 0; k < SIZES; k++) {
        sum->missed[k] += c->missed[k];
        sum->half_width[k] = hypot(sum->half_width[k], c->half_width[k]);
        sum->doubt[k] += c->doubt[k];
    }
}

/* Estimates the misses in bytes, from the smallest class of sizes up. `sampled` has the number of
 * sampled objects of each class. */
static void estimate_bytes(const rdi_object_sample *s, const rd_size_class *sampled,
                           const curve *requests, curve *bytes) {
    double prior[SIZES], rate = 1 / s->weight;
    for (size_t k = 0; k < SIZES; k++)
        prior[k] = requests->total > 0 ? requests->missed[k] / requests->total : 0;
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++) {
        curve c = {.total = (double)s->counted[i].bytes + (double)s->touched[i].bytes * s->weight};
        if (c.total <= 0)
            continue;
        if (sampled[i].objects < MANY)
            estimate_few(s->bytes_of[i], rate, prior, &c);
        else
            estimate_by_groups(s->bytes_of[i], rate, &c);
        add_class(bytes, &c);
        for (size_t k = 0; k < SIZES; k++)
            prior[k] = c.missed[k] / c.total;
    }
}

/* ---- rows ---- */

/* Divides a total of `most` into whole numbers: each share is rounded such that the sum of all
 * shares so far is their exact sum, rounded. */
typedef struct rounding {
    double sum;
    rdi_u128 given, most;
} rounding;

static rdi_u128 next_share(rounding *r, double share) {
    r->sum += share;
    rdi_u128 upto = r->sum > 0 ? (rdi_u128)(r->sum + 0.5) : 0;
    upto = upto > r->most ? r->most : upto;
    rdi_u128 now = upto > r->given ? upto - r->given : 0;
    r->given += now;
    return now;
}

/* Finds the factor by which the bins of each class are multiplied, so that their sum is the
 * estimate of the class. Class k has the requests, or their bytes, that a cache of 2^k bytes hits
 * and a cache of half the size misses. If a class has no sampled requests, its estimate is added to
 * the estimate of the next smaller class that has some. Returns the estimates of the classes for
 * which there is no such smaller class. */
static double find_factors(const curve *c, const double *sampled, double *factor) {
    double open = 0;
    factor[SIZES - 1] = 0;
    for (size_t k = SIZES - 1; k-- > 0;) {
        double below = k ? c->missed[k - 1] : c->total;
        open += below - c->missed[k];
        factor[k] = sampled[k] > 0 ? open / sampled[k] : 0;
        open = sampled[k] > 0 ? 0 : open;
    }
    return open;
}

/* Sums the requests, or the bytes if `bytes` is set, of the bins of each class. The class of a bin
 * is k if 2^k bytes is the smallest cache that hits the whole bin. */
static void sum_bins(const rd_objects *o, bool bytes, double *out) {
    for (size_t k = 0; k < SIZES; k++)
        out[k] = 0;
    for (size_t i = 0; i < o->bins.n; i++)
        out[rdi_bit_width(o->bins.bin[i].end - 1)] +=
            bytes ? (double)o->bins.bin[i].bytes : (double)o->bins.bin[i].count;
}

static void make_rows(const rd_objects *o, const curve *c, uint64_t total, rdi_sample_result *out) {
    double sampled[SIZES], factor[SIZES];
    sum_bins(o, false, sampled);
    double open = find_factors(c, sampled, factor);
    rounding r = {.most = total};
    uint64_t low = 0;
    for (size_t i = 0; i < o->bins.n; low = o->bins.bin[i++].end) {
        double share = (double)o->bins.bin[i].count * factor[rdi_bit_width(o->bins.bin[i].end - 1)];
        uint64_t count = (uint64_t)next_share(&r, share + (i == 0 ? open : 0));
        if (count)
            out->rows[out->n_rows++] =
                (rd_bin){.low = low, .high = o->bins.bin[i].end - 1, .count = count};
    }
}

static void make_bytes(const rd_objects *o, const curve *c, rdi_u128 total,
                       rdi_sample_result *out) {
    double sampled[SIZES], factor[SIZES];
    sum_bins(o, true, sampled);
    double open = find_factors(c, sampled, factor);
    rounding r = {.most = total};
    uint64_t low = 0;
    for (size_t i = 0; i < o->bins.n; low = o->bins.bin[i++].end) {
        double share = (double)o->bins.bin[i].bytes * factor[rdi_bit_width(o->bins.bin[i].end - 1)];
        rdi_u128 bytes = next_share(&r, share + (i == 0 ? open : 0));
        if (bytes)
            out->bytes[out->facts->n_bins++] =
                (rd_byte_bin){low, o->bins.bin[i].end - 1, rdi_sum_narrow(bytes)};
    }
}

/* ---- facts ---- */

static rd_traffic narrow(rdi_traffic t) {
    return (rd_traffic){t.requests, rdi_sum_narrow(t.bytes)};
}

static rdi_traffic sum_traffic(rdi_traffic a, rdi_traffic b) {
    return (rdi_traffic){a.requests + b.requests, a.bytes + b.bytes};
}

static rdi_traffic sum_classes(const rdi_traffic classes[RD_SIZE_CLASSES]) {
    rdi_traffic sum = {0};
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++)
        sum = sum_traffic(sum, classes[i]);
    return sum;
}

static rdi_traffic scaled(rdi_traffic t, double by) {
    return (rdi_traffic){(uint64_t)((double)t.requests * by + 0.5),
                         (rdi_u128)((double)t.bytes * by + 0.5)};
}

/* Divides the estimated misses of an infinite cache among their causes. */
static void divide_misses(const rd_objects *o, uint64_t requests, rdi_u128 bytes,
                          rd_objects_facts *f) {
    const rdi_traffic *from[] = {&o->cold, &o->deleted, &o->expired};
    rd_traffic *to[] = {&f->cold, &f->deleted, &f->expired};
    double all = 0, all_bytes = 0;
    for (size_t i = 0; i < RDI_COUNT(from); i++) {
        all += (double)from[i]->requests;
        all_bytes += (double)from[i]->bytes;
    }
    rounding r = {.most = requests}, b = {.most = bytes};
    for (size_t i = RDI_COUNT(from); i-- > 0;) { /* the cold misses get what is left */
        double share = all > 0 ? (double)from[i]->requests / all : i == 0;
        double byte_share = all_bytes > 0 ? (double)from[i]->bytes / all_bytes : i == 0;
        to[i]->requests = (uint64_t)next_share(&r, (double)requests * share);
        to[i]->bytes = rdi_sum_narrow(next_share(&b, (double)bytes * byte_share));
    }
    f->cold.requests += requests - (uint64_t)r.given;
    rdi_sum_add(&f->cold.bytes, rdi_sum_narrow(bytes - b.given));
}

static uint64_t to_u64(double x) {
    return x < 0x1p63 ? (uint64_t)(x + 0.5) : UINT64_C(1) << 63;
}

/* Replaces the facts about the sampled requests by the facts about all requests. */
static void set_facts(const rd_objects *o, rd_objects_facts *f) {
    const rdi_object_sample *s = o->sample;
    f->reads = narrow(
        sum_traffic(s->by_operation[RD_OPERATION_READ], s->by_operation[RD_OPERATION_READ_TOUCH]));
    f->writes = narrow(s->by_operation[RD_OPERATION_WRITE]);
    f->touches = narrow(s->by_operation[RD_OPERATION_TOUCH]);
    f->deletes = narrow(s->by_operation[RD_OPERATION_DELETE]);
    f->warmup = o->config.warmup < s->requests ? o->config.warmup : s->requests;
    f->largest = s->largest;
    f->backwards = s->backwards;
    f->unlimited = s->unlimited;
    f->empty = s->empty;
    f->is_sample = true;
    f->has_popularity = false;
    f->n_popularity = 0;
    f->n_live = 0;
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++)
        f->size_class[i] =
            (rd_size_class){.objects = to_u64((double)f->size_class[i].objects * s->weight)};
    uint64_t classes = 0;
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++)
        classes += f->size_class[i].objects;
    f->objects = to_u64((double)f->objects * s->weight);
    f->objects = f->objects < classes ? classes : f->objects; /* classes are rounded one by one */
}

/* Sets the half widths as shares of the totals. The error bound becomes the largest half width of
 * requests at cache sizes whose size error is at most RDI_SIZE_ERROR_MAX. If `known` is false,
 * because no object is in the sample, all half widths are 1. */
static void set_bands(const curve *requests, const curve *bytes, bool known,
                      rdi_sample_result *out) {
    for (size_t k = 0; k < RD_BAND_SIZES; k++) {
        double half = requests->total > 0 ? requests->half_width[k] / requests->total : 0;
        out->half_width[k] = known && half < 1 ? half : 1;
        half = bytes->total > 0 ? (bytes->half_width[k] + bytes->doubt[k]) / bytes->total : 0;
        out->facts->byte_half_width[k] = known && half < 1 ? half : 1;
        if (out->facts->size_error[k] <= RDI_SIZE_ERROR_MAX &&
            out->half_width[k] > out->error_bound)
            out->error_bound = out->half_width[k];
    }
}

void rdi_object_sample_finish(const rd_objects *o, rdi_sample_result *out) {
    const rdi_object_sample *s = o->sample;
    rdi_traffic total = sum_classes(s->counted), touched = sum_classes(s->touched);
    total = sum_traffic(total, scaled(touched, s->weight));
    curve requests = {.total = (double)total.requests}, bytes = {.total = (double)total.bytes};
    double rate = 1 / s->weight;
    estimate_by_groups(s->requests_of, rate, &requests);
    estimate_bytes(s, out->facts->size_class, &requests, &bytes);
    set_facts(o, out->facts);
    out->facts->counted = narrow(total);
    make_rows(o, &requests, total.requests - to_u64(requests.missed[SIZES - 1]), out);
    make_bytes(o, &bytes, total.bytes - (rdi_u128)(bytes.missed[SIZES - 1] + 0.5), out);
    uint64_t finite = 0;
    rdi_u128 finite_bytes = 0;
    for (size_t i = 0; i < out->n_rows; i++)
        finite += out->rows[i].count;
    for (size_t i = 0; i < out->facts->n_bins; i++)
        finite_bytes += rdi_sum_wide(out->bytes[i].bytes);
    divide_misses(o, total.requests - finite, total.bytes - finite_bytes, out->facts);
    rdi_size_lists_errors(s->lists, s->limit, s->weight, out->facts->size_error);
    set_bands(&requests, &bytes, o->table.n > 0 || s->requests == 0, out);
}
