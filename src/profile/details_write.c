/* Writes the optional keys of the profile file: an entry per line. docs/profile-format.md. */
#include "base/json.h"
#include "profile/details.h"
#include "profile/hist.h"

#include <inttypes.h>

/* Without printf, which takes longer than all the rest. */
static void add_key(rdi_text *t, const char *key) {
    rdi_text_putc(t, '"');
    rdi_text_puts(t, key);
    rdi_text_puts(t, "\": ");
}

static void add_string(rdi_text *t, const char *key, const char *text) {
    add_key(t, key);
    if (text)
        rdi_text_json_string(t, text);
    else
        rdi_text_puts(t, "null");
    rdi_text_puts(t, ", ");
}

static void add_number(rdi_text *t, const char *key, uint64_t value, uint64_t none) {
    add_key(t, key);
    if (value == none)
        rdi_text_puts(t, "null");
    else
        rdi_text_u64(t, value);
    rdi_text_puts(t, ", ");
}

static void add_u64(rdi_text *t, const char *key, uint64_t value) {
    add_key(t, key);
    rdi_text_u64(t, value);
    rdi_text_puts(t, ", ");
}

static void add_u64_list(rdi_text *t, const char *key, const uint64_t *values, size_t n) {
    add_key(t, key);
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? ", " : "");
        rdi_text_u64(t, values[i]);
    }
    rdi_text_putc(t, ']');
}

static void add_strings(rdi_text *t, const char *const *texts, size_t n) {
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? ", " : "");
        rdi_text_json_string(t, texts[i]);
    }
    rdi_text_putc(t, ']');
}

static void add_bin(rdi_text *t, bool first, uint64_t low, uint64_t high, uint64_t count) {
    rdi_text_puts(t, first ? "[" : ", [");
    rdi_text_u64(t, low);
    rdi_text_puts(t, ", ");
    rdi_text_u64(t, high);
    rdi_text_puts(t, ", ");
    rdi_text_u64(t, count);
    rdi_text_putc(t, ']');
}

static void add_counts(rdi_text *t, const rd_details *d, const rd_share *s) {
    add_u64(t, "references", s->references);
    add_u64(t, "infinite", s->infinite);
    rdi_text_puts(t, "\"distance_sum\": ");
    rdi_text_u128(t, rdi_sum_wide(s->distance_sum));
    rdi_text_puts(t, ", ");
    add_u64_list(t, "misses", s->misses, d->n_levels);
    rdi_text_puts(t, ", \"bins\": [");
    for (size_t k = 0, n = 0; k < RD_LOG_BINS; k++)
        if (s->bins[k])
            add_bin(t, n++ == 0, rdi_log_bin_low(k), rdi_log_bin_high(k), s->bins[k]);
    rdi_text_putc(t, ']');
}

/* The i-th entry of a list begins; all end with '}'. */
static void begin_entry(rdi_text *t, size_t i) {
    rdi_text_puts(t, i ? ",\n      {" : "\n      {");
}

static void begin_list(rdi_text *t, const char *key) {
    rdi_text_printf(t, ",\n    \"%s\": [", key);
}

