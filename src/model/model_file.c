/* Reads and writes the model file, which is JSON with one line per piece. docs/prediction.md
 * describes it. */
#include "base/json.h"
#include "base/json_write.h"
#include "model/locality.h"
#include "profile/profile_build.h"
#include "profile/thresholds.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- writing ---- */

static void put_facts(rd_json_writer *w, const rd_model_facts *f) {
    char bins[32], patterns[64];
    rd_binning_name(f->binning, bins);
    rd_patterns_name(f->patterns, patterns);
    rd_json_put_string(w, "method", f->method == RD_MODEL_SINGLE ? "single" : "multi");
    rd_json_put_string(w, "binning", bins);
    rd_json_put_string(w, "patterns", patterns);
    rd_json_put_string(w, "size_unit", f->size_unit);
    rdi_thresholds_write(w, &f->sampling);
    rdi_json_put_doubles(w, "sizes", f->sizes, f->n_sizes);
    rdi_json_put_u64_or_null(w, "block_bytes", f->block_bytes, 0);
    rd_json_put_bool(w, "exact", f->exact);
}

static void put_power(rd_json_writer *w, const char *key, rdi_power power) {
    const double values[] = {power.factor, power.exponent};
    rdi_json_put_doubles(w, key, values, RDI_COUNT(values));
}

static void put_piece(rd_json_writer *w, const rdi_piece *p) {
    const double values[] = {p->share, p->low.c, p->low.e, p->high.c, p->high.e};
    rd_json_begin_array(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, NULL, rd_pattern_name(p->pattern));
    rdi_json_put_doubles(w, NULL, values, RDI_COUNT(values));
    rd_json_end_array(w);
}

rd_status rd_model_json(const rd_model *m, char **out, size_t *n) {
    RDI_NEED(m ? m->ctx : NULL, m, out, n);
    rd_json_writer w = rdi_json_writer_start(m->ctx, RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", RDI_MODEL_SCHEMA);
    rdi_json_put_tool(&w);
    put_facts(&w, &m->facts);
    put_power(&w, "reuses", m->reuses);
    put_power(&w, "blocks", m->blocks);
    rd_json_begin_array(&w, "pieces", RD_JSON_LINES);
    for (size_t i = 0; i < m->n; i++)
        put_piece(&w, &m->pieces[i]);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    return rd_json_writer_take(&w, out, n);
}

/* ---- reading ---- */

/* Reads an array of exactly n finite numbers, or fails. */
static void read_doubles(rdi_json *j, double *out, size_t n) {
    size_t got = 0;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        double x = rdi_json_double(j);
        if (got < n)
            out[got] = x;
        got++;
    }
    if (got != n)
        rdi_json_fail(j, "expected %zu numbers, found %zu", n, got);
}

/* Reads the sizes, at most RD_TRAINING_MAX of them, which must be above 0 and in ascending
 * order. */
static void read_sizes(rdi_json *j, rd_model *m) {
    rd_model_facts *f = &m->facts;
    rdi_json_enter_array(j);
    f->n_sizes = 0;
    while (rdi_json_next_item(j)) {
        double size = rdi_json_double(j);
        if (f->n_sizes == RD_TRAINING_MAX || !(size > (f->n_sizes ? f->sizes[f->n_sizes - 1] : 0)))
            rdi_json_fail(j, "\"sizes\" must have at most %d numbers above 0, in ascending order",
                          RD_TRAINING_MAX);
        else
            f->sizes[f->n_sizes++] = size;
    }
}

static rdi_power read_power(rdi_json *j) {
    double values[2] = {0, 0};
    read_doubles(j, values, 2);
    if (!(values[0] > 0))
        rdi_json_fail(j, "\"reuses\" and \"blocks\" must begin with a number above 0");
    return (rdi_power){values[0], values[1]};
}

static rd_pattern read_pattern(rdi_json *j) {
    char *name = rdi_json_string(j);
    rd_pattern p = 0;
    while (name && p < RD_PATTERN_COUNT && strcmp(rd_pattern_name(p), name) != 0)
        p++;
    if (name && p == RD_PATTERN_COUNT)
        rdi_json_fail(j, "unknown pattern \"%.40s\"", name);
    rdi_free(j->ctx, name);
    return p < RD_PATTERN_COUNT ? p : 0;
}

