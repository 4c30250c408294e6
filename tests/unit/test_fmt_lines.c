/* Tests properties of every text format, among other things: the references do not depend on how
 * the input is divided or how lines end, and messages name the position of damage. */
#include "support/faults.h"
#include "support/files.h"
#include "support/traces.h"
#include "trace/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The same five references in every format, as far as the format can express them. */
static const uint64_t addr[] = {0x7ffe10, 0x7ffe18, 0x7ffe10, 0xffffffffffffffff, 0x0};
static const uint32_t size[] = {8, 4, 8, 1, 16};
static const uint8_t kind[] = {RD_LOAD, RD_STORE, RD_LOAD, RD_STORE, RD_LOAD};
static const uint64_t pc[] = {0x401000, 0x401003, 0x401000, 0x401007, 0xfffffffffffffff0};
static const uint32_t thread[] = {7, 7, 4294967295, 7, 0};
#define COUNT RDI_COUNT(addr)

static const struct sample {
    const char *format;
    const char *spec; /* format and options, if the name alone is not enough */
    uint32_t fields;
    bool ids;
    const char *lines[COUNT + 1]; /* a header, then one line per reference */
} samples[] = {
    {"text",
     "text",
     0,
     true,
     {"# a comment\n", "0x7ffe10\n", "8388120\n", "8388112\n", "18446744073709551615\n", "0\n"}},
    {"lackey",
     "lackey",
     RD_FIELD_SIZE | RD_FIELD_KIND,
     false,
     {"==1== Lackey\n", " L 007ffe10,8\n", " S 007ffe18,4\n", " L 007ffe10,8\n",
      " S ffffffffffffffff,1\n", " L 00000000,16\n"}},
    {"din",
     "din",
     RD_FIELD_KIND,
     false,
     {"4 0\n", "0 7ffe10\n", "1 7FFE18 what ever\n", "0 0x7ffe10\n", "1 ffffffffffffffff\n",
      "3\t0\n"}},
    {"pinatrace",
     "pinatrace",
     RD_FIELD_KIND | RD_FIELD_PC,
     false,
     {"#comment\n", "0x401000: R 0x7ffe10\n", "0x401003: W 0x7ffe18\n", "0x401000: R 0x7ffe10\n",
      "0x401007: W 0xffffffffffffffff\n", "0xfffffffffffffff0: R 0x0\n"}},
    {"drmemtrace",
     "drmemtrace",
     RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD,
     false,
     {"Output format:\n", "     1     1: W0.T7 read   8 byte(s) @ 0x00007ffe10 by PC 0x00401000\n",
      "     2     2: T7 write        4 byte(s) @ 0x7ffe18 by PC 0x401003\n",
      "     3     3:  4294967295 read  8 byte(s) @ 0x7ffe10 by PC 0x401000\n",
      "4 4: 7 write 1 byte(s) @ 0xffffffffffffffff by PC 0x401007\n",
      "5 5: W12.T0 read 16 byte(s) @ 0x0 by PC 0xfffffffffffffff0\n"}},
    {"csv",
     "csv",
     RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD,
     false,
     {"Op,time,address,size,pc,tid\n", "read,1,8388112,8,0x401000,7\n",
      "SET,1,0x7ffe18,4,0x401003,7\n", "R,1,\"8388112\", 8 ,4198400,4294967295\n",
      "w,1,18446744073709551615,1,0x401007,7\n", "get,1,0,16,0xfffffffffffffff0,0\n"}},
    {"csv",
     "csv:id=4,sep=semicolon,header=off",
     0,
     true,
     {"\n", "1;2;3;8388112\n", ";;;8388120;\n", "a;b;c;0x7ffe10;d\n",
      "1;2;3;18446744073709551615\n", "1;2;3;0\n"}},
    {"jsonl",
     "jsonl",
     0,
     true,
     {"{\"timestamp\": 0.5, \"hash_ids\": [], \"x\": {\"y\": [1, \"]\\\"\"]}}\n",
      "{\"hash_ids\": [8388112", ",8388120\t,8388112", ", 18446744073709551615 ]}\n",
      "{\"a\":null,\"hash_ids\":[0],\"b\":true}\n", ""}},
};

