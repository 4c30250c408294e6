/* Section "attribution": the code and the data that cause the distances. A merged profile does not
 * have this section, because lines and data of different runs are unrelated. An index may point to
 * an entry that comes later in the file, so indices are checked after the whole file was read. */
#include "profile/details.h"
#include "profile/share.h"

#include <string.h>

static const char *const kind_names[] = {"other", "heap", "global", "stack"};

/* ---- reading ---- */

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
    rdi_read_texts(r, &a->sources, &a->n_sources);
}

static void read_own(rdi_profile_reader *r, void *field) {
    rd_attribution *a = field;
    rdi_read_texts(r, &a->own, &a->n_own);
}

static void read_functions(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"name", rdi_read_needed_text, offsetof(rd_code_function, name), true},
        {"full_name", rdi_read_text, offsetof(rd_code_function, full_name), false},
        {"module", rdi_read_text, offsetof(rd_code_function, module), false},
        {"source", rdi_read_index_or_none, offsetof(rd_code_function, source), true},
        {"line", rdi_read_positive_or_none, offsetof(rd_code_function, line), false},
        RDI_SHARE_FIELDS(offsetof(rd_code_function, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->functions, &list, &a->n_functions);
    a->functions = list;
}

static void read_inlined_from(rdi_profile_reader *r, void *field) {
    rd_code_line *line = field;
    line->inlined_functions = NULL;
    rdi_read_texts(r, &line->inlined_from, &line->n_inlined_from);
}

/* Reads the names of the functions that contain the inlined calls of a line. The key "inlined_from" must
 * come first in the file. If the two lists have different lengths, the names are dropped. */
static void read_inlined_functions(rdi_profile_reader *r, void *field) {
    rd_code_line *line = field;
    size_t n = 0;
    rdi_read_texts(r, &line->inlined_functions, &n);
    if (n != line->n_inlined_from)
        line->inlined_functions = NULL;
}

static void read_lines(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"source", rdi_read_index_or_none, offsetof(rd_code_line, source), true},
        {"line", rdi_read_u64, offsetof(rd_code_line, line), true},
        {"function", rdi_read_index_or_none, offsetof(rd_code_line, function), true},
        {"inlined_from", read_inlined_from, 0, false},
        {"inlined_functions", read_inlined_functions, 0, false},
        {"text", rdi_read_text, offsetof(rd_code_line, text), false},
        RDI_SHARE_FIELDS(offsetof(rd_code_line, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->lines, &list, &a->n_lines);
    a->lines = list;
}

static void read_pairs(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"use", rdi_read_index_or_none, offsetof(rd_reuse_pair, use), true},
        {"reuse", rdi_read_index_or_none, offsetof(rd_reuse_pair, reuse), true},
        {"count", rdi_read_u64, offsetof(rd_reuse_pair, count), true},
        {"distance_sum", rdi_read_sum, offsetof(rd_reuse_pair, distance_sum), true},
        {"misses", rdi_read_misses, offsetof(rd_reuse_pair, misses), true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->pairs, &list, &a->n_pairs);
    a->pairs = list;
}

static void read_kind(rdi_profile_reader *r, void *field) {
    char *name = rdi_json_string(&r->j);
    size_t kind = 0;
    while (name && kind < RDI_COUNT(kind_names) && strcmp(name, kind_names[kind]) != 0)
        kind++;
    if (kind == RDI_COUNT(kind_names))
        rdi_json_fail(&r->j, "'%.80s' is not a kind of data (valid: other, heap, global, stack)",
                      name);
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
        {"name", rdi_read_needed_text, offsetof(rd_data_region, name), true},
        {"line", rdi_read_index_or_none, offsetof(rd_data_region, line), true},
        {"bytes", rdi_read_positive_or_none, offsetof(rd_data_region, bytes), false},
        {"blocks", rdi_read_u64_or_unknown, offsetof(rd_data_region, blocks), true},
        {"words_used", read_ratio_or_none, offsetof(rd_data_region, words_used), true},
        RDI_SHARE_FIELDS(offsetof(rd_data_region, share)),
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->data, &list, &a->n_data);
    a->data = list;
}

static void read_line_data(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"line", rdi_read_index, offsetof(rd_line_data, line), true},
        {"data", rdi_read_index, offsetof(rd_line_data, data), true},
        {"misses", rdi_read_misses, offsetof(rd_line_data, misses), true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->line_data, &list, &a->n_line_data);
    a->line_data = list;
}

static void read_snippet_lines(rdi_profile_reader *r, void *field) {
    rd_snippet *s = field;
    rdi_read_texts(r, &s->lines, &s->n);
}

static void read_snippets(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"source", rdi_read_index, offsetof(rd_snippet, source), true},
        {"first", rdi_read_u64, offsetof(rd_snippet, first), true},
        {"lines", read_snippet_lines, 0, true},
        {0},
    };
    rd_attribution *a = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *a->snippets, &list, &a->n_snippets);
    a->snippets = list;
}

