/* Reads logs of requests: opens them, checks every line and turns lines into requests. */
#include "prefix/kv_log.h"

#include "base/sized.h"

#include <inttypes.h>

#define LINE_MAX_BYTES (64 * 1024 * 1024)

/* ---- hashes ---- */

/* Returns the hash of the block `id` that follows a block with the hash `before`. */
static uint64_t chain(uint64_t before, uint64_t id) {
    return rdi_mix64(before * UINT64_C(0x9e3779b97f4a7c15) + rdi_mix64(id ^ UINT64_C(0x6b76)));
}

static void chain_blocks(rdi_u64_list *blocks) {
    uint64_t hash = 0;
    for (size_t i = 0; i < blocks->n; i++)
        blocks->at[i] = hash = chain(hash, blocks->at[i]);
}

/* Divides the tokens `ids`, followed by the tokens `more` unless `more` is NULL, into blocks, and
 * sets `out` to the hashes of the blocks. A last block that is not full is included only if
 * `partial` is true. The hash of a block depends on its number of tokens. */
static rd_status hash_tokens(rd_kv_log *log, const rdi_u64_list *ids, const rdi_u64_list *more,
                             bool partial, rdi_u64_list *out) {
    uint64_t hash = 0, n = 0, total = ids->n + (more ? more->n : 0);
    out->n = 0;
    for (size_t i = 0; i < total; i++) {
        hash = chain(hash, i < ids->n ? ids->at[i] : more->at[i - ids->n]);
        if (++n < log->block_tokens && !(partial && i + 1 == total))
            continue;
        hash = chain(hash, n);
        RD_TRY(rdi_u64_list_append(log->ctx, out, &hash, 1));
        n = 0;
    }
    return RD_OK;
}

/* ---- conversations ---- */

/* Finds the conversation and the turn of a request. A request continues the conversation of its
 * parent. A parent that is not in the log counts as the first turn of a conversation. A request
 * without a parent begins a conversation. If the log has no field for parents, the chat is the
 * conversation. */
static rd_status find_conversation(rd_kv_log *log) {
    rdi_kv_line *line = &log->line;
    rd_kv_request *r = &log->request;
    uint64_t root = line->chat, turn = 1, old;
    if (!log->fields.name[RDI_KV_PARENT] || !(line->present >> RDI_KV_PARENT & 1)) {
        const uint64_t *last = rdi_block_map_find(&log->turns, line->chat);
        turn = last ? *last + 1 : 1;
    } else if (!line->no_parent) {
        const uint64_t *known = rdi_block_map_find(&log->roots, line->parent);
        const uint64_t *before = rdi_block_map_find(&log->turns, line->parent);
        root = known ? *known : line->parent == RDI_ABSENT ? 0 : line->parent;
        turn = before ? *before + 1 : 2;
    }
    if (root == RDI_ABSENT)
        root = 0;
    RD_TRY(rdi_block_map_exchange(&log->roots, line->chat, root, &old));
    RD_TRY(rdi_block_map_exchange(&log->turns, line->chat, turn, &old));
    r->conversation = rdi_mix64(root + 1) | 1;
    r->turn = (uint32_t)turn;
    return RD_OK;
}

/* ---- checks ---- */

/* Checks that the line has the list of blocks or tokens, and the same fields as the first line. */
static bool same_fields(rd_kv_log *log) {
    uint32_t present = log->line.present;
    rdi_kv_field list = log->fields.name[RDI_KV_IDS] ? RDI_KV_IDS : RDI_KV_BLOCKS;
    if (!(present >> list & 1))
        return rdi_kv_refuse(log,
                             "the object has no array \"%s\"; name the fields with -f "
                             "jsonl:blocks=NAME,tokens=NAME,...",
                             log->fields.name[list]);
    if (log->first_line == 0 || present == log->first_present)
        return true;
    unsigned differs = (unsigned)__builtin_ctz(present ^ log->first_present);
    bool here = present >> differs & 1;
    return rdi_kv_refuse(log,
                         "the object has %s field \"%s\", but the first request, in line %" PRIu64
                         ", %s; all requests must have the same fields",
                         here ? "the" : "no", log->fields.name[differs], log->first_line,
                         here ? "does not have it" : "has it");
}

/* Takes the size of a block from the first line, unless the caller has set the size, and checks
 * that the current line states the same size. */
