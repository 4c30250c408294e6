/* Reads the profile file, which docs/profile-format.md describes.
 *
 * The file is untrusted, so this code checks everything that a profile in memory guarantees. Keys
 * may come in any order. The histogram is read last, when its binning is known.
 */
#include "base/json.h"
#include "profile/binning.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "profile/profile_reader.h"
#include "profile/thresholds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- reading: facts and sources ---- */

static void read_block_bytes(rdi_profile_reader *r, void *field) {
    rdi_read_positive_or_none(r, field);
    uint64_t bytes = *(uint64_t *)field;
    if (bytes & (bytes - 1))
        rdi_json_fail(&r->j, "the block size is %" PRIu64 " bytes; it must be a power of two",
                      bytes);
}

static void read_bool(rdi_profile_reader *r, void *field) {
    *(bool *)field = rdi_json_bool(&r->j);
}

static void read_half_widths(rdi_profile_reader *r, void *field) {
    double *half = field;
    size_t n = 0;
    rdi_json_enter_array(&r->j);
    for (; rdi_json_next_item(&r->j); n++) {
        if (n == RD_BAND_SIZES)
            rdi_json_fail(&r->j, "\"half_width\" has more than %d numbers", RD_BAND_SIZES);
        else
            rdi_read_double(r, &half[n]);
    }
}

static void read_band(rdi_profile_reader *r, void *facts) {
    rd_profile_facts *f = facts;
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j)) {
        double row[2] = {0, 0};
        size_t n = 0;
        rdi_json_enter_array(&r->j);
        for (; rdi_json_next_item(&r->j); n++) {
            double ignored;
            rdi_read_double(r, n < 2 ? &row[n] : &ignored);
        }
        if (n != 2 || f->n_band == RD_BAND_SIZES) {
            rdi_json_fail(&r->j, "a band must have at most %d pairs [low, high]", RD_BAND_SIZES);
            return;
        }
        f->band_low[f->n_band] = row[0];
        f->band_high[f->n_band++] = row[1];
    }
}

static void read_string(rdi_profile_reader *r, void *field) {
    *(const char **)field = rdi_json_null(&r->j) ? NULL : rdi_json_string(&r->j);
}

static void read_kinds(rdi_profile_reader *r, void *field) {
    read_string(r, field);
    const char *kinds = *(const char **)field;
    if (kinds && (!*kinds || kinds[strspn(kinds, "LSI")]))
        rdi_json_fail(&r->j,
                      "\"kinds\" must consist of the letters L, S and I, or be null for all kinds");
}

static void read_schema(rdi_profile_reader *r, void *field) {
    (void)field;
    rdi_json *j = &r->j;
    char *schema = rdi_json_string(j);
    if (!schema)
        return;
    size_t family = strlen(RDI_PROFILE_FAMILY), n = strlen(RDI_PROFILE_SCHEMA);
    if (strncmp(schema, RDI_PROFILE_FAMILY, family) != 0)
        rdi_json_fail(j, "this is not a profile: its schema is '%.80s'", schema);
    else if (strncmp(schema, RDI_PROFILE_SCHEMA, n) != 0 || (schema[n] && schema[n] != '.'))
        rdi_json_fail(j,
                      "reusedist %s cannot read the schema '%.80s', only %s; use a later release",
                      rd_version(), schema, RDI_PROFILE_SCHEMA);
    rdi_free(j->ctx, schema);
}

static void read_binning(rdi_profile_reader *r, void *field) {
    rdi_json *j = &r->j;
    char *name = rdi_json_string(j);
    if (!name)
        return;
    if (strcmp(name, "edges") == 0) /* files can have bins with edges, but options cannot name
                                       them */
        *(rd_binning *)field = (rd_binning){RD_BINS_EDGES, 0};
    else if (rd_binning_parse(j->ctx, name, field) != RD_OK)
        rdi_json_fail(j, "%s", rd_last_error(j->ctx));
    rdi_free(j->ctx, name);
}

#define IN_FACTS(field) offsetof(rd_profile_facts, field)

/* Skips a value that is only for people who read the file: the name of the tool, or the resolution
 * of a sample, which follows from its rate. */
static void skip_value(rdi_profile_reader *r, void *facts) {
    (void)facts;
    rdi_json_skip(&r->j);
}

static void read_engine(rdi_profile_reader *r, void *facts) {
    static const rdi_json_field fields[] = {
        {"name", read_string, IN_FACTS(engine), false},
        {"options", read_string, IN_FACTS(engine_options), false},
        {0},
    };
    rdi_read_object(r, fields, facts);
}

