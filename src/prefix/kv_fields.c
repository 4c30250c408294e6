/* Implements the formats of logs: their names, and the names of their fields. */
#include "prefix/kv_log.h"

#include <stdio.h>
#include <string.h>

/* Maximum number of bytes of the first line in which detection searches for fields. */
#define HEAD_BYTES (64 * 1024)

typedef struct format_row {
    rd_kv_format info;
    const char *sign;   /* field by which detection recognizes the format, unless an earlier row
                           matches; NULL: not detected by a field */
    const char *fields; /* names of the fields, as options; NULL: the user names them, or the format
                           is native */
} format_row;

/* The formats, in the order in which detection tries them. */
static const format_row formats[] = {
    {.info = {.name = "native",
              .summary = "binary log that `reusedist kv --save` writes",
              .fields = "",
              .block_tokens = 512}},
    {.info = {.name = "lmcache",
              .summary = "lookup log of LMCache",
              .fields = "chunk_hashes, seq_len, chunk_size, shapes, dtypes, timestamp",
              .block_tokens = 256},
     .sign = "\"chunk_hashes\"",
     .fields = "blocks=chunk_hashes,tokens=seq_len,block=chunk_size,shapes=shapes,dtypes=dtypes,"
               "time=timestamp,unit=s"},
    {.info = {.name = "bailian",
              .summary = "Alibaba Bailian's usage traces",
              .fields = "hash_ids, input_length, output_length, timestamp (s), chat_id, "
                        "parent_chat_id, turn",
              .block_tokens = 16},
     .sign = "\"chat_id\"",
     .fields = "blocks=hash_ids,tokens=input_length,output=output_length,time=timestamp,unit=s,"
               "chat=chat_id,parent=parent_chat_id,turn=turn"},
    {.info = {.name = "mooncake",
              .summary = "Mooncake's traces",
              .fields = "hash_ids, input_length, output_length, timestamp (ms)",
              .block_tokens = 512},
     .sign = "\"hash_ids\"",
     .fields = "blocks=hash_ids,tokens=input_length,output=output_length,time=timestamp,unit=ms"},
    {.info = {.name = "tokens",
              .summary = "token ids, which are hashed in blocks",
              .fields = "token_ids, output_token_ids, timestamp (s), conversation, turn",
              .block_tokens = 16},
     .sign = "\"token_ids\"",
     .fields = "ids=token_ids,output_ids=output_token_ids,time=timestamp,unit=s,"
               "chat=conversation,turn=turn"},
    {.info = {.name = "jsonl",
              .summary = "any JSON lines; options name the fields",
              .fields = "blocks= or ids=, tokens=, output=, output_ids=, time=, unit=us|ms|s, "
                        "turn=, chat=, parent=, block=",
              .block_tokens = 512}},
};

#define FIELD(key, index)                                                                          \
    {                                                                                              \
        .name = key, .type = RD_OPT_STRING,                                                        \
        .offset = offsetof(rdi_kv_fields, name) + (index) * sizeof(char *)                         \
    }

static const rd_opt field_opts[] = {
    FIELD("blocks", RDI_KV_BLOCKS),
    FIELD("ids", RDI_KV_IDS),
    FIELD("output_ids", RDI_KV_OUTPUT_IDS),
    FIELD("tokens", RDI_KV_TOKENS),
    FIELD("output", RDI_KV_OUTPUT),
    FIELD("time", RDI_KV_TIME),
    FIELD("turn", RDI_KV_TURN),
    FIELD("chat", RDI_KV_CHAT),
    FIELD("parent", RDI_KV_PARENT),
    FIELD("block", RDI_KV_BLOCK_SIZE),
    FIELD("shapes", RDI_KV_SHAPES),
    FIELD("dtypes", RDI_KV_DTYPES),
    {.name = "unit",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(rdi_kv_fields, unit),
     .def = "ms",
     .choices = "us|ms|s"},
    {0},
};

