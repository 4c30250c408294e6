/* jsonl: reads one JSON object per line, which has an array of ids (Mooncake and other KV-cache
 * traces).
 *
 * A line is scanned in steps, so that a batch may end inside an array. The steps are: the members
 * before the array, each element of the array, and the rest of the object. A step that succeeds
 * consumes its text; a step that fails consumes nothing and leaves the state unchanged.
 */
#include "trace/id_table.h"
#include "trace/lines.h"
#include "trace/scan_json.h"

#define LINE_MAX_BYTES (64 * 1024 * 1024)

typedef struct jsonl_reader {
    rdi_lines lines;
    rdi_id_table ids;
    const char *field; /* option: name of the array of ids */
    enum { AT_LINE, AT_ELEMENTS, AT_REST } state;
    bool first; /* AT_ELEMENTS: true if no element was read yet, so that the next one has no comma
                   before it */
} jsonl_reader;

/* ---- steps of a line ---- */

/* Sets j->lines.failed and the message that `expected` was expected at p. Returns NULL. */
static const char *fail(jsonl_reader *j, const char *p, const char *limit, const char *expected) {
    char found[RDI_EXCERPT_MAX];
    rdi_excerpt(found, p, (size_t)(rdi_line_end(p, limit) - p));
    j->lines.failed =
        rdi_fail(j->lines.r->ctx, RD_EFORMAT, "expected %s, found '%s'", expected, found);
    return NULL;
}

/* Returns whether the key at p, which must be valid, is the name of the array of ids. */
static bool is_field(const jsonl_reader *j, const char *p) {
    size_t n = (size_t)(rdi_scan_json_string(p) - p) - 2;
    return n == strlen(j->field) && memcmp(p + 1, j->field, n) == 0;
}

/* Skips members from p on, up to the array of ids or to the end of the object. Sets *found to
 * whether it has reached the array. */
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
        j->lines.r->in->line++;
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
        j->lines.failed =
            rdi_fail(j->lines.r->ctx, RD_EFORMAT,
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
        if (!integer || !(rdi_is_blank(*p) || *p == ',' || *p == ']'))
            return fail(j, start, limit, expected);
    }
    if (!end || end == start)
        return fail(j, start, limit, expected);
    j->lines.failed = rdi_id_read(&j->ids, start, (size_t)(end - start), id);
    return j->lines.failed == RD_OK ? p : NULL;
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
    j->lines.r->in->line++;
    return next;
}

static rd_status jsonl_read(void *self, rd_refs *refs) {
    jsonl_reader *j = self;
    rdi_columns *col = j->lines.r->col;
    size_t n = 0;
    while (n == 0) {
        const char *start = NULL, *limit = NULL, *next = NULL;
        RD_TRY(rdi_lines_fill(&j->lines, &start, &limit));
        if (start == limit)
            break;
        const char *p = start;
        j->lines.failed = RD_OK;
        for (; p < limit && n < RDI_REFS_MAX; p = next) {
            next = j->state == AT_LINE       ? start_line(j, p, limit)
                   : j->state == AT_ELEMENTS ? next_element(j, p, limit, &col->addr[n], &n)
                                             : finish_line(j, p, limit);
            if (!next)
                break;
        }
        if (!next && (n == 0 || j->lines.failed == RD_ENOMEM))
            return rdi_lines_fail(&j->lines, p, limit);
        rdi_lines_consume(&j->lines, (size_t)(p - start));
    }
    rdi_lines_deliver(refs, col, n, 0);
    return RD_OK;
}

static rd_status jsonl_open(void *self, rdi_reader *r) {
    jsonl_reader *j = self;
    rdi_lines_open(&j->lines, r, NULL);
    j->lines.max = LINE_MAX_BYTES;
    rdi_id_table_init(&j->ids, r->ctx);
    return RD_OK;
}

static void jsonl_close(void *self) {
    rdi_id_table_fini(&((jsonl_reader *)self)->ids);
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

static const rd_opt jsonl_opts[] = {
    {.name = "field",
     .type = RD_OPT_STRING,
     .offset = offsetof(jsonl_reader, field),
     .def = default_field,
     .help = "name of the array of ids"},
    RDI_ID_OPTS(jsonl_reader, ids),
    {0},
};

const rdi_format_ops rdi_format_jsonl = {
    .info =
        {
            .name = "jsonl",
            .summary = "one JSON object per line with an array of ids (KV-cache traces)",
            .card = "Every element of the array \"hash_ids\" (field=NAME) is one reference: an "
                    "integer or a string.\n"
                    "Everything else in the object is skipped; an object without the array is an "
                    "error, an empty\n"
                    "line is not. A line may be up to 64 MiB long. Strings are taken as they are "
                    "written, without\n"
                    "resolving escapes, and negative integers as names.\n"
                    "\n" RDI_ID_CARD,
            .ids = true,
            .opts = jsonl_opts,
        },
    .state_size = sizeof(jsonl_reader),
    .probe = jsonl_probe,
    .open = jsonl_open,
    .read = jsonl_read,
    .separate = rdi_lines_separate,
    .ids_at = offsetof(jsonl_reader, ids),
    .close = jsonl_close,
};
