/* Writes sentences about the change from one profile to another. See change.h.
 *
 * Caches are compared by their numbers of misses if the two runs have nearly equal numbers of references.
 * A longer run has more misses even if its locality is better, so otherwise miss ratios are compared. But a
 * changed program can have a higher miss ratio only because it makes fewer references that hit, so the
 * sentences also have the numbers of misses, first of all if the run became shorter. The numbers are left out
 * if one run is more than LONGER times as long as the other, and if a recorder skipped references. Object
 * caches are always compared by their miss ratios, because traces of requests can have any length.
 *
 * This file is long because all sentences read one view of the two profiles.
 */
#include "report/change.h"

#include "model/mrc.h"
#include "report/paper.h"
#include "reusedist/attribution.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME    0.0005 /* smaller relative differences count as none */
#define USUAL   8      /* caches of fewer blocks count only if no larger cache differs */
#define CLEARLY 10     /* minimum factor between the sums of gains and losses for a clear change */
#define ALIKE   0.01   /* maximum relative difference between two lengths that count as equal */
#define LONGER  4      /* with a larger factor between the lengths, misses are not compared */

/* Two profiles at one cache size. */
typedef struct change_at {
    uint64_t size;     /* cache size in bytes, or in blocks if blocks have no size */
    double miss[2];    /* miss ratios */
    double low[2];     /* lower ends of the bands of `miss`, or equal to `miss` */
    double high[2];    /* upper ends of the bands, or equal to `miss` */
    double bytes[2];   /* byte miss ratios of objects */
    double misses[2];  /* numbers of misses, or miss ratios if `counted` is false */
    bool comparable;   /* true: both miss ratios are known; look() decides about interpolated
                          ones */
    bool interpolated; /* true: the size lies inside a bin of a profile */
    bool certain;      /* true: the bands do not overlap, and the misses differ by more than SAME */
    double difference; /* misses after minus misses before */
} change_at;

typedef struct change_report {
    const rdi_change *change;
    const rd_profile_facts *facts[2];
    char names[2][RDI_CHANGE_NAME];
    rd_ctx *ctx;
    rdi_text *out;
    uint64_t unit[2]; /* size of a block in bytes, or 1 */
    bool objects;     /* true: both profiles count bytes of objects */
    bool counted;     /* true: numbers of misses are compared, not miss ratios */
    bool both;        /* true: sentences have miss ratios and also numbers of misses */
} change_report;

/* ---- measuring ---- */

static rd_status read_one(const change_report *r, int i, uint64_t blocks, change_at *at,
                          bool *interpolated) {
    const rd_profile *p = r->change->profiles[i];
    RD_TRY(rd_mrc_at(r->ctx, p, blocks, &at->miss[i], interpolated));
    if (r->objects)
        RD_TRY(rd_objects_at(r->ctx, p, blocks, &at->miss[i], &at->bytes[i], NULL));
    at->low[i] = at->high[i] = at->miss[i];
    if (rd_mrc_has_band(p))
        return rd_mrc_band(r->ctx, p, blocks, &at->low[i], &at->high[i]);
    return RD_OK;
}

static bool is_in_range(const change_report *r, int i, uint64_t blocks) {
    uint64_t bound = r->facts[i]->bound;
    return blocks > 0 && blocks >= rd_mrc_resolution(r->change->profiles[i]) &&
           (!bound || blocks <= bound);
}

/* Compares both profiles at a size. With `take_interpolated`, interpolated miss ratios also count
 * as comparable. */
static change_at look(const change_report *r, uint64_t size, bool take_interpolated) {
    change_at at = {.size = size, .comparable = true};
    double weight[2];
    for (int i = 0; i < 2; i++) {
        bool guess = false;
        uint64_t blocks = size / r->unit[i];
        at.comparable = at.comparable && is_in_range(r, i, blocks) &&
                        read_one(r, i, blocks, &at, &guess) == RD_OK &&
                        (take_interpolated || !guess);
        at.interpolated = at.interpolated || guess;
        weight[i] = r->counted ? (double)r->facts[i]->references : 1;
        at.misses[i] = at.miss[i] * weight[i];
    }
    at.difference = at.misses[1] - at.misses[0];
    bool apart = at.high[1] * weight[1] < at.low[0] * weight[0] ||
                 at.low[1] * weight[1] > at.high[0] * weight[0];
    at.certain =
        at.comparable && apart && fabs(at.difference) > SAME * fmax(at.misses[0], at.misses[1]);
    return at;
}

/* ---- words ---- */

static const char *noun_of(const change_report *r) {
    return r->objects ? "requests" : "references";
}

