/* Reads the optional keys of the profile file, which docs/profile-format.md describes.
 *
 * Arrays are counted before they are read, so that everything can lie in the arena of the result.
 * Indexes may point forward, or into lists that come later: all are checked at the end.
 */
#include "profile/hist.h"
#include "profile/profile_reader.h"

#include <string.h>

/* ---- what every object has ---- */

/* A failing arena fails the reader. */
static void *take(rdi_profile_reader *r, size_t n, size_t size) {
    void *p = rdi_arena_alloc(&r->details->arena, n ? n : 1, size);
    if (!p)
        r->j.status = RD_ENOMEM;
    return p;
}

/* The details, made when the first of their keys comes; false on failure. */
static bool begin_details(rdi_profile_reader *r) {
    if (r->j.status == RD_OK && !r->details)
        r->j.status = rdi_details_new(r->j.ctx, &r->details);
    return r->j.status == RD_OK;
}

static size_t count_items(const rdi_json *at) {
    rdi_json j = *at;
    size_t n = 0;
    rdi_json_enter_array(&j);
    for (; rdi_json_next_item(&j); n++)
        rdi_json_skip(&j);
    return n;
}

/* An array of objects into the arena. A text that fails is counted short and fails again here. */
static void read_list(rdi_profile_reader *r, const rdi_json_field *fields, size_t size,
                      const void **out, size_t *n) {
    size_t room = count_items(&r->j);
    char *items = take(r, room, size);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && items && *n < room)
        rdi_read_object(r, fields, items + size * (*n)++);
    *out = items;
}

static void read_text(rdi_profile_reader *r, void *field) {
    char *text = rdi_json_null(&r->j) ? NULL : rdi_json_string(&r->j);
    if (!text)
        return;
    char *copy = take(r, strlen(text) + 1, 1);
    if (copy)
        *(const char **)field = strcpy(copy, text);
    rdi_free(r->j.ctx, text);
}

static void read_needed_text(rdi_profile_reader *r, void *field) {
    read_text(r, field);
    if (!*(const char **)field)
        rdi_json_fail(&r->j, "expected a text");
}

static void read_texts(rdi_profile_reader *r, const char *const **out, size_t *n) {
    size_t room = count_items(&r->j);
    const char **texts = take(r, room, sizeof *texts);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && texts && *n < room)
        read_needed_text(r, &texts[(*n)++]);
    *out = texts;
}

static void read_index(rdi_profile_reader *r, void *field) {
    uint64_t index = rdi_json_u64(&r->j);
    if (index >= UINT32_MAX)
        rdi_json_fail(&r->j, "not an index");
    *(size_t *)field = (size_t)index;
}

static void read_index_or_none(rdi_profile_reader *r, void *field) {
    if (rdi_json_null(&r->j))
        *(size_t *)field = RD_NO_INDEX;
    else
        read_index(r, field);
}

static void read_sum(rdi_profile_reader *r, void *field) {
    *(rd_sum *)field = rdi_sum_narrow(rdi_json_u128(&r->j));
}

static void read_misses(rdi_profile_reader *r, void *field) {
    uint64_t *misses = field;
    size_t n = 0;
    rdi_json_enter_array(&r->j);
    for (; rdi_json_next_item(&r->j); n++) {
        if (n == RD_LEVELS_MAX)
            rdi_json_fail(&r->j, "more than %d levels", RD_LEVELS_MAX);
        else
            misses[n] = rdi_json_u64(&r->j);
    }
}

/* [low, high, count] */
static void read_bins(rdi_profile_reader *r, void *field) {
    rdi_json *j = &r->j;
    uint64_t *bins = field, before = 0;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        uint64_t row[3] = {0};
        size_t n = 0;
        rdi_json_enter_array(j);
        for (; rdi_json_next_item(j); n++) {
            if (n >= RDI_COUNT(row))
                rdi_json_fail(j, "a bin is [low, high, count]");
            else
                row[n] = rdi_json_u64(j);
        }
        size_t bin = rdi_bit_width(row[0]);
        if (n != RDI_COUNT(row) || row[0] != rdi_log_bin_low(bin) ||
            row[1] != rdi_log_bin_high(bin) || row[2] == 0 || bin < before)
            rdi_json_fail(j, "not the next bin of log bins, or an empty one");
        before = bin + 1;
        bins[bin] = row[2];
    }
}