static void read_error(rdi_profile_reader *r, void *facts) {
    static const rdi_json_field fields[] = {
        {"kind", read_string, IN_FACTS(error_kind), true},
        {"bound", rdi_read_double, IN_FACTS(error_bound), false},
        {"rate", rdi_read_double, IN_FACTS(sample_rate), false},
        {"resolution", skip_value, 0, false},
        {"half_width", read_half_widths, IN_FACTS(half_width), false},
        {"band", read_band, 0, false},
        {0},
    };
    rdi_read_object(r, fields, facts);
}

/* Makes room for one more item in *array, which has n items of `size` bytes each and room for
 * *room. If there is not enough memory, sets j->status and returns false. */
static bool make_room(rdi_json *j, void **array, size_t n, size_t *room, size_t size) {
    if (n < *room)
        return true;
    void *grown = rdi_grow(j->ctx, *array, room, size);
    if (!grown) {
        j->status = RD_ENOMEM;
        return false;
    }
    *array = grown;
    return true;
}

static void read_sources(rdi_profile_reader *r, void *facts) {
    static const rdi_json_field fields[] = {
        {"path", read_string, offsetof(rd_source, path), false},
        {"format", read_string, offsetof(rd_source, format), false},
        {"bytes", rdi_read_u64, offsetof(rd_source, bytes), false},
        {"references", rdi_read_u64, offsetof(rd_source, references), false},
        {0},
    };
    (void)facts;
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j)) {
        void *array = r->sources;
        if (!make_room(&r->j, &array, r->n_sources, &r->sources_room, sizeof *r->sources))
            return;
        r->sources = array;
        rd_source *source = &r->sources[r->n_sources++];
        *source = (rd_source){0};
        rdi_read_object(r, fields, source);
    }
}

static void read_thresholds(rdi_profile_reader *r, void *field) {
    rdi_thresholds_read(&r->j, field);
}

static void read_histogram(rdi_profile_reader *r, void *facts) {
    (void)facts;
    r->rows = r->j;
    rdi_json_skip(&r->j);
}

static const rdi_json_field profile_fields[] = {
    {"schema", read_schema, 0, true},
    {"tool", skip_value, 0, false},
    {"references", rdi_read_u64, IN_FACTS(references), true},
    {"blocks", rdi_read_u64_or_unknown, IN_FACTS(blocks), false},
    {"cold", rdi_read_u64_or_unknown, IN_FACTS(cold), false},
    {"infinite", rdi_read_u64, IN_FACTS(infinite), true},
    {"block_bytes", read_block_bytes, IN_FACTS(block_bytes), false},
    {"kinds", read_kinds, IN_FACTS(kinds), false},
    {"bound", rdi_read_positive_or_none, IN_FACTS(bound), false},
    {"engine", read_engine, 0, false},
    {"exact", read_bool, IN_FACTS(exact), true},
    {"error", read_error, 0, true},
    {"binning", read_binning, IN_FACTS(binning), true},
    {"sums_known", read_bool, IN_FACTS(sums_known), false},
    {"partial", read_bool, IN_FACTS(partial), false},
    {"skipped", rdi_read_u64_or_unknown, IN_FACTS(skipped), false},
    {"unrecorded", rdi_read_u64, IN_FACTS(unrecorded), false},
    {"seconds", rdi_read_double, IN_FACTS(seconds), false},
    {"sources", read_sources, 0, false},
    {"thresholds", read_thresholds, IN_FACTS(sampling), false},
    {"histogram", read_histogram, 0, true},
    {0},
};

/* ---- reading: sections ---- */

/* Returns whether `key` may be shown in a message: it must consist of lowercase letters, digits and
 * underscores. */