/* Reads a piece: ["linear", [share, c and e of the low edge, c and e of the high edge]]. */
static void read_piece(rdi_json *j, rd_model *m) {
    rdi_piece p = {0};
    double v[5] = {0};
    rdi_json_enter_array(j);
    if (rdi_json_next_item(j))
        p.pattern = read_pattern(j);
    if (rdi_json_next_item(j))
        read_doubles(j, v, 5);
    if (rdi_json_next_item(j))
        rdi_json_fail(j, "a piece must have a pattern and five numbers");
    p.share = v[0];
    p.low = (rdi_edge){v[1], v[2]};
    p.high = (rdi_edge){v[3], v[4]};
    if (!(p.share >= 0 && p.share <= 1))
        rdi_json_fail(j, "the share of a piece is not from 0 to 1");
    if (!(p.low.c <= p.high.c && p.low.e <= p.high.e))
        rdi_json_fail(j, "the low edge of a piece is above its high edge");
    if (j->status == RD_OK && rdi_model_add(m, p) != RD_OK)
        j->status = RD_ENOMEM;
}

static void read_schema(rdi_json *j, rd_model *m) {
    (void)m;
    char *schema = rdi_json_string(j);
    size_t n = strlen(RDI_MODEL_SCHEMA);
    if (schema && (strncmp(schema, RDI_MODEL_SCHEMA, n) != 0 || (schema[n] && schema[n] != '.')))
        rdi_json_fail(j, "this is not a model: its schema is \"%.40s\", not " RDI_MODEL_SCHEMA,
                      schema);
    rdi_free(j->ctx, schema);
}

static void read_method(rdi_json *j, rd_model *m) {
    rd_model_facts *f = &m->facts;
    char *method = rdi_json_string(j);
    f->method = method && strcmp(method, "multi") == 0 ? RD_MODEL_MULTI : RD_MODEL_SINGLE;
    if (method && f->method == RD_MODEL_SINGLE && strcmp(method, "single") != 0)
        rdi_json_fail(j, "method \"%.40s\" is neither single nor multi", method);
    rdi_free(j->ctx, method);
}

static void read_binning(rdi_json *j, rd_model *m) {
    char *text = rdi_json_string(j);
    rd_binning *bins = &m->facts.binning;
    if (text && (rd_binning_parse(j->ctx, text, bins) != RD_OK ||
                 (bins->kind != RD_BINS_REFERENCE && bins->kind != RD_BINS_LOG &&
                  (bins->kind != RD_BINS_LOGLINEAR || bins->param))))
        rdi_json_fail(
            j, "bins \"%.40s\" are invalid in a model (valid: log, loglinear, reference:GROUPS)",
            text);
    rdi_free(j->ctx, text);
}

static void read_block_bytes(rdi_json *j, rd_model *m) {
    uint64_t bytes = rdi_json_null(j) ? 0 : rdi_json_u64(j);
    if (bytes & (bytes - 1))
        rdi_json_fail(j, "the block size of %" PRIu64 " bytes is not a power of two", bytes);
    m->facts.block_bytes = bytes;
}

static void read_patterns(rdi_json *j, rd_model *m) {
    rd_model_facts *f = &m->facts;
    char *text = rdi_json_string(j);
    if (text && (rd_patterns_parse(j->ctx, text, &f->patterns) != RD_OK || !f->patterns))
        rdi_json_fail(
            j, "patterns \"%.60s\" are invalid: expected some of constant, 1/3, 1/2, 2/3, linear",
            text);
    rdi_free(j->ctx, text);
}

static void read_unit(rdi_json *j, rd_model *m) {
    m->facts.size_unit = rdi_json_string(j);
}

static void read_thresholds(rdi_json *j, rd_model *m) {
    rdi_thresholds_read(j, &m->facts.sampling);
}

