/* Tests rd_kv_log, the readers of logs of requests: fields of each format, token ids,
 * conversations, the native format, and invalid logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/faults.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/kv_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens a log in memory. */
static rd_kv_log *open_log(const char *text, const rd_kv_log_config *config) {
    rd_kv_log *log = NULL;
    rd_status status = rd_kv_log_open_memory(ctx, "log", text, strlen(text), config, &log);
    if (status != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return log;
}

static const rd_kv_request *next(rd_kv_log *log) {
    const rd_kv_request *request = NULL;
    if (rd_kv_log_read(log, &request) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return request;
}

static void test_mooncake(void **state) {
    (void)state;
    rd_kv_log *log = open_log("{\"timestamp\": 27, \"input_length\": 1025, \"output_length\": 52, "
                              "\"hash_ids\": [46, 47, 2353]}\n\n"
                              "{\"hash_ids\": [], \"input_length\": 0, \"output_length\": 0, "
                              "\"timestamp\": 28.5, \"other\": {\"a\": [1, \"x\"]}}",
                              NULL);
    assert_string_equal(rd_kv_log_format(log), "mooncake");
    assert_int_equal(rd_kv_log_block_tokens(log), 512);
    const rd_kv_request *r = next(log);
    assert_int_equal(r->n_blocks, 3);
    assert_int_equal(r->blocks[2], 2353);
    assert_int_equal(r->prompt_tokens, 1025);
    assert_int_equal(r->output_tokens, 52);
    assert_int_equal(r->time_us, 27000);
    assert_int_equal(r->line, 1);
    r = next(log);
    assert_int_equal(r->n_blocks, 0);
    assert_int_equal(r->time_us, 28500);
    assert_int_equal(r->line, 3);
    assert_null(next(log));
    rd_kv_log_close(log);
}

static void test_bailian(void **state) {
    (void)state;
    rd_kv_log *log =
        open_log("{\"chat_id\": 7, \"parent_chat_id\": -1, \"timestamp\": 61.114, "
                 "\"input_length\": 20, \"output_length\": 4, \"type\": \"text\", \"turn\": 1, "
                 "\"hash_ids\": [1, 2]}\n"
                 "{\"chat_id\": 8, \"parent_chat_id\": 7, \"timestamp\": 62, \"input_length\": 32, "
                 "\"output_length\": 4, \"type\": \"text\", \"turn\": 2, \"hash_ids\": [1, 3]}\n"
                 "{\"chat_id\": 9, \"parent_chat_id\": -1, \"timestamp\": 62, \"input_length\": 1, "
                 "\"output_length\": 4, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [4]}\n",
                 NULL);
    assert_string_equal(rd_kv_log_format(log), "bailian");
    uint64_t first = next(log)->conversation;
    const rd_kv_request *r = next(log);
    assert_int_equal(r->conversation, first);
    assert_int_equal(r->turn, 2);
    assert_int_equal(r->time_us, 62000000);
    assert_int_not_equal(next(log)->conversation, first);
    rd_kv_log_close(log);
}

static void test_lmcache(void **state) {
    (void)state;
    rd_kv_log *log = open_log("{\"timestamp\": \"2026-04-01 10:00:00\", \"model_name\": \"m\", "
                              "\"chunk_size\": 8, \"seq_len\": 27, \"shapes\": [[2, 32, 8, 1024]], "
                              "\"dtypes\": [\"torch.bfloat16\"], "
                              "\"chunk_hashes\": [\"0x1f\", -5, \"ab/c\"]}\n",
                              NULL);
    const rd_kv_request *r = next(log);
    assert_string_equal(rd_kv_log_format(log), "lmcache");
    assert_int_equal(rd_kv_log_block_tokens(log), 8);
    assert_int_equal(r->n_blocks, 3);
    assert_int_equal(r->blocks[0], 0x1f);
    assert_int_equal(r->blocks[1], (uint64_t)-5);
    assert_int_equal(r->prompt_tokens, 27);
    assert_int_equal(r->time_us, RD_KV_NO_TIME);
    assert_true(rd_kv_log_token_bytes(log) == 2.0 * 32 * 1024 * 2);
    rd_kv_log_close(log);
}

/* Tests LMCache's lines as its server writes them by default: seconds since 1970, and hashes of 256
 * bits. */
static void test_lmcache_hashes_of_256_bits(void **state) {
    (void)state;
#define DIGITS "00112233445566778899aabbccddeeff00112233445566778899aabbccddee"
#define LINE(last)                                                                                 \
    "{\"timestamp\": 1711929600.125, \"request_id\": \"req-a\", \"model_name\": \"m\", "           \
    "\"chunk_size\": 256, \"seq_len\": 600, \"dtypes\": [\"torch.float8_e4m3fn\"], "               \
    "\"shapes\": [[32, 256, 128]], \"chunk_hashes\": [\"0x" DIGITS "01\", \"0x" DIGITS last        \
    "\"]}\n"
    rd_kv_log *log = open_log(LINE("02") LINE("03"), NULL);
    const rd_kv_request *r = next(log);
    assert_int_equal(rd_kv_log_block_tokens(log), 256);
    assert_int_equal(r->n_blocks, 2);
    assert_int_equal(r->prompt_tokens, 600);
    assert_int_equal(r->time_us, UINT64_C(1711929600125000));
    assert_true(rd_kv_log_token_bytes(log) == 32 * 128);
    uint64_t first = r->blocks[0], second = r->blocks[1];
    assert_int_not_equal(first, second);
    r = next(log);
    assert_int_equal(r->blocks[0], first);
    assert_int_not_equal(r->blocks[1], first);
    assert_int_not_equal(r->blocks[1], second);
    rd_kv_log_close(log);
#undef LINE
#undef DIGITS
}

static void test_any_fields(void **state) {
    (void)state;
    rd_kv_log_config config = {.size = sizeof config,
                               .format = "jsonl:blocks=h,tokens=n,output=o,time=t,unit=s,chat=c",
                               .block_tokens = 4};
    rd_kv_log *log = open_log("{\"h\":[9,8],\"n\":8,\"o\":3,\"t\":1.5,\"c\":\"bob\"}\n"
                              "{\"h\":[9],\"n\":5,\"o\":3,\"t\":2,\"c\":\"eve\"}\n"
                              "{\"h\":[9,7],\"n\":6,\"o\":3,\"t\":2,\"c\":\"bob\"}\n",
                              &config);
    uint64_t bob = next(log)->conversation;
    assert_int_not_equal(next(log)->conversation, bob);
    const rd_kv_request *r = next(log);
    assert_int_equal(r->conversation, bob);
    assert_int_equal(r->turn, 2);
    assert_int_equal(r->time_us, 2000000);
    rd_kv_log_close(log);
}

/* Tests that two prompts share a block if and only if all their tokens up to the end of the block
 * are equal. */
static void test_token_ids(void **state) {
    (void)state;
    rd_kv_log_config config = {.size = sizeof config, .block_tokens = 2};
    rd_kv_log *log = open_log("{\"token_ids\":[1,2,3,4,5],\"output_token_ids\":[6,7]}\n"
                              "{\"token_ids\":[1,2,3,4,5,6],\"output_token_ids\":[]}\n"
                              "{\"token_ids\":[0,2,3,4],\"output_token_ids\":[]}\n",
                              &config);
    uint64_t first[3], sequence[3];
    const rd_kv_request *r = next(log);
    assert_int_equal(r->n_blocks, 3);
    assert_int_equal(r->n_sequence, 3);
    assert_int_equal(r->prompt_tokens, 5);
    assert_int_equal(r->output_tokens, 2);
    memcpy(first, r->blocks, sizeof first);
    memcpy(sequence, r->sequence, sizeof sequence);
    assert_int_equal(first[1], sequence[1]);
    assert_int_not_equal(first[2], sequence[2]);
    r = next(log);
    assert_int_equal(r->n_blocks, 3);
    assert_int_equal(r->blocks[0], first[0]);
    assert_int_equal(r->blocks[2], sequence[2]);
    r = next(log);
    assert_int_not_equal(r->blocks[0], first[0]);
    assert_int_not_equal(r->blocks[1], first[1]);
    rd_kv_log_close(log);
}

/* Tests hashes that identify only the contents of their block. The reader turns each of them into a
 * hash that also identifies all blocks before it. */
static void test_content_ids(void **state) {
    (void)state;
    rd_kv_log_config config = {
        .size = sizeof config, .format = "jsonl:blocks=h", .block_tokens = 1, .content_ids = true};
    rd_kv_log *log = open_log("{\"h\":[1,2,1]}\n{\"h\":[2,2]}\n{\"h\":[1,2]}\n", &config);
    uint64_t first[3];
    memcpy(first, next(log)->blocks, sizeof first);
    assert_int_not_equal(first[0], first[2]);
    assert_int_not_equal(next(log)->blocks[1], first[1]);
    assert_int_equal(next(log)->blocks[1], first[1]);
    rd_kv_log_close(log);
}

/* ---- wrong logs ---- */

#define GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":1}\n"

static void test_wrong_lines_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {GOOD "{\"hash_ids\":[1],\"input_length\":5}\n", "line 2: the object has no field"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":1,\"output_length\":1}\n",
         "line 2: the object has the field \"output_length\""},
        {GOOD "\n{\"input_length\":5,\"timestamp\":1}\n", "line 3: the object has no array"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":-1}\n",
         "line 2: expected a time that is not negative, found '-1"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":1e999}\n", "expected a time"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":nan}\n", "expected a time"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":-5,\"timestamp\":1}\n", "expected an integer"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5.5,\"timestamp\":1}\n", "expected an integer"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":99999999999,\"timestamp\":1}\n",
         "expected an integer from 0 to 2,147,483,647"},
        {GOOD "{\"hash_ids\":[1,2,3],\"input_length\":5,\"timestamp\":1}\n",
         "line 2: this request has 3 blocks for 5 tokens"},
        {GOOD "{\"hash_ids\":[1.5],\"input_length\":5,\"timestamp\":1}\n",
         "expected a 64-bit integer or a string"},
        {GOOD "{\"hash_ids\":[99999999999999999999],\"input_length\":5,\"timestamp\":1}\n",
         "expected a 64-bit integer or a string"},
        {GOOD "{\"hash_ids\":[1,],\"input_length\":5,\"timestamp\":1}\n",
         "expected a 64-bit integer"},
        {GOOD "{\"hash_ids\":5,\"input_length\":5,\"timestamp\":1}\n", "expected an array"},
        {GOOD "{\"hash_ids\":[1],\"hash_ids\":[1]}\n", "\"hash_ids\" occurs twice"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":1\n", "expected ',' or '}'"},
        {GOOD "{\"hash_ids\":[1],\"input_length\":5,\"timestamp\":1} x\n", "the end of the line"},
        {GOOD "[1]\n", "line 2: expected a JSON object"},
        {GOOD "{\"hash_ids\":[1],\"x\":\"a", "line 2: expected a JSON value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rd_kv_log *log = open_log(cases[i].text, NULL);
        const rd_kv_request *request = NULL;
        rd_status status;
        while ((status = rd_kv_log_read(log, &request)) == RD_OK && request)
            ;
        if (status != RD_EFORMAT || !strstr(rd_last_error(ctx), cases[i].message))
            fail_msg("case %zu: %s: %s", i, rd_status_name(status), rd_last_error(ctx));
        assert_int_equal(rd_kv_log_read(log, &request), RD_EFORMAT);
        rd_kv_log_close(log);
    }
}

static void test_unknown_formats_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *format, *message;
    } cases[] = {
        {"moncake", "did you mean mooncake?"},
        {"mooncake:blocks=x", "has no options"},
        {"jsonl", "name either"},
        {"jsonl:blocks=a,ids=b", "name either"},
        {"jsonl:block_ids=a", "block_ids"},
        {"native", "this is not a native log"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rd_kv_log_config config = {.size = sizeof config, .format = cases[i].format};
        rd_kv_log *log = NULL;
        assert_int_not_equal(rd_kv_log_open_memory(ctx, "log", GOOD, strlen(GOOD), &config, &log),
                             RD_OK);
        if (!strstr(rd_last_error(ctx), cases[i].message))
            fail_msg("%s: %s", cases[i].format, rd_last_error(ctx));
    }
    rd_kv_log *log = NULL;
    assert_int_equal(rd_kv_log_open_memory(ctx, "log", "{\"a\":1}\n", 8, NULL, &log), RD_EFORMAT);
    assert_int_equal(rd_kv_log_open_memory(ctx, "log", "", 0, NULL, &log), RD_EFORMAT);
}

