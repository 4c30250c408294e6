/* Tests format detection by content: each format recognizes its own files and no others. */
#include "support/files.h"
#include "support/traces.h"
#include "trace/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *format; /* the expected format; NULL: none */
    const char *text;
} texts[] = {
    {"lackey", "==7== Lackey, an example Valgrind tool\n==7== \nI  0401ab70,3\n S 1fff0006c8,8\n"},
    {"lackey", " L 10,1\n M 20,1\n L 22,1\n S 18,1\n"},
    {"lackey", "I  04000,4"},
    {"din", "2 0\n0 1000\n1 70f60888\n"},
    {"din", "0 7fff comment, with; separators|\n2 400 \n"},
    {"pinatrace", "0x7f3d01c2a0d3: R 0x7ffe2a4c1b58\n0x7f3d01c2a0d7: W 0x7ffe2a4c1b50\n#eof\n"},
    {"drmemtrace",
     "Hello, world!\nOutput format:\n<--record#-> <--instr#->: <Wrkld.Tid> <record details>\n"
     "------------------------------------------------------------\n"
     "           1           0: W0.T3264182 <marker: version 3>\n"},
    {"drmemtrace", "1 1: 7 read 8 byte(s) @ 0x10 by PC 0x20\n"},
    {"text", "0x7fffc923c998\n0x7fffc923c990\n"},
    {"text", "1\n2\n3\n"},
    {"text", "# a comment, with commas\n\n  17  \n"},
    {"text", "alice\nbob\nalice\n"},
    {"text", "2\n0\n1\n"},
    {"text", "https://example.org/a?b=c\nhttps://example.org/\n"},
    {"csv", "time,id,size\n1,2,3\n"},
    {"csv", "timestamp\tkey\n1\tx y\n"},
    {"csv", "\"op\";\"address\"\nr;1\n"},
    {"csv", "#addr|size\n1|2\n"},
    {"jsonl", "{\"timestamp\": 0, \"hash_ids\": [0, 1]}\n"},
    {"jsonl", "{\"hash_ids\":[]}"},
    {NULL, "the quick brown fox\njumps over the lazy dog\n"},
    {NULL, "1,2,3\n4,5,6\n"},
    {NULL, "17 4 2\n18 5 2\n"},
    {NULL, "time,name\n1,2\n"},
    {NULL, "{\"ids\":[1,2]}\n"},
    {NULL, "{\"x\":\n\"hash_ids\"}\n"},
    {NULL, "\x89PNG\r\n\x1a\n and more"},
    {NULL, "\n\n\n"},
    {NULL, "# only a comment\n"},
    {NULL, "==7== Lackey, an example Valgrind tool\n==7== \n"},
    {NULL, "#eof\n"},
    {NULL, " L 10,1\nI  04000,4\n0 10\n"},
};

static void texts_are_recognized(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(texts); i++) {
        traces_result r = traces_read_text(NULL, texts[i].text);
        if (texts[i].format) {
            if (!r.format || strcmp(r.format, texts[i].format) != 0)
                fail_msg("'%s' is taken for %s: %s", texts[i].text,
                         r.format ? r.format : "no format", r.error);
            assert_string_equal(r.error, "");
        } else {
            if (r.format)
                fail_msg("'%s' is taken for format %s", texts[i].text, r.format);
            assert_memory_equal(r.error, "t: cannot detect the trace format", 31);
        }
        traces_free(&r);
    }
}

/* Tests that the format of a damaged file is still recognized: the message comes from the reader of this
 * format. */
static void damaged_files_are_recognized(void **state) {
    (void)state;
    traces_result r = traces_read_text(NULL, " L 0,8\n L 0,8\n L 0,8\n L 0,8\n L 0,8\n L 0,8\n"
                                             " L 0,8\n L 0,8\n L 0");
    assert_string_equal(r.format, "lackey");
    assert_int_equal(r.n, 8);
    assert_memory_equal(r.error, "t: line 9: expected ", 20);
    traces_free(&r);
    r = traces_read_text(NULL, "0\t1\n0\t1\n0\t1\n0\t1\n0\t1\n0\t1\n0\t1\n0\t1\n5\t1\n");
    assert_string_equal(r.format, "din");
    assert_memory_equal(r.error, "t: line 9: expected ", 20);
    traces_free(&r);
}

/* Tests that files of more than RDI_PROBE_MAX bytes, which is all that the probes see, are
 * recognized. What the probes see may end inside a line. */