/* Rows of a table for the rd_share at `at`. */
#define SHARE_FIELDS(at)                                                                           \
    {"references", rdi_read_u64, (at) + offsetof(rd_share, references), true},                     \
        {"infinite", rdi_read_u64, (at) + offsetof(rd_share, infinite), true},                     \
        {"distance_sum", read_sum, (at) + offsetof(rd_share, distance_sum), true},                 \
        {"misses", read_misses, (at) + offsetof(rd_share, misses), true}, {                        \
        "bins", read_bins, (at) + offsetof(rd_share, bins), true                                   \
    }

/* ---- levels ---- */

static void read_level_name(rdi_profile_reader *r, void *field) {
    char *name = rdi_json_string(&r->j);
    if (name && strlen(name) >= sizeof((rd_level *)0)->name)
        rdi_json_fail(&r->j, "'%.80s' is too long for the name of a cache", name);
    else if (name)
        strcpy(field, name);
    rdi_free(r->j.ctx, name);
}

void rdi_read_levels(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"name", read_level_name, offsetof(rd_level, name), true},
        {"bytes", rdi_read_u64, offsetof(rd_level, bytes), true},
        {0},
    };
    (void)field;
    if (!begin_details(r))
        return;
    const void *levels = NULL;
    rd_details *d = &r->details->is;
    read_list(r, fields, sizeof(rd_level), &levels, &d->n_levels);
    d->levels = levels;
    if (d->n_levels > RD_LEVELS_MAX)
        rdi_json_fail(&r->j, "more than %d levels", RD_LEVELS_MAX);
}

/* ---- attribution ---- */

static void read_cost(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"seconds", rdi_read_double, offsetof(rd_attribution, seconds), false},
        {"bytes", rdi_read_u64, offsetof(rd_attribution, bytes), false},
        {"dropped_pairs", rdi_read_u64, offsetof(rd_attribution, dropped_pairs), false},
        {0},
    };
    rdi_read_object(r, fields, field);
}

static void read_source_names(rdi_profile_reader *r, void *field) {
    rd_attribution *a = field;
    read_texts(r, &a->sources, &a->n_sources);
}

static void read_functions(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"name", read_needed_text, offsetof(rd_code_function, name), true},
        {"module", read_text, offsetof(rd_code_function, module), false},
        {"source", read_index_or_none, offsetof(rd_code_function, source), true},
        {"line", rdi_read_positive_or_none, offsetof(rd_code_function, line), false},
        SHARE_FIELDS(offsetof(rd_code_function, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->functions, &list, &a->n_functions);
    a->functions = list;
}

static void read_inlined_from(rdi_profile_reader *r, void *field) {
    rd_code_line *line = field;
    read_texts(r, &line->inlined_from, &line->n_inlined_from);
}

static void read_lines(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"source", read_index_or_none, offsetof(rd_code_line, source), true},
        {"line", rdi_read_u64, offsetof(rd_code_line, line), true},
        {"function", read_index_or_none, offsetof(rd_code_line, function), true},
        {"inlined_from", read_inlined_from, 0, false},
        {"text", read_text, offsetof(rd_code_line, text), false},
        SHARE_FIELDS(offsetof(rd_code_line, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->lines, &list, &a->n_lines);
    a->lines = list;
}

static void read_pairs(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"use", read_index_or_none, offsetof(rd_reuse_pair, use), true},
        {"reuse", read_index_or_none, offsetof(rd_reuse_pair, reuse), true},
        {"count", rdi_read_u64, offsetof(rd_reuse_pair, count), true},
        {"distance_sum", read_sum, offsetof(rd_reuse_pair, distance_sum), true},
        {"misses", read_misses, offsetof(rd_reuse_pair, misses), true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->pairs, &list, &a->n_pairs);
    a->pairs = list;
}

