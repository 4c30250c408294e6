/* Internals of the JSON writer of reusedist/experimental.h, and functions that only the library
 * uses. */
#ifndef RDI_JSON_WRITE_H
#define RDI_JSON_WRITE_H

#include "base/text.h"
#include "reusedist/experimental.h"

#define RDI_JSON_WRITER_DEPTH 16

struct rd_json_writer {
    rdi_text text;
    rd_json_style style;
    size_t max_string; /* limit in bytes: longer strings are cut and get an ellipsis; 0: no limit */
    unsigned depth;    /* number of open objects and arrays */
    struct {
        bool lines; /* true: every entry begins a line */
        bool any;   /* true: an entry has been written */
    } level[RDI_JSON_WRITER_DEPTH + 1];
};

/* Returns a writer, for example for a variable on the stack. After rd_json_writer_take() or
 * rdi_json_writer_drop(), the writer holds no memory. */
static inline rd_json_writer rdi_json_writer_start(rd_ctx *ctx, rd_json_style style) {
    return (rd_json_writer){.text = rdi_text_start(ctx), .style = style};
}
void rdi_json_writer_drop(rd_json_writer *w);

/* Writes a number, or null if it is equal to `none`. */
void rdi_json_put_u64_or_null(rd_json_writer *w, const char *key, uint64_t value, uint64_t none);
void rdi_json_put_u128(rd_json_writer *w, const char *key, rdi_u128 value);
/* Writes a number rounded to `digits` significant digits, or null if it is not finite. */
void rdi_json_put_rounded(rd_json_writer *w, const char *key, double value, int digits);
/* Writes the member "tool" with the name and version of this library. */
void rdi_json_put_tool(rd_json_writer *w);

/* These functions write an array on one line. */
void rdi_json_put_u64s(rd_json_writer *w, const char *key, const uint64_t *values, size_t n);
void rdi_json_put_doubles(rd_json_writer *w, const char *key, const double *values, size_t n);
void rdi_json_put_strings(rd_json_writer *w, const char *key, const char *const *values, size_t n);

#endif
