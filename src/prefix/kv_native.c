/* Reads and writes the native format of logs, a binary file that is several times smaller than JSON
 * lines and is read ten times as fast.
 *
 *   header   "RDKVLOG1", tokens of a block (32 bits), 0 (32 bits)
 *   frame    bytes of the payload (32 bits), requests (32 bits), XXH64 of the payload (64 bits; the
 *            seed is the number of the frame), payload
 *   end      a frame without requests and payload
 *
 * Numbers are little-endian. The payload is a sequence of variable-length numbers (7 bits per byte,
 * lowest bits first). A request is: number of blocks, number of blocks of the sequence plus 1 (0:
 * unknown), tokens of the prompt, tokens of the output, time plus 1 in microseconds (0: unknown),
 * conversation, turn, the blocks, and the blocks of the sequence. Each block is stored as its
 * difference from the block before it, in zigzag form. The first block of a request is stored as its
 * difference from the first block of the previous request that has blocks, and the first block of a
 * sequence as its difference from the first block of its request or, if the request has no blocks, of the
 * previous request that has blocks.
 */
#include "prefix/kv_log.h"

#include "base/output.h"
#include "trace/checksum.h"

#include <inttypes.h>

#define HEADER_BYTES  16
#define FRAME_BYTES   16
#define NUMBER_BYTES  10 /* maximum size of a variable-length number */
#define REQUEST_BYTES (7 * NUMBER_BYTES)
#define PAYLOAD_BYTES (256 * 1024)         /* a frame is written when it has this many bytes */
#define PAYLOAD_MAX   (1024 * 1024 * 1024) /* maximum size of a payload */

static uint64_t zigzag(uint64_t difference) {
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t x) {
    return x >> 1 ^ (0 - (x & 1));
}

/* ---- writing ---- */

struct rd_kv_writer {
    rd_ctx *ctx;
    rdi_output *out;
    uint8_t *payload;
    size_t n, room;
    uint32_t requests; /* number of requests in the frame */
    uint64_t frames, before;
};

static uint8_t *put(uint8_t *p, uint64_t x) {
    for (; x >= 128; x >>= 7)
        *p++ = (uint8_t)(x | 128);
    *p++ = (uint8_t)x;
    return p;
}

static rd_status write_frame(rd_kv_writer *w) {
    uint8_t head[FRAME_BYTES];
    rdi_store_le32(head, (uint32_t)w->n);
    rdi_store_le32(head + 4, w->requests);
    rdi_store_le64(head + 8, rdi_xxh64(w->payload, w->n, w->frames));
    RD_TRY(rdi_output_write(w->out, head, sizeof head));
    if (w->n)
        RD_TRY(rdi_output_write(w->out, w->payload, w->n));
    w->frames++;
    w->n = 0;
    w->requests = 0;
    return RD_OK;
}

static rd_status reserve(rd_kv_writer *w, size_t blocks) {
    const size_t most = (PAYLOAD_MAX - PAYLOAD_BYTES - REQUEST_BYTES) / NUMBER_BYTES;
    if (blocks > most)
        return rdi_fail(w->ctx, RD_ERANGE,
                        "a request of %zu blocks is too long for the native format, which allows "
                        "%zu blocks",
                        blocks, most);
    size_t need = w->n + REQUEST_BYTES + blocks * NUMBER_BYTES;
    if (need <= w->room)
        return RD_OK;
    uint8_t *grown = rdi_resize(w->ctx, w->payload, 2 * need, 1);
    if (!grown)
        return RD_ENOMEM;
    w->payload = grown;
    w->room = 2 * need;
    return RD_OK;
}

static uint8_t *put_blocks(uint8_t *p, const uint64_t *blocks, size_t n, uint64_t before) {
    for (size_t i = 0; i < n; i++) {
        p = put(p, zigzag(blocks[i] - before));
        before = blocks[i];
    }
    return p;
}