static void long_files_are_recognized(void **state) {
    (void)state;
    const size_t bytes = 3 * RDI_PROBE_MAX;
    char *text = malloc(bytes + 1024);
    assert_non_null(text);
    for (size_t i = 0; i < RDI_COUNT(texts); i++) {
        size_t len = strlen(texts[i].text), n = 0;
        if (!texts[i].format || texts[i].text[len - 1] != '\n' || len < 10)
            continue;
        for (; n < bytes; n += len)
            memcpy(text + n, texts[i].text, len);
        rd_ctx *ctx = NULL;
        rd_trace *t = NULL;
        assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
        assert_int_equal(rd_trace_open_memory(ctx, "t", text, n, NULL, &t), RD_OK);
        assert_string_equal(rd_trace_format(t)->name, texts[i].format);
        rd_trace_close(t);
        rd_ctx_free(ctx);
    }
    free(text);
}

/* Makes a ChampSim trace, which this project cannot write. */
static size_t make_champsim(uint8_t *out) {
    enum { RECORDS = 50, BYTES = 64 };
    memset(out, 0, RECORDS * BYTES);
    for (size_t i = 0; i < RECORDS; i++) {
        uint8_t *record = out + i * BYTES;
        rdi_store_le64(record, 0x401000 + 4 * i);
        record[8] = i % 5 == 0; /* the instruction is a branch */
        rdi_store_le64(record + 32, 0x7ffe00001000 + 8 * i);
    }
    return RECORDS * BYTES;
}

static size_t make_oraclegeneral(uint8_t *out) {
    enum { RECORDS = 50, BYTES = 24, OBJECTS = 10 };
    for (size_t i = 0; i < RECORDS; i++) {
        uint8_t *record = out + i * BYTES;
        rdi_store_le32(record, (uint32_t)i);
        rdi_store_le64(record + 4, 1000 + i % OBJECTS);
        rdi_store_le32(record + 12, 4096);
        rdi_store_le64(record + 16, i + OBJECTS < RECORDS ? i + OBJECTS : UINT64_MAX);
    }
    return RECORDS * BYTES;
}

static void binary_records_are_recognized(void **state) {
    (void)state;
    uint8_t bytes[4096];
    traces_result r = traces_read(NULL, bytes, make_champsim(bytes));
    assert_string_equal(r.format, "champsim");
    traces_free(&r);
    r = traces_read(NULL, bytes, make_oraclegeneral(bytes));
    assert_string_equal(r.format, "oraclegeneral");
    traces_free(&r);
}

static void write_trace(const char *path, const rd_format_info *info) {
    enum { N = 5000 };
    static uint64_t addr[N];
    static uint32_t size[N];
    static uint8_t kind[N];
    rdi_rng rng = {3};
    for (size_t i = 0; i < N; i++) {
        addr[i] = 0x400000 + 8 * rdi_rng_below(&rng, 100000);
        size[i] = (uint32_t)(1 + rdi_rng_below(&rng, 8));
        kind[i] = (uint8_t)(1 << rdi_rng_below(&rng, 3));
    }
    rd_ctx *ctx = NULL;
    rd_trace_writer *w = NULL;
    const rd_refs refs = {.n = N, .addr = addr, .size = size, .kind = kind};
    uint32_t fields = info->fields & (RD_FIELD_SIZE | RD_FIELD_KIND);
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_writer_open(ctx, path, info->name, fields, info->ids, &w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, &refs), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    rd_ctx_free(ctx);
}

static void what_is_written_is_recognised(void **state) {
    (void)state;
    char *path = files_path();
    for (size_t i = 0; rd_format_info_at(i); i++) {
        const rd_format_info *info = rd_format_info_at(i);
        if (!info->writable)
            continue;
        write_trace(path, info);
        size_t n = 0;
        uint8_t *bytes = files_read(path, &n);
        traces_result r = traces_read(NULL, bytes, n);
        if (!r.format || strcmp(r.format, info->name) != 0)
            fail_msg("format %s is taken for %s", info->name, r.format ? r.format : "no format");
        assert_string_equal(r.error, "");
        assert_int_equal(r.n, 5000);
        traces_free(&r);
        free(bytes);
    }
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_recognized),
        cmocka_unit_test(damaged_files_are_recognized),
        cmocka_unit_test(long_files_are_recognized),
        cmocka_unit_test(binary_records_are_recognized),
        cmocka_unit_test(what_is_written_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
