/* Base: status codes, the context, option tables and versions.
 *
 * Errors. Every function that can fail returns rd_status, and the compiler warns when the caller
 * ignores it. Results come through trailing out-parameters, which a failing call leaves untouched.
 * The context keeps a message for people: rd_last_error(). If a pointer that must not be NULL is
 * NULL, a function returns RD_EINVAL. A function without a status then does nothing and returns 0,
 * false, "" or NULL.
 *
 * The library writes to standard output only if the caller names it as a file. It never exits,
 * reads the environment or installs signal handlers, and it has no mutable globals. An object may
 * be used by one thread at a time; different objects are independent, even if they belong to the
 * same context.
 */
#ifndef REUSEDIST_BASE_H
#define REUSEDIST_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RD_VERSION_MAJOR 0
#define RD_VERSION_MINOR 1
#define RD_VERSION_PATCH 0

#if defined(RD_STATIC) || !defined(__GNUC__)
#define RD_API
#else
#define RD_API __attribute__((visibility("default")))
#endif
#ifdef __GNUC__
#define RD_CHECKED __attribute__((warn_unused_result))
#else
#define RD_CHECKED
#endif

/* Status codes. A value keeps its meaning in all releases. */
typedef enum rd_status {
    RD_OK = 0,
    RD_ENOMEM = 1,       /* allocation failed or the context's limit was reached */
    RD_EINVAL = 2,       /* an argument or option is wrong: the caller's mistake */
    RD_EIO = 3,          /* the operating system could not read or write */
    RD_EFORMAT = 4,      /* the content of a file is damaged or not in the expected format */
    RD_ERANGE = 5,       /* a number does not fit where it must go */
    RD_EUNSUPPORTED = 6, /* not in this build, or not offered by this engine or format */
    RD_ESTATE = 7,       /* calls in the wrong order */
    RD_EDEVICE = 8,      /* an accelerator failed */
    RD_ECANCELED = 9     /* a callback of the caller asked to stop */
} rd_status;

/* Returns the name of a status, for example "RD_ENOMEM"; never NULL. */
RD_API const char *rd_status_name(rd_status status);

/* Returns the version of the library, for example "0.1.0". It differs from the macros above if the
 * shared library was replaced after the program was compiled. */
RD_API const char *rd_version(void);

/* Returns a line for people that describes optional part number `index` of this build, for example
 * "libarchive 3.6.2: reads bz2, xz, zst and lz4 traces", or NULL past the last one. */
RD_API const char *rd_build_feature(size_t index);

/* The allocator of a context. `resize` behaves like realloc(3): if `old` is NULL, it allocates
 * memory; if `new_size` is 0, it frees `old`. `old_size` is the present size of `old`, which the last
 * call requested. Several threads may call `resize` at the same time. */
typedef struct rd_alloc {
    void *(*resize)(void *user, void *old, size_t old_size, size_t new_size);
    void *user;
} rd_alloc;

/* A context counts the memory of its objects and keeps the last error message. Every other object
 * belongs to one context and must be freed before the context. */
typedef struct rd_ctx rd_ctx;

/* Makes a context. `alloc` is copied; NULL selects the C library's allocator. */
RD_API RD_CHECKED rd_status rd_ctx_new(const rd_alloc *alloc, rd_ctx **out);
RD_API void rd_ctx_free(rd_ctx *ctx);

/* Limits the memory of the context: an allocation that would raise the live bytes above `max_bytes`
 * fails with RD_ENOMEM. 0 removes the limit. */
RD_API void rd_ctx_set_limit(rd_ctx *ctx, size_t max_bytes);
RD_API size_t rd_ctx_live_bytes(const rd_ctx *ctx);
RD_API size_t rd_ctx_peak_bytes(const rd_ctx *ctx);

/* Returns the message of the latest failure in this context, or "" if there was none. The message
 * is borrowed until the next call that fails in this context. */
RD_API const char *rd_last_error(const rd_ctx *ctx);

/* Frees a text that a function of this library made for the caller. `text` may be NULL. */
RD_API void rd_text_free(rd_ctx *ctx, char *text);

/* Makes a text, for example a file name, safe for a terminal, a log file or XML: writes \xNN for each
 * byte of invalid UTF-8, of a control character, of U+FFFE and U+FFFF, and of a character that ends a
 * line or changes the direction of text. Like snprintf(3), the function writes at most `room` bytes to
 * `out`, the final NUL included, and returns the length of the complete text. */
