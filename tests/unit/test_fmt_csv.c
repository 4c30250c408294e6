/* Tests format csv: finding columns, separators and headers, quoting, and messages that name line
 * and column. */
#include "support/traces.h"
#include "trace/csv_split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- fields ---- */

static void assert_fields(char sep, const char *line, size_t n, const char *const *expected) {
    const char *p = line, *end = line + strlen(line);
    for (size_t i = 0; i < n; i++) {
        rdi_field field;
        p = rdi_csv_field(sep, p, end, &field);
        assert_non_null(p);
        assert_int_equal(field.n, strlen(expected[i]));
        assert_memory_equal(field.text, expected[i], field.n);
        assert_true(i + 1 < n ? p < end : p == end);
        p++;
    }
}

static void fields_are_cut_at_separators(void **state) {
    (void)state;
#define FIELDS(sep, line, ...)                                                                     \
    assert_fields(sep, line, RDI_COUNT(((const char *[]){__VA_ARGS__})),                           \
                  (const char *[]){__VA_ARGS__})
    FIELDS(',', "a,b,c", "a", "b", "c");
    FIELDS(',', "", "");
    FIELDS(',', ",,", "", "", "");
    FIELDS(',', " a b , c\t", "a b", "c");
    FIELDS('\t', "a\t\t b c", "a", "", "b c");
    FIELDS(' ', "  a  b\t\tc", "a", "b", "c");
    FIELDS(',', "\"a,b\",\"\", \"c\" ,d\"e", "a,b", "", "c", "d\"e");
    FIELDS(',', "\"a\"\"b\",\"\"\"\"", "a\"\"b", "\"\"");
    FIELDS(' ', "\"a b\"  c", "a b", "c");
    FIELDS(';', "1,5;2", "1,5", "2");
}

static void bad_quotes_are_seen(void **state) {
    (void)state;
    const char *const lines[] = {"\"", "\"a", "\"a\"\"", "\"a\"b", "\"a\" b", "\"a\"\"\"b,\"c"};
    for (size_t i = 0; i < RDI_COUNT(lines); i++) {
        rdi_field field;
        assert_null(rdi_csv_field(',', lines[i], lines[i] + strlen(lines[i]), &field));
    }
}

static char guess(const char *line) {
    return rdi_csv_guess_sep(line, line + strlen(line));
}

static void separators_are_guessed(void **state) {
    (void)state;
    assert_int_equal(guess("a,b c"), ',');
    assert_int_equal(guess("a\tb,c"), '\t');
    assert_int_equal(guess("a;b c"), ';');
    assert_int_equal(guess("a|b"), '|');
    assert_int_equal(guess("a b"), ' ');
    assert_int_equal(guess("\"a,b\" c"), ' ');
    assert_int_equal(guess("abc"), ',');
    assert_int_equal(guess(""), ',');
}

static bool is_header(const char *line) {
    return rdi_csv_is_header(',', line, line + strlen(line));
}

static void headers_are_told_from_values(void **state) {
    (void)state;
    assert_true(is_header("time,id"));
    assert_true(is_header("#1,2"));
    assert_true(is_header("-,."));
    assert_false(is_header("time,1"));
    assert_false(is_header("a,-1"));
    assert_false(is_header("a,.5"));
    assert_false(is_header("a,\"7\""));
    assert_false(is_header("a,\"b"));
}

/* ---- whole files ---- */

static void assert_ids(const char *spec, const char *text, size_t n, const uint64_t *ids) {
    traces_result r = traces_read_text(spec, text);
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, n);
    assert_memory_equal(r.addr, ids, n * sizeof *ids);
    traces_free(&r);
}

static void columns_are_found_by_name_or_number(void **state) {
    (void)state;
    const uint64_t ids[] = {5, 6};
    assert_ids("csv:id=key", "time,key\n1,5\n2,6\n", 2, ids);
    assert_ids("csv:id=KEY", "#time,Key\n1,5\n2,6\n", 2, ids);
    assert_ids("csv:id=2", "time,key\n1,5\n2,6\n", 2, ids);
    assert_ids("csv:id=2", "1,5\n2,6\n", 2, ids);
    assert_ids("csv:id=2,header=on", "1,4\n1,5\n2,6\n", 2, ids);
    assert_ids("csv:id=2", "\n\r\ntime key\n\n1 5\n \t\n2\t6", 2, ids);
    assert_ids("csv:id=2,sep=pipe", "a,b|5\nc,d|6\n", 2, ids);
    assert_ids("csv:id=2", "a,5,\"never looked at\nb,6,\"", 2, ids);
    assert_ids("csv", "time;object_id;size\n1;5;1\n2;6;0\n", 2, ids);
    assert_ids("csv:id=what a name", "x|what a name\n1|5\n2|6\n", 2, ids);
    assert_ids("csv:header=on,id=1,size=none", "id,size\n5,big\n6,small\n", 2, ids);
}

