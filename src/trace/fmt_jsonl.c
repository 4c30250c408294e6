/* jsonl: reads one JSON object per line, which is a request (id=) or has an array of ids (Mooncake
 * and other KV-cache traces).
 *
 * A line with an array is scanned in steps, so that a batch may end inside the array. The steps are:
 * the members before the array, each element of the array, and the rest of the object. A step that
 * succeeds consumes its text; a step that fails consumes nothing and leaves the state unchanged.
 */
#include "trace/rows.h"
#include "trace/scan_json.h"

#include <stdio.h>

#define LINE_MAX_BYTES (64 * 1024 * 1024)

typedef struct jsonl_reader {
    rdi_rows rows;
    const char *field;              /* option: name of the array of ids */
    const char *key[RDI_ROW_ROLES]; /* options: names of the members of a request; NULL: not read */
    uint32_t time_unit;             /* option: unit of times, an index into RDI_TIME_UNITS */
    bool selected[RDI_ROW_ROLES];   /* true: the member with this role is read */
    enum { AT_LINE, AT_ELEMENTS, AT_REST } state;
    bool first; /* AT_ELEMENTS: true if no element was read yet, so that the next one has no comma
                   before it */
} jsonl_reader;

/* ---- steps of a line ---- */

/* Sets j->rows.lines.failed and the message that `expected` was expected at p. Returns NULL. */
static const char *fail(jsonl_reader *j, const char *p, const char *limit, const char *expected) {
    char found[RDI_FOUND_MAX];
    rdi_found(found, p, (size_t)(rdi_line_end(p, limit) - p));
    j->rows.lines.failed =
        rdi_fail(j->rows.lines.r->ctx, RD_EFORMAT, "expected %s, found %s", expected, found);
    return NULL;
}

/* Returns whether the key at p, which must be valid, is the name of the array of ids. */
static bool is_field(const jsonl_reader *j, const char *p) {
    size_t n = (size_t)(rdi_scan_json_string(p) - p) - 2;
    return n == strlen(j->field) && memcmp(p + 1, j->field, n) == 0;
}

/* Skips members from p on, up to the array of ids or to the end of the object, and sets *found to
 * whether there is an array. Returns the beginning of the array or the byte after the object, or
 * NULL after a failure. */
static const char *skip_members(jsonl_reader *j, const char *p, const char *limit, bool *found) {
    while (true) {
        const char *key = p;
        p = rdi_scan_json_key(p);
        if (!p)
            return fail(j, key, limit, "\"NAME\": VALUE");
        *found = is_field(j, key);
        if (*found)
            return p;
        const char *value = p;
        p = rdi_scan_json_value(p);
        if (!p)
            return fail(j, value, limit, "a JSON value");
        p = rdi_scan_blanks(p);
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return fail(j, p, limit, "',' or '}'");
        p = rdi_scan_blanks(p + 1);
    }
}

/* Scans from the beginning of a line into its array of ids, or skips an empty line. */
static const char *start_line(jsonl_reader *j, const char *p, const char *limit) {
    const char *empty = rdi_scan_line_end(p);
    if (empty) {
        j->rows.lines.r->in->line++;
        return empty;
    }
    p = rdi_scan_blanks(p);
    if (*p != '{')
        return fail(j, p, limit, "a JSON object");
    bool found = false;
    p = rdi_scan_blanks(p + 1);
    if (*p != '}')
        p = skip_members(j, p, limit, &found);
    if (p && !found) {
        j->rows.lines.failed =
            rdi_fail(j->rows.lines.r->ctx, RD_EFORMAT,
                     "the object has no member \"%.80s\" (field=NAME sets another name)", j->field);
        return NULL;
    }
    if (p && *p != '[')
        return fail(j, p, limit, "an array of ids");
    if (p) {
        j->state = AT_ELEMENTS;
        j->first = true;
    }
    return p ? p + 1 : NULL;
}

