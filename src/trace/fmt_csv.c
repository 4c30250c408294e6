/* csv: reads a table in text, whose columns are chosen by name or number.
 *
 * The reader determines the meaning of the columns when it opens the trace, from the options or
 * else from the names in the header line. On each line, it visits the columns that it needs in
 * their order.
 *
 * This file is long because the description of the format, its columns and presets is part of it.
 */
#include "trace/csv_fast.h"

#include <stdio.h>

static const struct {
    const char *name;  /* name of the option */
    const char *usual; /* usual names of the column in a header line */
    uint32_t field;
} roles[RDI_ROW_ROLES] = {
    [RDI_ROW_ID] = {"id", "id|obj_id|object_id|key|object|block|block_id|lbn|lba", 0},
    [RDI_ROW_ADDR] = {"addr", "addr|address|offset", 0},
    [RDI_ROW_SIZE] = {"size", "size|length|len|bytes", RD_FIELD_SIZE},
    [RDI_ROW_KIND] = {"kind", "kind|op|rw", RD_FIELD_KIND},
    [RDI_ROW_THREAD] = {"thread", "thread|tid", RD_FIELD_THREAD},
    [RDI_ROW_PC] = {"pc", "pc|ip", RD_FIELD_PC},
    [RDI_ROW_TIME] = {"time", "time|timestamp|op_time", RD_FIELD_TIME},
    [RDI_ROW_TTL] = {"ttl", "ttl|lifetime", RD_FIELD_LIFETIME},
    [RDI_ROW_OP] = {"op", "op|operation", RD_FIELD_OPERATION},
    [RDI_ROW_KEYSIZE] = {"keysize", "", RD_FIELD_BYTES},
    [RDI_ROW_COUNT] = {"count", "", 0},
};

#define LOAD_WORDS "r|read|rd|l|load|get|gets|head|0"
#define STORE_WORDS                                                                                \
    "w|write|wr|s|store|set|put|add|replace|cas|append|prepend|incr|decr|delete|copy|1"
#define FETCH_WORDS "i|f|ifetch|fetch|2"

enum { HEADER_AUTO, HEADER_ON, HEADER_OFF };

/* The columns of well-known traces, in the order of the choices of preset=. */
static const struct {
    const char *wanted[RDI_ROW_ROLES];
    uint32_t header, unit;
} presets[] = {
    {.header = HEADER_AUTO},
    {.wanted = {[RDI_ROW_TIME] = "1",
                [RDI_ROW_ID] = "2",
                [RDI_ROW_KEYSIZE] = "3",
                [RDI_ROW_SIZE] = "4",
                [RDI_ROW_OP] = "6",
                [RDI_ROW_TTL] = "7"},
     .header = HEADER_OFF},
    {.wanted = {[RDI_ROW_TIME] = "op_time",
                [RDI_ROW_ID] = "key",
                [RDI_ROW_SIZE] = "size",
                [RDI_ROW_OP] = "op",
                [RDI_ROW_COUNT] = "op_count",
                [RDI_ROW_TTL] = "ttl"},
     .header = HEADER_ON},
    {.wanted = {[RDI_ROW_TIME] = "1", [RDI_ROW_OP] = "4", [RDI_ROW_ID] = "5", [RDI_ROW_SIZE] = "6"},
     .header = HEADER_OFF,
     .unit = RDI_TIME_FILETIME},
};

typedef struct csv_reader {
    rdi_rows rows;
    rdi_csv_plan plan;
    const char
        *wanted[RDI_ROW_ROLES]; /* options: name or number of a column, or "none"; NULL: taken from
                                    the header line */
    uint32_t sep_choice, header, preset, time_unit; /* options, as indices of choices */
    char sep;
    struct {
        size_t number; /* number of the column, from 1 */
        int role;
    } column[RDI_ROW_ROLES]; /* the columns to read, in ascending order of their numbers */
    size_t columns;
    size_t found[RDI_ROW_ROLES]; /* number of the column of each role, from 1; 0: none */
    char *scratch;               /* memory for an id without its doubled quotes */
    size_t scratch_room;
    char note[RDI_EXCERPT_MAX + 128]; /* text of rd_trace_note() */
} csv_reader;

