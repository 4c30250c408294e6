/* binary: reads fixed-length records of any layout, which a string of Python's struct module
 * describes. */
#include "trace/records.h"
#include "trace/request_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELDS_MAX 64
#define RECORD_MAX 4096

/* A field of a record. */
typedef struct field {
    uint16_t at;   /* position in the record, in bytes */
    uint8_t bytes; /* size of the number in bytes; 0: the field can only be skipped */
    bool is_signed;
} field;

typedef struct binary_reader {
    rdi_reader *r;
    const char *layout;                        /* the string that describes a record */
    uint64_t id, addr, size, kind, pc, thread; /* options: numbers of fields, from 1; 0: none */
    uint64_t time, ttl, op;                    /* options: numbers of the fields that only requests
                                                  have; 0: none */
    uint32_t time_unit;
    field fields[FIELDS_MAX];
    size_t field_count, record_bytes;
    bool big_endian;
    uint32_t present;               /* mask of the RD_FIELD_* that the records have */
    const char *wrong;              /* text that says what is invalid in the first refused record */
    uint64_t wrong_value;           /* the invalid value */
    bool wrong_is_signed;           /* true: its field is signed */
    uint64_t raw[RDI_REFS_MAX];     /* values of a column before they are checked */
    uint64_t (*more)[RDI_REFS_MAX]; /* the columns of requests, by RD_MORE_*; NULL: none */
} binary_reader;

#define NUMBER_OPT(key, text)                                                                      \
    {                                                                                              \
        .name = #key, .type = RD_OPT_U64, .offset = offsetof(binary_reader, key),                  \
        .max = FIELDS_MAX, .help = "number of the field with the " text                            \
    }

static const rd_opt binary_opts[] = {
    {.name = "format",
     .type = RD_OPT_STRING,
     .offset = offsetof(binary_reader, layout),
     .help = "layout of one record, as a format string of Python's struct module, such as <IQI"},
    NUMBER_OPT(id, "object id"),
    NUMBER_OPT(addr, "address, instead of id"),
    NUMBER_OPT(size, "size in bytes"),
    NUMBER_OPT(kind, "kind"),
    NUMBER_OPT(pc, "program counter"),
    NUMBER_OPT(thread, "thread"),
    NUMBER_OPT(time, "time"),
    {.name = "time-unit",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(binary_reader, time_unit),
     .def = "s",
     .choices = RDI_TIME_UNITS,
     .help = "unit of the times"},
    NUMBER_OPT(ttl, "lifetime in seconds"),
    NUMBER_OPT(op, "operation"),
    {.name = NULL},
};

/* ---- the struct string ---- */

static rd_status fail_layout(binary_reader *b, const char *at, const char *wrong) {
    return rdi_fail(b->r->ctx, RD_EINVAL, "format binary: '%.80s', character %zu: %s", b->layout,
                    (size_t)(at - b->layout) + 1, wrong);
}

/* Describes a field of the type `code`: sets f->at to the field's size in bytes, f->bytes to the
 * same size or, if the field is not an integer, to 0, and f->is_signed. Returns false if there is
 * no such type. */
static bool describe(char code, field *f) {
    static const struct {
        char code;
        uint8_t bytes;
        bool number, is_signed;
    } codes[] = {
        {'b', 1, true, true},   {'B', 1, true, false}, {'?', 1, true, false}, {'c', 1, true, false},
        {'h', 2, true, true},   {'H', 2, true, false}, {'i', 4, true, true},  {'I', 4, true, false},
        {'l', 4, true, true},   {'L', 4, true, false}, {'q', 8, true, true},  {'Q', 8, true, false},
        {'e', 2, false, true},  {'f', 4, false, true}, {'d', 8, false, true}, {'x', 1, false, true},
        {'s', 1, false, false},
    };
    for (size_t i = 0; i < RDI_COUNT(codes); i++)
        if (codes[i].code == code) {
            *f = (field){.at = codes[i].bytes,
                         .bytes = codes[i].number ? codes[i].bytes : 0,
                         .is_signed = codes[i].is_signed};
            return true;
        }
    return false;
}

/* Appends field f, which takes `bytes` bytes, to the record. `at` is its position in the layout,
 * for messages. */
static rd_status add_field(binary_reader *b, const char *at, const field *f, size_t bytes) {
    if (b->field_count == FIELDS_MAX)
        return fail_layout(b, at, "the record has more than 64 fields");
    b->fields[b->field_count] = *f;
    b->fields[b->field_count++].at = (uint16_t)b->record_bytes;
    b->record_bytes += bytes;
    return RD_OK;
}

/* Reads one code and the count before it ("Q", "4x", "16s") at *at, appends their fields, and
 * advances *at. */
