/* Scans one line of a log: a JSON object. The fields that the format names are stored, and all
 * other fields are skipped. */
#include "base/number.h"
#include "prefix/kv_log.h"
#include "trace/scan_json.h"

#include <math.h>

bool rdi_kv_refuse(rd_kv_log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log->lines.failed = rdi_vfail(log->ctx, RD_EFORMAT, format, args);
    va_end(args);
    return false;
}

static const char *expected(rd_kv_log *log, const char *p, const char *limit, const char *what) {
    char found[RDI_FOUND_MAX];
    rdi_found(found, p, (size_t)(rdi_line_end(p, limit) - p));
    rdi_kv_refuse(log, "expected %s, found %s", what, found);
    return NULL;
}

/* ---- values ---- */

/* Reads an integer. A negative integer becomes its two's complement. Returns NULL if there is no
 * integer, or it does not fit in 64 bits. */
static inline const char *scan_integer(const char *p, uint64_t *out) {
    bool negative = *p == '-';
    const char *start = p + negative;
    uint64_t value = 0;
    p = start;
    while (rdi_is_digit(*p))
        value = value * 10 + (uint64_t)(*p++ - '0');
    size_t digits = (size_t)(p - start);
    if (RDI_UNLIKELY(digits > 19 && !(p = rdi_scan_dec(start, &value))))
        return NULL;
    if (digits == 0 || (digits > 1 && *start == '0') || *p == '.' || *p == 'e' || *p == 'E')
        return NULL;
    if (negative && value > (uint64_t)1 << 63)
        return NULL;
    *out = negative ? 0 - value : value;
    return p;
}

/* Reads an id: an integer, or a string. */
static const char *scan_id(rd_kv_log *log, rdi_id_table *table, const char *p, uint64_t *out) {
    if (*p != '"')
        return scan_integer(p, out);
    const char *end = rdi_scan_json_string(p);
    if (!end || end == p + 2)
        return NULL;
    log->lines.failed = rdi_id_read(table, p + 1, (size_t)(end - p) - 2, out);
    return log->lines.failed == RD_OK ? end : NULL;
}

/* Reads an array of ids into `list`. If `table` is NULL, only integers are allowed. */
static const char *scan_array(rd_kv_log *log, const char *p, const char *limit, rdi_id_table *table,
                              rdi_u64_list *list) {
    if (*p != '[')
        return expected(log, p, limit, "an array");
    p = rdi_scan_blanks(p + 1);
    list->n = 0;
    if (*p == ']')
        return p + 1;
    while (true) {
        if (RDI_UNLIKELY(list->n == list->room)) {
            log->lines.failed = rdi_u64_list_reserve(log->ctx, list, list->n + 1);
            if (log->lines.failed != RD_OK)
                return NULL;
        }
        const char *next = table && *p == '"' ? scan_id(log, table, p, &list->at[list->n])
                                              : scan_integer(p, &list->at[list->n]);
        if (!next)
            return log->lines.failed != RD_OK
                       ? NULL
                       : expected(log, p, limit,
                                  table ? "a 64-bit integer or a string" : "a 64-bit integer");
        list->n++;
        p = rdi_scan_blanks(next);
        if (*p == ']')
            return p + 1;
        if (*p != ',')
            return expected(log, p, limit, "',' or ']'");
        p = rdi_scan_blanks(p + 1);
    }
}

/* Reads a count of tokens or the number of a turn: an integer from 0 to RDI_KV_TOKENS_MAX. */
static const char *scan_count(rd_kv_log *log, const char *p, const char *limit, uint64_t *out) {
    const char *end = *p == '-' ? NULL : scan_integer(p, out);
    return end && *out <= RDI_KV_TOKENS_MAX
               ? end
               : expected(log, p, limit, "an integer from 0 to 2,147,483,647");
}

/* Reads a time, which may have decimal places, in the unit of the log. Stores it in microseconds. */
static const char *scan_time(rd_kv_log *log, const char *p, const char *limit, uint64_t *out) {
    static const double scale[] = {1, 1e3, 1e6};
    if (*p == '"' && log->fields.name[RDI_KV_SHAPES]) { /* LMCache also writes times as dates */
        log->line.present &= ~(UINT32_C(1) << RDI_KV_TIME);
        const char *date_end = rdi_scan_json_string(p);
        return date_end ? date_end : expected(log, p, limit, "a time");
    }
    const char *end = rdi_scan_json_word(p);
    bool digit = rdi_is_digit(*p) || (*p == '-' && rdi_is_digit(p[1]));
    double value = end && digit && end - p < 64 ? rdi_strtod(p, NULL) : NAN;
    value *= scale[log->fields.unit];
    if (isnan(value) || !(value < 0x1p63))
        return expected(log, p, limit, "a time");
    if (value < 0)
        return expected(log, p, limit, "a time that is not negative");
    *out = (uint64_t)(value + 0.5);
    return end;
}

/* Reads the id of a chat or of its parent. Null or a negative number means that there is none. */
static const char *scan_chat(rd_kv_log *log, const char *p, const char *limit, uint64_t *out,
                             bool *none) {
    *none = *p == '-' || *p == 'n';
    *out = 0;
    const char *end = *none ? rdi_scan_json_word(p) : scan_id(log, &log->chat_ids, p, out);
    if (end || log->lines.failed != RD_OK)
        return end;
    return expected(log, p, limit, "a 64-bit integer or a string");
}