static size_t join(const struct sample *s, char *out) {
    out[0] = '\0';
    for (size_t i = 0; i <= COUNT; i++)
        strcat(out, s->lines[i]);
    return strlen(out);
}

static void assert_is_sample(const traces_result *r, const struct sample *s) {
    assert_string_equal(r->error, "");
    assert_string_equal(r->format, s->format);
    assert_int_equal(r->ids, s->ids);
    assert_int_equal(r->fields, s->fields);
    assert_int_equal(r->n, COUNT);
    assert_memory_equal(r->addr, addr, sizeof addr);
    if (s->fields & RD_FIELD_SIZE)
        assert_memory_equal(r->size, size, sizeof size);
    if (s->fields & RD_FIELD_KIND)
        assert_memory_equal(r->kind, kind, sizeof kind);
    if (s->fields & RD_FIELD_PC)
        assert_memory_equal(r->pc, pc, sizeof pc);
    if (s->fields & RD_FIELD_THREAD)
        assert_memory_equal(r->thread, thread, sizeof thread);
}

static void every_format_says_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        char text[2048];
        size_t n = join(&samples[i], text);
        traces_result r = traces_read(samples[i].spec, text, n);
        assert_is_sample(&r, &samples[i]);
        traces_free(&r);
    }
}

static void every_format_is_found_by_content(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        char text[2048];
        size_t n = join(&samples[i], text);
        if (strcmp(samples[i].spec, samples[i].format) != 0)
            continue; /* cannot be detected, because it needs its options */
        traces_result r = traces_read(NULL, text, n);
        assert_is_sample(&r, &samples[i]);
        traces_free(&r);
    }
}

/* Tests that the references stay the same with "\r\n" instead of "\n", blanks before the line end,
 * a byte order mark, and no newline after the last line. */
static void line_ends_and_marks_do_not_matter(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        char text[2048], changed[4096] = "\xef\xbb\xbf";
        size_t n = join(&samples[i], text), to = 3;
        for (size_t j = 0; j + 1 < n; j++) {
            if (text[j] == '\n') {
                changed[to++] = ' ';
                changed[to++] = '\r';
            }
            changed[to++] = text[j];
        }
        traces_result r = traces_read(samples[i].spec, changed, to);
        assert_is_sample(&r, &samples[i]);
        traces_free(&r);
    }
}

static void a_pipe_may_deliver_byte_by_byte(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        char text[2048];
        size_t n = join(&samples[i], text);
        traces_result r = traces_read_pipe(samples[i].spec, text, n, 1);
        assert_is_sample(&r, &samples[i]);
        traces_free(&r);
    }
}

/* Tests records that cross the boundaries of input buffers: lines of different lengths fill several
 * buffers. */
static void records_straddle_the_window(void **state) {
    (void)state;
    const size_t bytes = 900 * 1024;
    char *text = malloc(bytes + 4096);
    assert_non_null(text);
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        const struct sample *s = &samples[i];
        size_t n = 0, references = 0;
        n += (size_t)sprintf(text, "%s", s->lines[0]);
        for (; n < bytes; references += COUNT)
            for (size_t j = 1; j <= COUNT; j++)
                n += (size_t)sprintf(text + n, "%s", s->lines[j]);
        traces_result memory = traces_read(s->spec, text, n);
        assert_string_equal(memory.error, "");
        assert_int_equal(memory.n, references);
        for (size_t j = 0; j < memory.n; j++)
            assert_int_equal(memory.addr[j], addr[j % COUNT]);
        traces_result pipe = traces_read_pipe(s->spec, text, n, 4093);
        traces_assert_equal(&memory, &pipe);
        traces_free(&memory);
        traces_free(&pipe);
    }
    free(text);
}

static void an_empty_file_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; i <= RDI_COUNT(samples); i++) {
        traces_result r = traces_read(i < RDI_COUNT(samples) ? samples[i].spec : NULL, "", 0);
        assert_string_equal(r.error, "t: the file is empty");
        traces_free(&r);
    }
}

/* Invalid lines. The message must name the position and the expected text, and all references
 * before the invalid line must be delivered. */
