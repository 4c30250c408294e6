/* Code, data, time and space of a profile as JSON for the page. See html_data.h.
 *
 * Lists are tables: the names of the columns, then rows of values, which is shorter than objects.
 * Of a long list the first rows are kept and the others summed up, so that the page stays small;
 * what only opens when a row is opened is there for the first rows only. */
#include "report/html_data.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

#define ROWS       1000 /* of a list, on the whole page ... */
#define LEAST_ROWS 150  /* ... but so many for each profile */
#define OPEN_ROWS  250  /* that have bins */
#define MAX_TEXT   400  /* bytes of a name or source line that are shown */

typedef struct writer {
    rdi_text *t;
    const rd_details *details;
    size_t rows; /* of a list, at most */
} writer;

static void add_index(rdi_text *t, size_t index, size_t n) {
    if (index < n)
        rdi_text_u64(t, index);
    else
        rdi_text_puts(t, "null");
}

/* Cut between characters where it is too long for any screen. */
static void add_text(rdi_text *t, const char *text) {
    if (!text) {
        rdi_text_puts(t, "null");
        return;
    }
    size_t n = strlen(text);
    if (n <= MAX_TEXT) {
        rdi_text_json_string(t, text);
        return;
    }
    char cut[MAX_TEXT + 4];
    for (n = MAX_TEXT; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    memcpy(cut, text, n);
    memcpy(cut + n, "\xe2\x80\xa6", 4); /* an ellipsis, and the NUL */
    rdi_text_json_string(t, cut);
}

static void add_counts(rdi_text *t, const uint64_t *counts, size_t n) {
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? "," : "");
        rdi_text_u64(t, counts[i]);
    }
    rdi_text_putc(t, ']');
}

/* [first bin, count, count ...] without empty bins at the ends. */
static void add_bins(rdi_text *t, const uint64_t *bins) {
    size_t first = 0, end = RD_LOG_BINS;
    while (end > 0 && bins[end - 1] == 0)
        end--;
    while (first < end && bins[first] == 0)
        first++;
    rdi_text_printf(t, "[%zu", first < end ? first : 0);
    for (size_t i = first; i < end; i++) {
        rdi_text_putc(t, ',');
        rdi_text_u64(t, bins[i]);
    }
    rdi_text_putc(t, ']');
}

static void add_sum(rdi_text *t, rd_sum sum) {
    rdi_text_u128(t, (rdi_u128)sum.high << 64 | sum.low);
}

#define SHARE_COLUMNS "\"references\",\"infinite\",\"distance_sum\",\"misses\",\"bins\""

static void add_share(const writer *w, const rd_share *share, bool bins) {
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, share->references);
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, share->infinite);
    rdi_text_putc(w->t, ',');
    add_sum(w->t, share->distance_sum);
    rdi_text_putc(w->t, ',');
    add_counts(w->t, share->misses, w->details->n_levels);
    rdi_text_putc(w->t, ',');
    if (bins)
        add_bins(w->t, share->bins);
    else
        rdi_text_puts(w->t, "null");
}

static rd_sum add_sums(rd_sum a, rd_sum b) {
    rdi_u128 sum = ((rdi_u128)a.high << 64 | a.low) + ((rdi_u128)b.high << 64 | b.low);
    return (rd_sum){.low = (uint64_t)sum, .high = (uint64_t)(sum >> 64)};
}

static void add_to_share(rd_share *to, const rd_share *part) {
    to->references += part->references;
    to->infinite += part->infinite;
    to->distance_sum = add_sums(to->distance_sum, part->distance_sum);
    for (size_t i = 0; i < RD_LEVELS_MAX; i++)
        to->misses[i] += part->misses[i];
    for (size_t i = 0; i < RD_LOG_BINS; i++)
        to->bins[i] += part->bins[i];
}

/* ---- lists ---- */

static bool is_others(const char *name) {
    return name && strcmp(name, "(others)") == 0;
}

static void begin_table(const writer *w, const char *key, const char *columns) {
    rdi_text_printf(w->t, ",\"%s\":{\"columns\":[%s],\"rows\":[", key, columns);
}