static void read_kind(rdi_profile_reader *r, void *field) {
    char *name = rdi_json_string(&r->j);
    size_t kind = 0;
    while (name && kind < RDI_COUNT(rdi_data_kind_names) &&
           strcmp(name, rdi_data_kind_names[kind]) != 0)
        kind++;
    if (kind == RDI_COUNT(rdi_data_kind_names))
        rdi_json_fail(&r->j, "'%.80s' is no kind of data", name);
    else
        *(rd_data_kind *)field = (rd_data_kind)kind;
    rdi_free(r->j.ctx, name);
}

static void read_ratio_or_none(rdi_profile_reader *r, void *field) {
    double value = rdi_json_null(&r->j) ? -1 : rdi_json_double(&r->j);
    if (value > 1 || (value < 0 && value != -1))
        rdi_json_fail(&r->j, "%g is not from 0 to 1", value);
    *(double *)field = value;
}

static void read_data(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"kind", read_kind, offsetof(rd_data_region, kind), true},
        {"name", read_needed_text, offsetof(rd_data_region, name), true},
        {"line", read_index_or_none, offsetof(rd_data_region, line), true},
        {"bytes", rdi_read_positive_or_none, offsetof(rd_data_region, bytes), false},
        {"blocks", rdi_read_u64_or_unknown, offsetof(rd_data_region, blocks), true},
        {"words_used", read_ratio_or_none, offsetof(rd_data_region, words_used), true},
        SHARE_FIELDS(offsetof(rd_data_region, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->data, &list, &a->n_data);
    a->data = list;
}

static void read_line_data(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"line", read_index, offsetof(rd_line_data, line), true},
        {"data", read_index, offsetof(rd_line_data, data), true},
        {"misses", read_misses, offsetof(rd_line_data, misses), true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->line_data, &list, &a->n_line_data);
    a->line_data = list;
}

static void read_snippet_lines(rdi_profile_reader *r, void *field) {
    rd_snippet *s = field;
    read_texts(r, &s->lines, &s->n);
}

static void read_snippets(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"source", read_index, offsetof(rd_snippet, source), true},
        {"first", rdi_read_u64, offsetof(rd_snippet, first), true},
        {"lines", read_snippet_lines, 0, true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *a->snippets, &list, &a->n_snippets);
    a->snippets = list;
}

void rdi_read_attribution(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"cost", read_cost, 0, false},
        {"sources", read_source_names, 0, true},
        {"functions", read_functions, 0, true},
        {"lines", read_lines, 0, true},
        {"pairs", read_pairs, 0, true},
        {"data", read_data, 0, true},
        {"line_data", read_line_data, 0, false},
        {"snippets", read_snippets, 0, false},
        {0},
    };
    (void)field;
    rd_attribution *a = begin_details(r) ? take(r, 1, sizeof *a) : NULL;
    if (!a)
        return;
    rdi_read_object(r, fields, a);
    r->details->is.attribution = a;
}

/* ---- windows and spatial ---- */

static void read_rows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"from", rdi_read_u64, offsetof(rd_window, from), true},
        SHARE_FIELDS(offsetof(rd_window, share)),
        {0},
    };
    rd_windows *w = field;
    const void *list = NULL;
    read_list(r, fields, sizeof *w->rows, &list, &w->n);
    w->rows = list;
    if (w->n > RD_WINDOWS_MAX)
        rdi_json_fail(&r->j, "more than %d windows", RD_WINDOWS_MAX);
}

static void read_phases(rdi_profile_reader *r, void *field) {
    rd_windows *w = field;
    size_t room = count_items(&r->j), *phases = take(r, room, sizeof *phases);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && phases && w->n_phases < room)
        read_index(r, &phases[w->n_phases++]);
    w->phases = phases;
}