/* Returns the words after "miss" in a sentence about caches whose misses are the same in both profiles. */
static const char *same_of(const change_report *r) {
    return r->counted || r->objects ? "equally often" : "the same share of the references";
}

/* Returns the subject of the sentences: the thing that gets better or worse. */
static const char *subject_of(const change_report *r) {
    return r->objects ? "The miss ratio" : r->both ? "Locality per reference" : "Locality";
}

static void add_size(const change_report *r, uint64_t size) {
    char text[RDI_FORMAT_ROOM];
    if (r->facts[0]->block_bytes)
        rd_format_bytes((double)size, text);
    else
        rdi_format_objects(size, text);
    rdi_text_printf(r->out, "%s%s", text,
                    r->facts[0]->block_bytes ? ""
                    : size == 1              ? " object"
                                             : " objects");
}

static double factor_of(const change_at *at) {
    return at->misses[0] > 0 ? at->misses[1] / at->misses[0] : INFINITY;
}

/* Adds the factor in words, such as "82.1 % less often" or "5.1 times as often". */
static void add_factor(const change_report *r, const change_at *at) {
    char text[RDI_FORMAT_ROOM];
    double factor = factor_of(at);
    rdi_format_share(fabs(factor - 1), text);
    if (factor < 1)
        rdi_text_printf(r->out, "%s less often", text);
    else if (factor < 2)
        rdi_text_printf(r->out, "%s more often", text);
    else if (isfinite(factor))
        rdi_text_printf(r->out, "%.3g times as often", factor);
    else
        rdi_text_puts(r->out, "more often");
}

/* Formats the numbers of misses, also if miss ratios are compared. */
static void format_misses(const change_report *r, const change_at *at, char number[2][16]) {
    for (int i = 0; i < 2; i++)
        rd_format_count(at->miss[i] * (double)r->facts[i]->references, number[i]);
}

/* Adds the numbers, such as "12.3 k times instead of 45.6 k, or 0.42 % instead of 1.6 % of the
 * references", or "0.42 % instead of 1.6 % of the requests and 1.1 % instead of 2.3 % of the bytes
 * requested", or "0.42 % instead of 1.6 % of the references (12.3 k times instead of 45.6 k)". */
static void add_numbers(const change_report *r, const change_at *at) {
    char number[2][16], share[2][RDI_FORMAT_ROOM], bytes[2][RDI_FORMAT_ROOM];
    for (int i = 0; i < 2; i++) {
        rdi_format_share(at->miss[i], share[i]);
        rdi_format_share(at->bytes[i], bytes[i]);
    }
    format_misses(r, at, number);
    if (r->counted)
        rdi_text_printf(r->out, "%s time%s instead of %s, or ", number[1],
                        at->misses[1] == 1 ? "" : "s", number[0]);
    rdi_text_printf(r->out, "%s instead of %s of the %s", share[1], share[0], noun_of(r));
    if (r->objects)
        rdi_text_printf(r->out, " and %s instead of %s of the bytes requested", bytes[1], bytes[0]);
    if (r->both)
        rdi_text_printf(r->out, " (%s time%s instead of %s)", number[1],
                        strcmp(number[1], "1") == 0 ? "" : "s", number[0]);
}

static void add_names(const change_report *r, const change_at *at) {
    bool times = isfinite(factor_of(at)) && factor_of(at) >= 2;
    rdi_text_printf(r->out, " in \"%s\" %s in \"%s\"", r->names[1], times ? "as" : "than",
                    r->names[0]);
}

/* ---- the first sentence ---- */

typedef struct change_sum {
    unsigned sizes;       /* number of sizes that were compared */
    double better, worse; /* sums of the differences in each direction */
    change_at gain, loss; /* the sizes with the largest gain and the largest loss */
    change_at bytes;      /* the size with the largest difference of the byte miss ratios */
} change_sum;

/* Returns the smallest power of two, in bytes, that holds the largest object of both profiles. */
static uint64_t size_of_largest(const change_report *r) {
    uint64_t size = 1;
    for (int i = 0; i < 2; i++)
        while (size < rd_profile_objects(r->change->profiles[i])->largest)
            size *= 2;
    return size;
}

static double byte_difference(const change_at *at) {
    return fabs(at->bytes[1] - at->bytes[0]);
}

/* Sums the certain differences at powers of two times `least` blocks, up to the first size at which
 * both profiles have all achievable hits. For object caches, begins with the first power of two that holds
 * the largest object instead. */