/* ---- one line ---- */

static rd_status fail_value(csv_reader *c, size_t i, const rdi_field *field, const char *why) {
    char excerpt[RDI_EXCERPT_MAX];
    rdi_excerpt(excerpt, field->text, field->n);
    return rdi_fail(c->rows.lines.r->ctx, RD_EFORMAT, "column %zu (%s): '%s' %s",
                    c->column[i].number, roles[c->column[i].role].name, excerpt, why);
}

/* Fails because of a value in a column that the user can leave out. */
static rd_status fail_optional(csv_reader *c, size_t i, const rdi_field *field, const char *wrong) {
    char why[160];
    snprintf(why, sizeof why, "%s (%s=none ignores the column)", wrong,
             roles[c->column[i].role].name);
    return fail_value(c, i, field, why);
}

/* Reads a number up to `max`: decimal, or hexadecimal with 0x. With base=hex, addresses are
 * hexadecimal with or without 0x. */
static rd_status read_number(csv_reader *c, size_t i, const rdi_field *field, uint64_t max,
                             uint64_t *out) {
    bool prefixed = field->n > 2 && rdi_has_0x(field->text);
    bool hex = prefixed || (c->rows.ids.base == RDI_ID_HEX && c->column[i].role == RDI_ROW_ADDR);
    size_t skip = prefixed ? 2 : 0;
    if (!rdi_all_digits(field->text + skip, field->n - skip, hex))
        return fail_value(c, i, field, "is not a number");
    uint64_t value = 0;
    const char *digits = field->text + skip;
    if (!(hex ? rdi_scan_hex(digits, &value) : rdi_scan_dec(digits, &value)) || value > max)
        return max == UINT32_MAX ? fail_optional(c, i, field, "does not fit in 32 bits")
                                 : fail_value(c, i, field, "does not fit in 64 bits");
    *out = value;
    return RD_OK;
}

/* Sets *out to the kind that a word means. Returns NULL, or a text that says what is wrong with the
 * word. */
static const char *kind_meaning(const char *text, size_t n, uint64_t *out) {
    if (rdi_csv_matches(text, n, LOAD_WORDS))
        *out = RD_LOAD;
    else if (rdi_csv_matches(text, n, STORE_WORDS))
        *out = RD_STORE;
    else if (rdi_csv_matches(text, n, FETCH_WORDS))
        *out = RD_FETCH;
    else
        return "is not a known kind of reference";
    return NULL;
}

/* Replaces the text of the field with a copy in c->scratch that has " instead of each "". */
static rd_status undouble(csv_reader *c, rdi_field *field) {
    if (field->n + 1 > c->scratch_room) {
        char *grown = rdi_resize(c->rows.lines.r->ctx, c->scratch, 2 * (field->n + 1), 1);
        if (!grown)
            return RD_ENOMEM;
        c->scratch = grown;
        c->scratch_room = 2 * (field->n + 1);
    }
    char *to = c->scratch;
    for (size_t j = 0; j < field->n; j++) {
        *to++ = field->text[j];
        j += field->text[j] == '"';
    }
    *to = '"'; /* number scanners stop at this character, because it is not a digit */
    *field = (rdi_field){.text = c->scratch, .n = (size_t)(to - c->scratch)};
    return RD_OK;
}

static rd_status read_id(csv_reader *c, size_t i, rdi_field field, uint64_t *out) {
    if (field.n == 0)
        return fail_value(c, i, &field, "is not an id");
    if (field.doubled)
        RD_TRY(undouble(c, &field));
    rd_status status = rdi_id_read(&c->rows.ids, field.text, field.n, out);
    if (status != RD_EFORMAT)
        return status;
    rd_ctx *ctx = c->rows.lines.r->ctx;
    return rdi_fail(ctx, status, "column %zu (id): %s", c->column[i].number, rd_last_error(ctx));
}

static rd_status read_request_value(csv_reader *c, size_t i, const rdi_field *field, rdi_row *row) {
    const char *wrong =
        rdi_row_request_value(row, c->column[i].role, field->text, field->n, c->rows.unit);
    return wrong ? fail_optional(c, i, field, wrong) : RD_OK;
}