/* How many rows of a list are kept, if the rest needs one as well. */
static size_t kept_rows(const writer *w, size_t n) {
    return n <= w->rows ? n : w->rows - 1;
}

static void add_function(const writer *w, const rd_code_function *f, size_t i, bool others) {
    rdi_text_puts(w->t, i ? ",[" : "[");
    add_text(w->t, f->name);
    rdi_text_putc(w->t, ',');
    add_index(w->t, f->source, w->details->attribution->n_sources);
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, f->line);
    rdi_text_putc(w->t, ',');
    add_text(w->t, f->module);
    add_share(w, &f->share, i < OPEN_ROWS && !others);
    rdi_text_puts(w->t, others ? ",1]" : ",0]");
}

static void add_functions(const writer *w, const rd_attribution *a) {
    begin_table(w, "functions",
                "\"name\",\"source\",\"line\",\"module\"," SHARE_COLUMNS ",\"others\"");
    size_t n = kept_rows(w, a->n_functions);
    for (size_t i = 0; i < n; i++)
        add_function(w, &a->functions[i], i, is_others(a->functions[i].name));
    rd_code_function rest = {.name = "(others)", .source = RD_NO_INDEX};
    for (size_t i = n; i < a->n_functions; i++)
        add_to_share(&rest.share, &a->functions[i].share);
    if (n < a->n_functions)
        add_function(w, &rest, n, true);
    rdi_text_puts(w->t, "]}");
}

static void add_line(const writer *w, const rd_code_line *line, size_t i, bool others) {
    const rd_attribution *a = w->details->attribution;
    rdi_text_puts(w->t, i ? ",[" : "[");
    add_index(w->t, line->source, a->n_sources);
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, line->line);
    rdi_text_putc(w->t, ',');
    add_index(w->t, line->function, kept_rows(w, a->n_functions));
    rdi_text_puts(w->t, ",[");
    for (size_t k = 0; k < line->n_inlined_from; k++) {
        rdi_text_puts(w->t, k ? "," : "");
        add_text(w->t, line->inlined_from[k]);
    }
    rdi_text_puts(w->t, "],");
    add_text(w->t, line->text);
    add_share(w, &line->share, i < OPEN_ROWS && !others);
    rdi_text_puts(w->t, others ? ",1]" : ",0]");
}

static void add_lines(const writer *w, const rd_attribution *a) {
    begin_table(w, "lines",
                "\"source\",\"line\",\"function\",\"inlined_from\",\"text\"," SHARE_COLUMNS
                ",\"others\"");
    size_t n = kept_rows(w, a->n_lines);
    for (size_t i = 0; i < n; i++)
        add_line(w, &a->lines[i], i, a->lines[i].function >= a->n_functions);
    rd_code_line rest = {.source = RD_NO_INDEX, .function = RD_NO_INDEX};
    for (size_t i = n; i < a->n_lines; i++)
        add_to_share(&rest.share, &a->lines[i].share);
    if (n < a->n_lines)
        add_line(w, &rest, n, true);
    rdi_text_puts(w->t, "]}");
}

static void add_pair(const writer *w, const rd_reuse_pair *pair, size_t i) {
    size_t n_lines = kept_rows(w, w->details->attribution->n_lines);
    rdi_text_puts(w->t, i ? ",[" : "[");
    add_index(w->t, pair->use, n_lines);
    rdi_text_putc(w->t, ',');
    add_index(w->t, pair->reuse, n_lines);
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, pair->count);
    rdi_text_putc(w->t, ',');
    add_sum(w->t, pair->distance_sum);
    rdi_text_putc(w->t, ',');
    add_counts(w->t, pair->misses, w->details->n_levels);
    rdi_text_puts(w->t, pair->use == RD_NO_INDEX ? ",1]" : ",0]");
}

static void add_pairs(const writer *w, const rd_attribution *a) {
    begin_table(w, "pairs", "\"use\",\"reuse\",\"count\",\"distance_sum\",\"misses\",\"others\"");
    size_t n = kept_rows(w, a->n_pairs);
    for (size_t i = 0; i < n; i++)
        add_pair(w, &a->pairs[i], i);
    rd_reuse_pair rest = {.use = RD_NO_INDEX, .reuse = RD_NO_INDEX};
    for (size_t i = n; i < a->n_pairs; i++) {
        rest.count += a->pairs[i].count;
        rest.distance_sum = add_sums(rest.distance_sum, a->pairs[i].distance_sum);
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            rest.misses[k] += a->pairs[i].misses[k];
    }
    if (n < a->n_pairs)
        add_pair(w, &rest, n);
    rdi_text_puts(w->t, "]}");
}