static change_sum add_up(const change_report *r, uint64_t least) {
    change_sum sum = {0};
    uint64_t size, end = 0;
    if (__builtin_mul_overflow(least, r->unit[0] > r->unit[1] ? r->unit[0] : r->unit[1], &size))
        return sum; /* caches of that size would have 2^64 bytes or more */
    if (r->objects)
        end = size = size_of_largest(r);
    for (int i = 0; i < 2; i++) {
        rdi_mrc_scan scan = rdi_mrc_scan_start(r->change->profiles[i]);
        double bytes = (double)rdi_mrc_end(&scan) * (double)r->unit[i];
        uint64_t here = bytes < 0x1p62 ? (uint64_t)bytes : UINT64_C(1) << 62;
        end = here > end ? here : end;
    }
    for (; size / 2 < end && size < UINT64_C(1) << 63; size *= 2) {
        change_at at = look(r, size, false);
        sum.sizes += at.comparable;
        if (at.comparable && byte_difference(&at) > byte_difference(&sum.bytes))
            sum.bytes = at;
        if (!at.certain)
            continue;
        if (at.difference < 0) {
            sum.better -= at.difference;
            sum.gain = at.difference < sum.gain.difference ? at : sum.gain;
        } else {
            sum.worse += at.difference;
            sum.loss = at.difference > sum.loss.difference ? at : sum.loss;
        }
    }
    return sum;
}

static void add_most(const change_report *r, const change_at *at) {
    rdi_text_puts(r->out, "a cache of ");
    add_size(r, at->size);
    rdi_text_puts(r->out, " misses ");
    add_factor(r, at);
}

static void say_clear(const change_report *r, const change_sum *sum) {
    bool better = sum->better > sum->worse;
    const change_at *most = better ? &sum->gain : &sum->loss;
    const change_at *other = better ? &sum->loss : &sum->gain;
    rdi_text_printf(r->out, "%s got %s, most at ", subject_of(r), better ? "better" : "worse");
    add_size(r, most->size);
    rdi_text_puts(r->out, ": a cache of that size misses ");
    add_factor(r, most);
    add_names(r, most);
    rdi_text_puts(r->out, ", ");
    add_numbers(r, most);
    if (other->certain) {
        rdi_text_puts(r->out, "; only ");
        add_most(r, other);
    }
    rdi_text_puts(r->out, ".\n");
}

static void say_mixed(const change_report *r, const change_sum *sum) {
    rdi_text_printf(r->out,
                    "%s got better at some cache sizes and worse at others: ", subject_of(r));
    add_most(r, &sum->gain);
    add_names(r, &sum->gain);
    rdi_text_puts(r->out, ", ");
    add_numbers(r, &sum->gain);
    rdi_text_puts(r->out, ", but ");
    add_most(r, &sum->loss);
    rdi_text_puts(r->out, ", ");
    add_numbers(r, &sum->loss);
    rdi_text_puts(r->out, ".\n");
}

static bool has_bands(const change_report *r) {
    return rd_mrc_has_band(r->change->profiles[0]) || rd_mrc_has_band(r->change->profiles[1]);
}

/* Returns the largest cache size whose miss ratio both profiles know, or 0 if neither has a
 * bound. */
static uint64_t largest_size(const change_report *r) {
    uint64_t largest = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t size = r->facts[i]->bound * r->unit[i];
        if (size && (!largest || size < largest))
            largest = size;
    }
    return largest;
}

static void say_no_change(const change_report *r) {
    uint64_t largest = largest_size(r);
    if (has_bands(r)) {
        rdi_text_printf(r->out, "%s is the same within the error of the samples.\n", subject_of(r));
    } else if (largest) {
        rdi_text_puts(r->out, "Locality is the same below the bound: caches of up to ");
        add_size(r, largest);
        rdi_text_printf(r->out,
                        " miss %s in both profiles. Nothing is known about larger caches.\n",
                        same_of(r));
    } else {
        rdi_text_printf(
            r->out, "%s is the same: caches of every size%s miss %s in both profiles.\n",
            subject_of(r), r->objects ? " that can hold the largest object" : "", same_of(r));
    }
}

/* Says at which size the byte miss ratios of objects differ most, unless the first sentence is about
 * this size. The sentence is left out for samples, because it does not take their bands into account. */
static void say_bytes(const change_report *r, const change_sum *sum) {
    char share[2][RDI_FORMAT_ROOM];
    const change_at *at = &sum->bytes;
    if (has_bands(r) || byte_difference(at) <= SAME || at->size == sum->gain.size ||
        at->size == sum->loss.size)
        return;
    for (int i = 0; i < 2; i++)
        rdi_format_share(at->bytes[i], share[i]);
    rdi_text_puts(r->out, "The byte miss ratio changes most at ");
    add_size(r, at->size);
    rdi_text_printf(r->out, ": %s instead of %s of the bytes requested.\n", share[1], share[0]);
}

