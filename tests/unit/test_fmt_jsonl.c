/* Tests format jsonl: arrays of any length in objects of any shape, and invalid lines. */
#include "support/traces.h"
#include "trace/format.h"
#include "trace/id_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void arrays_go_over_batches_and_windows(void **state) {
    (void)state;
    enum { ELEMENTS = 150000, LINES = 3 };
    char *text = malloc(LINES * ELEMENTS * 10);
    assert_non_null(text);
    size_t n = 0;
    for (size_t line = 0; line < LINES; line++) {
        n += (size_t)sprintf(text + n, "{\"hash_ids\":[");
        for (size_t i = 0; i < ELEMENTS; i++)
            n += (size_t)sprintf(text + n, "%s%zu", i ? ", " : "", line * ELEMENTS + i);
        n += (size_t)sprintf(text + n, "]}\n");
    }
    traces_result r = traces_read(NULL, text, n - 1);
    assert_string_equal(r.error, "");
    assert_string_equal(r.format, "jsonl");
    assert_int_equal(r.n, LINES * ELEMENTS);
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(r.addr[i], i);
    traces_result pipe = traces_read_pipe("jsonl", text, n, 60000);
    traces_assert_equal(&r, &pipe);
    traces_free(&r);
    traces_free(&pipe);
    free(text);
}

/* Reads a line as a request with all columns. Returns the message of a failure, "" if there is
 * none. */
static const char *request_error(const char *spec, const char *line) {
    static char message[1024];
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    *message = 0;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_status status = rd_trace_open_memory(ctx, "memory", line, strlen(line), spec, &t);
    if (status == RD_OK)
        status = rd_trace_select(t, RD_REQUEST_FIELDS);
    if (status == RD_OK)
        status = rd_trace_read(t, &refs);
    if (status != RD_OK)
        snprintf(message, sizeof message, "%s", rd_last_error(ctx));
    rd_trace_close(t);
    rd_ctx_free(ctx);
    return message;
}

static void members_of_requests_are_checked(void **state) {
    (void)state;
    static const char spec[] = "jsonl:id=k,size=s,time=t,op=o,ttl=l";
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"{\"k\":1,\"s\":0,\"t\":5,\"o\":\"get\",\"l\":0}", ""},
        {"{\"k\":1,\"s\":-3,\"t\":5,\"o\":\"get\",\"l\":0}",
         "memory: line 1: member \"s\" (size): '-3' is negative"},
        {"{\"k\":1,\"s\":9223372036854775808,\"t\":5,\"o\":\"get\",\"l\":0}",
         "memory: line 1: member \"s\" (size): '9223372036854775808' is not below 2^63"},
        {"{\"k\":1,\"s\":99999999999999999999,\"t\":5,\"o\":\"get\",\"l\":0}",
         "memory: line 1: member \"s\" (size): '99999999999999999999' does not fit in 64 bits"},
        {"{\"k\":1,\"s\":1,\"t\":5,\"o\":\"fly\",\"l\":0}",
         "memory: line 1: member \"o\" (op): 'fly' is not a known operation, such as get, set or "
         "delete"},
        {"{\"k\":1,\"s\":1,\"t\":null,\"o\":\"get\",\"l\":0}",
         "memory: line 1: member \"t\" (time): 'null' is not a number"},
        {"{\"k\":1,\"s\":1,\"t\":[5],\"o\":\"get\",\"l\":0}",
         "memory: line 1: expected a number or a string, found '[5],\"o\":\"get\",\"l\":0}'"},
        {"{\"k\":1,\"s\":1,\"t\":5,\"o\":\"get\"}",
         "memory: line 1: the object has no member \"l\" (option 'ttl')"},
        {"{\"k\":1,\"s\":1,\"s\":1,\"t\":5,\"o\":\"get\",\"l\":1}",
         "memory: line 1: expected each member only once, found "
         "'\"s\":1,\"t\":5,\"o\":\"get\",\"l\":1}'"},
        {"{\"s\":1,\"t\":5,\"o\":\"get\",\"l\":1}",
         "memory: line 1: the object has no member \"k\" (option 'id')"},
        {"{}", "memory: line 1: the object has no member \"k\" (option 'id')"},
        {"{\"k\":1,\"s\":1,\"t\":5,\"o\":\"get\",\"l\":1} x",
         "memory: line 1: expected the end of the line after the object, found ' x'"},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++)
        assert_string_equal(request_error(spec, cases[i].line), cases[i].message);
    assert_string_equal(
        request_error("jsonl:size=s", "{}"),
        "format jsonl: option 'size' is only for requests; name their ids with id=NAME");
}