static rd_status parse_code(binary_reader *b, const char **at) {
    const char *start = *at;
    size_t count = 0, digits = strspn(start, "0123456789");
    for (size_t i = 0; i < digits && count <= RECORD_MAX; i++)
        count = count * 10 + (size_t)(start[i] - '0');
    if (digits == 0)
        count = 1;
    char code = start[digits];
    field f = {0};
    if (!describe(code, &f))
        return fail_layout(b, start + digits,
                           digits > 0
                               ? "expected one of b B h H i I l L q Q c ? x s f d e after the count"
                               : "expected one of b B h H i I l L q Q c ? x s f d e");
    size_t each = f.at;
    if (count > RECORD_MAX || b->record_bytes + count * each > RECORD_MAX)
        return fail_layout(b, start, "the record is longer than 4096 bytes");
    *at = start + digits + 1;
    if (code == 'x') { /* padding does not count as a field */
        b->record_bytes += count;
        return RD_OK;
    }
    if (code == 's')
        return add_field(b, start, &f, count);
    for (size_t i = 0; i < count; i++)
        RD_TRY(add_field(b, start, &f, each));
    return RD_OK;
}

static rd_status parse_layout(binary_reader *b) {
    const char *at = b->layout;
    if (*at == '<' || *at == '>' || *at == '!')
        b->big_endian = *at++ != '<';
    else if (*at == '@' || *at == '=')
        return fail_layout(b, at, "name the byte order: < little-endian, > big-endian");
    while (*at)
        RD_TRY(parse_code(b, &at));
    return b->record_bytes ? RD_OK : fail_layout(b, at, "the record is empty");
}

static rd_status check_number(binary_reader *b, const char *key, uint64_t number) {
    if (number == 0)
        return RD_OK;
    if (number > b->field_count)
        return rdi_fail(b->r->ctx, RD_EINVAL,
                        "format binary: %s=%" PRIu64 ": '%.80s' has %zu field%s", key, number,
                        b->layout, b->field_count, b->field_count == 1 ? "" : "s");
    if (b->fields[number - 1].bytes == 0)
        return rdi_fail(b->r->ctx, RD_EINVAL,
                        "format binary: %s=%" PRIu64 ": this field of '%.80s' is not an integer",
                        key, number, b->layout);
    return RD_OK;
}

static rd_status binary_open(void *self, rdi_reader *r) {
    binary_reader *b = self;
    b->r = r;
    if (!b->layout || !*b->layout)
        return rdi_fail(r->ctx, RD_EINVAL,
                        "format binary: describe a record, for example -f binary:format=<IQI,id=2");
    RD_TRY(parse_layout(b));
    if ((b->id != 0) == (b->addr != 0))
        return rdi_fail(r->ctx, RD_EINVAL,
                        "format binary: give exactly one of id= and addr=, the number of a field");
    RD_TRY(check_number(b, "id", b->id));
    RD_TRY(check_number(b, "addr", b->addr));
    RD_TRY(check_number(b, "size", b->size));
    RD_TRY(check_number(b, "kind", b->kind));
    RD_TRY(check_number(b, "pc", b->pc));
    RD_TRY(check_number(b, "thread", b->thread));
    RD_TRY(check_number(b, "time", b->time));
    RD_TRY(check_number(b, "ttl", b->ttl));
    RD_TRY(check_number(b, "op", b->op));
    b->present = (b->size ? RD_FIELD_SIZE : 0u) | (b->kind ? RD_FIELD_KIND : 0u) |
                 (b->pc ? RD_FIELD_PC : 0u) | (b->thread ? RD_FIELD_THREAD : 0u);
    r->ids = b->id != 0;
    r->requests = (b->time ? RD_FIELD_TIME : 0u) | (b->ttl ? RD_FIELD_LIFETIME : 0u) |
                  (b->op ? RD_FIELD_OPERATION : 0u) | (b->size && b->id ? RD_FIELD_BYTES : 0u);
    return RD_OK;
}

/* ---- records ---- */

static inline uint64_t load_number(const uint8_t *p, field f, bool big_endian) {
    uint64_t x = 0;
    for (unsigned i = 0; i < f.bytes; i++)
        x = x << 8 | p[big_endian ? i : f.bytes - 1u - i];
    unsigned unused = 64 - 8 * f.bytes;
    return f.is_signed ? (uint64_t)((int64_t)(x << unused) >> unused) : x;
}

/* Copies field `number` of n records to out[]. */
static void load_column(const binary_reader *b, uint64_t number, size_t n, uint64_t *out) {
    field f = b->fields[number - 1];
    const uint8_t *p = b->r->in->data + f.at;
    for (size_t i = 0; i < n; i++, p += b->record_bytes)
        out[i] = load_number(p, f, b->big_endian);
}

