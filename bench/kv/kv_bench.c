/* Measures the speed of prefix-cache analysis on a native log and on JSON lines.
 *
 * usage: kv_bench FOLDER [TOUCHES [REPEAT]]
 *
 * Writes a synthetic log of conversations to FOLDER as a native log, and its first tenth as JSON
 * lines, and analyzes both. Prints a line of JSON: requests, touches (blocks of requests), distinct
 * blocks, sizes of the files, peak memory, and the least processor seconds of REPEAT runs for the
 * native log, for reading the JSON lines only, and for analyzing them. The files are removed at the
 * end. */
#include "reusedist/experimental.h"
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CONVERSATIONS 20000
#define LONGEST       200 /* maximum number of blocks of a conversation */
#define FIRST         50  /* maximum number of new blocks in a conversation's first prompt */
#define TURN          9   /* maximum number of new blocks per turn */
#define BLOCK_TOKENS  512
#define JSON_SHARE    10 /* the JSON log has the first tenth of the touches */
#define PATH_ROOM     4096

typedef struct conversation {
    uint64_t blocks[LONGEST + TURN];
    size_t n;
} conversation;

static uint64_t random_state = UINT64_C(88172645463325252);

/* Returns a random number below n (xorshift). */
static uint64_t below(uint64_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static void stop(const char *what) {
    fprintf(stderr, "kv_bench: %s\n", what);
    exit(1);
}

static void need(rd_ctx *ctx, rd_status status) {
    if (status != RD_OK)
        stop(rd_last_error(ctx));
}

static double processor_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* ---- the log ---- */

/* Begins or continues a random conversation, and returns it. All conversations begin with block 0.
 * Conversations at the beginning of the array are more active than later ones. `*next` is the next
 * unused block. */
static const conversation *next_turn(conversation *all, uint64_t *next) {
    conversation *c = &all[below(CONVERSATIONS) * below(1000) / 1000];
    uint64_t more = 1 + below(TURN);
    if (c->n == 0 || c->n + more > LONGEST) {
        c->n = 1;
        more = 1 + below(FIRST);
    }
    for (; more > 0; more--)
        c->blocks[c->n++] = (*next)++;
    return c;
}

static void write_json(FILE *out, const conversation *c, uint64_t time_us) {
    fprintf(out, "{\"timestamp\": %" PRIu64 ", \"input_length\": %zu, \"output_length\": 300, ",
            time_us / 1000, c->n * BLOCK_TOKENS);
    for (size_t i = 0; i < c->n; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "\"hash_ids\": [", c->blocks[i]);
    fputs("]}\n", out);
}

static void write_logs(rd_ctx *ctx, const char *native, const char *json, uint64_t touches) {
    conversation *all = calloc(CONVERSATIONS, sizeof *all);
    FILE *out = fopen(json, "w");
    rd_kv_writer *w = NULL;
    uint64_t next = 1, done = 0, time_us = 0;
    if (!all)
        stop("out of memory");
    if (!out)
        stop("cannot write the logs to the folder");
    need(ctx, rd_kv_writer_open(ctx, native, BLOCK_TOKENS, &w));
    while (done < touches) {
        const conversation *c = next_turn(all, &next);
        time_us += below(20000);
        rd_kv_request request = {.blocks = c->blocks,
                                 .n_blocks = c->n,
                                 .prompt_tokens = c->n * BLOCK_TOKENS,
                                 .output_tokens = 300,
                                 .time_us = time_us};
        need(ctx, rd_kv_writer_write(w, &request));
        if (done < touches / JSON_SHARE)
            write_json(out, c, time_us);
        done += c->n;
    }
    need(ctx, rd_kv_writer_finish(w));
    rd_kv_writer_close(w);
    if (fclose(out) != 0)
        stop("cannot write the logs to the folder");
    free(all);
}

/* ---- measuring ---- */

/* Reads a log and, if `analyze` is true, analyzes it. Returns the processor seconds. */
static double measure(rd_ctx *ctx, const char *path, bool analyze, rd_kv_totals *totals) {
    double begin = processor_seconds();
    rd_kv_log *log = NULL;
    rd_kv *kv = NULL;
    const rd_kv_request *request = NULL;
    rd_kv_config config = {.size = sizeof config, .block_tokens = BLOCK_TOKENS};
    for (int power = 0; power <= 40; power++)
        config.sizes[config.n_sizes++] = UINT64_C(1) << power;
    need(ctx, rd_kv_log_open(ctx, path, NULL, &log));
    need(ctx, rd_kv_new(ctx, &config, &kv));
    while (need(ctx, rd_kv_log_read(log, &request)), request)
        if (analyze)
            need(ctx, rd_kv_feed(kv, request));
    need(ctx, rd_kv_finish(kv));
    *totals = rd_kv_totals_of(kv);
    rd_kv_free(kv);
    rd_kv_log_close(log);
    return processor_seconds() - begin;
}

/* Returns the least processor seconds of `repeat` calls of measure(). */
static double least(rd_ctx *ctx, const char *path, bool analyze, unsigned repeat,
                    rd_kv_totals *totals) {
    double best = measure(ctx, path, analyze, totals);
    for (unsigned i = 1; i < repeat; i++) {
        double seconds = measure(ctx, path, analyze, totals);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static uint64_t file_bytes(const char *path) {
    FILE *f = fopen(path, "r");
    long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;
    if (f)
        fclose(f);
    return (uint64_t)n;
}

static void print_line(rd_ctx *ctx, const char *native, const char *json, unsigned repeat) {
    rd_kv_totals totals, json_totals, none;
    double seconds = least(ctx, native, true, repeat, &totals);
    size_t peak = rd_ctx_peak_bytes(ctx);
    double reading = least(ctx, json, false, repeat, &none);
    double json_seconds = least(ctx, json, true, repeat, &json_totals);
    rd_json_writer *w = NULL;
    char *text = NULL;
    size_t n = 0;
    need(ctx, rd_json_writer_new(ctx, RD_JSON_SPACED, &w));
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "repeat", repeat);
    rd_json_put_u64(w, "requests", totals.requests);
    rd_json_put_u64(w, "touches", totals.blocks);
    rd_json_put_u64(w, "blocks", totals.distinct);
    rd_json_put_u64(w, "native_bytes", file_bytes(native));
    rd_json_put_fixed(w, "native_seconds", seconds, 3);
    rd_json_put_u64(w, "peak_bytes", peak);
    rd_json_put_u64(w, "json_touches", json_totals.blocks);
    rd_json_put_u64(w, "json_bytes", file_bytes(json));
    rd_json_put_fixed(w, "json_reading_seconds", reading, 3);
    rd_json_put_fixed(w, "json_seconds", json_seconds, 3);
    rd_json_end_object(w);
    need(ctx, rd_json_writer_take(w, &text, &n));
    fputs(text, stdout);
    rd_text_free(ctx, text);
    rd_json_writer_free(w);
}

int main(int argc, char **argv) {
    char native[PATH_ROOM], json[PATH_ROOM];
    rd_ctx *ctx = NULL;
    if (argc < 2 || argc > 4)
        stop("usage: kv_bench FOLDER [TOUCHES [REPEAT]]");
    uint64_t touches = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000;
    unsigned repeat = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 5;
    snprintf(native, sizeof native, "%s/kv_bench.kv", argv[1]);
    snprintf(json, sizeof json, "%s/kv_bench.jsonl", argv[1]);
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        stop("out of memory");
    write_logs(ctx, native, json, touches);
    print_line(ctx, native, json, repeat);
    remove(native);
    remove(json);
    rd_ctx_free(ctx);
    return 0;
}
