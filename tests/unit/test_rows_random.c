/* Tests the readers of rows, `csv` and `jsonl`, on random tables whose values are written in usual
 * and in unusual ways: the readers deliver what was written, and report a damaged line by its line
 * number, after all rows before the line. The first argument of the program is the number of
 * tables. */
#include "reusedist/trace.h"
#include "support/fixture.h"
#include "trace/id_table.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS  20000
#define ROOM  (ROWS * 512)
#define NAMES 5000

enum { ID, SIZE, TIME, OP, TTL, KEYSIZE, ROLES, JUNK = ROLES };
static const char *const titles[] = {"id", "size", "time", "op", "ttl", "ks", "junk"};

typedef struct row {
    uint64_t id, bytes, time, op, ttl;
} row;

static unsigned tables = 4;
static row expected[ROWS];
static char text[ROOM], line[1024];
static size_t used;
static uint64_t lines, bad_line; /* count of lines; the damaged line, from 1; 0: none */
static size_t good_rows;         /* number of rows before the damage */
static rdi_rng rng;

static uint64_t below(uint64_t n) {
    return rdi_rng_below(&rng, n);
}

/* ---- values ---- */

static uint64_t random_number(void) {
    uint64_t x = rdi_rng_next(&rng) >> below(64);
    return below(8) ? x >> 20 : x;
}

static uint64_t write_id(char *out, bool names) {
    if (names && below(4)) {
        int n = sprintf(out, "key:%" PRIu64, below(NAMES));
        if (below(2))
            n += sprintf(out + n, "-%.*s", (int)below(20), "abcdefghijklmnopqrst");
        return rdi_id_hash(0, out, (size_t)n);
    }
    uint64_t id = random_number();
    sprintf(out, below(8) ? "%" PRIu64 : "0x%" PRIx64, id);
    return id;
}

/* Writes a time in seconds, and returns it in nanoseconds. */
static uint64_t write_time(char *out) {
    uint64_t whole = below(2000000000), part = below(1000000000);
    if (below(4)) {
        sprintf(out, "%" PRIu64, whole);
        return whole * 1000000000;
    }
    unsigned digits = (unsigned)below(12);
    char fraction[16];
    sprintf(fraction, "%09" PRIu64 "%03d", part, 0);
    for (unsigned i = digits; i < 9; i++)
        fraction[i] = '0';
    sprintf(out, "%" PRIu64 ".%.*s", whole, (int)digits, fraction);
    return whole * 1000000000 + strtoull((fraction[9] = 0, fraction), NULL, 10);
}

static uint64_t write_op(char *out) {
    static const struct {
        const char *word;
        uint64_t op;
    } words[] = {{"get", RD_OPERATION_READ},      {"GET", RD_OPERATION_READ},
                 {"set", RD_OPERATION_WRITE},     {"get_lease", RD_OPERATION_READ},
                 {"delete", RD_OPERATION_DELETE}, {"touch", RD_OPERATION_TOUCH},
                 {"0", RD_OPERATION_READ},        {"gat", RD_OPERATION_READ_TOUCH}};
    size_t i = below(RDI_COUNT(words));
    strcpy(out, words[i].word);
    return words[i].op;
}

static uint64_t write_number(char *out, uint64_t max) {
    uint64_t x = random_number() % max;
    sprintf(out, below(8) ? "%" PRIu64 : "%08" PRIu64, x);
    return x;
}

/* Writes the value of a role and stores it in the row. */
static void write_value(int role, char *out, row *to, bool names) {
    if (role == ID)
        to->id = write_id(out, names);
    else if (role == TIME)
        to->time = write_time(out);
    else if (role == OP)
        to->op = write_op(out);
    else if (role == TTL)
        to->ttl = write_number(out, 100000000) * 1000000000;
    else if (role == SIZE || role == KEYSIZE)
        to->bytes += write_number(out, UINT64_C(1) << (below(8) ? 20 : 62));
    else
        sprintf(out, "%.*s", (int)below(26), "junk of some length, and 7");
}

/* ---- tables ---- */

static void put(const char *what) {
    strcat(line, what);
}

/* Appends a value to the line, usually as it is, sometimes with blanks or in quotes. */
static void put_value(const char *value, char sep, bool junk) {
    unsigned how = (unsigned)below(16);
    bool quotes = how == 0 || (junk && strchr(value, sep));
    put(how == 1 ? " " : "");
    put(quotes ? "\"" : "");
    put(value);
    put(quotes ? "\"" : "");
    put(how == 2 ? "  " : "");
}

static void end_line(void) {
    put(below(16) ? "\n" : "\r\n");
    size_t n = strlen(line);
    assert_true(used + n < ROOM);
    memcpy(text + used, line, n);
    used += n;
    lines++;
    *line = 0;
}

static void damage_value(char *value) {
    static const char *const wrong[] = {"-1", "x y z", "18446744073709551616", "", "1e5"};
    strcpy(value, wrong[below(RDI_COUNT(wrong))]);
}

typedef struct table {
    char sep;
    int columns[12];
    size_t n;
    bool names;
} table;

/* Appends member number i of an object to the line, and sometimes an unknown member after it.
 * Values that are not JSON numbers are quoted, and so are some numbers. */
static void put_member(size_t i, const char *title, const char *value) {
    bool number = *value && strspn(value, "0123456789") == strlen(value) && *value != '0';
    const char *quote = number && below(4) ? "" : "\"";
    char member[256];
    snprintf(member, sizeof member, "%s\"%s\":%s%s%s%s", i ? "," : "", title, below(2) ? " " : "",
             quote, value, quote);
    put(member);
    if (below(8) == 0)
        put(" , \"more\": [1, {\"id\": null}, \"}\"]");
}