static const struct {
    const char *spec;
    const char *text;
    size_t before; /* number of references before the damage */
    const char *error;
} damaged[] = {
#define LACKEY_EXPECTED                                                                            \
    "expected 'I  ADDR,SIZE', ' L ADDR,SIZE', ' S ADDR,SIZE' or ' M ADDR,SIZE' (address in "       \
    "hexadecimal), found "
    {"lackey", " L 1,1\n M 2,2\nwhat\n L 3,3\n", 3, "t: line 3: " LACKEY_EXPECTED "'what'"},
    {"lackey", " L 1,1\n\n\n L 12345678901234567,1\n", 1,
     "t: line 4: " LACKEY_EXPECTED "' L 12345678901234567,1'"},
    {"lackey", " L 1,4294967296", 0, "t: line 1: " LACKEY_EXPECTED "' L 1,4294967296'"},
    {"lackey", " L 1,\r\n", 0, "t: line 1: " LACKEY_EXPECTED "' L 1,'"},
    {"lackey", " L ,4\n", 0, "t: line 1: " LACKEY_EXPECTED "' L ,4'"},
    {"lackey", " L 1,4 5\n", 0, "t: line 1: " LACKEY_EXPECTED "' L 1,4 5'"},
    {"lackey", " L\n", 0, "t: line 1: " LACKEY_EXPECTED "' L'"},
    {"lackey", " \nI", 0, "t: line 2: " LACKEY_EXPECTED "'I'"},
    {"lackey", "LL 1,1\n", 0, "t: line 1: " LACKEY_EXPECTED "'LL 1,1'"},
    {"lackey", "I  \x1b[0m\x7f\xff\n", 0, "t: line 1: " LACKEY_EXPECTED "'I  \\x1b[0m\\x7f\\xff'"},
#define DIN_EXPECTED "expected 'LABEL ADDR' (label 0 to 4, address in hexadecimal), found "
    {"din", "0 1\n5 1\n", 1, "t: line 2: " DIN_EXPECTED "'5 1'"},
    {"din", "0 1\n0\n", 1, "t: line 2: " DIN_EXPECTED "'0'"},
    {"din", "0 1\n0 \n", 1, "t: line 2: " DIN_EXPECTED "'0'"},
    {"din", "0 10000000000000000", 0, "t: line 1: " DIN_EXPECTED "'0 10000000000000000'"},
    {"din", "0 12g4", 0, "t: line 1: " DIN_EXPECTED "'0 12g4'"},
    {"din", "00 12", 0, "t: line 1: " DIN_EXPECTED "'00 12'"},
#define PIN_EXPECTED "expected '0xPC: R 0xADDR' or '0xPC: W 0xADDR', found "
    {"pinatrace", "0x1: R 0x2\n0x1: X 0x2\n", 1, "t: line 2: " PIN_EXPECTED "'0x1: X 0x2'"},
    {"pinatrace", "1: R 0x2\n", 0, "t: line 1: " PIN_EXPECTED "'1: R 0x2'"},
    {"pinatrace", "0x1: R 2\n", 0, "t: line 1: " PIN_EXPECTED "'0x1: R 2'"},
    {"pinatrace", "0x1: R 0x2 3\n", 0, "t: line 1: " PIN_EXPECTED "'0x1: R 0x2 3'"},
    {"pinatrace", "0x1", 0, "t: line 1: " PIN_EXPECTED "'0x1'"},
#define VIEW_EXPECTED                                                                              \
    "expected 'RECORD INSTR: THREAD ifetch|read|write SIZE byte(s) @ 0xADDR [by PC 0xPC]'"
    {"drmemtrace", "x\n1 1: 7 ifetch 3 byte(s) @ 0x5\nx\n", 1,
     "t: line 3: " VIEW_EXPECTED ", found 'x'"},
    {"drmemtrace", "1 1: 7 ifetch 3 byte(s) @ 0x5\n1 1: 7 read 3 byte(s) @ 0x5\n", 1,
     "t: line 2: " VIEW_EXPECTED ", found '1 1: 7 read 3 byte(s) @ 0x5'"},
    {"drmemtrace", "1 1: 7 <x>\n1 1: 4294967296 read 3 byte(s) @ 0x5 by PC 0x1\n", 0,
     "t: line 2: " VIEW_EXPECTED ", found '1 1: 4294967296 read 3 byte(s) @ 0x5 by PC 0x1'"},
    {"drmemtrace", "hello\nworld\n", 0, "t: line 2: the file has no record: " VIEW_EXPECTED},
    {"text", "1\n2\n18446744073709551616\n3\n", 2,
     "t: line 3: '18446744073709551616' does not fit in 64 bits (base=string takes ids as names)"},
    {"text", "1\n0x12345678901234567", 1,
     "t: line 2: '0x12345678901234567' does not fit in 64 bits (base=string takes ids as names)"},
    {"text:base=dec", "007\n0x1\n", 1, "t: line 2: '0x1' is not a decimal number (base=dec)"},
    {"text:base=dec", "\n-7\n", 0, "t: line 2: '-7' is not a decimal number (base=dec)"},
    {"text:base=hex", "0x7\nff\n0xfg", 2,
     "t: line 3: '0xfg' is not a hexadecimal number (base=hex)"},
};