static void add_functions(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    begin_list(t, "functions");
    for (size_t i = 0; i < a->n_functions; i++) {
        const rd_code_function *f = &a->functions[i];
        begin_entry(t, i);
        add_string(t, "name", f->name);
        add_number(t, "source", f->source, RD_NO_INDEX);
        add_number(t, "line", f->line, 0);
        add_string(t, "module", f->module);
        add_counts(t, d, &f->share);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_lines(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    begin_list(t, "lines");
    for (size_t i = 0; i < a->n_lines; i++) {
        const rd_code_line *line = &a->lines[i];
        begin_entry(t, i);
        add_number(t, "source", line->source, RD_NO_INDEX);
        add_u64(t, "line", line->line);
        add_number(t, "function", line->function, RD_NO_INDEX);
        if (line->n_inlined_from) {
            rdi_text_puts(t, "\"inlined_from\": ");
            add_strings(t, line->inlined_from, line->n_inlined_from);
            rdi_text_puts(t, ", ");
        }
        add_string(t, "text", line->text);
        add_counts(t, d, &line->share);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_pairs(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    begin_list(t, "pairs");
    for (size_t i = 0; i < a->n_pairs; i++) {
        const rd_reuse_pair *pair = &a->pairs[i];
        begin_entry(t, i);
        add_number(t, "use", pair->use, RD_NO_INDEX);
        add_number(t, "reuse", pair->reuse, RD_NO_INDEX);
        add_u64(t, "count", pair->count);
        rdi_text_puts(t, "\"distance_sum\": ");
        rdi_text_u128(t, rdi_sum_wide(pair->distance_sum));
        rdi_text_puts(t, ", ");
        add_u64_list(t, "misses", pair->misses, d->n_levels);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_data(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    begin_list(t, "data");
    for (size_t i = 0; i < a->n_data; i++) {
        const rd_data_region *data = &a->data[i];
        begin_entry(t, i);
        add_string(t, "kind", rdi_data_kind_names[data->kind]);
        add_string(t, "name", data->name);
        add_number(t, "line", data->line, RD_NO_INDEX);
        add_number(t, "bytes", data->bytes, 0);
        add_number(t, "blocks", data->blocks, RD_UNKNOWN);
        add_counts(t, d, &data->share);
        rdi_text_puts(t, ", \"words_used\": ");
        if (data->words_used < 0)
            rdi_text_puts(t, "null");
        else
            rdi_text_json_double(t, data->words_used);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_line_data(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    begin_list(t, "line_data");
    for (size_t i = 0; i < a->n_line_data; i++) {
        begin_entry(t, i);
        add_u64(t, "line", a->line_data[i].line);
        add_u64(t, "data", a->line_data[i].data);
        add_u64_list(t, "misses", a->line_data[i].misses, d->n_levels);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_snippets(rdi_text *t, const rd_attribution *a) {
    begin_list(t, "snippets");
    for (size_t i = 0; i < a->n_snippets; i++) {
        const rd_snippet *s = &a->snippets[i];
        begin_entry(t, i);
        add_u64(t, "source", s->source);
        add_u64(t, "first", s->first);
        rdi_text_puts(t, "\"lines\": ");
        add_strings(t, s->lines, s->n);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

static void add_attribution(rdi_text *t, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rdi_text_puts(t, ",\n  \"attribution\": {\n    \"cost\": {\"seconds\": ");
    rdi_text_json_double(t, a->seconds);
    rdi_text_printf(t, ", \"bytes\": %" PRIu64 ", \"dropped_pairs\": %" PRIu64 "}", a->bytes,
                    a->dropped_pairs);
    rdi_text_puts(t, ",\n    \"sources\": ");
    add_strings(t, a->sources, a->n_sources);
    add_functions(t, d);
    add_lines(t, d);
    add_pairs(t, d);
    add_data(t, d);
    add_line_data(t, d);
    add_snippets(t, a);
    rdi_text_puts(t, "\n  }");
}

static void add_windows(rdi_text *t, const rd_details *d) {
    const rd_windows *w = d->windows;
    rdi_text_printf(t, ",\n  \"windows\": {\n    \"references\": %" PRIu64, w->references);
    begin_list(t, "rows");
    for (size_t i = 0; i < w->n; i++) {
        begin_entry(t, i);
        add_u64(t, "from", w->rows[i].from);
        add_counts(t, d, &w->rows[i].share);
        rdi_text_putc(t, '}');
    }
    rdi_text_puts(t, "],\n    \"phases\": [");
    for (size_t i = 0; i < w->n_phases; i++)
        rdi_text_printf(t, "%s%zu", i ? ", " : "", w->phases[i]);
    rdi_text_puts(t, "]\n  }");
}

static void add_word_profile(rdi_text *t, const rd_spatial *s) {
    rdi_text_printf(t,
                    ",\n    \"word_profile\": {\"references\": %" PRIu64 ", \"infinite\": %" PRIu64
                    ", \"histogram\": [",
                    s->word_references, s->word_infinite);
    for (size_t i = 0; i < s->n_word_bins; i++) {
        const rd_bin *b = &s->word_bins[i];
        rdi_text_printf(t, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", ", i ? ", " : "", b->low,
                        b->high, b->count);
        rdi_text_u128(t, rdi_sum_wide(b->sum));
        rdi_text_putc(t, ']');
    }
    rdi_text_puts(t, "]}");
}

static void add_spatial(rdi_text *t, const rd_details *d) {
    const rd_spatial *s = d->spatial;
    rdi_text_printf(t,
                    ",\n  \"spatial\": {\n    \"word_bytes\": %" PRIu64
                    ", \"blocks_loaded\": %" PRIu64 ", \"words_used\": %" PRIu64
                    ",\n    \"levels\": [",
                    s->word_bytes, s->blocks_loaded, s->words_used);
    for (size_t k = 0; k < d->n_levels; k++)
        rdi_text_printf(t, "%s{\"fetched\": %" PRIu64 ", \"words\": %" PRIu64 "}", k ? ", " : "",
                        s->levels[k].fetched, s->levels[k].words);
    rdi_text_putc(t, ']');
    if (s->n_word_bins || s->word_references)
        add_word_profile(t, s);
    rdi_text_puts(t, "\n  }");
}

void rdi_details_write(rdi_text *t, const rd_details *d) {
    rdi_text_puts(t, ",\n  \"levels\": [");
    for (size_t k = 0; k < d->n_levels; k++) {
        rdi_text_puts(t, k ? ", {" : "{");
        add_string(t, "name", d->levels[k].name);
        rdi_text_printf(t, "\"bytes\": %" PRIu64 "}", d->levels[k].bytes);
    }
    rdi_text_putc(t, ']');
    if (d->attribution)
        add_attribution(t, d);
    if (d->windows)
        add_windows(t, d);
    if (d->spatial)
        add_spatial(t, d);
}