static void write_object(const table *t, row *to, bool damaged) {
    char value[128];
    *to = (row){0};
    put("{");
    for (size_t i = 0; i < t->n; i++) {
        write_value(t->columns[i], value, to, t->names);
        if (damaged && t->columns[i] == SIZE)
            damage_value(value);
        put_member(i, titles[t->columns[i]], value);
    }
    put("}");
    end_line();
}

static void write_row(const table *t, row *to, bool damaged) {
    char value[128], sep[2] = {t->sep, 0};
    *to = (row){0};
    for (size_t i = 0; i < t->n; i++) {
        put(i ? sep : "");
        write_value(t->columns[i], value, to, t->names);
        if (damaged && t->columns[i] == SIZE)
            damage_value(value);
        put_value(value, t->sep, t->columns[i] == JUNK);
    }
    end_line();
}

/* Makes a table with columns in random order, and empties the text. */
static table random_table(void) {
    table t = {.sep = ",;|\t"[below(4)], .n = ROLES + below(5), .names = below(2)};
    for (size_t i = 0; i < t.n; i++) {
        size_t j = below(i + 1);
        t.columns[i] = t.columns[j];
        t.columns[j] = i < ROLES ? (int)i : JUNK;
    }
    used = 0;
    lines = bad_line = 0;
    *line = 0;
    return t;
}

typedef void row_writer(const table *t, row *to, bool damaged);

static void write_rows(const table *t, size_t rows, size_t damaged, row_writer *write) {
    for (size_t i = 0; i < rows; i++) {
        if (below(50) == 0)
            end_line();
        write(t, &expected[i], i == damaged);
        if (i == damaged)
            bad_line = lines;
    }
    good_rows = damaged < rows ? damaged : rows;
    if (below(2) && text[used - 2] != '\r')
        used--; /* the last line may lack its end */
}

static void write_csv(const table *t, size_t rows, size_t damaged) {
    char sep[2] = {t->sep, 0};
    for (size_t i = 0; i < t->n; i++) {
        put(i ? sep : "");
        put(titles[t->columns[i]]);
    }
    end_line();
    write_rows(t, rows, damaged, write_row);
}

/* ---- reading ---- */

#define JSONL "jsonl:id=id,size=size,time=time,op=op,ttl=ttl,keysize=ks"

static void check_batch(const rd_refs *refs, size_t at) {
    for (size_t i = 0; i < refs->n; i++) {
        const row *e = &expected[at + i];
        assert_int_equal(refs->addr[i], e->id);
        assert_int_equal(refs->more[RD_MORE_BYTES][i], e->bytes);
        assert_int_equal(refs->more[RD_MORE_TIME][i], e->time);
        assert_int_equal(refs->more[RD_MORE_OPERATION][i], e->op);
        assert_int_equal(refs->more[RD_MORE_LIFETIME][i], e->ttl);
    }
}

static void check_damage(void) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "random: line %" PRIu64 ": ", bad_line);
    if (strncmp(rd_last_error(ctx), wanted, strlen(wanted)) != 0)
        fail_msg("'%s' does not begin with '%s'", rd_last_error(ctx), wanted);
}

static void check_reading(const char *spec, unsigned threads) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    size_t n = 0;
    rd_status status;
    /* A copy of exactly this size lets AddressSanitizer detect a reader that reads too far. */
    char *copy = malloc(used);
    memcpy(copy, text, used);
    assert_int_equal(rd_trace_open_memory(ctx, "random", copy, used, spec, &t), RD_OK);
    assert_int_equal(rd_trace_select(t, RD_REQUEST_FIELDS), RD_OK);
    rd_trace_read_ahead(t, threads);
    while ((status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
        assert_true(n + refs->n <= good_rows);
        check_batch(refs, n);
        n += refs->n;
    }
    assert_int_equal(n, good_rows);
    assert_int_equal(status, bad_line ? RD_EFORMAT : RD_OK);
    if (bad_line)
        check_damage();
    rd_trace_close(t);
    free(copy);
}

static void usual_and_unusual_lines_read_alike(void **state) {
    (void)state;
    for (unsigned i = 0; i < tables; i++) {
        rng = (rdi_rng){i + 1};
        table t = random_table();
        size_t rows = 1 + below(below(2) ? 100 : ROWS);
        write_csv(&t, rows, below(2) ? below(rows) : ROWS);
        check_reading("csv:keysize=ks", 0);
        t = random_table();
        write_rows(&t, rows, below(2) ? below(rows) : ROWS, write_object);
        check_reading(JSONL, 0);
    }
}

static void threads_read_the_same_rows(void **state) {
    (void)state;
    for (unsigned i = 0; i < tables; i++) {
        rng = (rdi_rng){1000 + i};
        table t = random_table();
        size_t rows = ROWS - below(1000);
        write_csv(&t, rows, below(4) ? below(rows) : ROWS);
        check_reading("csv:keysize=ks", 2 + (unsigned)below(3));
        t = random_table();
        write_rows(&t, rows, below(4) ? below(rows) : ROWS, write_object);
        check_reading(JSONL, 2 + (unsigned)below(3));
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        tables = (unsigned)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(usual_and_unusual_lines_read_alike, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(threads_read_the_same_rows, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