static void add_region(const writer *w, const rd_data_region *d, size_t i, bool others) {
    static const char *const kinds[] = {"other", "heap", "global", "stack"};
    rdi_text_printf(w->t, "%s[\"%s\",", i ? "," : "", kinds[d->kind]);
    add_text(w->t, d->name);
    rdi_text_putc(w->t, ',');
    rdi_text_u64(w->t, d->bytes);
    rdi_text_putc(w->t, ',');
    rdi_text_json_double(w->t, d->words_used < 0 ? NAN : d->words_used);
    add_share(w, &d->share, i < OPEN_ROWS && !others);
    rdi_text_puts(w->t, others ? ",1]" : ",0]");
}

static void add_data(const writer *w, const rd_attribution *a) {
    begin_table(w, "data",
                "\"kind\",\"name\",\"bytes\",\"words_used\"," SHARE_COLUMNS ",\"others\"");
    size_t n = kept_rows(w, a->n_data);
    for (size_t i = 0; i < n; i++)
        add_region(w, &a->data[i], i, is_others(a->data[i].name));
    rd_data_region rest = {.name = "(others)", .words_used = -1};
    for (size_t i = n; i < a->n_data; i++)
        add_to_share(&rest.share, &a->data[i].share);
    if (n < a->n_data)
        add_region(w, &rest, n, true);
    rdi_text_puts(w->t, "]}");
}

static void add_line_data(const writer *w, const rd_attribution *a) {
    begin_table(w, "line_data", "\"line\",\"data\",\"misses\"");
    size_t n_lines = kept_rows(w, a->n_lines), n_data = kept_rows(w, a->n_data);
    const char *separator = "";
    for (size_t i = 0; i < a->n_line_data && i < w->rows; i++) {
        const rd_line_data *d = &a->line_data[i];
        if (d->line >= n_lines || d->data >= n_data)
            continue;
        rdi_text_printf(w->t, "%s[%zu,%zu,", separator, d->line, d->data);
        add_counts(w->t, d->misses, w->details->n_levels);
        rdi_text_putc(w->t, ']');
        separator = ",";
    }
    rdi_text_puts(w->t, "]}");
}

static void add_snippets(const writer *w, const rd_attribution *a) {
    rdi_text_puts(w->t, ",\"snippets\":[");
    for (size_t i = 0; i < a->n_snippets; i++) {
        rdi_text_printf(w->t, "%s{\"source\":", i ? "," : "");
        add_index(w->t, a->snippets[i].source, a->n_sources);
        rdi_text_puts(w->t, ",\"first\":");
        rdi_text_u64(w->t, a->snippets[i].first);
        rdi_text_puts(w->t, ",\"lines\":[");
        for (size_t k = 0; k < a->snippets[i].n; k++) {
            rdi_text_puts(w->t, k ? "," : "");
            add_text(w->t, a->snippets[i].lines[k]);
        }
        rdi_text_puts(w->t, "]}");
    }
    rdi_text_putc(w->t, ']');
}

static void add_attribution(const writer *w, const rd_attribution *a) {
    rdi_text_puts(w->t, ",\"attribution\":{\"cost\":{\"seconds\":");
    rdi_text_json_double(w->t, a->seconds);
    rdi_text_puts(w->t, ",\"bytes\":");
    rdi_text_u64(w->t, a->bytes);
    rdi_text_puts(w->t, ",\"dropped_pairs\":");
    rdi_text_u64(w->t, a->dropped_pairs);
    rdi_text_puts(w->t, "},\"sources\":[");
    for (size_t i = 0; i < a->n_sources; i++) {
        rdi_text_puts(w->t, i ? "," : "");
        add_text(w->t, a->sources[i]);
    }
    rdi_text_putc(w->t, ']');
    add_functions(w, a);
    add_lines(w, a);
    add_pairs(w, a);
    add_data(w, a);
    add_line_data(w, a);
    add_snippets(w, a);
    rdi_text_putc(w->t, '}');
}