/* Returns whether opening the text makes a note. */
static bool has_note(const char *spec, const char *text) {
    rd_ctx *ctx;
    rd_trace *trace;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_open_memory(ctx, "t", text, strlen(text), spec, &trace), RD_OK);
    bool noted = rd_trace_note(trace) != NULL;
    rd_trace_close(trace);
    rd_ctx_free(ctx);
    return noted;
}

/* Tests that there is a note if the reader finds a column by a title that two columns have. */
static void equal_titles_are_noted(void **state) {
    (void)state;
    assert_true(has_note(NULL, "id,size,size\n1,5,50\n"));
    assert_true(has_note(NULL, "id,size,x,\"SIZE\"\n1,5,2,50\n"));
    assert_true(has_note("csv:id=key", "key,size,key\n1,5,2\n"));
    assert_false(has_note("csv:size=3", "id,size,size\n1,5,50\n"));
    assert_false(has_note("csv:size=none", "id,size,size\n1,5,50\n"));
    assert_false(has_note(NULL, "id,size,x,x\n1,5,2,3\n"));
    assert_false(has_note(NULL, "id,size,length\n1,5,2\n"));
}

static void guessed_headers_are_noted(void **state) {
    (void)state;
    assert_true(has_note("csv:id=1", "apple\npear\napple\n"));
    assert_true(has_note("csv:id=2", "a,apple\nb,pear\n"));
    assert_false(has_note("csv:id=1", "apple 5\npear 6\n"));
    assert_false(has_note("csv:id=1,header=off", "apple\npear\n"));
    assert_false(has_note("csv:id=1,header=on", "apple\npear\n"));
    assert_false(has_note("csv:id=apple", "apple\npear\n"));
    assert_false(has_note("csv:id=1", "#apple\npear\n"));
    assert_false(has_note("csv:id=2", "time,name\n1,pear\n")); /* "time" is a usual title */
}

static void addresses_are_addresses_and_ids_are_ids(void **state) {
    (void)state;
    traces_result r = traces_read_text("csv:addr=1,size=2", "0x40,128\n64,0\n");
    assert_string_equal(r.error, "");
    assert_false(r.ids);
    assert_int_equal(r.fields, RD_FIELD_SIZE);
    assert_int_equal(r.addr[0], 64);
    assert_int_equal(r.size[0], 128);
    assert_int_equal(r.size[1], 1);
    traces_free(&r);
    r = traces_read_text("csv:addr=1,base=hex", "40,1\nff,2\n0x10,3\n");
    assert_string_equal(r.error, "");
    assert_int_equal(r.addr[1], 255);
    assert_int_equal(r.addr[2], 16);
    traces_free(&r);
    r = traces_read_text("csv:id=1", "x,1\n");
    assert_int_equal(r.n, 1);
    assert_true(r.ids);
    traces_free(&r);
    r = traces_read_text(NULL, "id,address\n1,64\n"); /* if there are both columns, the addresses
                                                         are read */
    assert_string_equal(r.format, "csv");
    assert_false(r.ids);
    assert_int_equal(r.addr[0], 64);
    traces_free(&r);
}

static void names_are_compared_without_their_quotes(void **state) {
    (void)state;
    traces_result r = traces_read_text(
        "csv:id=1,header=off", "\"a\"\"b\"\na\"b\n\"a,b\"\n\"a\"\na\n\"17\"\n17\n\"a\"\"b\"");
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 8);
    assert_int_equal(r.addr[0], r.addr[1]);
    assert_int_equal(r.addr[0], r.addr[7]);
    assert_int_not_equal(r.addr[0], r.addr[2]);
    assert_int_equal(r.addr[3], r.addr[4]);
    assert_int_equal(r.addr[5], 17);
    assert_int_equal(r.addr[6], 17);
    traces_free(&r);
}

static void all_kinds_of_words_are_known(void **state) {
    (void)state;
    static const struct {
        uint8_t kind;
        const char *words;
    } kinds[] = {
        {RD_LOAD, "r R read Read READ rd l load LOAD get gets head 0"},
        {RD_STORE, "w W write wr s store set put add replace cas append prepend incr decr delete "
                   "copy 1"},
        {RD_FETCH, "i f ifetch fetch 2"},
    };
    for (size_t i = 0; i < RDI_COUNT(kinds); i++) {
        char words[256], text[1024] = "";
        strcpy(words, kinds[i].words);
        size_t n = 0;
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "), n++)
            sprintf(text + strlen(text), "7,%s\n", word);
        traces_result r = traces_read_text("csv:id=1,kind=2", text);
        assert_string_equal(r.error, "");
        assert_int_equal(r.n, n);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(r.kind[j], kinds[i].kind);
        traces_free(&r);
    }
}