/* Reads one id at p: a string or an integer. */
static const char *read_element(jsonl_reader *j, const char *p, const char *limit, uint64_t *id) {
    static const char expected[] = "an integer or a string";
    const char *start = p, *end;
    if (*p == '"') {
        p = rdi_scan_json_string(p);
        start++;
        end = p ? p - 1 : NULL;
    } else {
        const char *digits = p + (*p == '-');
        end = p = digits + strspn(digits, "0123456789");
        bool integer = p > digits && (*digits != '0' || p == digits + 1);
        if (!integer || !(rdi_is_blank(*p) || *p == ',' || *p == ']' || *p == '}'))
            return fail(j, start, limit, expected);
    }
    if (!end || end == start)
        return fail(j, start, limit, expected);
    j->rows.lines.failed = rdi_id_read(&j->rows.ids, start, (size_t)(end - start), id);
    return j->rows.lines.failed == RD_OK ? p : NULL;
}

/* Reads the next id into *id and adds 1 to *count, or reads the end of the array. */
static const char *next_element(jsonl_reader *j, const char *p, const char *limit, uint64_t *id,
                                size_t *count) {
    p = rdi_scan_blanks(p);
    if (*p == ']') {
        j->state = AT_REST;
        return p + 1;
    }
    if (!j->first) {
        if (*p != ',')
            return fail(j, p, limit, "',' or ']'");
        p = rdi_scan_blanks(p + 1);
    }
    p = read_element(j, p, limit, id);
    if (p) {
        j->first = false;
        ++*count;
    }
    return p;
}

/* Scans the rest of the line after the array. */
static const char *finish_line(jsonl_reader *j, const char *p, const char *limit) {
    bool again = false;
    p = rdi_scan_blanks(p);
    if (*p != ',' && *p != '}')
        return fail(j, p, limit, "',' or '}'");
    p = *p == ',' ? skip_members(j, rdi_scan_blanks(p + 1), limit, &again) : p + 1;
    if (!p)
        return NULL;
    if (again)
        return fail(j, p, limit, "only one array of ids");
    const char *next = rdi_scan_line_end(p);
    if (!next)
        return fail(j, p, limit, "the end of the line after the object");
    j->state = AT_LINE;
    j->rows.lines.r->in->line++;
    return next;
}

static rd_status read_arrays(jsonl_reader *j, rd_refs *refs) {
    rdi_columns *col = j->rows.lines.r->col;
    size_t n = 0;
    while (n == 0) {
        const char *start = NULL, *limit = NULL, *next = NULL;
        RD_TRY(rdi_lines_fill(&j->rows.lines, &start, &limit));
        if (start == limit)
            break;
        const char *p = start;
        j->rows.lines.failed = RD_OK;
        for (; p < limit && n < RDI_REFS_MAX; p = next) {
            next = j->state == AT_LINE       ? start_line(j, p, limit)
                   : j->state == AT_ELEMENTS ? next_element(j, p, limit, &col->addr[n], &n)
                                             : finish_line(j, p, limit);
            if (!next)
                break;
        }
        if (!next && (n == 0 || j->rows.lines.failed == RD_ENOMEM))
            return rdi_lines_fail(&j->rows.lines, p, limit);
        rdi_lines_consume(&j->rows.lines, (size_t)(p - start));
    }
    rdi_lines_deliver(refs, col, n, 0);
    return RD_OK;
}

/* ---- requests ---- */

static const struct {
    const char *option;
    uint32_t field;
} members[RDI_ROW_ROLES] = {
    [RDI_ROW_ID] = {"id", 0},
    [RDI_ROW_SIZE] = {"size", RD_FIELD_BYTES},
    [RDI_ROW_TIME] = {"time", RD_FIELD_TIME},
    [RDI_ROW_TTL] = {"ttl", RD_FIELD_LIFETIME},
    [RDI_ROW_OP] = {"op", RD_FIELD_OPERATION},
    [RDI_ROW_KEYSIZE] = {"keysize", RD_FIELD_BYTES},
    [RDI_ROW_COUNT] = {"count", 0},
};

/* Reads the value of a member: a string, whose content counts, or a number. */
static const char *read_member(jsonl_reader *j, int role, const char *p, const char *limit,
                               rdi_row *row) {
    if (role == RDI_ROW_ID)
        return read_element(j, p, limit, &row->ref.addr);
    const char *next = *p == '"' ? rdi_scan_json_string(p) : rdi_scan_json_word(p);
    if (!next)
        return fail(j, p, limit, "a number or a string");
    bool quoted = *p == '"';
    size_t n = (size_t)(next - p) - 2 * quoted;
    const char *wrong = rdi_row_request_value(row, role, p + quoted, n, j->rows.unit);
    if (!wrong)
        return next;
    char found[RDI_EXCERPT_MAX];
    rdi_excerpt(found, p + quoted, n);
    j->rows.lines.failed =
        rdi_fail(j->rows.lines.r->ctx, RD_EFORMAT, "member \"%.80s\" (%s): '%s' %s", j->key[role],
                 members[role].option, found, wrong);
    return NULL;
}