static bool check_block_size(rd_kv_log *log) {
    uint64_t size = log->line.block_size;
    if (!(log->line.present >> RDI_KV_BLOCK_SIZE & 1))
        return true;
    if (size == 0)
        return rdi_kv_refuse(log, "a block has 0 tokens; it must have at least 1");
    if (log->first_line == 0 && !log->fixed_block_tokens)
        log->block_tokens = size;
    return size == log->block_tokens ||
           rdi_kv_refuse(log, "blocks have %" PRIu64 " tokens in this line, but %" PRIu64 " %s",
                         size, log->block_tokens,
                         log->fixed_block_tokens ? "according to --block-tokens; correct the option"
                                                 : "in earlier lines; all must have the same size");
}

/* Checks that the number of blocks matches the number of tokens, with or without a last block that
 * is not full. */
static bool check_lengths(rd_kv_log *log) {
    const rd_kv_request *r = &log->request;
    uint64_t full = r->prompt_tokens / log->block_tokens;
    uint64_t all = full + (r->prompt_tokens % log->block_tokens != 0);
    if (r->n_blocks == full || r->n_blocks == all)
        return true;
    return rdi_kv_refuse(log,
                         "this request has %zu block%s for %" PRIu64 " token%s; with %" PRIu64
                         " tokens per block there would be %" PRIu64
                         " (--block-tokens sets the tokens per block)",
                         r->n_blocks, r->n_blocks == 1 ? "" : "s", r->prompt_tokens,
                         r->prompt_tokens == 1 ? "" : "s", log->block_tokens, all);
}

/* Computes the bytes per token from the shapes of the tensors of a block, which logs of LMCache
 * state. */
static void find_token_bytes(rd_kv_log *log) {
    const rdi_kv_line *line = &log->line;
    bool known = line->present >> RDI_KV_SHAPES & 1 && line->present >> RDI_KV_DTYPES & 1;
    if (known && log->token_bytes == 0)
        log->token_bytes = line->chunk_numbers * line->number_bytes / (double)log->block_tokens;
}

/* Makes the request of log->line. Returns false after a failure, whose status is in
 * log->lines.failed. */
static bool make_request(rd_kv_log *log) {
    rdi_kv_line *line = &log->line;
    rd_kv_request *r = &log->request;
    *r = (rd_kv_request){.line = log->reader.in->line + 1, .time_us = RD_KV_NO_TIME};
    if (!same_fields(log) || !check_block_size(log))
        return false;
    bool ids = line->present >> RDI_KV_IDS & 1;
    rd_status status = RD_OK;
    if (ids)
        status = hash_tokens(log, &line->ids, NULL, true, &line->blocks);
    else if (log->content_ids)
        chain_blocks(&line->blocks);
    if (status == RD_OK && line->present >> RDI_KV_OUTPUT_IDS & 1) {
        status = hash_tokens(log, &line->ids, &line->output_ids, false, &log->sequence);
        r->sequence = log->sequence.at;
        r->n_sequence = log->sequence.n;
        r->output_tokens = line->output_ids.n;
    }
    if (status == RD_OK && line->present >> RDI_KV_CHAT & 1)
        status = find_conversation(log);
    log->lines.failed = status;
    if (line->present >> RDI_KV_OUTPUT & 1)
        r->output_tokens = line->output;
    if (line->present >> RDI_KV_TIME & 1)
        r->time_us = line->time_us;
    if (line->present >> RDI_KV_TURN & 1)
        r->turn = (uint32_t)line->turn;
    r->blocks = line->blocks.at;
    r->n_blocks = line->blocks.n;
    r->prompt_tokens = ids                                  ? line->ids.n
                       : line->present >> RDI_KV_TOKENS & 1 ? line->tokens
                                                            : r->n_blocks * log->block_tokens;
    if (status != RD_OK || (!ids && !check_lengths(log)))
        return false;
    find_token_bytes(log);
    if (log->first_line == 0) {
        log->first_line = r->line;
        log->first_present = line->present;
    }
    return true;
}

/* ---- reading ---- */

static rd_status read_line(rd_kv_log *log, bool *got) {
    *got = false;
    while (!*got) {
        const char *p = NULL, *limit = NULL, *next = NULL;
        bool empty = false;
        RD_TRY(rdi_lines_fill(&log->lines, &p, &limit));
        if (p == limit)
            return RD_OK;
        log->lines.failed = RD_OK;
        bool good = rdi_kv_scan_line(log, p, limit, &next, &empty);
        if (!good || (!empty && !make_request(log)))
            return rdi_lines_fail(&log->lines, p, limit);
        log->reader.in->line++;
        rdi_lines_consume(&log->lines, (size_t)(next - p));
        *got = !empty;
    }
    return RD_OK;
}