static const struct {
    const char *spec, *text;
    rd_status status;
    size_t before;
    const char *error;
} bad[] = {
    {"csv", "1,2\n", RD_EINVAL, 0,
     "t: the column of the ids is unknown; name it with id=NAME or id=NUMBER (or addr= for "
     "addresses), for example -f "
     "csv:id=2"},
    {"csv:id=none", "id,x\n1,2\n", RD_EINVAL, 0,
     "t: the column of the ids is unknown; name it with id=NAME or id=NUMBER (or addr= for "
     "addresses), for example -f "
     "csv:id=2"},
    {"csv:id=1,addr=2", "1,2\n", RD_EINVAL, 0,
     "format csv: id= and addr= cannot be combined; give only one of them"},
    {"csv:id=key", "a,b\n1,2\n", RD_EINVAL, 0,
     "t: the header line 'a,b' has no column 'key' (option 'id')"},
    {"csv:id=0", "1,2\n", RD_EINVAL, 0,
     "format csv: option 'id': there is no column 0; columns have numbers from 1 to "
     "1048576"},
    {"csv:id=99999999999999999999", "1,2\n", RD_EINVAL, 0,
     "format csv: option 'id': there is no column 99999999999999999999; columns have numbers from "
     "1 to 1048576"},
    {"csv:id=key,header=off", "1,2\n", RD_EINVAL, 0,
     "format csv: option 'id': without a header line (header=off) columns have numbers, not names "
     "like 'key'"},
    {"csv:id=1,sep=colon", "1,2\n", RD_EINVAL, 0,
     "format csv: option 'sep': 'colon' is not one of auto|comma|tab|space|semicolon|pipe"},
    {"csv:id=3", "1,2,3\n1,2\n", RD_EFORMAT, 1,
     "t: line 2: the line has only 2 columns, but id is column 3"},
    {"csv:id=2", "1,2,3\n1\n", RD_EFORMAT, 1,
     "t: line 2: the line has only 1 column, but id is column 2"},
    {"csv:id=2", "1,2,3\n1,,3\n", RD_EFORMAT, 1, "t: line 2: column 2 (id): '' is not an id"},
    {"csv:id=2", "a,b\n\n1,\"2", RD_EFORMAT, 0,
     "t: line 3: column 2: a quote is not closed, or text follows the closing quote"},
    {"csv:id=1", "18446744073709551616,1\n", RD_EFORMAT, 0,
     "t: line 1: column 1 (id): '18446744073709551616' does not fit in 64 bits (base=string takes "
     "ids as names)"},
    {"csv:addr=1", "1,2\nfoo,2\n", RD_EFORMAT, 1,
     "t: line 2: column 1 (addr): 'foo' is not a number"},
    {"csv:addr=1", "1,2\n0x12345678901234567,2\n", RD_EFORMAT, 1,
     "t: line 2: column 1 (addr): '0x12345678901234567' does not fit in 64 bits"},
    {"csv:id=1,size=2", "1,4294967295\n1,4294967296\n", RD_EFORMAT, 1,
     "t: line 2: column 2 (size): '4294967296' does not fit in 32 bits (size=none ignores the "
     "column)"},
    {"csv:id=1,size=2", "1,\n", RD_EFORMAT, 0, "t: line 1: column 2 (size): '' is not a number"},
    {"csv:id=1,size=2", "1,-4\n", RD_EFORMAT, 0,
     "t: line 1: column 2 (size): '-4' is not a number"},
    {"csv:id=1,thread=2,pc=3", "1,1,0x1\n1,0x1,0x\n", RD_EFORMAT, 1,
     "t: line 2: column 3 (pc): '0x' is not a number"},
    {"csv:id=1,kind=2", "1,r\n2,video\n", RD_EFORMAT, 1,
     "t: line 2: column 2 (kind): 'video' is not a known kind of reference (kind=none ignores the "
     "column)"},
    {NULL, "time,what\n1,2\n", RD_EFORMAT, 0, "t: cannot detect the trace format"},
    {NULL, "1,2\n3,4\n", RD_EFORMAT, 0, "t: cannot detect the trace format"},
};

static void mistakes_are_named(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        traces_result r = traces_read_text(bad[i].spec, bad[i].text);
        if (!bad[i].spec) /* the list of formats may grow */
            r.error[strlen(bad[i].error)] = '\0';
        assert_string_equal(r.error, bad[i].error);
        assert_int_equal(r.status, bad[i].status);
        assert_int_equal(r.n, bad[i].before);
        traces_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_cut_at_separators),
        cmocka_unit_test(bad_quotes_are_seen),
        cmocka_unit_test(separators_are_guessed),
        cmocka_unit_test(headers_are_told_from_values),
        cmocka_unit_test(columns_are_found_by_name_or_number),
        cmocka_unit_test(guessed_headers_are_noted),
        cmocka_unit_test(equal_titles_are_noted),
        cmocka_unit_test(addresses_are_addresses_and_ids_are_ids),
        cmocka_unit_test(names_are_compared_without_their_quotes),
        cmocka_unit_test(all_kinds_of_words_are_known),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