static void damage_is_reported_where_it_is(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(damaged); i++) {
        traces_result r = traces_read_text(damaged[i].spec, damaged[i].text);
        assert_string_equal(r.error, damaged[i].error);
        assert_int_equal(r.status, RD_EFORMAT);
        assert_int_equal(r.n, damaged[i].before);
        traces_result slow =
            traces_read_pipe(damaged[i].spec, damaged[i].text, strlen(damaged[i].text), 1);
        traces_assert_equal(&r, &slow);
        traces_free(&r);
        traces_free(&slow);
    }
}

static void nul_bytes_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        traces_result r = traces_read(samples[i].spec, "\0\0\0\n", 4);
        assert_int_not_equal(r.status, RD_OK);
        assert_memory_equal(r.error, "t: ", 3);
        traces_free(&r);
    }
    traces_result r = traces_read("text", "1\nab\0cd\n", 8);
    assert_string_equal(
        r.error, "t: line 2: the id contains a NUL byte; the trace may be in a binary format");
    assert_int_equal(r.n, 1);
    traces_free(&r);
}

/* Tests that a line is refused if it is longer than the limit, from memory and through a pipe, and
 * that a line of the largest length is read. */
static void endless_lines_are_refused(void **state) {
    (void)state;
    const size_t n = 3 * RDI_LINE_MAX;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, 'a', n);
    memcpy(text, "0x1\n", 4);
    traces_result r = traces_read("text:base=string", text, n);
    assert_string_equal(r.error, "t: line 2: the line is longer than 1048575 bytes");
    assert_int_equal(r.n, 1);
    traces_result slow = traces_read_pipe("text:base=string", text, n, 65536);
    traces_assert_equal(&r, &slow);
    traces_free(&r);
    traces_free(&slow);

    text[4 + RDI_LINE_MAX - 1] = '\n'; /* just short enough */
    r = traces_read("text:base=string", text, 4 + RDI_LINE_MAX);
    assert_string_equal(r.error, "");
    assert_int_equal(r.n, 2);
    traces_free(&r);
    text[4 + RDI_LINE_MAX - 1] = 'a'; /* one byte too long */
    text[4 + RDI_LINE_MAX] = '\n';
    r = traces_read("text:base=string", text, 4 + RDI_LINE_MAX + 1);
    assert_string_equal(r.error, "t: line 2: the line is longer than 1048575 bytes");
    traces_free(&r);
    free(text);
}

static void sizes_can_be_given_where_the_format_has_none(void **state) {
    (void)state;
    traces_result r = traces_read_text("din:size=8", "0 10\n2 20\n");
    assert_int_equal(r.fields, RD_FIELD_KIND | RD_FIELD_SIZE);
    assert_int_equal(r.size[0], 8);
    assert_int_equal(r.size[1], 8);
    assert_int_equal(r.kind[1], RD_FETCH);
    traces_free(&r);
    r = traces_read_text("pinatrace:size=4K", "0x10: W 0x1000\n#eof\n");
    assert_int_equal(r.n, 1);
    assert_int_equal(r.size[0], 4096);
    traces_free(&r);
    r = traces_read_text("din:size=0", "0 10\n");
    assert_string_equal(r.error, "format din: option 'size': 0 is too small: the minimum is 1");
    traces_free(&r);
}