static bool is_name(const char *key) {
    return key[0] && key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void skip_unknown(rdi_profile_reader *r, const char *key) {
    size_t used = strlen(r->note);
    snprintf(r->note + used, sizeof r->note - used, "%s %s",
             used ? ","
                  : "this profile has sections that this release does not know and skips; to read "
                    "them, use a later release:",
             is_name(key) ? key : "(no name)");
    rdi_json_skip(&r->j);
}

/* Reads the section of a key that is not in profile_fields. Fails if the section occurs twice. If
 * there is no such section, skips the value and adds `key` to r->note. */
static void read_section(rdi_profile_reader *r, const char *key) {
    const rdi_section *s = NULL;
    size_t i = 0;
    while ((s = rdi_section_at(i)) != NULL && strcmp(s->key, key) != 0)
        i++;
    if (!s)
        skip_unknown(r, key);
    else if (r->sections_seen & UINT32_C(1) << i)
        rdi_json_fail(&r->j, "\"%s\" occurs twice", key);
    else
        s->read(r, rdi_section_slot(&r->sections, s));
    r->sections_seen |= s ? UINT32_C(1) << i : 0;
}

/* ---- reading: the histogram ---- */

/* Fails if the row ends before its next entry. */
static void expect_entry(rdi_json *j) {
    if (!rdi_json_next_item(j))
        rdi_json_fail(j, "a row must be [low, high, count, sum]");
}

static rd_bin read_row(rdi_json *j, bool sums_known) {
    rd_bin row = {0};
    rdi_json_enter_array(j);
    expect_entry(j);
    row.low = rdi_json_u64(j);
    expect_entry(j);
    row.high = rdi_json_u64(j);
    expect_entry(j);
    row.count = rdi_json_u64(j);
    expect_entry(j);
    if (sums_known)
        row.sum = rdi_sum_narrow(rdi_json_u128(j));
    else if (!rdi_json_null(j))
        rdi_json_fail(j, "expected null instead of a sum, because sums_known is false");
    if (rdi_json_next_item(j))
        rdi_json_fail(j, "a row must be [low, high, count, sum]");
    return row;
}

/* Returns a text that says what is wrong with the numbers of a row, or NULL if they are valid. */
static const char *row_mistake(const rd_profile_facts *facts, const rd_bin *row) {
    if (row->low > row->high)
        return "low is above high";
    if (row->high >= RD_COLD)
        return "high is above the largest distance, 2^64 - 2";
    if (row->count == 0)
        return "the bin is empty";
    if (facts->bound && row->low >= facts->bound)
        return "a distance is not below the bound";
    rdi_u128 sum = rdi_sum_wide(row->sum), count = row->count;
    if (facts->sums_known && (sum < row->low * count || sum > row->high * count))
        return "the sum of distances is not between low * count and high * count";
    return NULL;
}

/* Returns a text that says what is wrong with the range of a row: it overlaps the previous row, or
 * it does not fit the binning. Returns NULL if the range is valid. Reference groups may share a
 * bin. */
static const char *place_mistake(rd_binning binning, const rd_bin *before, const rd_bin *row) {
    if (binning.kind == RD_BINS_REFERENCE) {
        bool ascending = !before || (before->low <= row->low && before->high <= row->high);
        return ascending ? NULL : "the rows are not ascending";
    }
    if (before && before->high >= row->low)
        return "the rows are not ascending";
    if (binning.kind == RD_BINS_EDGES)
        return NULL;
    rd_bin bin;
    rdi_bin_range(binning, rdi_bin_index(binning, row->low), &bin);
    return bin.low == row->low && bin.high == row->high
               ? NULL
               : "the row is not a bin of the file's binning";
}

static void read_rows(rdi_profile_reader *r) {
    rdi_json *j = &r->j;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        size_t start = j->at;
        rd_bin row = read_row(j, r->facts.sums_known);
        const rd_bin *before = r->n_bins ? &r->bins[r->n_bins - 1] : NULL;
        const char *mistake = row_mistake(&r->facts, &row);
        if (!mistake)
            mistake = place_mistake(r->facts.binning, before, &row);
        if (!mistake && __builtin_add_overflow(r->finite, row.count, &r->finite))
            mistake = "there are 2^64 references or more";
        j->mark = start;
        if (mistake)
            rdi_json_fail(j, "%s", mistake);
        void *array = r->bins;
        if (!make_room(j, &array, r->n_bins, &r->bins_room, sizeof *r->bins))
            return;
        r->bins = array;
        r->bins[r->n_bins++] = row;
    }
}

/* ---- reading: the whole file ---- */

static bool is_band(const rd_profile_facts *f) {
    double low = 1, high = 1;
    for (size_t k = 0; k < f->n_band; k++) {
        if (!(f->band_low[k] >= 0 && f->band_low[k] <= low && f->band_high[k] <= high &&
              f->band_low[k] <= f->band_high[k]))
            return false;
        low = f->band_low[k];
        high = f->band_high[k];
    }
    return true;
}

/* Returns a text that says what is wrong with the facts and totals, or NULL if they are valid. A
 * profile without distances has neither bins nor infinite distances. */