/* Reads nested arrays of integers. Multiplies the integers of each innermost array, and adds these
 * products to *sum. */
static const char *scan_shapes(const char *p, unsigned depth, double *sum) {
    double product = 1;
    bool numbers = false;
    if (*p != '[' || depth > 4)
        return NULL;
    p = rdi_scan_blanks(p + 1);
    while (p && *p != ']') {
        uint64_t dimension = 0;
        if (*p == '[') {
            p = scan_shapes(p, depth + 1, sum);
        } else {
            p = *p == '-' ? NULL : scan_integer(p, &dimension);
            product *= (double)dimension;
            numbers = true;
        }
        if (!p)
            return NULL;
        p = rdi_scan_blanks(p);
        if (*p != ',' && *p != ']')
            return NULL;
        p = *p == ',' ? rdi_scan_blanks(p + 1) : p;
    }
    *sum += numbers ? product : 0;
    return p ? p + 1 : NULL;
}

/* Returns the bytes per number of the first known number format, such as "torch.bfloat16", in an
 * array of names, or 0 if there is none. */
static double number_bytes(const char *p, const char *end) {
    static const struct {
        const char *name;
        double bytes;
    } types[] = {{"float8", 1}, {"int8", 1}, {"fp8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
    for (; p < end; p++)
        for (size_t i = 0; i < RDI_COUNT(types); i++) {
            size_t n = strlen(types[i].name);
            if ((size_t)(end - p) >= n && memcmp(p, types[i].name, n) == 0)
                return types[i].bytes;
        }
    return 0;
}

static const char *scan_field(rd_kv_log *log, rdi_kv_field field, const char *p,
                              const char *limit) {
    rdi_kv_line *line = &log->line;
    const char *end;
    bool none;
    switch (field) {
    case RDI_KV_BLOCKS:
        return scan_array(log, p, limit, &log->block_ids, &line->blocks);
    case RDI_KV_IDS:
        return scan_array(log, p, limit, NULL, &line->ids);
    case RDI_KV_OUTPUT_IDS:
        return scan_array(log, p, limit, NULL, &line->output_ids);
    case RDI_KV_TOKENS:
        return scan_count(log, p, limit, &line->tokens);
    case RDI_KV_OUTPUT:
        return scan_count(log, p, limit, &line->output);
    case RDI_KV_TIME:
        return scan_time(log, p, limit, &line->time_us);
    case RDI_KV_TURN:
        return scan_count(log, p, limit, &line->turn);
    case RDI_KV_CHAT:
        return scan_chat(log, p, limit, &line->chat, &none);
    case RDI_KV_PARENT:
        return scan_chat(log, p, limit, &line->parent, &line->no_parent);
    case RDI_KV_BLOCK_SIZE:
        return scan_count(log, p, limit, &line->block_size);
    case RDI_KV_SHAPES:
        line->chunk_numbers = 0;
        end = scan_shapes(p, 0, &line->chunk_numbers);
        return end ? end : expected(log, p, limit, "an array of shapes");
    default:
        end = rdi_scan_json_value(p);
        line->number_bytes = end ? number_bytes(p, end) : 0;
        return end ? end : expected(log, p, limit, "a JSON value");
    }
}

/* Reads the member at p if it is a field of the format; otherwise skips it. */
static const char *scan_member(rd_kv_log *log, const char *p, const char *limit) {
    const char *value = rdi_scan_json_key(p);
    if (!value)
        return expected(log, p, limit, "\"NAME\": VALUE");
    size_t n = (size_t)(rdi_scan_json_string(p) - p) - 2;
    for (size_t i = 0; i < RDI_KV_FIELDS; i++) {
        const char *name = log->fields.name[i];
        if (!name || strlen(name) != n || memcmp(name, p + 1, n) != 0)
            continue;
        uint32_t bit = UINT32_C(1) << i;
        if (log->line.present & bit) {
            rdi_kv_refuse(log, "the field \"%s\" occurs twice", name);
            return NULL;
        }
        log->line.present |= bit;
        return scan_field(log, (rdi_kv_field)i, value, limit);
    }
    const char *end = rdi_scan_json_value(value);
    return end ? end : expected(log, value, limit, "a JSON value");
}

bool rdi_kv_scan_line(rd_kv_log *log, const char *p, const char *limit, const char **next,
                      bool *empty) {
    *next = rdi_scan_line_end(p);
    *empty = *next != NULL;
    if (*empty)
        return true;
    log->line.present = 0;
    p = rdi_scan_blanks(p);
    if (*p != '{')
        return expected(log, p, limit, "a JSON object");
    p = rdi_scan_blanks(p + 1);
    bool more = *p != '}';
    while (more) {
        p = scan_member(log, p, limit);
        if (!p)
            return false;
        p = rdi_scan_blanks(p);
        if (*p != ',' && *p != '}')
            return expected(log, p, limit, "',' or '}'");
        more = *p == ',';
        p = more ? rdi_scan_blanks(p + 1) : p;
    }
    *next = rdi_scan_line_end(p + 1);
    return *next || expected(log, p + 1, limit, "the end of the line after the object");
}