rd_status rd_kv_writer_write(rd_kv_writer *w, const rd_kv_request *r) {
    RDI_NEED(w ? w->ctx : NULL, w, r);
    RD_TRY(reserve(w, r->n_blocks + r->n_sequence));
    uint8_t *p = w->payload + w->n;
    p = put(p, r->n_blocks);
    p = put(p, r->sequence ? (uint64_t)r->n_sequence + 1 : 0);
    p = put(p, r->prompt_tokens);
    p = put(p, r->output_tokens);
    p = put(p, r->time_us + 1); /* RD_KV_NO_TIME becomes 0 */
    p = put(p, r->conversation);
    p = put(p, r->turn);
    p = put_blocks(p, r->blocks, r->n_blocks, w->before);
    w->before = r->n_blocks ? r->blocks[0] : w->before;
    p = put_blocks(p, r->sequence, r->n_sequence, w->before);
    w->n = (size_t)(p - w->payload);
    w->requests++;
    return w->n >= PAYLOAD_BYTES ? write_frame(w) : RD_OK;
}

static rd_status write_header(rd_kv_writer *w, uint64_t block_tokens) {
    uint8_t header[HEADER_BYTES] = {0};
    memcpy(header, RDI_KV_MAGIC, RDI_KV_MAGIC_BYTES);
    rdi_store_le32(header + 8, (uint32_t)block_tokens);
    return rdi_output_write(w->out, header, sizeof header);
}

rd_status rd_kv_writer_open(rd_ctx *ctx, const char *path, uint64_t block_tokens,
                            rd_kv_writer **out) {
    RDI_NEED(ctx, ctx, path, out);
    if (block_tokens == 0 || block_tokens > RDI_KV_TOKENS_MAX)
        return rdi_fail(ctx, RD_EINVAL,
                        "a block of %" PRIu64
                        " tokens cannot be saved; it must have 1 to 2,147,483,647",
                        block_tokens);
    rd_kv_writer *w = rdi_calloc(ctx, 1, sizeof *w);
    if (!w)
        return RD_ENOMEM;
    w->ctx = ctx;
    rd_status status = rdi_output_open(ctx, path, &w->out);
    if (status == RD_OK)
        status = write_header(w, block_tokens);
    if (status == RD_OK)
        *out = w;
    else
        rd_kv_writer_close(w);
    return status;
}

rd_status rd_kv_writer_finish(rd_kv_writer *w) {
    RDI_NEED(w ? w->ctx : NULL, w);
    if (w->requests)
        RD_TRY(write_frame(w));
    RD_TRY(write_frame(w));
    return rdi_output_finish(w->out);
}

void rd_kv_writer_close(rd_kv_writer *w) {
    if (!w)
        return;
    rdi_output_close(w->out);
    rdi_free(w->ctx, w->payload);
    rdi_free(w->ctx, w);
}

/* ---- reading ---- */

static rd_status damaged(rd_kv_log *log, const char *what) {
    return rdi_input_fail_byte(log->reader.in, log->reader.in->offset, "the log is damaged: %s",
                               what);
}

rd_status rdi_kv_native_open(rd_kv_log *log) {
    rdi_input *in = log->reader.in;
    RD_TRY(rdi_input_fill(in, HEADER_BYTES, HEADER_BYTES));
    if (in->avail < HEADER_BYTES || memcmp(in->data, RDI_KV_MAGIC, RDI_KV_MAGIC_BYTES) != 0)
        return rdi_input_fail_byte(in, 0, "this is not a native log: the magic number is missing");
    uint64_t tokens = rdi_load_le32(in->data + 8);
    if (tokens == 0 || tokens > RDI_KV_TOKENS_MAX || rdi_load_le32(in->data + 12) != 0)
        return rdi_input_fail_byte(in, 8,
                                   "the header of the log is damaged, or a later release wrote it");
    if (log->fixed_block_tokens && log->block_tokens != tokens)
        return rdi_fail(log->ctx, RD_EINVAL,
                        "%s: blocks have %" PRIu64 " tokens in this log, not %" PRIu64
                        "; omit --block-tokens",
                        in->name, tokens, log->block_tokens);
    log->block_tokens = tokens;
    rdi_input_consume(in, HEADER_BYTES);
    return RD_OK;
}

