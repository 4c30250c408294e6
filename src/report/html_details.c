/* Writes the details of a profile for the page: the same JSON as in the profile file, but shorter.
 *
 * A long list of functions, lines, pairs or data keeps its first entries and one entry with the sum of the
 * rest, so that the page stays small. Only the first entries keep their distances, which the page shows
 * when an entry is opened. */
#include "report/html_data.h"

#include "base/arena.h"
#include "profile/hist.h"
#include "profile/profile_write.h"
#include "report/report_details.h"

#include <string.h>

/* Maximum number of entries of a list, for all profiles of the page together, unless LEAST_ROWS
 * allows more. */
#define ROWS       1000
#define LEAST_ROWS 150 /* minimum number of entries of a list for each profile */
#define OPEN_ROWS  250 /* number of entries that keep their distances */

/* ---- lists ---- */

/* Returns the number of entries that a list of `n` entries keeps. If it drops some, one more entry
 * holds their sum. */
static size_t kept_of(size_t n, size_t rows) {
    return n <= rows ? n : rows - 1;
}

/* Returns the length of the reduced list of `n` entries. */
static size_t reduced_of(size_t n, size_t rows) {
    return n <= rows ? n : rows;
}

/* Returns the index of entry `index` in the reduced list: the same, or the index of the sum if the entry is
 * dropped. RD_NO_INDEX stays as it is. */
static size_t reduced_index(size_t index, size_t n, size_t rows) {
    size_t kept = kept_of(n, rows);
    return index < kept || index >= n ? index : kept;
}

static void add_share(rd_share *to, const rd_share *part) {
    to->references += part->references;
    to->infinite += part->infinite;
    rdi_sum_add(&to->distance_sum, part->distance_sum);
    for (size_t i = 0; i < RD_LEVELS_MAX; i++)
        to->misses[i] += part->misses[i];
}

/* Returns the share of entry `i`, without bins if the page cannot open the entry. */
static rd_share reduced_share(const rd_share *share, size_t i) {
    rd_share reduced = *share;
    if (i >= OPEN_ROWS)
        memset(reduced.bins, 0, sizeof reduced.bins);
    return reduced;
}

static rd_status reduce_functions(rdi_arena *arena, const rd_attribution *a, size_t rows,
                                  rd_attribution *out) {
    size_t kept = kept_of(a->n_functions, rows);
    out->n_functions = reduced_of(a->n_functions, rows);
    rd_code_function *functions = rdi_arena_alloc(arena, out->n_functions, sizeof *functions);
    if (!functions)
        return RD_ENOMEM;
    for (size_t i = 0; i < kept; i++) {
        functions[i] = a->functions[i];
        functions[i].share = reduced_share(&a->functions[i].share, i);
    }
    if (kept < out->n_functions)
        functions[kept] = (rd_code_function){.name = "(others)", .source = RD_NO_INDEX};
    for (size_t i = kept; i < a->n_functions; i++)
        add_share(&functions[kept].share, &a->functions[i].share);
    out->functions = functions;
    return RD_OK;
}

static rd_status reduce_lines(rdi_arena *arena, const rd_attribution *a, size_t rows,
                              rd_attribution *out) {
    size_t kept = kept_of(a->n_lines, rows);
    out->n_lines = reduced_of(a->n_lines, rows);
    rd_code_line *lines = rdi_arena_alloc(arena, out->n_lines, sizeof *lines);
    if (!lines)
        return RD_ENOMEM;
    for (size_t i = 0; i < kept; i++) {
        lines[i] = a->lines[i];
        lines[i].function = reduced_index(lines[i].function, a->n_functions, rows);
        lines[i].share = reduced_share(&a->lines[i].share, i);
    }
    if (kept < out->n_lines)
        lines[kept] = (rd_code_line){.source = RD_NO_INDEX, .function = RD_NO_INDEX};
    for (size_t i = kept; i < a->n_lines; i++)
        add_share(&lines[kept].share, &a->lines[i].share);
    out->lines = lines;
    return RD_OK;
}

static void add_pair(rd_reuse_pair *to, const rd_reuse_pair *pair) {
    to->count += pair->count;
    rdi_sum_add(&to->distance_sum, pair->distance_sum);
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += pair->misses[k];
}