static uint8_t kind_of(uint64_t x) {
    switch (x) {
    case 0:
    case 'r':
    case 'R':
    case 'l':
    case 'L':
        return RD_LOAD;
    case 1:
    case 'w':
    case 'W':
    case 's':
    case 'S':
        return RD_STORE;
    case 2:
    case 'i':
    case 'I':
        return RD_FETCH;
    default:
        return 0;
    }
}

static size_t refuse(binary_reader *b, uint64_t number, const char *wrong, size_t record) {
    b->wrong = wrong;
    b->wrong_value = b->raw[record];
    b->wrong_is_signed = b->fields[number - 1].is_signed;
    return record;
}

/* Each of these functions loads a column of n records, and returns the number of records before the
 * first invalid one. */

static size_t load_u32(binary_reader *b, uint64_t number, const char *wrong, size_t n,
                       uint32_t *out) {
    load_column(b, number, n, b->raw);
    for (size_t i = 0; i < n; i++) {
        if (b->raw[i] > UINT32_MAX)
            return refuse(b, number, wrong, i);
        out[i] = (uint32_t)b->raw[i];
    }
    return n;
}

static size_t load_sizes(binary_reader *b, size_t n, uint32_t *out) {
    n = load_u32(b, b->size, "size of this record is not from 0 to 4,294,967,295", n, out);
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] ? out[i] : 1; /* 0 counts as 1, because traces without sizes have 0 here */
    return n;
}

static size_t load_kinds(binary_reader *b, size_t n, uint8_t *out) {
    load_column(b, b->kind, n, b->raw);
    for (size_t i = 0; i < n; i++)
        if ((out[i] = kind_of(b->raw[i])) == 0)
            return refuse(b, b->kind,
                          "kind of this record is not 0, 1, 2 or one of the letters R L W S I", i);
    return n;
}

/* ---- columns of requests ---- */

static rd_status binary_select(void *self, uint32_t fields) {
    binary_reader *b = self;
    fields &= b->r->requests;
    if (!fields)
        return RD_OK;
    if (!(b->more = rdi_alloc(b->r->ctx, RD_MORE_BYTES + 1, sizeof *b->more)))
        return RD_ENOMEM;
    b->present |= fields;
    b->present &= ~(uint32_t)(fields & RD_FIELD_BYTES ? RD_FIELD_SIZE : 0u);
    return RD_OK;
}

static void binary_close(void *self) {
    binary_reader *b = self;
    if (b->r)
        rdi_free(b->r->ctx, b->more);
}

/* Returns the operation of a code, or RD_OPERATIONS if there is none. */
static uint64_t operation_of(uint64_t x) {
    static const char codes[RD_OPERATIONS][5] = {
        [RD_OPERATION_READ] = "gGrR", [RD_OPERATION_WRITE] = "sSwW",
        [RD_OPERATION_TOUCH] = "tT",  [RD_OPERATION_READ_TOUCH] = "aA",
        [RD_OPERATION_DELETE] = "dD",
    };
    for (uint64_t i = 0; i < RD_OPERATIONS; i++)
        if (x == i || (x && x < 128 && strchr(codes[i], (int)x)))
            return i;
    return RD_OPERATIONS;
}

/* Loads a column of n numbers and multiplies them by `factor`. Returns the number of records before
 * the first negative number or, if `must_fit` is true, before the first product that does not fit in
 * 64 bits. If `must_fit` is false, such a product becomes UINT64_MAX. */
static size_t load_scaled(binary_reader *b, uint64_t number, const char *wrong, uint64_t factor,
                          bool must_fit, size_t n, uint64_t *out) {
    load_column(b, number, n, b->raw);
    for (size_t i = 0; i < n; i++) {
        bool negative = b->fields[number - 1].is_signed && b->raw[i] > INT64_MAX;
        bool lost = __builtin_mul_overflow(b->raw[i], factor, &out[i]);
        if (negative || (lost && must_fit))
            return refuse(b, number, wrong, i);
        if (lost)
            out[i] = UINT64_MAX;
    }
    return n;
}

/* Loads the columns of requests of n records. Returns the number of records before the first
 * invalid one. */