static void ids_may_be_strings_and_numbers(void **state) {
    (void)state;
    traces_result r = traces_read_text(
        "jsonl",
        "{\"hash_ids\": [\"ab\", 17, \"17\", -17, \"x\\\"y\", \"]\"]}\n{\"hash_ids\":[\"ab\"]}");
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 7);
    assert_int_equal(r.addr[0], rdi_id_hash(0, "ab", 2));
    assert_int_equal(r.addr[1], 17);
    assert_int_equal(r.addr[2], 17);
    assert_int_equal(r.addr[3], rdi_id_hash(0, "-17", 3));
    assert_int_equal(r.addr[4], rdi_id_hash(0, "x\\\"y", 4));
    assert_int_equal(r.addr[5], rdi_id_hash(0, "]", 1));
    assert_int_equal(r.addr[6], r.addr[0]);
    traces_free(&r);
    r = traces_read_text("jsonl:base=hex", "{\"hash_ids\": [\"ff\", \"0xfe\", 10]}");
    assert_string_equal(r.error, "");
    assert_int_equal(r.addr[0], 255);
    assert_int_equal(r.addr[1], 254);
    assert_int_equal(r.addr[2], 16);
    traces_free(&r);
}

static void the_field_may_be_anywhere_and_have_any_name(void **state) {
    (void)state;
    static const char *const lines[] = {
        "{\"hash_ids\":[1,2]}",
        " { \"hash_ids\" : [ 1 , 2 ] } ",
        "{\"a\":{\"hash_ids\":[3]},\"hash_ids\":[1,2],\"b\":[]}",
        "{\"a\":[1,[2,{\"b\":\"]}\"}]],\"c\":-1.5e+3,\"d\":true,\"hash_ids\":[1,2],\"e\":null}",
        "{\"hash\":1,\"hash_ids_\":2,\"x\\\"hash_ids\":3,\"hash_ids\":[1,2]}\r\n\r\n\n",
    };
    for (size_t i = 0; i < RDI_COUNT(lines); i++) {
        traces_result r = traces_read_text("jsonl", lines[i]);
        assert_string_equal(r.error, "");
        assert_int_equal(r.n, 2);
        assert_int_equal(r.addr[1], 2);
        traces_free(&r);
    }
    traces_result r = traces_read_text("jsonl:field=blocks", "{\"hash_ids\":0,\"blocks\":[9]}");
    assert_string_equal(r.error, "");
    assert_int_equal(r.addr[0], 9);
    traces_free(&r);
}

