/* Strict JSON (RFC 8259): a pull reader over text in memory. json_write.h writes.
 *
 * The caller asks for what it expects. Failure is sticky, as in text.h: the first thing that is
 * not as asked for sets the message (file, line, byte), every later call does nothing, loops end,
 * and the last call tells.
 *
 *   rdi_json_enter_object(&j);
 *   while (rdi_json_next_key(&j, key, sizeof key))
 *       if (strcmp(key, "count") == 0) count = rdi_json_u64(&j); else rdi_json_skip(&j);
 *   return rdi_json_end(&j);
 *
 * Nothing is allocated but the strings asked for, the work is linear in the text, and nesting ends
 * at RDI_JSON_DEPTH. Integers are read digit by digit, so that all their bits survive. The one
 * thing of RFC 8259 that is refused is U+0000 in strings, because C strings end there.
 */
#ifndef RDI_JSON_H
#define RDI_JSON_H

#include "base/common.h"

#define RDI_JSON_DEPTH 64

typedef struct rdi_json {
    rd_ctx *ctx;
    const char *name; /* of the file, for messages */
    const char *text; /* need not end in NUL */
    size_t n, at;
    size_t mark; /* where the thing last read began */
    unsigned depth;
    bool fresh;       /* directly behind '{' or '[': no ',' expected */
    rd_status status; /* of the first failure */
} rdi_json;

typedef enum rdi_json_kind {
    RDI_JSON_NOTHING, /* the end of the text, no JSON, or a failure before */
    RDI_JSON_NULL,
    RDI_JSON_BOOL,
    RDI_JSON_NUMBER,
    RDI_JSON_STRING,
    RDI_JSON_ARRAY,
    RDI_JSON_OBJECT
} rdi_json_kind;

/* `name` and `text` are borrowed. */
void rdi_json_init(rdi_json *j, rd_ctx *ctx, const char *name, const char *text, size_t n);

/* What the next value begins like. */
rdi_json_kind rdi_json_peek(rdi_json *j);

void rdi_json_enter_object(rdi_json *j);
void rdi_json_enter_array(rdi_json *j);
/* The next member's key, cut to `room` - 1 bytes. False: the object is behind, or failure. */
bool rdi_json_next_key(rdi_json *j, char *key, size_t room);
/* True: another item follows. False: the array is behind, or failure. */
bool rdi_json_next_item(rdi_json *j);

/* Exactly one value of that type; 0, false or NULL on failure. */
bool rdi_json_bool(rdi_json *j);
uint64_t rdi_json_u64(rdi_json *j);
rdi_u128 rdi_json_u128(rdi_json *j);
double rdi_json_double(rdi_json *j);
char *rdi_json_string(rdi_json *j); /* valid UTF-8, NUL-ended; caller frees */
/* True when the next value is null, which is then behind. */
bool rdi_json_null(rdi_json *j);
/* Any value at all, checked and dropped. */
void rdi_json_skip(rdi_json *j);

/* Nothing but white space may follow. The first failure, if there was one. */
RD_CHECKED rd_status rdi_json_end(rdi_json *j);

/* "NAME: line 3 (byte 57): ..." about the thing last read, unless something failed before. */
void rdi_json_fail(rdi_json *j, const char *format, ...) RDI_PRINTF(2, 3);

/* ---- files (json_file.c) ---- */

/* The whole text of a file, "-" being standard input, or of what begins with the *n bytes at `head`
 * and goes on in fd. A file that does not begin with '{' is not read to its end. Caller frees. */
RD_CHECKED rd_status rdi_json_read(rd_ctx *ctx, const char *path, char **out, size_t *n);
RD_CHECKED rd_status rdi_json_read_fd(rd_ctx *ctx, int fd, const char *name, const void *head,
                                      char **out, size_t *n);
/* What messages call it. */
const char *rdi_json_file_name(const char *path);

#endif
