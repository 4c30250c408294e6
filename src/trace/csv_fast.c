/* Reads the usual lines of a text table, eight characters at a time. See csv_fast.h. */
#include "trace/csv_fast.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Number of bytes that must be readable where a value begins: a number takes up to two loads of 8
 * bytes, and a few more bytes are tested. */
#define VALUE_ROOM 32

static inline uint64_t load(const char *p) {
    return rdi_load_le64((const uint8_t *)p);
}

/* ---- eight characters at a time ---- */

/* Returns a word whose lowest set bit is the high bit of the lowest byte of x that is 0. The bits
 * above that bit mean nothing. Returns 0 if no byte of x is 0. */
static inline uint64_t zero_bytes(uint64_t x) {
    return (x - EACH_BYTE) & ~x & HIGH_BITS;
}

static inline uint64_t find_byte(uint64_t x, char c) {
    return zero_bytes(x ^ EACH_BYTE * (uint8_t)c);
}

static inline unsigned first_byte(uint64_t marks) {
    return (unsigned)__builtin_ctzll(marks) / 8;
}

/* Returns the value of eight decimal digits, one per byte. The lowest byte is the first digit. */
static inline uint64_t eight_digits(uint64_t digits) {
    const uint64_t mask = UINT64_C(0x000000ff000000ff);
    digits = digits * 10 + (digits >> 8);
    return ((digits & mask) * UINT64_C(0x000f424000000064) +
            (digits >> 16 & mask) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Appends the digits at p, at most eight, to the decimal number *value. Returns how many digits it
 * has appended. */
static inline unsigned add_digits(const char *p, uint64_t *value) {
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t digits = load(p) ^ EACH_BYTE * '0';
    uint64_t other = ((digits + EACH_BYTE * (128 - 10)) | digits) & HIGH_BITS;
    unsigned n = other ? first_byte(other) : 8;
    if (n > 0)
        *value = *value * power[n] + eight_digits(digits << (64 - 8 * n));
    return n;
}

/* Reads up to 19 decimal digits, which always fit in 64 bits. Returns the byte after them, which is
 * a digit if there are more. */
static inline const char *read_digits(const char *p, uint64_t *out) {
    uint64_t value = 0;
    unsigned n = add_digits(p, &value);
    p += n;
    if (RDI_UNLIKELY(n == 8)) {
        n = add_digits(p, &value);
        p += n;
        for (unsigned i = 0; n == 8 && i < 3 && rdi_is_digit(*p); i++, p++)
            value = value * 10 + (uint64_t)(*p - '0');
    }
    *out = value;
    return p;
}

/* Returns the first separator, '\n' or quote from p on, or NULL if the search comes within
 * VALUE_ROOM bytes of the limit before it finds one. */
static inline const char *find_stop(const char *p, const char *limit, char sep) {
    for (; limit - p >= VALUE_ROOM; p += 8) {
        uint64_t x = load(p);
        uint64_t found = find_byte(x, sep) | find_byte(x, '\n') | find_byte(x, '"');
        if (found)
            return p + first_byte(found);
    }
    return NULL;
}

/* Returns the byte after the next '\n'. There must be a '\n' before the limit. */
static inline const char *behind_line(const char *p, const char *limit) {
    if (*p == '\n')
        return p + 1;
    for (unsigned i = 0; i < 4 && limit - p >= 8; i++, p += 8) {
        uint64_t found = find_byte(load(p), '\n');
        if (found)
            return p + first_byte(found) + 1;
    }
    return rdi_line_end(p, limit) + 1;
}

/* ---- one value ---- */

/* One value of a line. */
typedef struct value {
    const char *text, *end; /* `end` points to the separator or to the end of the line */
    uint64_t number;        /* value of the number, if is_number is true */
    bool is_number;
} value;

static inline bool ends_value(const char *p, char sep) {
    return *p == sep || *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Skips `skip` columns. Returns the beginning of the next column, or NULL if only the general reader
 * can read the line. */
static inline const char *skip_columns(const char *p, const char *limit, char sep, size_t skip) {
    for (; skip > 0; skip--, p++)
        if (!(p = find_stop(p, limit, sep)) || *p != sep)
            return NULL;
    return p;
}

/* Finds the end of a value that is not a number. Returns false if the value is empty, contains a
 * quote, begins or ends with a blank, or reaches close to the limit. */
static inline bool find_end(value *v, const char *limit, char sep) {
    const char *stop = find_stop(v->text, limit, sep);
    if (!stop || *stop == '"')
        return false;
    v->end = stop - (*stop == '\n' && stop > v->text && stop[-1] == '\r');
    return v->end > v->text && !rdi_is_blank(*v->text) && !rdi_is_blank(v->end[-1]);
}

/* Sets *out to the meaning of the word *v. Words of up to eight bytes are looked up in plan->words
 * first. Returns NULL, or a text that says what is wrong with the word. */
static inline const char *read_word(rdi_csv_plan *plan, size_t step, const value *v,
                                    uint64_t *out) {
    size_t n = (size_t)(v->end - v->text);
    if (n > 8)
        return plan->step[step].meaning(v->text, n, out);
    uint64_t text = load(v->text) << (64 - 8 * n);
    rdi_csv_word *word = &plan->words[rdi_mix64(text) % RDI_CSV_WORDS];
    if (RDI_UNLIKELY(word->text != text || word->n != n)) {
        uint64_t meaning = 0;
        const char *wrong = plan->step[step].meaning(v->text, n, &meaning);
        if (wrong)
            return wrong;
        *word = (rdi_csv_word){.text = text, .value = meaning, .n = n};
    }
    *out = word->value;
    return NULL;
}

static inline bool read_time(const value *v, uint64_t unit, uint64_t *out) {
    if (v->is_number)
        return !__builtin_mul_overflow(v->number, unit, out);
    return !rdi_read_time(v->text, (size_t)(v->end - v->text), unit, out);
}

static inline bool add_bytes(rdi_row *row, const value *v) {
    uint64_t *bytes = &row->more[RD_MORE_BYTES];
    return v->is_number && v->number <= INT64_MAX && (*bytes += v->number) <= INT64_MAX;
}

/* Stores a value in the row. Returns false if only the general reader can read or refuse the
 * value. */
static inline bool take_value(rdi_rows *w, rdi_csv_plan *plan, size_t step, const value *v,
                              rdi_row *row) {
    uint64_t word = 0;
    switch (plan->step[step].role) {
    case RDI_ROW_ADDR:
        row->ref.addr = v->number;
        return v->is_number && w->ids.base != RDI_ID_HEX;
    case RDI_ROW_PC:
        row->ref.pc = v->number;
        return v->is_number;
    case RDI_ROW_THREAD:
        row->ref.thread = (uint32_t)v->number;
        return v->is_number && v->number <= UINT32_MAX;
    case RDI_ROW_SIZE:
        if (w->fields & RD_FIELD_BYTES)
            return add_bytes(row, v);
        row->ref.size = v->number ? (uint32_t)v->number : 1;
        return v->is_number && v->number <= UINT32_MAX;
    case RDI_ROW_KEYSIZE:
        return add_bytes(row, v);
    case RDI_ROW_TIME:
        return read_time(v, w->unit, &row->more[RD_MORE_TIME]);
    case RDI_ROW_TTL:
        row->more[RD_MORE_LIFETIME] = v->number * UINT64_C(1000000000);
        return v->is_number && v->number <= INT64_MAX / UINT64_C(1000000000);
    case RDI_ROW_OP:
        return !read_word(plan, step, v, &row->more[RD_MORE_OPERATION]);
    default: /* RDI_ROW_KIND */
        if (read_word(plan, step, v, &word))
            return false;
        row->ref.kind = (uint8_t)word;
        return true;
    }
}

/* Sets *out to the number for the id of a line. Returns false if the general reader must read the
 * line, or if memory is exhausted (w->lines.failed). The caller must have read all other values of
 * the line before, because the table counts the ids: if the general reader reads the line again,
 * its id must not have been counted. */
static inline bool take_id(rdi_rows *w, const value *v, uint64_t *out) {
    rdi_id_table *ids = &w->ids;
    bool plain = v->is_number && (v->text + 1 == v->end || *v->text != '0');
    if (RDI_LIKELY(plain && rdi_id_table_has_all_numbers(ids))) {
        *out = v->number;
        return true;
    }
    rd_status status = rdi_id_read(ids, v->text, (size_t)(v->end - v->text), out);
    if (status == RD_ENOMEM)
        w->lines.failed = status;
    return status == RD_OK;
}

/* ---- lines ---- */

/* Reads one line. Returns the beginning of the next line. Returns NULL if the general reader must
 * read this line, or if memory is exhausted (w->lines.failed). */
static inline const char *read_line(rdi_rows *w, rdi_csv_plan *plan, const char *p,
                                    const char *limit, rdi_row *row) {
    value id = {0};
    const char sep = plan->sep;
    for (size_t i = 0; i < plan->steps; i++) {
        value v;
        p = skip_columns(p, limit, sep, plan->step[i].skip);
        if (!p || limit - p < VALUE_ROOM)
            return NULL;
        v.text = p;
        v.end = read_digits(p, &v.number);
        v.is_number = v.end > p && ends_value(v.end, sep);
        if (!v.is_number && !find_end(&v, limit, sep))
            return NULL;
        if (plan->step[i].role == RDI_ROW_ID)
            id = v;
        else if (!take_value(w, plan, i, &v, row))
            return NULL;
        p = v.end;
        if (*p == sep && i + 1 < plan->steps)
            p++;
        else if (i + 1 < plan->steps)
            return NULL;
    }
    if (id.text && !take_id(w, &id, &row->ref.addr))
        return NULL;
    return behind_line(p, limit);
}

static inline void store_row(rdi_columns *col, size_t n, uint32_t fields, const rdi_row *row) {
    (void)rdi_lines_add(col, n, fields, &row->ref);
    for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
        if (fields & RD_FIELD_MORE(i))
            col->more[i][n] = row->more[i];
}

const char *rdi_csv_fast(rdi_rows *w, rdi_csv_plan *plan, const char *p, const char *limit,
                         size_t *n) {
    rdi_columns *col = w->lines.r->col;
    size_t i = *n;
    if (plan->steps == 0)
        return p;
    for (; i < RDI_REFS_MAX - 1; i++) {
        rdi_row row = {.ref = {.size = 1, .kind = RD_LOAD}};
        const char *next = read_line(w, plan, p, limit, &row);
        if (!next)
            break;
        if (w->fields & RD_FIELD_OPERATION)
            row.ref.kind = rdi_row_kind(row.more[RD_MORE_OPERATION]);
        store_row(col, i, w->fields, &row);
        p = next;
    }
    w->lines.r->in->line += i - *n;
    *n = i;
    return p;
}
