/* Interfaces for the project's own tools. They may change with every release. */
#ifndef REUSEDIST_EXPERIMENTAL_H
#define REUSEDIST_EXPERIMENTAL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing JSON ----
 *
 *   rd_json_writer *w;
 *   rd_json_writer_new(ctx, RD_JSON_COMPACT, &w);
 *   rd_json_begin_object(w, NULL, RD_JSON_INLINE);
 *   rd_json_put_u64(w, "references", 7);
 *   rd_json_end_object(w);
 *   status = rd_json_writer_take(w, &text, &n);
 *   rd_json_writer_free(w);
 *
 * `key` is the member's name inside an object, and NULL inside an array or for the document itself.
 * After a failure every later call does nothing, and rd_json_writer_take() returns the failure. */
typedef struct rd_json_writer rd_json_writer;

typedef enum rd_json_style {
    RD_JSON_SPACED, /* a space after ',' and ':', and line breaks where RD_JSON_LINES is chosen */
    RD_JSON_COMPACT /* one line without white space */
} rd_json_style;

/* The layout of the members of an object and of the items of an array. */
typedef enum rd_json_layout {
    RD_JSON_INLINE, /* all on the line where the object or array begins */
    RD_JSON_LINES   /* each on a line of its own, indented by two spaces per level */
} rd_json_layout;

RD_API RD_CHECKED rd_status rd_json_writer_new(rd_ctx *ctx, rd_json_style style,
                                               rd_json_writer **out);
RD_API void rd_json_writer_free(rd_json_writer *w); /* NULL is allowed */
/* Hands over the document, which ends with '\n'; the caller frees it with rd_text_free(). The
 * writer is empty afterwards and can be used again. */
RD_API RD_CHECKED rd_status rd_json_writer_take(rd_json_writer *w, char **text, size_t *n);

RD_API void rd_json_begin_object(rd_json_writer *w, const char *key, rd_json_layout layout);
RD_API void rd_json_end_object(rd_json_writer *w);
RD_API void rd_json_begin_array(rd_json_writer *w, const char *key, rd_json_layout layout);
RD_API void rd_json_end_array(rd_json_writer *w);

RD_API void rd_json_put_null(rd_json_writer *w, const char *key);
RD_API void rd_json_put_bool(rd_json_writer *w, const char *key, bool value);
RD_API void rd_json_put_u64(rd_json_writer *w, const char *key, uint64_t value);
/* Writes a number with up to 15 significant digits, or up to 17 if fewer do not read back as the
 * same number. A number that is not finite is written as null. The decimal point is a dot in every
 * locale. */
RD_API void rd_json_put_double(rd_json_writer *w, const char *key, double value);
/* Writes a number with `decimals` digits after the decimal point. A number that is not finite is
 * written as null. */
RD_API void rd_json_put_fixed(rd_json_writer *w, const char *key, double value, int decimals);
/* Writes a string and escapes it. Bytes that are not valid UTF-8, which file names may contain,
 * become U+FFFD. NULL is written as null. */
RD_API void rd_json_put_string(rd_json_writer *w, const char *key, const char *value);

/* ---- numbers ---- */

/* Works like strtod(3) in the C locale, whatever the locale of the program. */
RD_API double rd_strtod(const char *text, char **end);

/* ---- output files ----
 *
 * A path may also be "-" or the name of an open descriptor, such as /dev/stdout. */

/* Checks that rd_text_write() can write to `path`, as far as this is known without opening the
 * file. Fails with RD_EIO if rd_text_write() cannot, and with RD_EINVAL if `path` is empty.
 * Programs call this function before work that takes long. */
RD_API RD_CHECKED rd_status rd_output_check(rd_ctx *ctx, const char *path);
/* Returns whether an output would overwrite an input: whether both paths name the same regular file,
 * directly or through links. As `input`, "-" is standard input. */
RD_API bool rd_output_is_input(const char *output, const char *input);
/* Returns whether the paths of two outputs name the same regular file, which need not exist yet. */
RD_API bool rd_output_is_same(const char *a, const char *b);

/* ---- the order structure alone ----
 *
 * These functions measure the cost of an engine without the table that finds a block's previous
 * reference, as in Figure 7 of Zhong, Shen, Ding 2009. They work for engines that keep last
 * references in order: bk, olken, khw, scale and absolute. For any other engine, a function with a
 * status returns RD_EUNSUPPORTED. */

typedef struct rd_engine rd_engine; /* see engine.h */

/* References whose previous reference the caller has already looked up. */
typedef struct rd_known {
    const uint64_t *last;   /* index in the trace of the previous reference to the block, from 0;
                               RD_COLD for the first reference to a block */
    const uint64_t *number; /* number of the block: 0, 1, 2 ... in the order of first references */
} rd_known;

/* Works like rd_engine_feed(), which must not be used on the same engine (RD_ESTATE). The engine
 * must have no bound (RD_EUNSUPPORTED). The function returns RD_EINVAL if `last` or `number`
 * contradicts earlier references; scale and absolute do not detect every contradiction and then give
 * wrong distances. Engines with RD_CAP_DISTANCES write `distances`, which must not be NULL, and
 * count nothing in the histogram. All other engines count in the histogram and leave `distances`
 * unchanged. Engine bk takes config.references as the length of its time axis. */
RD_API RD_CHECKED rd_status rd_engine_feed_known(rd_engine *e, const rd_known *refs, size_t n,
                                                 uint64_t *distances);

/* Puts the engine into the state after `blocks` blocks were referenced once each. Only engine scale
 * supports this, and only before the first rd_engine_feed_known(). */
RD_API RD_CHECKED rd_status rd_engine_prefill(rd_engine *e, uint64_t blocks);

/* Numbers of nodes, entries or ranges in the order structure of an engine. */
typedef struct rd_nodes {
    uint64_t most;       /* largest number at any time */
    uint64_t compressed; /* largest number right after a compression; 0: the structure never
                            compresses */
} rd_nodes;

/* Returns the numbers of nodes of the engine. Both are 0 for engines that do not count nodes. */
RD_API rd_nodes rd_engine_nodes(const rd_engine *e);

#ifdef __cplusplus
}
#endif
#endif