/* Returns the role of the member whose key is at p, or RDI_ROW_ROLES if the member is not read. The
 * key has n bytes. */
static int role_of(const jsonl_reader *j, const char *p, size_t n) {
    int role = 0;
    while (role < RDI_ROW_ROLES &&
           !(j->selected[role] && strncmp(j->key[role], p + 1, n) == 0 && !j->key[role][n]))
        role++;
    return role;
}

/* Reads the member at p. Notes its role in *seen. */
static const char *next_member(jsonl_reader *j, const char *p, const char *limit, rdi_row *row,
                               uint32_t *seen) {
    const char *key = p, *value = rdi_scan_json_key(p);
    if (!value)
        return fail(j, key, limit, "\"NAME\": VALUE");
    int role = role_of(j, key, (size_t)(rdi_scan_json_string(key) - key) - 2);
    if (role == RDI_ROW_ROLES) {
        p = rdi_scan_json_value(value);
        return p ? p : fail(j, value, limit, "a JSON value");
    }
    if (*seen & 1u << role)
        return fail(j, key, limit, "each member only once");
    *seen |= 1u << role;
    return read_member(j, role, value, limit, row);
}

static const char *read_members(jsonl_reader *j, const char *p, const char *limit, rdi_row *row,
                                uint32_t *seen) {
    p = rdi_scan_blanks(p + 1);
    if (*p == '}')
        return p + 1;
    while (true) {
        p = next_member(j, p, limit, row, seen);
        if (!p)
            return NULL;
        p = rdi_scan_blanks(p);
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return fail(j, p, limit, "',' or '}'");
        p = rdi_scan_blanks(p + 1);
    }
}

/* Reads one line, which is a request or empty. */
static const char *jsonl_row(rdi_rows *w, const char *p, const char *limit, rdi_row *row) {
    jsonl_reader *j = (jsonl_reader *)w;
    uint32_t seen = 0;
    if (rdi_scan_line_end(p))
        return rdi_line_skip(p, limit, &row->ref);
    p = rdi_scan_blanks(p);
    if (*p != '{')
        return fail(j, p, limit, "a JSON object");
    p = read_members(j, p, limit, row, &seen);
    const char *next = p ? rdi_scan_line_end(p) : NULL;
    if (p && !next)
        return fail(j, p, limit, "the end of the line after the object");
    for (int role = 0; next && role < RDI_ROW_ROLES; role++)
        if (j->selected[role] && !(seen & 1u << role)) {
            w->lines.failed = rdi_fail(w->lines.r->ctx, RD_EFORMAT,
                                       "the object has no member \"%.80s\" (option '%s')",
                                       j->key[role], members[role].option);
            return NULL;
        }
    return next;
}

static rd_status jsonl_read(void *self, rd_refs *refs) {
    jsonl_reader *j = self;
    return j->key[RDI_ROW_ID] ? rdi_rows_read(self, refs, jsonl_row, NULL) : read_arrays(j, refs);
}

/* ---- the reader ---- */

/* Chooses the members to read. A member that only requests need is skipped, not checked, if its
 * column is not delivered. */
static rd_status jsonl_select(void *self, uint32_t fields) {
    jsonl_reader *j = self;
    for (int role = RDI_ROW_SIZE; role < RDI_ROW_ROLES && j->key[RDI_ROW_ID]; role++)
        if (j->key[role] && (members[role].field & fields || role == RDI_ROW_COUNT)) {
            j->selected[role] = true;
            j->rows.fields |= members[role].field;
        }
    return rdi_rows_select(&j->rows);
}

static rd_status check_options(jsonl_reader *j) {
    for (int role = RDI_ROW_SIZE; role < RDI_ROW_ROLES; role++)
        if (j->key[role] && !j->key[RDI_ROW_ID])
            return rdi_fail(
                j->rows.lines.r->ctx, RD_EINVAL,
                "format jsonl: option '%s' is only for requests; name their ids with id=NAME",
                members[role].option);
    return RD_OK;
}