RD_API size_t rd_text_escape(const char *text, char *out, size_t room);

/* Writes the `n` bytes of `text` to the file `path`; "-" is standard output. A regular file appears
 * under its name only when it is complete, and until then an existing file of that name stays
 * unchanged. If the existing file cannot be replaced, for example in a read-only folder, the function
 * overwrites its contents. */
RD_API RD_CHECKED rd_status rd_text_write(rd_ctx *ctx, const char *path, const char *text,
                                          size_t n);

/* ---- option tables of engines, formats, generators and commands ---- */

typedef enum rd_opt_type {
    RD_OPT_U64,    /* uint64_t: decimal, or hexadecimal after 0x */
    RD_OPT_SIZE,   /* uint64_t: like RD_OPT_U64, then optionally K, M, G or T (powers of 1024; lower
                      case is accepted) */
    RD_OPT_DOUBLE, /* double */
    RD_OPT_BOOL,   /* bool: on, off (also yes, no, true, false, 1, 0) */
    RD_OPT_CHOICE, /* uint32_t: index into `choices` */
    RD_OPT_STRING, /* const char *: borrowed from the text that was parsed */
    RD_OPT_SIZES,  /* rd_sizes: several RD_OPT_SIZE values joined by ':' (or ',' on the command
                     line) */
    RD_OPT_STRINGS /* rd_strings: the option may be given several times */
} rd_opt_type;

#define RD_SIZES_MAX 64
typedef struct rd_sizes {
    size_t n;
    uint64_t value[RD_SIZES_MAX];
    bool has_unit; /* true: at least one value was written with K, M, G or T */
} rd_sizes;

#define RD_STRINGS_MAX 64
typedef struct rd_strings {
    size_t n;
    const char *value[RD_STRINGS_MAX];
} rd_strings;

/* One option. A table ends with name == NULL. */
typedef struct rd_opt {
    const char *name;    /* key in "key=value,...", or long option "--name" of a command */
    rd_opt_type type;    /* how the text is parsed and which type is stored at `offset` */
    size_t offset;       /* offset of the field in the state struct */
    const char *def;     /* default value as the user would write it; NULL: the field is not set */
    double min, max;     /* inclusive range of numbers; both 0: no check */
    const char *choices; /* RD_OPT_CHOICE: the valid words, for example "splay|avl|interval" */
    const char *help;    /* one line, lower case, no full stop */
    char letter;         /* commands only: short option, 0 for none */
    const char *arg;     /* commands only: name of the value in --help; NULL for a plain switch */
} rd_opt;

/* Sets each field of `state` whose option has a default to that default. */
RD_API RD_CHECKED rd_status rd_opts_default(rd_ctx *ctx, const rd_opt *table, void *state);

/* Parses `value` and stores it in the field of option `name`. String options borrow `value`.
 * `owner` is the name that messages give to the engine, format or command with these options
 * ("engine bk", "analyze"). */
RD_API RD_CHECKED rd_status rd_opts_set(rd_ctx *ctx, const char *owner, const rd_opt *table,
                                        void *state, const char *name, const char *value);

/* Parses a size such as "123", "64K" or "2G". Any text after the size is an error. */
RD_API RD_CHECKED rd_status rd_parse_size(rd_ctx *ctx, const char *text, uint64_t *out);

/* A search for the name that is closest to a mistyped word: call rd_suggest() with the word, then
 * rd_suggest_offer() with every valid name. */
typedef struct rd_suggestion {
    const char *word, *best; /* both are borrowed; `best` is NULL if no name is close to `word` */
    size_t n, best_n;        /* lengths of `word` and `best` */
    unsigned distance;       /* number of edits that turn `word` into `best`; 1 if `best` begins
                                with `word`; while `best` is NULL, the largest number of edits with
                                which a name counts as close */
} rd_suggestion;

#define RD_SUGGESTION_ROOM 96

RD_API rd_suggestion rd_suggest(const char *word, size_t n);
RD_API void rd_suggest_offer(rd_suggestion *s, const char *name, size_t n);
/* Writes "; did you mean NAME?", with `prefix` before the best name, or "" if no name is close.
 * Returns `room`, which must have RD_SUGGESTION_ROOM bytes. */
RD_API const char *rd_suggest_text(const rd_suggestion *s, const char *prefix, char *room);

#ifdef __cplusplus
}
#endif
#endif
