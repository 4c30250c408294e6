/* kv: sizes prefix caches of language-model servers from a log of requests. */
#include "kv_options.h"

#include "option_rows.h"
#include "output_file.h"
#include "terminal.h"

#include <inttypes.h>
#include <string.h>

/* The state of one run of the command. */
typedef struct kv_run {
    rd_ctx *ctx;
    const kv_options *options;
    const char *path;
    kv_setup setup;
    rd_kv_log *log;
    rd_kv_writer *writer;
    rd_kv *kv;
    rd_kv_fleet *fleets[RD_KV_ROUTERS];
    rd_kv_plan plan;
    progress bar;
} kv_run;

/* ---- reading ---- */

/* Opens the analyses. The caller has already read the first request (`first`; NULL: the log is empty),
 * because some logs state the size of their blocks on the first line. Reports a failure and returns the
 * exit status. */
static int open_analyses(kv_run *run, const rd_kv_request *first) {
    const kv_options *o = run->options;
    rd_kv_config *config = &run->setup.config;
    uint64_t block_tokens = rd_kv_log_block_tokens(run->log);
    int usage = kv_setup_finish(o, block_tokens, rd_kv_log_token_bytes(run->log), &run->setup);
    if (usage != EXIT_OK)
        return usage;
    config->name = strcmp(run->path, "-") == 0 ? "(standard input)" : run->path;
    rd_status status = rd_kv_new(run->ctx, config, &run->kv);
    for (int r = 0; status == RD_OK && o->replicas && r < RD_KV_ROUTERS; r++)
        if (r != RD_KV_CONVERSATION || (first && first->conversation))
            status = rd_kv_fleet_new(run->ctx, config, (uint32_t)o->replicas, (rd_kv_router)r,
                                     &run->fleets[r]);
    if (status == RD_OK && o->save)
        status = rd_kv_writer_open(run->ctx, o->save, block_tokens, &run->writer);
    return status == RD_OK ? EXIT_OK : fail_status(run->ctx, status);
}

static rd_status feed(kv_run *run, const rd_kv_request *request) {
    rd_status status = rd_kv_feed(run->kv, request);
    for (int r = 0; status == RD_OK && r < RD_KV_ROUTERS; r++)
        if (run->fleets[r])
            status = rd_kv_fleet_feed(run->fleets[r], request);
    if (status == RD_OK && run->writer)
        status = rd_kv_writer_write(run->writer, request);
    return status;
}

static rd_status finish(kv_run *run) {
    rd_status status = rd_kv_finish(run->kv);
    for (int r = 0; status == RD_OK && r < RD_KV_ROUTERS; r++)
        if (run->fleets[r])
            status = rd_kv_fleet_finish(run->fleets[r]);
    if (status == RD_OK && run->writer)
        status = rd_kv_writer_finish(run->writer);
    if (status == RD_OK && run->setup.has_goal)
        status = rd_kv_plan_find(run->kv, run->setup.offers, run->setup.n_offers, &run->setup.goal,
                                 &run->plan);
    return status;
}

static void show_progress(kv_run *run, uint64_t requests) {
    uint64_t done = 0;
    if (requests % 256 != 0)
        return;
    rd_kv_log_progress(run->log, &done, NULL);
    progress_update(&run->bar, done, requests);
}

/* Reads the whole log and analyzes it. Reports a failure and returns the exit status. */
static int read_log(kv_run *run) {
    const rd_kv_request *request = NULL;
    rd_status status = rd_kv_log_read(run->log, &request);
    if (status != RD_OK)
        return fail_status(run->ctx, status);
    int opened = open_analyses(run, request);
    if (opened != EXIT_OK)
        return opened;
    char *paths[] = {(char *)(uintptr_t)run->path};
    progress_start(&run->bar, (progress_when)run->options->progress, progress_total(1, paths));
    for (uint64_t n = 1; status == RD_OK && request; n++) {
        status = feed(run, request);
        if (status == RD_OK)
            status = rd_kv_log_read(run->log, &request);
        show_progress(run, n);
    }
    if (status == RD_OK)
        status = finish(run);
    progress_wipe(&run->bar);
    return status == RD_OK ? EXIT_OK : fail_status(run->ctx, status);
}

/* ---- results ---- */

static rd_kv_view make_view(const kv_run *run) {
    const kv_options *o = run->options;
    const kv_setup *s = &run->setup;
    rd_kv_view view = {.size = sizeof view,
                       .kv = run->kv,
                       .name = run->path,
                       .format = rd_kv_log_format(run->log),
                       .chosen = o->sizes.n > 0,
                       .unit = s->unit,
                       .token_bytes = s->token_bytes,
                       .model = s->has_model ? &s->model : NULL,
                       .card_bytes = (double)o->card,
                       .weights_bytes = o->weights ? (double)o->weights : s->model.weights_bytes,
                       .offers = s->n_offers ? s->offers : NULL,
                       .inclusive = o->fill == 1,
                       .goal = s->has_goal ? &s->goal : NULL,
                       .plan = s->has_goal ? &run->plan : NULL,
                       .replicas = (uint32_t)o->replicas};
    for (int r = 0; r < RD_KV_ROUTERS; r++)
        view.fleets[r] = run->fleets[r];
    return view;
}