static const struct {
    const char *text;
    size_t before;
    const char *error;
} bad[] = {
    {"{\"hash_ids\":[1]}\n{\"x\":1}\n", 1,
     "t: line 2: the object has no member \"hash_ids\" (field=NAME sets another name)"},
    {"{}", 0, "t: line 1: the object has no member \"hash_ids\" (field=NAME sets another name)"},
    {"{\"hash_ids\":[1]}\n\n[1]\n", 1, "t: line 3: expected a JSON object, found '[1]'"},
    {"{\"hash_ids\":1}", 0, "t: line 1: expected an array of ids, found '1}'"},
    {"{\"hash_ids\":[1,2,x]}", 2, "t: line 1: expected an integer or a string, found 'x]}'"},
    {"{\"hash_ids\":[1,2.5]}", 1, "t: line 1: expected an integer or a string, found '2.5]}'"},
    {"{\"hash_ids\":[1,2e3]}", 1, "t: line 1: expected an integer or a string, found '2e3]}'"},
    {"{\"hash_ids\":[01]}", 0, "t: line 1: expected an integer or a string, found '01]}'"},
    {"{\"hash_ids\":[-]}", 0, "t: line 1: expected an integer or a string, found '-]}'"},
    {"{\"hash_ids\":[1,[2]]}", 1, "t: line 1: expected an integer or a string, found '[2]]}'"},
    {"{\"hash_ids\":[\"\"]}", 0, "t: line 1: expected an integer or a string, found '\"]}'"},
    {"{\"hash_ids\":[1,]}", 1, "t: line 1: expected an integer or a string, found ']}'"},
    {"{\"hash_ids\":[,1]}", 0, "t: line 1: expected an integer or a string, found ',1]}'"},
    {"{\"hash_ids\":[1 2]}", 1, "t: line 1: expected ',' or ']', found '2]}'"},
    {"{\"hash_ids\":[1,\"a", 1, "t: line 1: expected an integer or a string, found 'a'"},
    {"{\"hash_ids\":[1,18446744073709551616]}", 1,
     "t: line 1: '18446744073709551616' does not fit in 64 bits (base=string takes ids as names)"},
    {"{\"hash_ids\":[1]", 1, "t: line 1: expected ',' or '}', found the end of the line"},
    {"{\"hash_ids\":[1]]", 1, "t: line 1: expected ',' or '}', found ']'"},
    {"{\"hash_ids\":[1]} x", 1,
     "t: line 1: expected the end of the line after the object, found ' x'"},
    {"{\"hash_ids\":[1],}", 1, "t: line 1: expected \"NAME\": VALUE, found '}'"},
    {"{\"hash_ids\":[1],\"hash_ids\":[2]}", 1,
     "t: line 1: expected only one array of ids, found '[2]}'"},
    {"{\"a\"}", 0, "t: line 1: expected \"NAME\": VALUE, found '\"a\"}'"},
    {"{\"a\":}", 0, "t: line 1: expected a JSON value, found '}'"},
    {"{\"a\":{\"b\":1,}}", 0, "t: line 1: expected a JSON value, found '{\"b\":1,}}'"},
    {"{\"a\":1 \"b\"}", 0, "t: line 1: expected ',' or '}', found '\"b\"}'"},
    {"{\"a\":\"b\\", 0, "t: line 1: expected a JSON value, found '\"b\\'"},
};

static void what_is_no_such_object_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        traces_result r = traces_read_text("jsonl", bad[i].text);
        assert_string_equal(r.error, bad[i].error);
        assert_int_equal(r.status, RD_EFORMAT);
        assert_int_equal(r.n, bad[i].before);
        traces_free(&r);
    }
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 100);
    assert_non_null(text);
    strcpy(text, "{\"a\":");
    memset(text + 5, '[', DEPTH);
    strcpy(text + 5 + DEPTH, "],\"hash_ids\":[1]}");
    traces_result r = traces_read_text("jsonl", text);
    assert_int_equal(r.status, RD_EFORMAT);
    assert_memory_equal(r.error, "t: line 1: expected a JSON value, found '[[[", 43);
    traces_free(&r);
    free(text);
}

static void endless_lines_are_refused(void **state) {
    (void)state;
    const size_t n = 65 * 1024 * 1024;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, ' ', n);
    memcpy(text, "{\"hash_ids\":[1,", 15);
    traces_result r = traces_read("jsonl", text, n);
    assert_string_equal(r.error, "t: line 1: the line is longer than 67108863 bytes");
    traces_free(&r);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_go_over_batches_and_windows),
        cmocka_unit_test(ids_may_be_strings_and_numbers),
        cmocka_unit_test(members_of_requests_are_checked),
        cmocka_unit_test(the_field_may_be_anywhere_and_have_any_name),
        cmocka_unit_test(what_is_no_such_object_is_named),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(endless_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