/* ---- writing ---- */

static const struct {
    const char *format, *text;
    bool ids;
} written[] = {
    {"text", "0x7ffe10\n0x7ffe18\n0x7ffe10\n0xffffffffffffffff\n0x0\n", false},
    {"text", "8388112\n8388120\n8388112\n18446744073709551615\n0\n", true},
    {"lackey",
     " L 007ffe10,8\n S 007ffe18,4\n L 007ffe10,8\n S ffffffffffffffff,1\nI  00000000,16\n", false},
    {"din", "0 7ffe10\n1 7ffe18\n0 7ffe10\n1 ffffffffffffffff\n2 0\n", false},
};

static void write_references(const char *path, const char *format, uint32_t fields, bool ids) {
    rd_ctx *ctx = NULL;
    rd_trace_writer *w = NULL;
    uint8_t kinds[COUNT];
    memcpy(kinds, kind, sizeof kinds);
    kinds[COUNT - 1] = RD_FETCH;
    const rd_refs refs = {.n = COUNT, .addr = addr, .size = size, .kind = kinds, .pc = pc};
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_writer_open(ctx, path, format, fields, ids, &w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &refs), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    rd_ctx_free(ctx);
}

static void assert_file(const char *path, const char *text) {
    size_t n = 0;
    uint8_t *bytes = files_read(path, &n);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
    free(bytes);
}

static void text_formats_are_written_as_their_programs_do(void **state) {
    (void)state;
    char *path = files_path();
    const uint32_t all = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD;
    for (size_t i = 0; i < RDI_COUNT(written); i++) {
        write_references(path, written[i].format, all, written[i].ids);
        assert_file(path, written[i].text);
        traces_result r = traces_read_text(NULL, written[i].text);
        assert_string_equal(r.format, written[i].format);
        assert_int_equal(r.n, COUNT);
        assert_memory_equal(r.addr, addr, sizeof addr);
        traces_free(&r);
    }
    write_references(path, "lackey", 0, false); /* other columns have their defaults */
    assert_file(path, " L 007ffe10,1\n L 007ffe18,1\n L 007ffe10,1\n L ffffffffffffffff,1\n"
                      " L 00000000,1\n");
    files_remove(path);
}

/* ---- memory ---- */

typedef struct read_work {
    const char *spec, *text;
} read_work;

static rd_status read_everything(rd_ctx *ctx, void *user) {
    const read_work *work = user;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    rd_status status =
        rd_trace_open_memory(ctx, "t", work->text, strlen(work->text), work->spec, &t);
    while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
    }
    rd_trace_close(t);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(samples); i++) {
        char text[2048];
        join(&samples[i], text);
        read_work work = {samples[i].spec, text};
        assert_true(faults_inject(samples[i].spec, read_everything, &work, RD_OK) > 3);
    }
    char *names = malloc(3000 * 32);
    assert_non_null(names);
    size_t n = 0;
    for (size_t i = 0; i < 3000; i++)
        n += (size_t)sprintf(names + n, "\"na\"\"me-%zu\"\n", i);
    const char *const specs[] = {"text", "csv:id=1,header=off"};
    for (size_t i = 0; i < RDI_COUNT(specs); i++) {
        read_work work = {specs[i], names};
        assert_true(faults_inject(specs[i], read_everything, &work, RD_OK) > 10);
    }
    free(names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_says_the_same),
        cmocka_unit_test(every_format_is_found_by_content),
        cmocka_unit_test(line_ends_and_marks_do_not_matter),
        cmocka_unit_test(a_pipe_may_deliver_byte_by_byte),
        cmocka_unit_test(records_straddle_the_window),
        cmocka_unit_test(an_empty_file_is_an_error),
        cmocka_unit_test(damage_is_reported_where_it_is),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(endless_lines_are_refused),
        cmocka_unit_test(sizes_can_be_given_where_the_format_has_none),
        cmocka_unit_test(text_formats_are_written_as_their_programs_do),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
