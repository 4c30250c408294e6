/* Reads, writes and checks rd_share. See share.h. */
#include "profile/share.h"

#include "profile/details.h"
#include "profile/hist.h"

/* ---- reading ---- */

/* Reads rows of the form [low, high, count] into the counts of log bins. */
void rdi_read_bins(rdi_profile_reader *r, void *field) {
    rdi_json *j = &r->j;
    uint64_t *bins = field, before = 0;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        uint64_t row[3] = {0};
        size_t n = 0;
        rdi_json_enter_array(j);
        for (; rdi_json_next_item(j); n++) {
            if (n >= RDI_COUNT(row))
                rdi_json_fail(j, "a bin must be [low, high, count]");
            else
                row[n] = rdi_json_u64(j);
        }
        if (n < RDI_COUNT(row))
            rdi_json_fail(j, "a bin must be [low, high, count]");
        size_t bin = rdi_bit_width(row[0]);
        if (row[0] != rdi_log_bin_low(bin) || row[1] != rdi_log_bin_high(bin) || row[2] == 0 ||
            bin < before)
            rdi_json_fail(j, "the bin is empty, or it is not a log bin above the previous one");
        before = bin + 1;
        bins[bin] = row[2];
    }
}

/* ---- writing ---- */

/* Writes [low, high, count] for each bin that has references. */
static void put_bins(rd_json_writer *w, const uint64_t *bins) {
    rd_json_begin_array(w, "bins", RD_JSON_INLINE);
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        if (bins[k]) {
            const uint64_t bin[] = {rdi_log_bin_low(k), rdi_log_bin_high(k), bins[k]};
            rdi_json_put_u64s(w, NULL, bin, RDI_COUNT(bin));
        }
    rd_json_end_array(w);
}

void rdi_put_sum(rd_json_writer *w, rd_sum sum) {
    rdi_json_put_u128(w, "distance_sum", rdi_sum_wide(sum));
}

void rdi_put_share(rd_json_writer *w, const rd_details *d, const rd_share *s) {
    rd_json_put_u64(w, "references", s->references);
    rd_json_put_u64(w, "infinite", s->infinite);
    rdi_put_sum(w, s->distance_sum);
    rdi_json_put_u64s(w, "misses", s->misses, d->n_levels);
    put_bins(w, s->bins);
}

/* ---- checks ---- */

bool rdi_misses_are_possible(const rd_details *d, const uint64_t *misses, uint64_t least,
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
           rdi_misses_are_possible(d, s->misses, s->infinite, s->references);
}

bool rdi_shares_sum_up(const rd_profile_facts *facts, const rd_details *d, const rd_share *first,
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