/* ---- the native format ---- */

/* Writes a log in the native format, without the time of request 3, and returns the contents of the
 * file. */
static uint8_t *write_native(const oracle_log *input, size_t *n) {
    char *path = files_path();
    rd_kv_writer *w = NULL;
    assert_int_equal(rd_kv_writer_open(ctx, path, input->block_tokens, &w), RD_OK);
    for (size_t i = 0; i < input->n; i++) {
        rd_kv_request request = oracle_request_at(input, i);
        request.time_us = i == 3 ? RD_KV_NO_TIME : request.time_us;
        assert_int_equal(rd_kv_writer_write(w, &request), RD_OK);
    }
    assert_int_equal(rd_kv_writer_finish(w), RD_OK);
    rd_kv_writer_close(w);
    uint8_t *bytes = files_read(path, n);
    files_remove(path);
    return bytes;
}

static void test_the_native_format_keeps_everything(void **state) {
    (void)state;
    static oracle_log input;
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t n = 0;
        oracle_make_log(&input, seed);
        uint8_t *bytes = write_native(&input, &n);
        rd_kv_log *log = NULL;
        assert_int_equal(rd_kv_log_open_memory(ctx, "log", bytes, n, NULL, &log), RD_OK);
        assert_int_equal(rd_kv_log_block_tokens(log), input.block_tokens);
        for (size_t i = 0; i < input.n; i++) {
            rd_kv_request a = oracle_request_at(&input, i);
            const rd_kv_request *b = next(log);
            assert_int_equal(a.n_blocks, b->n_blocks);
            assert_memory_equal(a.blocks, b->blocks, a.n_blocks * sizeof *a.blocks);
            assert_int_equal(a.n_sequence, b->n_sequence);
            assert_int_equal(a.sequence != NULL, b->sequence != NULL);
            if (a.n_sequence)
                assert_memory_equal(a.sequence, b->sequence, a.n_sequence * sizeof *a.sequence);
            assert_int_equal(a.prompt_tokens, b->prompt_tokens);
            assert_int_equal(a.output_tokens, b->output_tokens);
            assert_int_equal(i == 3 ? RD_KV_NO_TIME : a.time_us, b->time_us);
            assert_int_equal(a.conversation, b->conversation);
            assert_int_equal(a.turn, b->turn);
        }
        assert_null(next(log));
        rd_kv_log_close(log);
        free(bytes);
    }
}