static rd_status reduce_pairs(rdi_arena *arena, const rd_attribution *a, size_t rows,
                              rd_attribution *out) {
    size_t kept = kept_of(a->n_pairs, rows);
    out->n_pairs = reduced_of(a->n_pairs, rows);
    rd_reuse_pair *pairs = rdi_arena_alloc(arena, out->n_pairs, sizeof *pairs);
    if (!pairs)
        return RD_ENOMEM;
    for (size_t i = 0; i < kept; i++) {
        pairs[i] = a->pairs[i];
        pairs[i].use = reduced_index(pairs[i].use, a->n_lines, rows);
        pairs[i].reuse = reduced_index(pairs[i].reuse, a->n_lines, rows);
    }
    if (kept < out->n_pairs)
        pairs[kept] = (rd_reuse_pair){.use = RD_NO_INDEX, .reuse = RD_NO_INDEX};
    for (size_t i = kept; i < a->n_pairs; i++)
        add_pair(&pairs[kept], &a->pairs[i]);
    out->pairs = pairs;
    return RD_OK;
}

static rd_status reduce_data(rdi_arena *arena, const rd_attribution *a, size_t rows,
                             rd_attribution *out) {
    size_t kept = kept_of(a->n_data, rows);
    out->n_data = reduced_of(a->n_data, rows);
    rd_data_region *data = rdi_arena_alloc(arena, out->n_data, sizeof *data);
    if (!data)
        return RD_ENOMEM;
    for (size_t i = 0; i < kept; i++) {
        data[i] = a->data[i];
        data[i].line = reduced_index(data[i].line, a->n_lines, rows);
        data[i].share = reduced_share(&a->data[i].share, i);
    }
    if (kept < out->n_data)
        data[kept] = (rd_data_region){
            .name = "(others)", .line = RD_NO_INDEX, .blocks = RD_UNKNOWN, .words_used = -1};
    for (size_t i = kept; i < a->n_data; i++)
        add_share(&data[kept].share, &a->data[i].share);
    out->data = data;
    return RD_OK;
}

/* Keeps the combinations of a line and a data region in which both have an entry of their own,
 * among the first `rows` combinations. */
static rd_status reduce_line_data(rdi_arena *arena, const rd_attribution *a, size_t rows,
                                  rd_attribution *out) {
    size_t lines = kept_of(a->n_lines, rows), data = kept_of(a->n_data, rows);
    size_t n = a->n_line_data < rows ? a->n_line_data : rows;
    rd_line_data *line_data = rdi_arena_alloc(arena, n, sizeof *line_data);
    if (!line_data)
        return RD_ENOMEM;
    out->n_line_data = 0;
    for (size_t i = 0; i < n; i++)
        if (a->line_data[i].line < lines && a->line_data[i].data < data)
            line_data[out->n_line_data++] = a->line_data[i];
    out->line_data = line_data;
    return RD_OK;
}

/* ---- all details ---- */

static rd_status reduce(rdi_arena *arena, const rd_attribution *a, size_t rows,
                        rd_attribution *out) {
    *out = *a;
    RD_TRY(reduce_functions(arena, a, rows, out));
    RD_TRY(reduce_lines(arena, a, rows, out));
    RD_TRY(reduce_pairs(arena, a, rows, out));
    RD_TRY(reduce_data(arena, a, rows, out));
    return reduce_line_data(arena, a, rows, out);
}

/* Writes the sentences about code without names or lines, if there are some. */
static void put_unknown_code(rd_json_writer *w, const rd_details *d) {
    rdi_text words = rdi_text_start(w->text.ctx);
    rdi_say_unknown_code(d, &words);
    if (words.status == RD_OK && words.n)
        rd_json_put_string(w, "unknown_code", words.data);
    else if (words.status != RD_OK)
        w->text.status = words.status;
    rdi_text_drop(&words);
}

rd_status rdi_html_details(rd_json_writer *w, const rd_profile *p, size_t n_profiles) {
    const rd_details *details = rd_profile_details(p);
    if (!details)
        return RD_OK;
    rd_details reduced = *details;
    reduced.causes = NULL;   /* rdi_html_machines() writes the causes */
    reduced.contexts = NULL; /* rdi_html_contexts() writes them */
    rd_attribution attribution;
    rdi_arena arena = {.ctx = w->text.ctx};
    size_t rows = ROWS / n_profiles > LEAST_ROWS ? ROWS / n_profiles : LEAST_ROWS;
    rd_status status = RD_OK;
    if (details->attribution) {
        status = reduce(&arena, details->attribution, rows, &attribution);
        reduced.attribution = &attribution;
    }
    if (status == RD_OK)
        rdi_details_write(w, &reduced);
    if (status == RD_OK)
        put_unknown_code(w, details);
    rdi_arena_fini(&arena);
    return status;
}