static size_t load_requests(binary_reader *b, size_t n) {
    const uint64_t second = rdi_time_unit(RDI_TIME_S);
    if (b->present & RD_FIELD_TIME)
        n = load_scaled(b, b->time, "time of this record is negative or too large for time-unit=",
                        rdi_time_unit(b->time_unit), true, n, b->more[RD_MORE_TIME]);
    if (b->present & RD_FIELD_LIFETIME)
        n = load_scaled(b, b->ttl, "lifetime of this record is negative", second, false, n,
                        b->more[RD_MORE_LIFETIME]);
    if (b->present & RD_FIELD_BYTES) {
        load_column(b, b->size, n, b->raw);
        for (size_t i = 0; i < n; i++) {
            if (b->raw[i] > INT64_MAX)
                return refuse(b, b->size, "size of this record is not from 0 to 2^63 - 1", i);
            b->more[RD_MORE_BYTES][i] = b->raw[i];
        }
    }
    if (b->present & RD_FIELD_OPERATION) {
        load_column(b, b->op, n, b->raw);
        for (size_t i = 0; i < n; i++)
            if ((b->more[RD_MORE_OPERATION][i] = operation_of(b->raw[i])) == RD_OPERATIONS)
                return refuse(
                    b, b->op,
                    "operation of this record is not 0 to 4 or one of the letters G R S W T A D",
                    i);
    }
    return n;
}

/* Fails with the invalid value of the first record. */
static rd_status fail_value(const binary_reader *b) {
    rdi_input *in = b->r->in;
    if (b->wrong_is_signed)
        return rdi_input_fail_byte(in, in->offset, "the %s: %" PRId64, b->wrong,
                                   (int64_t)b->wrong_value);
    return rdi_input_fail_byte(in, in->offset, "the %s: %" PRIu64, b->wrong, b->wrong_value);
}

static rd_status binary_read(void *self, rd_refs *refs) {
    binary_reader *b = self;
    rdi_input *in = b->r->in;
    rdi_columns *col = b->r->col;
    size_t records = 0;
    RD_TRY(rdi_records_fill(in, "binary", b->record_bytes, RDI_REFS_MAX, &records));
    size_t n = records;
    if (b->more)
        n = load_requests(b, n);
    if (b->present & RD_FIELD_SIZE)
        n = load_sizes(b, n, col->size);
    if (b->kind)
        n = load_kinds(b, n, col->kind);
    if (b->thread)
        n = load_u32(b, b->thread, "thread of this record is not from 0 to 4,294,967,295", n,
                     col->thread);
    if (n == 0 && records > 0)
        return fail_value(b);
    load_column(b, b->id ? b->id : b->addr, n, col->addr);
    if (b->pc)
        load_column(b, b->pc, n, col->pc);
    rdi_input_consume(in, n * b->record_bytes);
    *refs = (rd_refs){
        .n = n,
        .fields = b->present,
        .addr = col->addr,
        .size = b->present & RD_FIELD_SIZE ? col->size : NULL,
        .kind = b->kind ? col->kind : NULL,
        .pc = b->pc ? col->pc : NULL,
        .thread = b->thread ? col->thread : NULL,
    };
    for (unsigned i = 0; i <= RD_MORE_BYTES; i++)
        refs->more[i] = b->present & RD_FIELD_MORE(i) ? b->more[i] : NULL;
    return RD_OK;
}

static uint64_t binary_count(void *self) {
    return rdi_records_count(((binary_reader *)self)->r->in, ((binary_reader *)self)->record_bytes);
}

static rd_status binary_seek(void *self, uint64_t first, uint64_t *skip) {
    return rdi_records_seek(((binary_reader *)self)->r->in, ((binary_reader *)self)->record_bytes,
                            first, skip);
}

const rdi_format_ops rdi_format_binary = {
    .info =
        {
            .name = "binary",
            .summary = "fixed-length records described by a Python struct string",
            .card =
                "Example: -f binary:format=<IQI,id=2,size=3 for records of time, id and size.\n"
                "The string begins with < (little-endian, the default) or >; then b B h H i I l\n"
                "L q Q c ? are integers, f d e and Ns can only be skipped, x is padding and not\n"
                "a field. Fields are not aligned, and are counted from 1. A kind is 0, R or L for\n"
                "a load, 1, W or S for a store, 2 or I for a fetch. With id=, each id is a\n"
                "block; with addr=, addresses are split into blocks.\n"
                "\n"
                "Requests of object caches also have time= in units of time-unit=, ttl= in\n"
                "seconds and op=: 0, G or R for a read, 1, S or W for a write, 2 or T for a "
                "touch,\n"
                "3 or A for gat, 4 or D for a delete.",
            .fields =
                RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_REQUEST_FIELDS,
            .opts = binary_opts,
            .binary = true,
        },
    .state_size = sizeof(binary_reader),
    .open = binary_open,
    .select = binary_select,
    .read = binary_read,
    .count = binary_count,
    .seek = binary_seek,
    .close = binary_close,
};