rd_status rd_kv_log_read(rd_kv_log *log, const rd_kv_request **out) {
    RDI_NEED(log ? log->ctx : NULL, log, out);
    bool got = false;
    if (log->broken == RD_OK && log->native) {
        log->broken = rdi_kv_native_read(log);
        got = !log->ended;
    } else if (log->broken == RD_OK) {
        log->broken = read_line(log, &got);
    }
    if (log->broken == RD_OK)
        *out = got ? &log->request : NULL;
    return log->broken;
}

/* ---- opening and closing ---- */

static rd_status start(rd_kv_log *log, const rd_kv_log_config *config) {
    log->reader.ctx = log->ctx;
    log->block_tokens = config->block_tokens;
    log->fixed_block_tokens = config->block_tokens != 0;
    log->content_ids = config->content_ids;
    rdi_id_table_init(&log->block_ids, log->ctx);
    rdi_id_table_init(&log->chat_ids, log->ctx);
    log->block_ids.wide = log->chat_ids.wide = true; /* LMCache's hashes have 256 bits by default */
    if (config->block_tokens > RDI_KV_TOKENS_MAX)
        return rdi_fail(log->ctx, RD_EINVAL,
                        "a block of %" PRIu64 " tokens is too large; at most %d are supported",
                        config->block_tokens, RDI_KV_TOKENS_MAX);
    RD_TRY(rdi_kv_choose_format(log, config->format));
    rdi_lines_open(&log->lines, &log->reader, NULL);
    log->lines.max = LINE_MAX_BYTES;
    if (log->native)
        return rdi_kv_native_open(log);
    RD_TRY(rdi_block_map_init(&log->roots, log->ctx));
    return rdi_block_map_init(&log->turns, log->ctx);
}

/* Opens a log that reads from `in`. The function takes ownership of `in`, even if it fails. */
static rd_status open_input(rd_ctx *ctx, rdi_input *in, const rd_kv_log_config *config,
                            rd_kv_log **out) {
    rd_kv_log_config copy;
    rd_kv_log *log = rdi_calloc(ctx, 1, sizeof *log);
    if (!log) {
        rdi_input_close(in);
        return RD_ENOMEM;
    }
    log->ctx = ctx;
    log->reader.in = in;
    rd_status status = rdi_sized_copy(ctx, "rd_kv_log_config", config, &copy, sizeof copy);
    if (status == RD_OK)
        status = start(log, &copy);
    if (status == RD_OK)
        *out = log;
    else
        rd_kv_log_close(log);
    return status;
}

rd_status rd_kv_log_open(rd_ctx *ctx, const char *path, const rd_kv_log_config *config,
                         rd_kv_log **out) {
    RDI_NEED(ctx, ctx, path, out);
    rdi_input *in;
    RD_TRY(rdi_input_open(ctx, path, &in));
    return open_input(ctx, in, config, out);
}

rd_status rd_kv_log_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                                const rd_kv_log_config *config, rd_kv_log **out) {
    RDI_NEED(ctx, ctx, name, out);
    if (n)
        RDI_NEED(ctx, data);
    rdi_input *in;
    RD_TRY(rdi_input_open_memory(ctx, name, data, n, &in));
    return open_input(ctx, in, config, out);
}

uint64_t rd_kv_log_block_tokens(const rd_kv_log *log) {
    return log ? log->block_tokens : 0;
}

const char *rd_kv_log_format(const rd_kv_log *log) {
    return log ? log->format->name : "";
}

double rd_kv_log_token_bytes(const rd_kv_log *log) {
    return log ? log->token_bytes : 0;
}

void rd_kv_log_progress(const rd_kv_log *log, uint64_t *done, uint64_t *total) {
    uint64_t so_far = 0, all = 0;
    if (log)
        rdi_input_progress(log->reader.in, &so_far, &all);
    if (done)
        *done = so_far;
    if (total)
        *total = all;
}

void rd_kv_log_close(rd_kv_log *log) {
    if (!log)
        return;
    rdi_id_table_fini(&log->block_ids);
    rdi_id_table_fini(&log->chat_ids);
    rdi_block_map_fini(&log->roots);
    rdi_block_map_fini(&log->turns);
    rdi_u64_list_free(log->ctx, &log->line.blocks);
    rdi_u64_list_free(log->ctx, &log->line.ids);
    rdi_u64_list_free(log->ctx, &log->line.output_ids);
    rdi_u64_list_free(log->ctx, &log->sequence);
    rdi_input_close(log->reader.in);
    rdi_free(log->ctx, log->spec);
    rdi_free(log->ctx, log);
}
