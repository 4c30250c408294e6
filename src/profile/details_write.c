/* Writes the optional keys of the profile file: an entry per line. docs/profile-format.md. */
#include "profile/profile_write.h"

#include "profile/details.h"
#include "profile/hist.h"

/* [low, high, count] of each bin that has references. */
static void put_bins(rd_json_writer *w, const uint64_t *bins) {
    rd_json_begin_array(w, "bins", RD_JSON_INLINE);
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        if (bins[k]) {
            const uint64_t bin[] = {rdi_log_bin_low(k), rdi_log_bin_high(k), bins[k]};
            rdi_json_put_u64s(w, NULL, bin, RDI_COUNT(bin));
        }
    rd_json_end_array(w);
}

static void put_sum(rd_json_writer *w, rd_sum sum) {
    rdi_json_put_u128(w, "distance_sum", rdi_sum_wide(sum));
}

static void put_share(rd_json_writer *w, const rd_details *d, const rd_share *s) {
    rd_json_put_u64(w, "references", s->references);
    rd_json_put_u64(w, "infinite", s->infinite);
    put_sum(w, s->distance_sum);
    rdi_json_put_u64s(w, "misses", s->misses, d->n_levels);
    put_bins(w, s->bins);
}

static void put_functions(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "functions", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_functions; i++) {
        const rd_code_function *f = &a->functions[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", f->name);
        rdi_json_put_u64_or_null(w, "source", f->source, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "line", f->line, 0);
        rd_json_put_string(w, "module", f->module);
        put_share(w, d, &f->share);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_lines(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "lines", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_code_line *line = &a->lines[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rdi_json_put_u64_or_null(w, "source", line->source, RD_NO_INDEX);
        rd_json_put_u64(w, "line", line->line);
        rdi_json_put_u64_or_null(w, "function", line->function, RD_NO_INDEX);
        if (line->n_inlined_from)
            rdi_json_put_strings(w, "inlined_from", line->inlined_from, line->n_inlined_from);
        rd_json_put_string(w, "text", line->text);
        put_share(w, d, &line->share);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_pairs(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "pairs", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_pairs; i++) {
        const rd_reuse_pair *pair = &a->pairs[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rdi_json_put_u64_or_null(w, "use", pair->use, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "reuse", pair->reuse, RD_NO_INDEX);
        rd_json_put_u64(w, "count", pair->count);
        put_sum(w, pair->distance_sum);
        rdi_json_put_u64s(w, "misses", pair->misses, d->n_levels);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_words_used(rd_json_writer *w, double words_used) {
    if (words_used < 0)
        rd_json_put_null(w, "words_used");
    else
        rd_json_put_double(w, "words_used", words_used);
}

static void put_data(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "data", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_data; i++) {
        const rd_data_region *data = &a->data[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "kind", rdi_data_kind_names[data->kind]);
        rd_json_put_string(w, "name", data->name);
        rdi_json_put_u64_or_null(w, "line", data->line, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "bytes", data->bytes, 0);
        rdi_json_put_u64_or_null(w, "blocks", data->blocks, RD_UNKNOWN);
        put_share(w, d, &data->share);
        put_words_used(w, data->words_used);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_line_data(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "line_data", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_line_data; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "line", a->line_data[i].line);
        rd_json_put_u64(w, "data", a->line_data[i].data);
        rdi_json_put_u64s(w, "misses", a->line_data[i].misses, d->n_levels);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_snippets(rd_json_writer *w, const rd_attribution *a) {
    rd_json_begin_array(w, "snippets", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_snippets; i++) {
        const rd_snippet *s = &a->snippets[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "source", s->source);
        rd_json_put_u64(w, "first", s->first);
        rdi_json_put_strings(w, "lines", s->lines, s->n);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_cost(rd_json_writer *w, const rd_attribution *a) {
    rd_json_begin_object(w, "cost", RD_JSON_INLINE);
    rd_json_put_double(w, "seconds", a->seconds);
    rd_json_put_u64(w, "bytes", a->bytes);
    rd_json_put_u64(w, "dropped_pairs", a->dropped_pairs);
    rd_json_end_object(w);
}

static void put_attribution(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_object(w, "attribution", RD_JSON_LINES);
    put_cost(w, a);
    rdi_json_put_strings(w, "sources", a->sources, a->n_sources);
    put_functions(w, d);
    put_lines(w, d);
    put_pairs(w, d);
    put_data(w, d);
    put_line_data(w, d);
    put_snippets(w, a);
    rd_json_end_object(w);
}

static void put_windows(rd_json_writer *w, const rd_details *d) {
    const rd_windows *windows = d->windows;
    rd_json_begin_object(w, "windows", RD_JSON_LINES);
    rd_json_put_u64(w, "references", windows->references);
    rd_json_begin_array(w, "rows", RD_JSON_LINES);
    for (size_t i = 0; i < windows->n; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "from", windows->rows[i].from);
        put_share(w, d, &windows->rows[i].share);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_begin_array(w, "phases", RD_JSON_INLINE);
    for (size_t i = 0; i < windows->n_phases; i++)
        rd_json_put_u64(w, NULL, windows->phases[i]);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

static void put_word_profile(rd_json_writer *w, const rd_spatial *s) {
    rd_json_begin_object(w, "word_profile", RD_JSON_INLINE);
    rd_json_put_u64(w, "references", s->word_references);
    rd_json_put_u64(w, "infinite", s->word_infinite);
    rdi_profile_write_histogram(w, s->word_bins, s->n_word_bins, true, RD_JSON_INLINE);
    rd_json_end_object(w);
}

static void put_spatial(rd_json_writer *w, const rd_details *d) {
    const rd_spatial *s = d->spatial;
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

void rdi_details_write_levels(rd_json_writer *w, const rd_level *levels, size_t n) {
    rd_json_begin_array(w, "levels", RD_JSON_INLINE);
    for (size_t k = 0; k < n; k++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", levels[k].name);
        rd_json_put_u64(w, "bytes", levels[k].bytes);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

void rdi_details_write(rd_json_writer *w, const rd_details *d) {
    rdi_details_write_levels(w, d->levels, d->n_levels);
    if (d->attribution)
        put_attribution(w, d);
    if (d->windows)
        put_windows(w, d);
    if (d->spatial)
        put_spatial(w, d);
}