/* Adds the first sentence. Sizes below USUAL are compared only if no other size differs, because all
 * programs reuse the last few blocks. */
static void say_verdict(const change_report *r) {
    change_sum sum = add_up(r, USUAL);
    if (sum.better == 0 && sum.worse == 0)
        sum = add_up(r, 1);
    if (sum.sizes == 0)
        rdi_text_puts(r->out, "There is no cache size at which both profiles have a miss ratio.\n");
    else if (sum.better == 0 && sum.worse == 0)
        say_no_change(r);
    else if (sum.better >= CLEARLY * sum.worse || sum.worse >= CLEARLY * sum.better)
        say_clear(r, &sum);
    else
        say_mixed(r, &sum);
    if (r->objects)
        say_bytes(r, &sum);
}

/* Returns the number of references after the change, divided by the number before it. */
static double length_factor(const change_report *r) {
    return (double)r->facts[1]->references / (double)r->facts[0]->references;
}

/* Returns whether one run is more than `factor` times as long as the other. */
static bool differ_in_length(const change_report *r, double factor) {
    double longer = length_factor(r);
    return longer > factor || longer < 1 / factor;
}

/* Returns whether caches of all sizes miss the same share of the references. The profiles then have
 * the same locality, even if their numbers of misses differ because one run is longer. */
static bool has_same_ratios(change_report r) {
    r.counted = false;
    change_sum sum = add_up(&r, 1);
    return sum.sizes > 0 && sum.better == 0 && sum.worse == 0;
}

/* Chooses what to compare. See the comment at the top. */
static void choose_measure(change_report *r) {
    bool known = !r->facts[0]->skipped && !r->facts[1]->skipped && !r->objects;
    r->counted = known && !differ_in_length(r, 1 + ALIKE) &&
                 (!differ_in_length(r, 1 + SAME) || !has_same_ratios(*r));
    r->both = known && !r->counted && !differ_in_length(r, LONGER);
}

/* Adds the size with the largest change, and both numbers of misses. */
static void add_most_misses(const change_report *r, const change_at *at) {
    char number[2][16];
    format_misses(r, at, number);
    rdi_text_puts(r->out, ", most at ");
    add_size(r, at->size);
    rdi_text_printf(r->out, " from %s to %s", number[0], number[1]);
}

/* Says how the numbers of misses changed, after miss ratios were compared. */
static void say_misses(change_report r) {
    r.counted = true;
    change_sum sum = add_up(&r, USUAL);
    if (sum.better == 0 && sum.worse == 0)
        sum = add_up(&r, 1);
    if (sum.sizes == 0)
        return;
    rdi_text_puts(r.out, "The number of misses ");
    if (sum.better > 0) {
        rdi_text_puts(r.out, sum.worse > 0 ? "fell at some cache sizes" : "fell");
        add_most_misses(&r, &sum.gain);
    }
    if (sum.worse > 0) {
        rdi_text_puts(r.out, sum.better > 0 ? ", and rose at others" : "rose");
        add_most_misses(&r, &sum.loss);
    }
    if (sum.better == 0 && sum.worse == 0)
        rdi_text_puts(r.out, has_bands(&r) ? "is the same within the error of the samples"
                                           : "is the same at each cache size");
    rdi_text_puts(r.out, ".\n");
}

/* Says how many references each run has, and, if r->both is true, how the numbers of misses changed. Says
 * nothing if numbers of misses were compared, or if the numbers of references are unknown or equal. */
static void say_references(const change_report *r) {
    char number[2][16];
    for (int i = 0; i < 2; i++)
        rd_format_count((double)r->facts[i]->references, number[i]);
    bool unknown = r->facts[0]->skipped || r->facts[1]->skipped;
    if (r->counted || unknown || fabs(length_factor(r) - 1) <= SAME)
        return;
    rdi_text_printf(r->out, "The runs differ in length: %s %s in \"%s\", %s in \"%s\".\n",
                    number[1], noun_of(r), r->names[1], number[0], r->names[0]);
    if (r->both)
        say_misses(*r);
}

/* ---- the other sentences ---- */

static void add_level(const change_report *r, size_t i) {
    add_size(r, r->change->levels[i].bytes);
    rdi_text_puts(r->out, " (");
    rdi_text_puts(r->out, r->change->levels[i].name);
    rdi_text_putc(r->out, ')');
}