/* ---- time and space ---- */

/* Rows of [from, references, infinite, misses, bins]. */
static void add_windows(const writer *w, const rd_windows *windows) {
    rdi_text_puts(w->t, ",\"windows\":{\"references\":");
    rdi_text_u64(w->t, windows->references);
    rdi_text_puts(w->t, ",\"phases\":[");
    for (size_t i = 0; i < windows->n_phases; i++)
        rdi_text_printf(w->t, "%s%zu", i ? "," : "", windows->phases[i]);
    rdi_text_puts(w->t, "],\"rows\":[");
    for (size_t i = 0; i < windows->n; i++) {
        const rd_window *row = &windows->rows[i];
        rdi_text_puts(w->t, i ? ",[" : "[");
        const uint64_t counts[] = {row->from, row->share.references, row->share.infinite};
        for (size_t k = 0; k < RDI_COUNT(counts); k++) {
            rdi_text_u64(w->t, counts[k]);
            rdi_text_putc(w->t, ',');
        }
        add_counts(w->t, row->share.misses, w->details->n_levels);
        rdi_text_putc(w->t, ',');
        add_bins(w->t, row->share.bins);
        rdi_text_putc(w->t, ']');
    }
    rdi_text_puts(w->t, "]}");
}

static void add_spatial(const writer *w, const rd_spatial *s) {
    uint64_t bins[RD_LOG_BINS] = {0};
    for (size_t i = 0; i < s->n_word_bins; i++)
        bins[rdi_bit_width(s->word_bins[i].low)] += s->word_bins[i].count;
    rdi_text_puts(w->t, ",\"spatial\":{\"word_bytes\":");
    rdi_text_u64(w->t, s->word_bytes);
    rdi_text_puts(w->t, ",\"blocks_loaded\":");
    rdi_text_u64(w->t, s->blocks_loaded);
    rdi_text_puts(w->t, ",\"words_used\":");
    rdi_text_u64(w->t, s->words_used);
    rdi_text_puts(w->t, ",\"levels\":[");
    for (size_t i = 0; i < w->details->n_levels; i++) {
        rdi_text_puts(w->t, i ? ",{\"fetched\":" : "{\"fetched\":");
        rdi_text_u64(w->t, s->levels[i].fetched);
        rdi_text_puts(w->t, ",\"words\":");
        rdi_text_u64(w->t, s->levels[i].words);
        rdi_text_putc(w->t, '}');
    }
    rdi_text_puts(w->t, "],\"word\":");
    if (s->n_word_bins) {
        rdi_text_puts(w->t, "{\"references\":");
        rdi_text_u64(w->t, s->word_references);
        rdi_text_puts(w->t, ",\"infinite\":");
        rdi_text_u64(w->t, s->word_infinite);
        rdi_text_puts(w->t, ",\"bins\":");
        add_bins(w->t, bins);
        rdi_text_putc(w->t, '}');
    } else {
        rdi_text_puts(w->t, "null");
    }
    rdi_text_putc(w->t, '}');
}

/* ---- together ---- */

void rdi_html_levels(rdi_text *t, const char *key, const rd_level *levels, size_t n) {
    rdi_text_printf(t, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? ",{\"name\":" : "{\"name\":");
        add_text(t, levels[i].name);
        rdi_text_puts(t, ",\"bytes\":");
        rdi_text_u64(t, levels[i].bytes);
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
}

void rdi_html_details(rdi_text *t, const rd_profile *p, size_t n_profiles) {
    const rd_details *details = rd_profile_details(p);
    if (!details)
        return;
    size_t rows = ROWS / n_profiles;
    writer w = {t, details, rows > LEAST_ROWS ? rows : LEAST_ROWS};
    rdi_html_levels(t, "levels", details->levels, details->n_levels);
    if (details->attribution)
        add_attribution(&w, details->attribution);
    if (details->windows)
        add_windows(&w, details->windows);
    if (details->spatial)
        add_spatial(&w, details->spatial);
}
