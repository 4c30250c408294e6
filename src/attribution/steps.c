/* Makes the steps, and sums counts per step. See steps.h. */
#include "attribution/steps.h"

#include "profile/details.h"
#include "profile/hist.h"

static void add_step(rdi_steps *s, size_t bin, size_t missed, uint64_t high) {
    s->high[s->n] = high;
    s->bin[s->n] = (uint8_t)bin;
    s->missed[s->n++] = (uint8_t)missed;
}

void rdi_steps_init(rdi_steps *s, const uint64_t *blocks, size_t n) {
    size_t missed = 0;
    s->n = 0;
    for (size_t bin = 0; bin < RD_LOG_BINS; bin++) {
        uint64_t low = rdi_log_bin_low(bin), high = rdi_log_bin_high(bin);
        s->first[bin] = s->n;
        for (; missed < n && blocks[missed] <= high; missed++)
            if (blocks[missed] > low && (missed == 0 || blocks[missed] != blocks[missed - 1]))
                add_step(s, bin, missed, blocks[missed] - 1);
        add_step(s, bin, missed, high);
    }
    add_step(s, RD_LOG_BINS - 1, n, RD_COLD);
}

void rdi_counts_add(rdi_counts *to, const rdi_counts *from) {
    to->sum += from->sum;
    for (size_t i = 0; i < RDI_STEPS; i++)
        to->at[i] += from->at[i];
}

void rdi_counts_to_share(const rdi_steps *s, const rdi_counts *from, rd_share *to) {
    rdi_sum_add(&to->distance_sum, rdi_sum_narrow(from->sum));
    for (size_t i = 0; i < s->n; i++) {
        bool infinite = i + 1u == s->n;
        if (from->at[i] == 0)
            continue;
        to->references += from->at[i];
        if (infinite)
            to->infinite += from->at[i];
        else
            to->bins[s->bin[i]] += from->at[i];
        for (size_t k = 0; k < s->missed[i]; k++)
            to->misses[k] += from->at[i];
    }
}

uint64_t rdi_counts_references(const rdi_steps *s, const rdi_counts *c) {
    uint64_t references = 0;
    for (size_t i = 0; i < s->n; i++)
        references += c->at[i];
    return references;
}

uint64_t rdi_counts_misses(const rdi_steps *s, const rdi_counts *c) {
    uint64_t misses = 0;
    for (size_t i = 0; i < s->n; i++)
        misses += c->at[i] * s->missed[i];
    return misses;
}
