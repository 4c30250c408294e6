/* Section "spatial": how much of each block is used. A merged profile does not have this section,
 * because the details are not merged. */
#include "profile/details.h"
#include "profile/hist.h"
#include "profile/profile_write.h"
#include "profile/share.h"

/* ---- reading ---- */

typedef struct fetched_words {
    uint64_t fetched, words;
} fetched_words;

static void read_spatial_levels(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"fetched", rdi_read_u64, offsetof(fetched_words, fetched), true},
        {"words", rdi_read_u64, offsetof(fetched_words, words), true},
        {0},
    };
    rd_spatial *s = field;
    const void *list = NULL;
    size_t n = 0;
    rdi_read_list(r, fields, sizeof(fetched_words), &list, &n);
    if (n > RD_LEVELS_MAX)
        rdi_json_fail(&r->j, "there are more than %d levels", RD_LEVELS_MAX);
    for (size_t k = 0; k < n && k < RD_LEVELS_MAX; k++) {
        s->levels[k].fetched = ((const fetched_words *)list)[k].fetched;
        s->levels[k].words = ((const fetched_words *)list)[k].words;
    }
}

/* Reads rows of the form [low, high, count, sum]. */
static void read_word_bins(rdi_profile_reader *r, void *field) {
    rdi_json *j = &r->j;
    rd_spatial *s = field;
    size_t room = rdi_count_items(j);
    rd_bin *bins = rdi_read_take(r, room, sizeof *bins);
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j) && bins && s->n_word_bins < room) {
        rdi_u128 row[4] = {0};
        size_t n = 0;
        rdi_json_enter_array(j);
        for (; rdi_json_next_item(j); n++) {
            if (n >= RDI_COUNT(row))
                rdi_json_fail(j, "a row must be [low, high, count, sum]");
            else
                row[n] = n < 3 ? rdi_json_u64(j) : rdi_json_u128(j);
        }
        if (n != RDI_COUNT(row))
            rdi_json_fail(j, "a row must be [low, high, count, sum]");
        bins[s->n_word_bins++] =
            (rd_bin){(uint64_t)row[0], (uint64_t)row[1], (uint64_t)row[2], rdi_sum_narrow(row[3])};
    }
    s->word_bins = bins;
}

static void read_word_profile(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"references", rdi_read_u64, offsetof(rd_spatial, word_references), true},
        {"infinite", rdi_read_u64, offsetof(rd_spatial, word_infinite), true},
        {"histogram", read_word_bins, 0, true},
        {0},
    };
    rdi_read_object(r, fields, field);
}

static void spatial_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"word_bytes", rdi_read_u64, offsetof(rd_spatial, word_bytes), true},
        {"blocks_loaded", rdi_read_u64, offsetof(rd_spatial, blocks_loaded), true},
        {"words_used", rdi_read_u64, offsetof(rd_spatial, words_used), true},
        {"levels", read_spatial_levels, 0, true},
        {"word_profile", read_word_profile, 0, false},
        {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    rd_spatial *s = d ? rdi_read_take(r, 1, sizeof *s) : NULL;
    if (!s)
        return;
    rdi_read_object(r, fields, s);
    d->is.spatial = s;
}

/* ---- checks ---- */

static const char *spatial_mistake(const rd_profile_facts *facts, const void *data) {
    (void)facts;
    const rd_details *d = data;
    const rd_spatial *s = d->spatial;
    if (!s)
        return NULL;
    rdi_u128 count = s->word_infinite;
    for (size_t i = 0; i < s->n_word_bins; i++) {
        const rd_bin *b = &s->word_bins[i];
        rdi_u128 sum = rdi_sum_wide(b->sum);
        size_t bin = rdi_bit_width(b->low);
        count += b->count;
        if (b->low != rdi_log_bin_low(bin) || b->high != rdi_log_bin_high(bin) || b->count == 0 ||
            (i && b->low <= b[-1].low) || sum < (rdi_u128)b->low * b->count ||
            sum > (rdi_u128)b->high * b->count)
            return "a row of the histogram in words is invalid";
    }
    if (s->word_bytes == 0 || (s->word_bytes & (s->word_bytes - 1)))
        return "the size of a word is not a power of two";
    return count == s->word_references
               ? NULL
               : "the counts of the histogram in words do not add up to its references";
}

/* ---- writing ---- */

static void put_word_profile(rd_json_writer *w, const rd_spatial *s) {
    rd_json_begin_object(w, "word_profile", RD_JSON_INLINE);
    rd_json_put_u64(w, "references", s->word_references);
    rd_json_put_u64(w, "infinite", s->word_infinite);
    rdi_profile_write_histogram(w, s->word_bins, s->n_word_bins, true, RD_JSON_INLINE);
    rd_json_end_object(w);
}

static void spatial_write(rd_json_writer *w, const void *data) {
    const rd_details *d = data;
    const rd_spatial *s = d->spatial;
    if (!s)
        return;
    rd_json_begin_object(w, "spatial", RD_JSON_LINES);
    rd_json_put_u64(w, "word_bytes", s->word_bytes);
    rd_json_put_u64(w, "blocks_loaded", s->blocks_loaded);
    rd_json_put_u64(w, "words_used", s->words_used);
    rd_json_begin_array(w, "levels", RD_JSON_INLINE);
    for (size_t k = 0; k < d->n_levels; k++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "fetched", s->levels[k].fetched);
        rd_json_put_u64(w, "words", s->levels[k].words);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    if (s->n_word_bins || s->word_references)
        put_word_profile(w, s);
    rd_json_end_object(w);
}

const rdi_section rdi_section_spatial = {
    .key = "spatial",
    .minor = 1,
    .owner = &rdi_section_levels,
    .read = spatial_read,
    .mistake = spatial_mistake,
    .write = spatial_write,
};