const rd_kv_format *rd_kv_format_at(size_t index) {
    return index < RDI_COUNT(formats) ? &formats[index].info : NULL;
}

static const char *format_name(size_t index) {
    return index < RDI_COUNT(formats) ? formats[index].info.name : NULL;
}

static const format_row *find(const char *name) {
    for (size_t i = 0; i < RDI_COUNT(formats); i++)
        if (strcmp(formats[i].info.name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool contains(const uint8_t *text, size_t n, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n && text[i] != '\n'; i++)
        if (text[i] == (uint8_t)word[0] && memcmp(text + i, word, length) == 0)
            return true;
    return false;
}

/* Returns the format of a log whose first n bytes are `head`, or NULL if no format matches. */
static const format_row *detect(const uint8_t *head, size_t n) {
    if (n >= RDI_KV_MAGIC_BYTES && memcmp(head, RDI_KV_MAGIC, RDI_KV_MAGIC_BYTES) == 0)
        return find("native");
    for (size_t i = 0; i < RDI_COUNT(formats); i++)
        if (formats[i].sign && contains(head, n, formats[i].sign))
            return &formats[i];
    return NULL;
}

/* Sets the names of the fields to the names of the format if it states them, otherwise to the names
 * in `options`, which is split in place. */
static rd_status set_fields(rd_kv_log *log, const format_row *row, char *options) {
    char owner[64];
    snprintf(owner, sizeof owner, "log format %s", row->info.name);
    if (row->fields) {
        rdi_free(log->ctx, log->spec);
        log->spec = rdi_strdup(log->ctx, row->fields);
        if (!log->spec)
            return RD_ENOMEM;
        options = log->spec;
    }
    RD_TRY(rdi_opts_parse(log->ctx, owner, field_opts, &log->fields, options));
    for (size_t i = 0; i < RDI_KV_FIELDS; i++)
        if (log->fields.name[i] && !*log->fields.name[i])
            log->fields.name[i] = NULL;
    bool blocks = log->fields.name[RDI_KV_BLOCKS], ids = log->fields.name[RDI_KV_IDS];
    if (!log->native && blocks == ids)
        return rdi_fail(log->ctx, RD_EINVAL,
                        "log format jsonl: name either the array of block hashes (blocks=hash_ids) "
                        "or the array of token ids (ids=token_ids)");
    return RD_OK;
}

rd_status rdi_kv_choose_format(rd_kv_log *log, const char *spec) {
    rdi_input *in = log->reader.in;
    const format_row *row = NULL;
    char *options = NULL;
    RD_TRY(rdi_input_fill(in, 1, HEAD_BYTES));
    if (in->avail == 0)
        return rdi_fail(log->ctx, RD_EFORMAT, "%s: the file is empty", in->name);
    if (spec) {
        RD_TRY(rdi_spec_split(log->ctx, spec, &log->spec, &options));
        row = find(log->spec);
        if (!row)
            return rdi_fail_unknown_name(log->ctx, "log format", log->spec, format_name);
        if (options && (row->fields || strcmp(row->info.name, "native") == 0))
            return rdi_fail(
                log->ctx, RD_EINVAL,
                "log format %s has no options; to name fields, use -f jsonl:blocks=NAME,...",
                row->info.name);
    } else {
        row = detect(in->data, in->avail < HEAD_BYTES ? in->avail : HEAD_BYTES);
    }
    if (!row)
        return rdi_fail(log->ctx, RD_EFORMAT,
                        "%s: the first line has none of the fields hash_ids, chunk_hashes and "
                        "token_ids; name the fields with -f jsonl:blocks=NAME,tokens=NAME,...",
                        in->name);
    log->format = &row->info;
    log->native = strcmp(row->info.name, "native") == 0;
    if (!log->block_tokens)
        log->block_tokens = row->info.block_tokens;
    return set_fields(log, row, options);
}