/* Reads the next frame and checks it. Sets log->ended if the frame is the end of the log. */
static rd_status next_frame(rd_kv_log *log) {
    rdi_input *in = log->reader.in;
    rdi_input_consume(in, log->frame_bytes);
    log->frame_bytes = 0;
    RD_TRY(rdi_input_fill(in, FRAME_BYTES, FRAME_BYTES));
    if (in->avail < FRAME_BYTES)
        return damaged(log, "the file ends inside a frame");
    uint32_t bytes = rdi_load_le32(in->data);
    uint64_t requests = rdi_load_le32(in->data + 4), sum = rdi_load_le64(in->data + 8);
    if (bytes > PAYLOAD_MAX || requests > bytes || (requests == 0 && bytes > 0))
        return damaged(log, "the lengths in the header of a frame are invalid");
    RD_TRY(rdi_input_fill(in, FRAME_BYTES + (size_t)bytes, FRAME_BYTES + (size_t)bytes));
    if (in->avail < FRAME_BYTES + (size_t)bytes)
        return damaged(log, "the file ends inside a frame");
    if (rdi_xxh64(in->data + FRAME_BYTES, bytes, log->frames) != sum)
        return damaged(log, "the checksum of a frame is wrong");
    log->at = in->data + FRAME_BYTES;
    log->frame_end = log->at + bytes;
    log->frame_bytes = FRAME_BYTES + (size_t)bytes;
    log->left = requests;
    log->frames++;
    log->ended = requests == 0;
    return RD_OK;
}

/* Reads a number. If the frame ends inside the number, or if the number has more than NUMBER_BYTES
 * bytes, log->at is beyond the end of the frame afterwards. */
static inline uint64_t get(rd_kv_log *log) {
    const uint8_t *p = log->at;
    if (RDI_LIKELY(p < log->frame_end && *p < 128)) {
        log->at = p + 1;
        return *p;
    }
    uint64_t x = 0;
    for (unsigned shift = 0; p < log->frame_end && shift < 64; shift += 7) {
        x |= (uint64_t)(*p & 127) << shift;
        if (*p++ < 128) {
            log->at = p;
            return x;
        }
    }
    log->at = log->frame_end + 1;
    return 0;
}

static rd_status get_blocks(rd_kv_log *log, rdi_u64_list *list, uint64_t n, uint64_t before) {
    if (log->at > log->frame_end || n > (uint64_t)(log->frame_end - log->at))
        return damaged(log, "a request is longer than its frame");
    RD_TRY(rdi_u64_list_reserve(log->ctx, list, (size_t)n));
    for (size_t i = 0; i < n; i++)
        list->at[i] = before += unzigzag(get(log));
    list->n = (size_t)n;
    return RD_OK;
}

rd_status rdi_kv_native_read(rd_kv_log *log) {
    rd_kv_request *r = &log->request;
    if (log->ended)
        return RD_OK;
    if (log->left == 0)
        RD_TRY(next_frame(log));
    if (log->ended)
        return RD_OK;
    uint64_t n = get(log), sequence = get(log), before = log->before;
    *r = (rd_kv_request){.prompt_tokens = get(log)};
    r->output_tokens = get(log);
    r->time_us = get(log) - 1;
    r->conversation = get(log);
    uint64_t turn = get(log);
    r->turn = turn > UINT32_MAX ? UINT32_MAX : (uint32_t)turn;
    RD_TRY(get_blocks(log, &log->line.blocks, n, before));
    log->before = before = n ? log->line.blocks.at[0] : before;
    if (sequence)
        RD_TRY(get_blocks(log, &log->sequence, sequence - 1, before));
    if (log->at > log->frame_end)
        return damaged(log, "a number extends past the end of its frame");
    r->blocks = log->line.blocks.at;
    r->n_blocks = (size_t)n;
    r->sequence = sequence ? log->sequence.at : NULL;
    r->n_sequence = sequence ? log->sequence.n : 0;
    r->line = ++log->requests;
    r->numbered = true;
    uint64_t full = r->prompt_tokens / log->block_tokens;
    if (r->prompt_tokens > RDI_KV_TOKENS_MAX || r->output_tokens > RDI_KV_TOKENS_MAX ||
        (n != full && n != full + (r->prompt_tokens % log->block_tokens != 0)))
        return damaged(log, "a request has more than 2,147,483,647 tokens, or its number of "
                            "blocks does not match its number of tokens");
    log->left--;
    return RD_OK;
}
