/* The state of a log's reader, which four files share: kv_log.c opens logs and checks requests,
 * kv_fields.c names the fields of each format, kv_line.c scans a line of JSON, and kv_native.c
 * reads and writes the native format. */
#ifndef RDI_KV_LOG_H
#define RDI_KV_LOG_H

#include "base/u64_list.h"
#include "order/block_map.h"
#include "reusedist/prefix.h"
#include "trace/id_table.h"
#include "trace/lines.h"

#define RDI_KV_TOKENS_MAX INT32_MAX /* maximum number of tokens of a request or block */

/* The fields of a line. A field that no option names is not read. */
typedef enum rdi_kv_field {
    RDI_KV_BLOCKS,     /* array of block hashes */
    RDI_KV_IDS,        /* array of token ids of the prompt, instead of block hashes */
    RDI_KV_OUTPUT_IDS, /* array of token ids of the output */
    RDI_KV_TOKENS,     /* number of tokens of the prompt */
    RDI_KV_OUTPUT,     /* number of tokens of the output */
    RDI_KV_TIME,       /* arrival time */
    RDI_KV_TURN,       /* number of the turn, from 1 */
    RDI_KV_CHAT,       /* id of the request or of its conversation */
    RDI_KV_PARENT,     /* id of the request before it in the same conversation */
    RDI_KV_BLOCK_SIZE, /* number of tokens per block, the same on every line */
    RDI_KV_SHAPES,     /* LMCache: array of shapes of the tensors of a block */
    RDI_KV_DTYPES,     /* LMCache: array of the number formats of these tensors */
    RDI_KV_FIELDS      /* number of fields */
} rdi_kv_field;

/* The units of the times in a log. */
enum { RDI_KV_MICROSECONDS, RDI_KV_MILLISECONDS, RDI_KV_SECONDS };

typedef struct rdi_kv_fields {
    const char *name[RDI_KV_FIELDS]; /* NULL or "": the log does not have the field */
    uint32_t unit;                   /* RDI_KV_MICROSECONDS or another unit */
} rdi_kv_fields;

/* The values of one line. */
typedef struct rdi_kv_line {
    uint32_t present; /* mask of 1 << rdi_kv_field */
    rdi_u64_list blocks, ids, output_ids;
    uint64_t tokens, output, time_us, turn, block_size;
    uint64_t chat, parent; /* the ids, as numbers */
    bool no_parent;        /* true: null or negative parent, so the conversation begins here */
    double chunk_numbers;  /* LMCache: sum over all shapes of the product of the dimensions */
    double number_bytes;   /* LMCache: bytes per number */
} rdi_kv_line;

struct rd_kv_log {
    rd_ctx *ctx;
    rdi_reader reader; /* only its input is used */
    rdi_lines lines;
    const rd_kv_format *format;
    char *spec; /* memory of the names of fields */
    rdi_kv_fields fields;
    uint64_t block_tokens;
    bool fixed_block_tokens; /* true: the caller has set the size of a block */
    bool content_ids;
    rdi_id_table block_ids, chat_ids;
    rdi_block_map roots; /* maps a chat to the first chat of its conversation */
    rdi_block_map turns; /* maps a chat to the number of its latest turn */
    rdi_kv_line line;
    uint32_t first_present; /* mask of the fields of the first request */
    uint64_t first_line;    /* line of the first request; 0: none yet */
    double token_bytes;
    rdi_u64_list sequence;
    rd_kv_request request;
    rd_status broken; /* status of the first failure */
    /* The native format: `at` is the next byte of the current frame, `left` is the number of
     * requests in the frame that have not been read, and `frames` and `requests` are the numbers of
     * frames and requests read so far. */
    bool native, ended;
    const uint8_t *at, *frame_end;
    size_t frame_bytes;
    uint64_t frames, requests, left;
    uint64_t before; /* first block of the previous request */
};

/* Finds the format that `spec` names, or detects it from the input if `spec` is NULL, and sets the
 * fields of the log. */
rd_status rdi_kv_choose_format(rd_kv_log *log, const char *spec);

/* Scans the line at p into log->line, and sets *next to the beginning of the next line. Sets
 * log->lines.failed and returns false if the line is invalid. Sets *empty to whether the line has
 * only white space. */
bool rdi_kv_scan_line(rd_kv_log *log, const char *p, const char *limit, const char **next,
                      bool *empty);

/* Sets the message about a mistake in the current line, and returns false. */
bool rdi_kv_refuse(rd_kv_log *log, const char *format, ...) RDI_PRINTF(2, 3);

/* ---- the native format ---- */

#define RDI_KV_MAGIC       "RDKVLOG1"
#define RDI_KV_MAGIC_BYTES 8

rd_status rdi_kv_native_open(rd_kv_log *log);
/* Reads the next request into log->request; log->ended is set at the end. */
rd_status rdi_kv_native_read(rd_kv_log *log);

#endif