static void attribution_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"cost", read_cost, 0, false},         {"sources", read_source_names, 0, true},
        {"own", read_own, 0, false},           {"functions", read_functions, 0, true},
        {"lines", read_lines, 0, true},        {"pairs", read_pairs, 0, true},
        {"data", read_data, 0, true},          {"line_data", read_line_data, 0, false},
        {"snippets", read_snippets, 0, false}, {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    rd_attribution *a = d ? rdi_read_take(r, 1, sizeof *a) : NULL;
    if (!a)
        return;
    rdi_read_object(r, fields, a);
    d->is.attribution = a;
}

/* ---- checks ---- */

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

static const char *pairs_mistake(const rd_profile_facts *facts, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rdi_u128 count = 0;
    for (size_t i = 0; i < a->n_pairs; i++) {
        count += a->pairs[i].count;
        if (!rdi_misses_are_possible(d, a->pairs[i].misses, 0, a->pairs[i].count))
            return "a pair has more misses than references, or more misses in a larger cache than "
                   "in a "
                   "smaller one";
    }
    if (count > facts->references - facts->infinite)
        return "the pairs have more references than there are finite distances";
    for (size_t i = 0; i < a->n_line_data; i++)
        if (!rdi_misses_are_possible(d, a->line_data[i].misses, 0,
                                     a->lines[a->line_data[i].line].share.references))
            return "an entry of \"line_data\" has more misses than its line has references, or "
                   "more "
                   "misses in a larger cache than in a smaller one";
    return NULL;
}

static const char *attribution_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_details *d = data;
    const rd_attribution *a = d->attribution;
    if (!a)
        return NULL;
    if (!indexes_are_valid(a))
        return "an index in \"attribution\" is out of range";
    if (!rdi_shares_sum_up(facts, d, &a->functions->share, a->n_functions, sizeof *a->functions))
        return "the counts of the functions contradict each other, or do not add up to the "
               "counts of the profile";
    if (!rdi_shares_sum_up(facts, d, &a->lines->share, a->n_lines, sizeof *a->lines))
        return "the counts of the lines contradict each other, or do not add up to the counts of "
               "the profile";
    if (!rdi_shares_sum_up(facts, d, &a->data->share, a->n_data, sizeof *a->data))
        return "the counts of the data regions contradict each other, or do not add up to the "
               "counts of the profile";
    return pairs_mistake(facts, d);
}

/* ---- writing ---- */

static void put_functions(rd_json_writer *w, const rd_details *d) {
    const rd_attribution *a = d->attribution;
    rd_json_begin_array(w, "functions", RD_JSON_LINES);
    for (size_t i = 0; i < a->n_functions; i++) {
        const rd_code_function *f = &a->functions[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", f->name);
        if (f->full_name)
            rd_json_put_string(w, "full_name", f->full_name);
        rdi_json_put_u64_or_null(w, "source", f->source, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "line", f->line, 0);
        rd_json_put_string(w, "module", f->module);
        rdi_put_share(w, d, &f->share);
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
        if (line->inlined_functions)
            rdi_json_put_strings(w, "inlined_functions", line->inlined_functions,
                                 line->n_inlined_from);
        rd_json_put_string(w, "text", line->text);
        if (line->library) /* only on pages: see rd_profile_show_own() */
            rd_json_put_string(w, "library", line->library);
        rdi_put_share(w, d, &line->share);
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
        rdi_put_sum(w, pair->distance_sum);
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
        rd_json_put_string(w, "kind", kind_names[data->kind]);
        rd_json_put_string(w, "name", data->name);
        rdi_json_put_u64_or_null(w, "line", data->line, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "bytes", data->bytes, 0);
        rdi_json_put_u64_or_null(w, "blocks", data->blocks, RD_UNKNOWN);
        rdi_put_share(w, d, &data->share);
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

static void attribution_write(rd_json_writer *w, const void *data) {
    const rd_details *d = data;
    const rd_attribution *a = d->attribution;
    if (!a)
        return;
    rd_json_begin_object(w, "attribution", RD_JSON_LINES);
    put_cost(w, a);
    rdi_json_put_strings(w, "sources", a->sources, a->n_sources);
    rdi_json_put_strings(w, "own", a->own, a->n_own);
    put_functions(w, d);
    put_lines(w, d);
    put_pairs(w, d);
    put_data(w, d);
    put_line_data(w, d);
    put_snippets(w, a);
    rd_json_end_object(w);
}

const rdi_section rdi_section_attribution = {
    .key = "attribution",
    .minor = 1,
    .owner = &rdi_section_levels,
    .read = attribution_read,
    .mistake = attribution_mistake,
    .write = attribution_write,
};
