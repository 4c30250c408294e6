/* The optional part of a profile as an object, and what must hold in it. See details.h. */
#include "profile/details.h"

#include "profile/hist.h"

const char *const rdi_data_kind_names[4] = {"other", "heap", "global", "stack"};

rd_status rdi_details_new(rd_ctx *ctx, rdi_details **out) {
    rdi_details *d = rdi_calloc(ctx, 1, sizeof *d);
    if (!d)
        return RD_ENOMEM;
    d->arena.ctx = ctx;
    *out = d;
    return RD_OK;
}

void rdi_details_free(rdi_details *d) {
    if (!d)
        return;
    rd_ctx *ctx = d->arena.ctx;
    rdi_arena_fini(&d->arena);
    rdi_free(ctx, d);
}

uint64_t rdi_log_bin_low(size_t bin) {
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}

uint64_t rdi_log_bin_high(size_t bin) {
    uint64_t low = rdi_log_bin_low(bin), high = bin ? low + (low - 1) : 0;
    return high < RD_COLD ? high : RD_COLD - 1;
}

/* ---- what must hold ---- */

/* Misses of every entry: not fewer than the infinite ones, not more than all, and falling. */
static bool misses_are_possible(const rd_details *d, const uint64_t *misses, uint64_t least,
                                uint64_t most) {
    for (size_t k = 0; k < d->n_levels; k++) {
        if (misses[k] < least || misses[k] > most)
            return false;
        most = misses[k];
    }
    for (size_t k = d->n_levels; k < RD_LEVELS_MAX; k++)
        if (misses[k])
            return false;
    return true;
}

static bool share_is_possible(const rd_details *d, const rd_share *s) {
    rdi_u128 count = s->infinite, low = 0, high = 0, sum = rdi_sum_wide(s->distance_sum);
    for (size_t k = 0; k < RD_LOG_BINS; k++) {
        count += s->bins[k];
        low += (rdi_u128)s->bins[k] * rdi_log_bin_low(k);
        high += (rdi_u128)s->bins[k] * rdi_log_bin_high(k);
    }
    return count == s->references && sum >= low && sum <= high &&
           misses_are_possible(d, s->misses, s->infinite, s->references);
}

/* The shares of a list, `stride` bytes apart, are all references. */
static bool sums_up(const rd_profile_facts *facts, const rd_details *d, const rd_share *first,
                    size_t n, size_t stride) {
    rdi_u128 references = 0, infinite = 0;
    for (size_t i = 0; i < n; i++) {
        const rd_share *s = (const rd_share *)((const char *)first + i * stride);
        if (!share_is_possible(d, s))
            return false;
        references += s->references;
        infinite += s->infinite;
    }
    return references == facts->references && infinite == facts->infinite;
}

static const char *pairs_mistake(const rd_profile_facts *facts, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rdi_u128 count = 0;
    for (size_t i = 0; i < a->n_pairs; i++) {
        count += a->pairs[i].count;
        if (!misses_are_possible(d, a->pairs[i].misses, 0, a->pairs[i].count))
            return "a pair misses more often than it comes";
    }
    if (count > facts->references - facts->infinite)
        return "the pairs have more references than there are finite distances";
    for (size_t i = 0; i < a->n_line_data; i++)
        if (!misses_are_possible(d, a->line_data[i].misses, 0,
                                 a->lines[a->line_data[i].line].share.references))
            return "a line misses more often than it refers";
    return NULL;
}

static const char *attribution_mistake(const rd_profile_facts *facts, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    if (!sums_up(facts, d, &a->functions->share, a->n_functions, sizeof *a->functions))
        return "the functions do not sum up to the profile";
    if (!sums_up(facts, d, &a->lines->share, a->n_lines, sizeof *a->lines))
        return "the lines do not sum up to the profile";
    if (!sums_up(facts, d, &a->data->share, a->n_data, sizeof *a->data))
        return "the data do not sum up to the profile";
    return pairs_mistake(facts, d);
}

static const char *windows_mistake(const rd_profile_facts *facts, const rd_details *d) {
    const rd_windows *w = d->windows;
    uint64_t from = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->rows[i].from != from)
            return "a window does not begin where the one before ends";
        from += w->rows[i].share.references;
    }
    for (size_t i = 0; i < w->n_phases; i++)
        if (w->phases[i] >= w->n || (i ? w->phases[i] <= w->phases[i - 1] : w->phases[i] != 0))
            return "the phases do not ascend from window 0 on";
    return sums_up(facts, d, &w->rows->share, w->n, sizeof *w->rows)
               ? NULL
               : "the windows do not sum up to the profile";
}

static const char *spatial_mistake(const rd_details *d) {
    const rd_spatial *s = d->spatial;
    rdi_u128 count = s->word_infinite;
    for (size_t i = 0; i < s->n_word_bins; i++) {
        const rd_bin *b = &s->word_bins[i];
        rdi_u128 sum = rdi_sum_wide(b->sum);
        size_t bin = rdi_bit_width(b->low);
        count += b->count;
        if (b->low != rdi_log_bin_low(bin) || b->high != rdi_log_bin_high(bin) || b->count == 0 ||
            (i && b->low <= b[-1].low) || sum < (rdi_u128)b->low * b->count ||
            sum > (rdi_u128)b->high * b->count)
            return "a row of the words' histogram cannot be";
    }
    if (s->word_bytes == 0 || (s->word_bytes & (s->word_bytes - 1)))
        return "the size of a word is not a power of two";
    return count == s->word_references ? NULL
                                       : "the words' histogram does not sum up to its references";
}

const char *rdi_details_mistake(const rd_profile_facts *facts, const rd_details *d) {
    for (size_t k = 0; k < d->n_levels; k++)
        if (d->levels[k].bytes == 0 || (k && d->levels[k].bytes < d->levels[k - 1].bytes))
            return "the levels do not ascend";
    const char *mistake = d->attribution ? attribution_mistake(facts, d) : NULL;
    if (!mistake && d->windows)
        mistake = windows_mistake(facts, d);
    return !mistake && d->spatial ? spatial_mistake(d) : mistake;
}