void rdi_read_windows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"references", rdi_read_u64, offsetof(rd_windows, references), true},
        {"rows", read_rows, 0, true},
        {"phases", read_phases, 0, true},
        {0},
    };
    (void)field;
    rd_windows *w = begin_details(r) ? take(r, 1, sizeof *w) : NULL;
    if (!w)
        return;
    rdi_read_object(r, fields, w);
    r->details->is.windows = w;
}

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
    read_list(r, fields, sizeof(fetched_words), &list, &n);
    if (n > RD_LEVELS_MAX)
        rdi_json_fail(&r->j, "more than %d levels", RD_LEVELS_MAX);
    for (size_t k = 0; k < n && k < RD_LEVELS_MAX; k++) {
        s->levels[k].fetched = ((const fetched_words *)list)[k].fetched;
        s->levels[k].words = ((const fetched_words *)list)[k].words;
    }
}

/* [low, high, count, sum] */
static void read_word_bins(rdi_profile_reader *r, void *field) {
    rdi_json *j = &r->j;
    rd_spatial *s = field;
    size_t room = count_items(j);
    rd_bin *bins = take(r, room, sizeof *bins);
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j) && bins && s->n_word_bins < room) {
        rdi_u128 row[4] = {0};
        size_t n = 0;
        rdi_json_enter_array(j);
        for (; rdi_json_next_item(j); n++) {
            if (n >= RDI_COUNT(row))
                rdi_json_fail(j, "a row is [low, high, count, sum]");
            else
                row[n] = n < 3 ? rdi_json_u64(j) : rdi_json_u128(j);
        }
        if (n != RDI_COUNT(row))
            rdi_json_fail(j, "a row is [low, high, count, sum]");
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

void rdi_read_spatial(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"word_bytes", rdi_read_u64, offsetof(rd_spatial, word_bytes), true},
        {"blocks_loaded", rdi_read_u64, offsetof(rd_spatial, blocks_loaded), true},
        {"words_used", rdi_read_u64, offsetof(rd_spatial, words_used), true},
        {"levels", read_spatial_levels, 0, true},
        {"word_profile", read_word_profile, 0, false},
        {0},
    };
    (void)field;
    rd_spatial *s = begin_details(r) ? take(r, 1, sizeof *s) : NULL;
    if (!s)
        return;
    rdi_read_object(r, fields, s);
    r->details->is.spatial = s;
}

/* ---- the whole ---- */

static bool in_range(size_t index, size_t n, bool optional) {
    return index < n || (optional && index == RD_NO_INDEX);
}

static bool indexes_are_valid(const rd_attribution *a) {
    bool good = true;
    for (size_t i = 0; i < a->n_functions; i++)
        good = good && in_range(a->functions[i].source, a->n_sources, true);
    for (size_t i = 0; i < a->n_lines; i++)
        good = good && in_range(a->lines[i].source, a->n_sources, true) &&
               in_range(a->lines[i].function, a->n_functions, true);
    for (size_t i = 0; i < a->n_pairs; i++)
        good = good && in_range(a->pairs[i].use, a->n_lines, true) &&
               in_range(a->pairs[i].reuse, a->n_lines, true);
    for (size_t i = 0; i < a->n_data; i++)
        good = good && in_range(a->data[i].line, a->n_lines, true);
    for (size_t i = 0; i < a->n_line_data; i++)
        good = good && in_range(a->line_data[i].line, a->n_lines, false) &&
               in_range(a->line_data[i].data, a->n_data, false);
    for (size_t i = 0; i < a->n_snippets; i++)
        good = good && in_range(a->snippets[i].source, a->n_sources, false);
    return good;
}

const char *rdi_read_details_mistake(const rdi_profile_reader *r) {
    if (!r->details)
        return NULL;
    const rd_attribution *a = r->details->is.attribution;
    if (a && !indexes_are_valid(a))
        return "an index in \"attribution\" points to nothing";
    return rdi_details_mistake(&r->facts, &r->details->is);
}