static void read_exact(rdi_json *j, rd_model *m) {
    m->facts.exact = rdi_json_bool(j);
}

static void read_reuses(rdi_json *j, rd_model *m) {
    m->reuses = read_power(j);
}

static void read_blocks(rdi_json *j, rd_model *m) {
    m->blocks = read_power(j);
}

static void read_pieces(rdi_json *j, rd_model *m) {
    for (rdi_json_enter_array(j); rdi_json_next_item(j);)
        read_piece(j, m);
}

/* The members of a model. Each of them occurs at most once, and only "thresholds", the first one,
 * is optional. */
static const struct {
    const char *key;
    void (*read)(rdi_json *j, rd_model *m);
} members[] = {
    {"thresholds", read_thresholds}, {"schema", read_schema},           {"method", read_method},
    {"binning", read_binning},       {"patterns", read_patterns},       {"size_unit", read_unit},
    {"sizes", read_sizes},           {"block_bytes", read_block_bytes}, {"exact", read_exact},
    {"reuses", read_reuses},         {"blocks", read_blocks},           {"pieces", read_pieces},
};

static void read_members(rdi_json *j, rd_model *m) {
    uint32_t seen = 0;
    char key[32];
    rdi_json_enter_object(j);
    while (rdi_json_next_key(j, key, sizeof key)) {
        size_t i = 0;
        while (i < RDI_COUNT(members) && strcmp(members[i].key, key) != 0)
            i++;
        if (i == RDI_COUNT(members))
            rdi_json_skip(j);
        else if (seen >> i & 1)
            rdi_json_fail(j, "\"%s\" occurs twice", key);
        else
            members[i].read(j, m);
        seen |= UINT32_C(1) << i;
    }
    for (size_t i = 1; i < RDI_COUNT(members); i++)
        if (!(seen >> i & 1))
            rdi_json_fail(j, "the model has no \"%s\"", members[i].key);
}

/* Checks the members against each other. Returns a text that says what is wrong, or NULL. May set
 * facts.shares. */
static const char *find_mistake(rd_model *m) {
    const rd_model_facts *f = &m->facts;
    if (f->n_sizes < 2)
        return "a model needs two or more sizes";
    if (f->method == RD_MODEL_SINGLE && f->binning.kind != RD_BINS_REFERENCE)
        return "method single needs bins reference:GROUPS";
    for (size_t i = 0; i < m->n; i++)
        if (!rdi_patterns_has(f->patterns, m->pieces[i].pattern))
            return "a piece has a pattern that the model does not list";
    return fabs(rdi_model_sum(m) - 1) > 1e-6 ? "the shares do not add up to 1" : NULL;
}

static rd_status read_model(rdi_json *j, rd_model *m) {
    if (rdi_json_peek(j) != RDI_JSON_OBJECT)
        return rdi_fail(j->ctx, RD_EFORMAT, "%s: this is not a model: it does not begin with '{'",
                        j->name);
    read_members(j, m);
    RD_TRY(rdi_json_end(j));
    const char *mistake = find_mistake(m);
    return mistake ? rdi_fail(j->ctx, RD_EFORMAT, "%s: %s", j->name, mistake) : RD_OK;
}

rd_status rd_model_parse(rd_ctx *ctx, const char *name, const char *text, size_t n,
                         rd_model **out) {
    RDI_NEED(ctx, ctx, name, text, out);
    rdi_json j;
    rd_model *m = NULL;
    rdi_json_init(&j, ctx, name, text, n);
    RD_TRY(rdi_model_new(ctx, &m));
    rd_status status = read_model(&j, m);
    if (status == RD_OK)
        *out = m;
    else
        rd_model_free(m);
    return status;
}

rd_status rd_model_read(rd_ctx *ctx, const char *path, rd_model **out) {
    RDI_NEED(ctx, ctx, path, out);
    char *text = NULL;
    size_t n = 0;
    RD_TRY(rdi_json_read(ctx, path, &text, &n));
    rd_status status = rd_model_parse(ctx, rdi_json_file_name(path), text, n, out);
    rdi_free(ctx, text);
    return status;
}