/* Tests that a native log is refused if any byte is changed, except those of the block size, or if
 * it is cut off at any byte. */
static void test_damaged_native_logs_are_refused(void **state) {
    (void)state;
    static oracle_log input;
    size_t n = 0;
    oracle_make_log(&input, 3);
    assert_true(input.n > 4);
    uint8_t *bytes = write_native(&input, &n);
    for (size_t i = 0; i < 2 * n; i++) {
        size_t length = i < n ? n : i - n;
        bool changes = i < n;
        if (changes)
            bytes[i] ^= 0x41;
        rd_kv_log_config config = {.size = sizeof config, .format = "native"};
        rd_kv_log *log = NULL;
        const rd_kv_request *request = NULL;
        rd_status status = rd_kv_log_open_memory(ctx, "log", bytes, length, &config, &log);
        while (status == RD_OK && (status = rd_kv_log_read(log, &request)) == RD_OK && request)
            ;
        bool tokens = changes && i >= 8 && i < 12; /* the size of a block has no checksum */
        assert_true(status != RD_OK || tokens);
        rd_kv_log_close(log);
        if (changes)
            bytes[i] ^= 0x41;
    }
    free(bytes);
}

/* ---- failing allocations ---- */

static rd_status analyze_log(rd_ctx *own, void *user) {
    rd_kv_log *log = NULL;
    rd_kv *kv = NULL;
    rd_kv_fleet *fleet = NULL;
    const rd_kv_request *request = NULL;
    rd_kv_config config = {.size = sizeof config,
                           .block_tokens = 2,
                           .opt = true,
                           .outputs = true,
                           .sizes = {1, 2},
                           .n_sizes = 2};
    rd_kv_log_config log_config = {.size = sizeof log_config, .block_tokens = 2};
    rd_status status = rd_kv_log_open_memory(own, "log", user, strlen(user), &log_config, &log);
    if (status == RD_OK)
        status = rd_kv_new(own, &config, &kv);
    if (status == RD_OK)
        status = rd_kv_fleet_new(own, &config, 2, RD_KV_PREFIX, &fleet);
    while (status == RD_OK && (status = rd_kv_log_read(log, &request)) == RD_OK && request) {
        status = rd_kv_feed(kv, request);
        if (status == RD_OK)
            status = rd_kv_fleet_feed(fleet, request);
    }
    if (status == RD_OK)
        status = rd_kv_finish(kv);
    rd_kv_view view = {.size = sizeof view, .kv = kv, .name = "log", .replicas = 2};
    view.fleets[RD_KV_PREFIX] = fleet;
    rd_report_style style = {.size = sizeof style};
    char *text = NULL;
    size_t n = 0;
    if (status == RD_OK && (status = rd_kv_report_text(&view, &style, &text, &n)) == RD_OK)
        rd_text_free(own, text);
    if (status == RD_OK && (status = rd_kv_report_html(&view, &text, &n)) == RD_OK)
        rd_text_free(own, text);
    rd_kv_fleet_free(fleet);
    rd_kv_free(kv);
    rd_kv_log_close(log);
    return status;
}

static void test_failing_allocations(void **state) {
    (void)state;
    char text[] = "{\"token_ids\":[1,2,3,4,5],\"output_token_ids\":[6,7],\"conversation\":\"a\"}\n"
                  "{\"token_ids\":[1,2,3,4,5,6],\"output_token_ids\":[],\"conversation\":\"a\"}\n";
    assert_true(faults_inject("kv", analyze_log, text, RD_OK) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
        TEST(test_mooncake),
        TEST(test_bailian),
        TEST(test_lmcache),
        TEST(test_lmcache_hashes_of_256_bits),
        TEST(test_any_fields),
        TEST(test_token_ids),
        TEST(test_content_ids),
        TEST(test_wrong_lines_are_refused),
        TEST(test_unknown_formats_are_refused),
        TEST(test_the_native_format_keeps_everything),
        TEST(test_damaged_native_logs_are_refused),
        TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