static rd_status jsonl_open(void *self, rdi_reader *r) {
    jsonl_reader *j = self;
    rdi_lines_open(&j->rows.lines, r, NULL);
    j->rows.lines.max = LINE_MAX_BYTES;
    rdi_id_table_init(&j->rows.ids, r->ctx);
    j->selected[RDI_ROW_ID] = true;
    j->rows.unit = rdi_time_unit(j->time_unit);
    for (int role = RDI_ROW_SIZE; role < RDI_ROW_ROLES; role++)
        r->requests |= j->key[role] ? members[role].field : 0;
    return check_options(j);
}

static void jsonl_close(void *self) {
    rdi_id_table_fini(&((jsonl_reader *)self)->rows.ids);
}

static const char default_field[] = "hash_ids";

/* Recognizes an object with the string "hash_ids" on the first line, even if this line is longer
 * than the head. */
static int jsonl_probe(const uint8_t *head, size_t n, bool whole) {
    (void)whole;
    if (head[0] != '{')
        return RDI_PROBE_NO;
    const size_t len = sizeof default_field - 1;
    for (size_t i = 1; i + len + 1 < n && head[i] != '\n'; i++)
        if (head[i] == '"' && memcmp(head + i + 1, default_field, len) == 0 &&
            head[i + 1 + len] == '"')
            return RDI_PROBE_SURE;
    return RDI_PROBE_NO;
}

#define KEY_OPT(role, text, what)                                                                  \
    {                                                                                              \
        .name = text, .type = RD_OPT_STRING, .offset = offsetof(jsonl_reader, key[role]),          \
        .help = "name of the member with " what                                                    \
    }

static const rd_opt jsonl_opts[] = {
    {.name = "field",
     .type = RD_OPT_STRING,
     .offset = offsetof(jsonl_reader, field),
     .def = default_field,
     .help = "name of the array of ids"},
    KEY_OPT(RDI_ROW_ID, "id", "the id of a request; without this option, arrays of ids are read"),
    KEY_OPT(RDI_ROW_SIZE, "size", "the size of the object in bytes"),
    KEY_OPT(RDI_ROW_TIME, "time", "the time of the request"),
    {.name = "time-unit",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(jsonl_reader, time_unit),
     .def = "s",
     .choices = RDI_TIME_UNITS,
     .help = "unit of the times"},
    KEY_OPT(RDI_ROW_TTL, "ttl", "the lifetime in seconds"),
    KEY_OPT(RDI_ROW_OP, "op", "the operation"),
    KEY_OPT(RDI_ROW_KEYSIZE, "keysize", "a size that is added to size="),
    KEY_OPT(RDI_ROW_COUNT, "count", "the number of times that the request is made"),
    RDI_ID_OPTS(jsonl_reader, rows.ids),
    {0},
};

const rdi_format_ops rdi_format_jsonl = {
    .info =
        {
            .name = "jsonl",
            .summary =
                "JSON lines: each object is a request, or has an array of ids (KV-cache traces)",
            .card =
                "Every element of the array \"hash_ids\" (field=NAME) is one reference: an "
                "integer or a string.\n"
                "Everything else in the object is skipped; an object without the array is an "
                "error, an empty\n"
                "line is not. A line may be up to 64 MiB long. Strings are taken as they are "
                "written, without\n"
                "resolving escapes; negative integers are taken as names.\n"
                "\n"
                "With id=NAME, every object is one request, and options name its members. Requests "
                "of\n"
                "object caches (--weight=bytes) have a size and may have a time, a lifetime, an\n"
                "operation and a count, with the same values as in csv; numbers may be quoted. A\n"
                "member that an option names must be in every object.\n"
                "\n"
                "  -f jsonl:id=key,size=bytes,time=ts,time-unit=ms,op=op,ttl=ttl\n"
                "\n" RDI_ID_CARD,
            .fields = RD_REQUEST_FIELDS,
            .ids = true,
            .opts = jsonl_opts,
        },
    .state_size = sizeof(jsonl_reader),
    .probe = jsonl_probe,
    .open = jsonl_open,
    .select = jsonl_select,
    .read = jsonl_read,
    .separate = rdi_lines_separate,
    .ids_at = offsetof(jsonl_reader, rows.ids),
    .close = jsonl_close,
};