static const char *totals_mistake(const rdi_profile_reader *r) {
    const rd_profile_facts *f = &r->facts;
    bool measured = r->n_bins || f->infinite;
    uint64_t total;
    if (measured &&
        (__builtin_add_overflow(r->finite, f->infinite, &total) || total != f->references))
        return "the counts of the histogram and \"infinite\" do not add up to \"references\"";
    if (f->cold != RD_UNKNOWN && f->cold > f->infinite)
        return "\"cold\" is above \"infinite\"";
    if (f->blocks != RD_UNKNOWN && f->blocks > f->references)
        return "\"blocks\" is above \"references\"";
    if (f->exact != (f->error_kind && strcmp(f->error_kind, "exact") == 0))
        return "\"exact\" and the kind of \"error\" contradict each other";
    if (f->sample_rate > 1)
        return "the rate of a sample is above 1";
    if (f->exact && f->error_bound > 0)
        return "the profile is exact but has an error bound";
    if (!is_band(f))
        return "the shares of a band must be from 0 to 1 and must not increase, and low must not "
               "be above high";
    return NULL;
}

static rd_status read_profile(rdi_profile_reader *r) {
    rdi_json *j = &r->j;
    if (rdi_json_peek(j) != RDI_JSON_OBJECT)
        return rdi_fail(j->ctx, RD_EFORMAT, "%s: this is not a profile: it does not begin with '{'",
                        j->name);
    rdi_read_object_with(r, profile_fields, &r->facts, read_section);
    RD_TRY(rdi_json_end(j));
    *j = r->rows;
    read_rows(r);
    RD_TRY(j->status);
    const char *mistake = totals_mistake(r);
    if (!mistake)
        mistake = rdi_sections_mistake(&r->facts, &r->sections);
    return mistake ? rdi_fail(j->ctx, RD_EFORMAT, "%s: %s", j->name, mistake) : RD_OK;
}

static rd_status build_profile(rdi_profile_reader *r, rd_profile **out) {
    rd_profile *p = NULL;
    RD_TRY(rdi_profile_new(r->j.ctx, &r->facts, r->bins, r->n_bins, &p));
    rd_status status = rdi_profile_add_sources(p, r->sources, r->n_sources);
    if (status == RD_OK && r->note[0])
        status = rdi_profile_set_note(p, r->note);
    if (status != RD_OK) {
        rd_profile_free(p);
        return status;
    }
    *rdi_profile_sections(p) = r->sections;
    r->sections = (rdi_sections){0};
    *out = p;
    return RD_OK;
}

static void free_reader(rdi_profile_reader *r) {
    rd_ctx *ctx = r->j.ctx;
    const char *strings[] = {r->facts.kinds, r->facts.engine, r->facts.engine_options,
                             r->facts.error_kind};
    for (size_t i = 0; i < RDI_COUNT(strings); i++)
        rdi_profile_free_string(ctx, strings[i]);
    for (size_t i = 0; i < r->n_sources; i++) {
        rdi_profile_free_string(ctx, r->sources[i].path);
        rdi_profile_free_string(ctx, r->sources[i].format);
    }
    rdi_free(ctx, r->sources);
    rdi_free(ctx, r->bins);
    rdi_sections_free(ctx, &r->sections);
}

rd_status rd_profile_parse(rd_ctx *ctx, const char *name, const char *text, size_t n,
                           rd_profile **out) {
    RDI_NEED(ctx, ctx, name, text, out);
    rdi_profile_reader r = {
        .facts = {.blocks = RD_UNKNOWN, .cold = RD_UNKNOWN, .sums_known = true},
    };
    rdi_json_init(&r.j, ctx, name, text, n);
    rd_status status = read_profile(&r);
    if (status == RD_OK)
        status = build_profile(&r, out);
    free_reader(&r);
    return status;
}

/* ---- files ---- */

rd_status rd_profile_read_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                             rd_profile **out) {
    RDI_NEED(ctx, ctx, name, out);
    char *text = NULL;
    if (n)
        RDI_NEED(ctx, head);
    RD_TRY(rdi_json_read_fd(ctx, fd, name, head, &text, &n));
    rd_status status = rd_profile_parse(ctx, name, text, n, out);
    rdi_free(ctx, text);
    return status;
}

rd_status rd_profile_read(rd_ctx *ctx, const char *path, rd_profile **out) {
    RDI_NEED(ctx, ctx, path, out);
    char *text = NULL;
    size_t n = 0;
    RD_TRY(rdi_json_read(ctx, path, &text, &n));
    rd_status status = rd_profile_parse(ctx, rdi_json_file_name(path), text, n, out);
    rdi_free(ctx, text);
    return status;
}