static int write_results(const kv_run *run) {
    const kv_options *o = run->options;
    rd_kv_view view = make_view(run);
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV    ? rd_kv_report_csv(&view, &text, &n)
                       : o->out == OUT_JSON ? rd_kv_report_json(&view, &text, &n)
                                            : rd_kv_report_text(&view, &style, &text, &n);
    int written = output_made(run->ctx, o->output, status, text, n);
    if (written == EXIT_OK && o->page) {
        text = NULL;
        status = rd_kv_report_html(&view, &text, &n);
        written = output_made(run->ctx, o->page, status, text, n);
    }
    return written;
}

static void close_run(kv_run *run) {
    for (int r = 0; r < RD_KV_ROUTERS; r++)
        rd_kv_fleet_free(run->fleets[r]);
    rd_kv_free(run->kv);
    rd_kv_writer_close(run->writer);
    rd_kv_log_close(run->log);
}

static int check_outputs(rd_ctx *ctx, const kv_options *o, char **operands) {
    output_place places[3] = {{.option = "-o", .path = o->output}};
    size_t n = 1;
    if (o->page)
        places[n++] = (output_place){.option = "--report", .path = o->page};
    if (o->save)
        places[n++] = (output_place){.option = "--save", .path = o->save};
    return output_check(ctx, places, n, (const char *const *)operands, 1);
}

static int run_kv(rd_ctx *ctx, void *opts, int n, char **operands) {
    kv_run run = {.ctx = ctx, .options = opts};
    const kv_options *o = opts;
    if (o->models) {
        kv_print_models();
        return EXIT_OK;
    }
    if (n == 0) {
        fail_usage("kv: no log is given; give a file, or - for standard input");
        print_usage(stderr, command_find("kv"));
        return EXIT_USAGE;
    }
    run.path = operands[0];
    int status = kv_setup_parse(ctx, o, &run.setup);
    if (status == EXIT_OK)
        status = check_outputs(ctx, o, operands);
    if (status != EXIT_OK)
        return status;
    rd_kv_log_config config = {.size = sizeof config,
                               .format = o->format,
                               .block_tokens = o->block_tokens,
                               .content_ids = o->ids == 1};
    rd_status opened = rd_kv_log_open(ctx, run.path, &config, &run.log);
    status = opened == RD_OK ? read_log(&run) : fail_status(ctx, opened);
    if (status == EXIT_OK)
        status = write_results(&run);
    close_run(&run);
    return status;
}

const command command_kv = {
    .name = "kv",
    .summary = "size the prefix (KV) cache of a language-model server",
    .operands = "LOG",
    .details =
        "This command reads a log of requests and computes exactly, in one pass, which share of\n"
        "the prompts a prefix cache of any size serves. '-' is standard input. A request is a\n"
        "list of block hashes. By default, each hash identifies its block and all blocks before\n"
        "it (--ids). The cache serves the blocks at the beginning of the prompt up to the first\n"
        "block that it does not hold, and evicts the least recently used block.\n"
        "\n"
        "A log is a file of JSON lines, or of the binary format native that --save writes; it may\n"
        "be compressed. The formats of JSON lines and their fields are:\n"
        "  mooncake   hash_ids, input_length, output_length, timestamp (ms)\n"
        "  bailian    hash_ids, input_length, output_length, timestamp (s), chat_id,\n"
        "             parent_chat_id, turn\n"
        "  lmcache    chunk_hashes, seq_len, chunk_size, shapes, dtypes, timestamp (s)\n"
        "  tokens     token_ids, output_token_ids, timestamp (s), conversation, turn\n"
        "For any other format of JSON lines, name the fields:\n"
        "  reusedist kv -f jsonl:blocks=hashes,tokens=n_prompt,time=t,unit=s,chat=session log\n"
        "Further fields: output=, ids= (token ids instead of blocks), output_ids=, turn=,\n"
        "parent=, block=. All requests must have the same fields.\n"
        "\n"
        "With --tiers, --hits=60% finds the cheapest sizes that serve 60 % of the prompt tokens,\n"
        "and --budget=N finds the best sizes that cost at most N per hour. In --tiers, cost= is "
        "the\n"
        "price of a GiB for an hour, and speed= is the number of bytes that a tier loads per "
        "second.\n"
        "docs/prefix-caches.md has definitions, examples, and what is not modeled.\n",
    .opts = kv_opts,
    .opts_size = sizeof(kv_options),
    .min_operands = 0,
    .max_operands = 1,
    .run = run_kv,
};
