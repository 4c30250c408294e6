/* A pull reader for strict JSON (RFC 8259) in memory. json_write.h has the writer.
 *
 * The caller asks for the values that it expects. A failure is sticky: the first unexpected value
 * sets the message (file, line, byte), every later call does nothing, loops over members and items
 * end, and rdi_json_end() returns the status.
 *
 *   rdi_json_enter_object(&j);
 *   while (rdi_json_next_key(&j, key, sizeof key))
 *       if (strcmp(key, "count") == 0) count = rdi_json_u64(&j); else rdi_json_skip(&j);
 *   return rdi_json_end(&j);
 *
 * Only requested strings are allocated, the work is linear in the text, and nesting is limited to
 * RDI_JSON_DEPTH. Integers are read digit by digit, so that all their bits are kept. U+0000 in
 * strings is refused, because C strings end there.
 */
#ifndef RDI_JSON_H
#define RDI_JSON_H

#include "base/common.h"

#define RDI_JSON_DEPTH 64

typedef struct rdi_json {
    rd_ctx *ctx;
    const char *name; /* name of the file, for messages */
    const char *text; /* the text, which need not end with NUL */
    size_t n, at;     /* length of the text, and index of the next byte */
    size_t mark;      /* beginning of the value that was read last */
    unsigned depth;
    bool fresh;       /* true: directly after '{' or '[', where no ',' is expected */
    rd_status status; /* status of the first failure */
} rdi_json;

typedef enum rdi_json_kind {
    RDI_JSON_NOTHING, /* the end of the text, invalid JSON, or an earlier failure */
    RDI_JSON_NULL,
    RDI_JSON_BOOL,
    RDI_JSON_NUMBER,
    RDI_JSON_STRING,
    RDI_JSON_ARRAY,
    RDI_JSON_OBJECT
} rdi_json_kind;

/* Starts reading `n` bytes of text. `name` and `text` are borrowed. */
void rdi_json_init(rdi_json *j, rd_ctx *ctx, const char *name, const char *text, size_t n);

/* Returns the kind of the next value, judged by its first character. */
rdi_json_kind rdi_json_peek(rdi_json *j);

void rdi_json_enter_object(rdi_json *j);
void rdi_json_enter_array(rdi_json *j);
/* Reads the key of the next member, cut to `room` - 1 bytes. Returns false at the end of the object
 * or after a failure. */
bool rdi_json_next_key(rdi_json *j, char *key, size_t room);
/* Returns true if another item follows, and false at the end of the array or after a failure. */
bool rdi_json_next_item(rdi_json *j);

/* Each of these functions reads one value of its type. It returns 0, false or NULL after a
 * failure. */
bool rdi_json_bool(rdi_json *j);
uint64_t rdi_json_u64(rdi_json *j);
rdi_u128 rdi_json_u128(rdi_json *j);
double rdi_json_double(rdi_json *j);
char *rdi_json_string(rdi_json *j); /* valid UTF-8, terminated by NUL; the caller frees it */
/* Consumes the next value and returns true if the value is null; otherwise returns false. */
bool rdi_json_null(rdi_json *j);
/* Checks and skips a value of any kind. */
void rdi_json_skip(rdi_json *j);

/* Fails unless only white space follows. Returns the status of the first failure, or RD_OK. */
RD_CHECKED rd_status rdi_json_end(rdi_json *j);

/* Makes the reader fail with "NAME: line 3 (byte 57): ..." about the value that was read last,
 * unless it has failed before. */
void rdi_json_fail(rdi_json *j, const char *format, ...) RDI_PRINTF(2, 3);

/* ---- files (json_file.c) ---- */

/* rdi_json_read() reads the whole text of a file ("-": standard input). rdi_json_read_fd() reads
 * the whole text of a stream that begins with the *n bytes (at most 64 KiB) at `head` and continues
 * in `fd`. Both set *n to the length of the text, and stop early if the text cannot be a JSON
 * object. The caller frees the text. */
RD_CHECKED rd_status rdi_json_read(rd_ctx *ctx, const char *path, char **out, size_t *n);
RD_CHECKED rd_status rdi_json_read_fd(rd_ctx *ctx, int fd, const char *name, const void *head,
                                      char **out, size_t *n);
/* Returns the name that messages give to the file: `path`, or "(standard input)" for "-". */
const char *rdi_json_file_name(const char *path);

#endif