static rd_status read_value(csv_reader *c, size_t i, const rdi_field *field, rdi_row *row) {
    rdi_ref *ref = &row->ref;
    const char *wrong = NULL;
    uint64_t number = 0;
    if (c->column[i].role >= RDI_ROW_TIME ||
        (c->column[i].role == RDI_ROW_SIZE && c->rows.fields & RD_FIELD_BYTES))
        return read_request_value(c, i, field, row);
    switch (c->column[i].role) {
    case RDI_ROW_ID:
        return read_id(c, i, *field, &ref->addr);
    case RDI_ROW_ADDR:
        return read_number(c, i, field, UINT64_MAX, &ref->addr);
    case RDI_ROW_PC:
        return read_number(c, i, field, UINT64_MAX, &ref->pc);
    case RDI_ROW_SIZE:
        RD_TRY(read_number(c, i, field, UINT32_MAX, &number));
        ref->size = number ? (uint32_t)number : 1;
        return RD_OK;
    case RDI_ROW_THREAD:
        RD_TRY(read_number(c, i, field, UINT32_MAX, &number));
        ref->thread = (uint32_t)number;
        return RD_OK;
    default:
        wrong = kind_meaning(field->text, field->n, &number);
        ref->kind = (uint8_t)number;
        return wrong ? fail_optional(c, i, field, wrong) : RD_OK;
    }
}

static rd_status read_values(csv_reader *c, const char *p, const char *end, rdi_row *row) {
    rd_ctx *ctx = c->rows.lines.r->ctx;
    rdi_field field;
    size_t number = 1;
    for (size_t i = 0; i < c->columns; number++) {
        p = rdi_csv_field(c->sep, p, end, &field);
        if (!p)
            return rdi_fail(ctx, RD_EFORMAT,
                            "column %zu: a quote is not closed, or text follows the closing quote",
                            number);
        for (; i < c->columns && c->column[i].number == number; i++)
            RD_TRY(read_value(c, i, &field, row));
        if (i == c->columns)
            break;
        if (p >= end)
            return rdi_fail(ctx, RD_EFORMAT, "the line has only %zu column%s, but %s is column %zu",
                            number, number == 1 ? "" : "s", roles[c->column[i].role].name,
                            c->column[i].number);
        p++;
    }
    return RD_OK;
}

/* Returns the end of the last value of a line: its '\n', or the '\r' before it, or the beginning of
 * trailing blanks if blanks separate values. */
static const char *values_end(const csv_reader *c, const char *p, const char *end) {
    while (end > p && (end[-1] == '\r' || (c->sep == ' ' && rdi_is_blank(end[-1]))))
        end--;
    return end;
}

static const char *csv_line(rdi_rows *w, const char *p, const char *limit, rdi_row *row) {
    csv_reader *c = (csv_reader *)w;
    if (rdi_scan_line_end(p))
        return rdi_line_skip(p, limit, &row->ref);
    const char *end = rdi_line_end(p, limit);
    w->lines.failed = read_values(c, p, values_end(c, p, end), row);
    return w->lines.failed == RD_OK ? end + 1 : NULL;
}

static const char *csv_fast(rdi_rows *w, const char *p, const char *limit, size_t *n) {
    return rdi_csv_fast(w, &((csv_reader *)w)->plan, p, limit, n);
}

static rd_status csv_read(void *self, rd_refs *refs) {
    return rdi_rows_read(self, refs, csv_line, csv_fast);
}

/* ---- opening: determining the meaning of the columns ---- */