/* Says which levels miss equally often. */
static void say_same(const change_report *r, const bool *same) {
    size_t n = 0, said = 0;
    for (size_t i = 0; i < r->change->n_levels; i++)
        n += same[i];
    if (n == 0)
        return;
    rdi_text_puts(r->out, n > 1 ? "Caches of " : "A cache of ");
    for (size_t i = 0; i < r->change->n_levels; i++)
        if (same[i]) {
            rdi_text_puts(r->out, said == 0 ? "" : said + 1 < n ? ", " : " and ");
            add_level(r, i);
            said++;
        }
    rdi_text_printf(r->out, " %s %s in both profiles.\n", n > 1 ? "miss" : "misses", same_of(r));
}

/* Says how the misses of each level changed. If the sentence has a miss ratio and a number of misses, it has no
 * factor, because each of the two changed by another factor. */
static void say_levels(const change_report *r) {
    bool same[RD_LEVELS_MAX] = {false};
    for (size_t i = 0; i < r->change->n_levels && i < RD_LEVELS_MAX; i++) {
        change_at at = look(r, r->change->levels[i].bytes, true);
        const char *about = at.interpolated ? "about " : "";
        same[i] = at.comparable && !at.certain && !at.interpolated && !has_bands(r);
        if (!at.certain)
            continue;
        if (r->both)
            rdi_text_printf(r->out, "In \"%s\", ", r->names[1]);
        rdi_text_puts(r->out, r->both ? "a cache of " : "A cache of ");
        add_level(r, i);
        rdi_text_printf(r->out, " misses %s", about);
        if (!r->both) {
            add_factor(r, &at);
            add_names(r, &at);
            rdi_text_printf(r->out, ": %s", about);
        }
        add_numbers(r, &at);
        rdi_text_puts(r->out, ".\n");
    }
    say_same(r, same);
}

/* Returns whether the first profile has named caches, and one of them misses more or less often in the second. */
static bool has_named_change(const change_report *r) {
    const rd_details *d = rd_profile_details(r->change->profiles[0]);
    bool changed = false;
    for (size_t i = 0; d && d->n_levels && i < r->change->n_levels; i++)
        changed = changed || look(r, r->change->levels[i].bytes, true).certain;
    return changed;
}

/* ---- the whole ---- */

/* Sets *identical to whether the profiles are identical. Profiles whose bins have nothing in common
 * are not identical. */
static rd_status find_identical(rd_ctx *ctx, const rdi_change *change, bool *identical) {
    rd_comparison c = {0};
    rd_status status = rd_compare(ctx, change->profiles[0], change->profiles[1],
                                  (rd_binning){RD_BINS_EDGES, 0}, &c);
    *identical = status == RD_OK && c.identical;
    return status == RD_ENOMEM ? status : RD_OK;
}

rd_status rdi_change_say(rd_ctx *ctx, const rdi_change *change, rdi_text *out) {
    change_report r = {.change = change, .ctx = ctx, .out = out};
    for (int i = 0; i < 2; i++) {
        r.facts[i] = rd_profile_facts_of(change->profiles[i]);
        r.unit[i] = r.facts[i]->block_bytes ? r.facts[i]->block_bytes : 1;
    }
    r.objects = rd_profile_objects(change->profiles[0]) && rd_profile_objects(change->profiles[1]);
    rdi_change_names(change->names, r.names);
    bool identical;
    RD_TRY(find_identical(ctx, change, &identical));
    bool bytes[2] = {r.facts[0]->block_bytes != 0, r.facts[1]->block_bytes != 0};
    if (identical) {
        rdi_text_puts(out, "The two profiles are identical.\n");
    } else if (!rdi_mrc_measured(change->profiles[0]) || !rdi_mrc_measured(change->profiles[1])) {
        rdi_text_puts(out, "At least one of the profiles has no distances to compare.\n");
    } else if (bytes[0] != bytes[1]) {
        rdi_text_puts(out, "Blocks have a size in only one of the profiles, so caches cannot be "
                           "compared.\n");
    } else {
        choose_measure(&r);
        bool levels = bytes[0] && !r.objects, first = levels && has_named_change(&r);
        if (first)
            say_levels(&r);
        /* A shorter run often does the same with less work, so the number of misses matters most. */
        bool misses_first = r.both && length_factor(&r) < 1;
        if (misses_first)
            say_references(&r);
        say_verdict(&r);
        if (!misses_first)
            say_references(&r);
        if (levels && !first)
            say_levels(&r);
    }
    return out->status;
}