static bool is_number(const char *text) {
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool is_given(const csv_reader *c, int role) {
    return c->wanted[role] && strcmp(c->wanted[role], "none") != 0;
}

static bool is_named(const csv_reader *c, int role) {
    return is_given(c, role) && !is_number(c->wanted[role]);
}

static rd_status check_options(csv_reader *c) {
    rd_ctx *ctx = c->rows.lines.r->ctx;
    if (is_given(c, RDI_ROW_ID) && is_given(c, RDI_ROW_ADDR))
        return rdi_fail(ctx, RD_EINVAL,
                        "format csv: id= and addr= cannot be combined; give only one of them");
    for (int role = 0; role < RDI_ROW_ROLES; role++) {
        if (c->header == HEADER_OFF && is_named(c, role))
            return rdi_fail(ctx, RD_EINVAL,
                            "format csv: option '%s': without a header line (header=off) columns "
                            "have numbers, not names like '%.80s'",
                            roles[role].name, c->wanted[role]);
        uint64_t number = 0;
        if (is_given(c, role) && !is_named(c, role) &&
            (!rdi_scan_dec(c->wanted[role], &number) || number == 0 || number > RDI_LINE_MAX))
            return rdi_fail(ctx, RD_EINVAL,
                            "format csv: option '%s': there is no column %.80s; columns have "
                            "numbers from 1 to %d",
                            roles[role].name, c->wanted[role], RDI_LINE_MAX);
    }
    return RD_OK;
}

static void add_column(csv_reader *c, int role, size_t number) {
    size_t i = c->columns++;
    for (; i > 0 && c->column[i - 1].number > number; i--)
        c->column[i] = c->column[i - 1];
    c->column[i].number = number;
    c->column[i].role = role;
    c->rows.fields |= roles[role].field;
}

/* Finds the column of a role, if there is one, and adds it to the columns to read, unless only
 * requests have this role: csv_select() adds such columns. `header` is NULL if the trace has no
 * header line. */
static rd_status find_column(csv_reader *c, int role, const char *header, const char *end) {
    const char *wanted = c->wanted[role];
    size_t number = 0;
    if (is_named(c, role)) {
        number = rdi_csv_find(c->sep, header, end, wanted);
        if (number == 0) {
            char names[RDI_EXCERPT_MAX];
            rdi_excerpt(names, header, (size_t)(end - header));
            return rdi_fail(c->rows.lines.r->ctx, RD_EINVAL,
                            "%s: the header line '%s' has no column '%.80s' (option '%s')",
                            c->rows.lines.r->in->name, names, wanted, roles[role].name);
        }
    } else if (is_given(c, role)) {
        uint64_t given = 0;
        (void)rdi_scan_dec(wanted, &given);
        number = (size_t)given;
    } else if (!wanted && header && *roles[role].usual) {
        number = rdi_csv_find(c->sep, header, end, roles[role].usual);
    }
    c->found[role] = number;
    if (number > 0 && role < RDI_ROW_TIME)
        add_column(c, role, number);
    return RD_OK;
}

/* Makes a note if two columns have the same title and the first of them is read. */
static void note_twins(csv_reader *c, const char *header, const char *end) {
    for (int role = 0; role < RDI_ROW_ROLES; role++) {
        size_t number = c->found[role];
        bool by_title = number && (!is_given(c, role) || is_named(c, role));
        size_t twin = by_title ? rdi_csv_find_again(c->sep, header, end, number) : 0;
        if (twin == 0)
            continue;
        snprintf(
            c->note, sizeof c->note,
            "columns %zu and %zu have the same title, and column %zu is read; to read the other "
            "one, use %s=%zu",
            number, twin, number, roles[role].name, twin);
        c->rows.lines.r->note = c->note;
        return;
    }
}

static rd_status find_columns(csv_reader *c, const char *header, const char *end) {
    rd_ctx *ctx = c->rows.lines.r->ctx;
    if (!is_given(c, RDI_ROW_ID)) {
        RD_TRY(find_column(c, RDI_ROW_ADDR, header, end));
        c->rows.lines.r->ids = c->columns == 0;
    }
    if (c->columns == 0)
        RD_TRY(find_column(c, RDI_ROW_ID, header, end));
    if (c->columns == 0)
        return rdi_fail(
            ctx, RD_EINVAL,
            "%s: the column of the ids is unknown; name it with id=NAME or id=NUMBER (or "
            "addr= for addresses), for example -f csv:id=2",
            c->rows.lines.r->in->name);
    rdi_reader *r = c->rows.lines.r;
    for (int role = RDI_ROW_SIZE; role < RDI_ROW_ROLES; role++) {
        RD_TRY(find_column(c, role, header, end));
        r->requests |= c->found[role] ? roles[role].field & RD_REQUEST_FIELDS : 0;
    }
    r->requests |= r->ids && c->found[RDI_ROW_SIZE] ? RD_FIELD_BYTES : 0;
    return RD_OK;
}

/* Skips empty lines at the beginning. *p is then the beginning and *end the end of the first line
 * that is not empty; both are equal if there is none. */
static rd_status first_line(csv_reader *c, const char **p, const char **end) {
    const char *limit = NULL;
    while (true) {
        RD_TRY(rdi_lines_fill(&c->rows.lines, p, &limit));
        if (*p == limit) {
            *end = *p;
            return RD_OK;
        }
        *end = rdi_line_end(*p, limit);
        if (!rdi_scan_line_end(*p))
            return RD_OK;
        rdi_lines_consume(&c->rows.lines, (size_t)(*end + 1 - *p));
        c->rows.lines.r->in->line++;
    }
}

static bool has_header(const csv_reader *c, const char *line, const char *end) {
    if (c->header != HEADER_AUTO)
        return c->header == HEADER_ON;
    for (int role = 0; role < RDI_ROW_ROLES; role++)
        if (is_named(c, role))
            return true;
    return rdi_csv_is_header(c->sep, line, end);
}

/* Makes a note if only the lack of digits says that the first line is a header: no option asks for a
 * header or names a column by its title, and the line neither begins with '#' nor has a usual title.
 * The line could then also be a request for an object with a name. */
static void note_guess(csv_reader *c, const char *line, const char *end) {
    if (c->header != HEADER_AUTO || *line == '#')
        return;
    for (int role = 0; role < RDI_ROW_ROLES; role++)
        if (is_named(c, role) ||
            (*roles[role].usual && rdi_csv_find(c->sep, line, end, roles[role].usual)))
            return;
    char excerpt[RDI_EXCERPT_MAX];
    rdi_excerpt(excerpt, line, (size_t)(end - line));
    snprintf(c->note, sizeof c->note,
             "the first line ('%s') is skipped as a header, because none of its values begins with "
             "a digit; header=off keeps it",
             excerpt);
    c->rows.lines.r->note = c->note;
}

static void apply_preset(csv_reader *c) {
    for (int role = 0; role < RDI_ROW_ROLES; role++)
        if (!c->wanted[role])
            c->wanted[role] = presets[c->preset].wanted[role];
    if (c->header == HEADER_AUTO)
        c->header = presets[c->preset].header;
    c->rows.unit = rdi_time_unit(c->time_unit ? c->time_unit - 1 : presets[c->preset].unit);
}

/* Makes the plan of csv_fast.h. If the columns do not suit it, the plan has no steps. */
static void make_plan(csv_reader *c) {
    rdi_csv_plan *plan = &c->plan;
    *plan = (rdi_csv_plan){.sep = c->sep, .steps = c->columns};
    size_t next = 1;
    for (size_t i = 0; i < c->columns; i++) {
        int role = c->column[i].role;
        bool usual = c->sep != ' ' && c->column[i].number >= next && role != RDI_ROW_COUNT;
        if (!usual) {
            plan->steps = 0;
            return;
        }
        plan->step[i].skip = c->column[i].number - next;
        plan->step[i].role = role;
        plan->step[i].meaning = role == RDI_ROW_OP ? rdi_read_operation : kind_meaning;
        next = c->column[i].number + 1;
    }
}

static rd_status csv_open(void *self, rdi_reader *r) {
    static const char seps[] = "?,\t ;|"; /* the separators, in the order of the option's choices */
    csv_reader *c = self;
    rdi_lines_open(&c->rows.lines, r, NULL);
    rdi_id_table_init(&c->rows.ids, r->ctx);
    apply_preset(c);
    RD_TRY(check_options(c));
    r->ids = !is_given(c, RDI_ROW_ADDR);
    const char *line = NULL, *end = NULL;
    RD_TRY(first_line(c, &line, &end));
    if (line == end)
        return RD_OK; /* all lines are empty, so the columns do not matter */
    size_t bytes = (size_t)(end + 1 - line);
    c->sep = c->sep_choice ? seps[c->sep_choice] : rdi_csv_guess_sep(line, end);
    end = values_end(c, line, end);
    bool header = has_header(c, line, end);
    RD_TRY(find_columns(c, header ? line : NULL, end));
    if (header) {
        note_guess(c, line, end);
        note_twins(c, line, end);
        rdi_lines_consume(&c->rows.lines, bytes);
        r->in->line++;
    }
    make_plan(c);
    return RD_OK;
}

static void drop_column(csv_reader *c, int role) {
    size_t kept = 0;
    for (size_t i = 0; i < c->columns; i++)
        if (c->column[i].role != role)
            c->column[kept++] = c->column[i];
    c->columns = kept;
}

/* Adds the columns of requests that `fields` names, and the column of counts. If operations are among
 * them, kinds follow from operations. If sizes of objects are among them, they replace sizes of
 * references. */
static rd_status csv_select(void *self, uint32_t fields) {
    csv_reader *c = self;
    for (int role = RDI_ROW_TIME; role < RDI_ROW_ROLES; role++)
        if (c->found[role] && (roles[role].field & fields || role == RDI_ROW_COUNT))
            add_column(c, role, c->found[role]);
    if (c->rows.fields & RD_FIELD_OPERATION)
        drop_column(c, RDI_ROW_KIND);
    if (c->found[RDI_ROW_SIZE] && c->rows.lines.r->ids && fields & RD_FIELD_BYTES) {
        c->rows.fields &= ~(uint32_t)RD_FIELD_SIZE;
        c->rows.fields |= RD_FIELD_BYTES;
    }
    make_plan(c);
    return rdi_rows_select(&c->rows);
}

static void csv_separate(void *self) {
    csv_reader *c = self;
    c->scratch = NULL;
    c->scratch_room = 0;
}

static void csv_close(void *self) {
    csv_reader *c = self;
    rdi_id_table_fini(&c->rows.ids);
    if (c->rows.lines.r)
        rdi_free(c->rows.lines.r->ctx, c->scratch);
}

/* Recognizes a file whose header line names ids or addresses. */
static int csv_probe(const uint8_t *head, size_t n, bool whole) {
    const char *limit;
    const char *p = rdi_lines_in_head(head, n, whole, &limit);
    if (p == limit)
        return RDI_PROBE_NO;
    const char *end = rdi_line_end(p, limit);
    char sep = rdi_csv_guess_sep(p, end);
    if (sep == ' ' || !memchr(p, sep, (size_t)(end - p)) || !rdi_csv_is_header(sep, p, end))
        return RDI_PROBE_NO;
    bool known = rdi_csv_find(sep, p, end, roles[RDI_ROW_ADDR].usual) ||
                 rdi_csv_find(sep, p, end, roles[RDI_ROW_ID].usual);
    return known ? RDI_PROBE_LIKELY : RDI_PROBE_NO;
}

#define COLUMN_OPT(role, text, what)                                                               \
    {                                                                                              \
        .name = text, .type = RD_OPT_STRING, .offset = offsetof(csv_reader, wanted[role]),         \
        .help = "column of the " what ", by name or number (none: ignore)"                         \
    }

static const rd_opt csv_opts[] = {
    COLUMN_OPT(RDI_ROW_ID, "id", "object ids"),
    COLUMN_OPT(RDI_ROW_ADDR, "addr", "addresses"),
    COLUMN_OPT(RDI_ROW_SIZE, "size", "sizes in bytes"),
    COLUMN_OPT(RDI_ROW_KIND, "kind", "kinds"),
    COLUMN_OPT(RDI_ROW_THREAD, "thread", "thread numbers"),
    COLUMN_OPT(RDI_ROW_PC, "pc", "program counters"),
    COLUMN_OPT(RDI_ROW_TIME, "time", "times"),
    {.name = "time-unit",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(csv_reader, time_unit),
     .def = "auto",
     .choices = "auto|" RDI_TIME_UNITS,
     .help = "unit of the times; auto: that of the preset, or seconds"},
    COLUMN_OPT(RDI_ROW_TTL, "ttl", "lifetimes in seconds"),
    COLUMN_OPT(RDI_ROW_OP, "op", "operations"),
    COLUMN_OPT(RDI_ROW_KEYSIZE, "keysize", "key sizes in bytes"),
    COLUMN_OPT(RDI_ROW_COUNT, "count", "number of times that a request is made"),
    {.name = "preset",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(csv_reader, preset),
     .def = "none",
     .choices = "none|twitter|meta|msr",
     .help = "columns of Twitter's, Meta's or MSR Cambridge's traces"},
    {.name = "sep",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(csv_reader, sep_choice),
     .def = "auto",
     .choices = "auto|comma|tab|space|semicolon|pipe",
     .help = "column separator"},
    {.name = "header",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(csv_reader, header),
     .def = "auto",
     .choices = "auto|on|off",
     .help = "whether the first line names the columns"},
    RDI_ID_OPTS(csv_reader, rows.ids),
    {0},
};

const rdi_format_ops rdi_format_csv = {
    .info =
        {
            .name = "csv",
            .summary = "text table whose columns are chosen by name or number",
            .card =
                "Each line has one reference. Columns are named by their title or number (from "
                "1):\n"
                "id= for object ids (numbers or names), or addr= for addresses (decimal or 0x\n"
                "hexadecimal), which are then split into blocks by size=. kind=, thread= and pc=\n"
                "are optional. A column that no option names is taken from the header line, if it\n"
                "has one of these titles:\n"
                "  addr    addr, address, offset\n"
                "  id      id, obj_id, object_id, key, object, block, block_id, lbn, lba\n"
                "  size    size, length, len, bytes\n"
                "  kind    kind, op, rw\n"
                "  thread  thread, tid\n"
                "  pc      pc, ip\n"
                "  time    time, timestamp, op_time\n"
                "  ttl     ttl, lifetime\n"
                "  op      op, operation\n"
                "NAME=none ignores such a column. A size of 0 counts as 1, except for\n"
                "--weight=bytes, where an object may have 0 bytes. Kinds, in upper or\n"
                "lower case:\n"
                "  load    r, rd, read, l, load, get, gets, head, 0\n"
                "  store   w, wr, write, s, store, set, put, add, replace, cas, append, prepend,\n"
                "          incr, decr, delete, copy, 1\n"
                "  fetch   i, f, ifetch, fetch, 2\n"
                "\n"
                "Requests of object caches (--weight=bytes) also have time= in units of "
                "time-unit=,\n"
                "ttl= (lifetime in seconds) and op=. keysize= is added to size=, and count= is "
                "the\n"
                "number of times that the request is made, up to 2^32. Operations, in upper or\n"
                "lower case:\n"
                "  read    get, gets, get_lease, head, and the words for loads\n"
                "  write   set, add, replace, cas, append, prepend, incr, decr, set_lease, put,\n"
                "          copy, and the words for stores\n"
                "  others  touch; gat, gats; delete, del, remove\n"
                "\n"
                "sep=auto looks for a tab, comma, semicolon, pipe or blank, in this order, in the\n"
                "first line; sep=space takes any number of blanks as one. header=auto takes the\n"
                "first line as a header if an option names a column by its title, if the line\n"
                "begins with '#', or if none of its values begins with a digit. If this is a\n"
                "guess, a note says so.\n"
                "Values may be quoted (\"a,b\", with \"\" for a quote) but must end on their "
                "line.\n"
                "Empty lines are skipped.\n"
                "\n" RDI_ID_CARD "\n"
                "\n"
                "  -f csv:preset=twitter           Twitter cache-trace; size = key + value\n"
                "  -f csv:preset=meta              Meta CacheLib key-value traces, with op_count\n"
                "  -f csv:preset=msr               MSR Cambridge, one object per offset\n"
                "  -f csv:addr=5,size=6,kind=4     MSR Cambridge, addresses in blocks",
            .fields =
                RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_REQUEST_FIELDS,
            .ids = true,
            .opts = csv_opts,
        },
    .state_size = sizeof(csv_reader),
    .probe = csv_probe,
    .open = csv_open,
    .select = csv_select,
    .read = csv_read,
    .separate = csv_separate,
    .ids_at = offsetof(csv_reader, rows.ids),
    .close = csv_close,
};
