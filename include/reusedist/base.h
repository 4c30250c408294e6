/* The ground every other header stands on: status codes, the context, option tables, versions.
 *
 * Errors. Every function that can fail returns rd_status and is marked so that ignoring it warns.
 * Results come through trailing out-parameters, which a failing call leaves untouched. The text for
 * people is made where the cause is known and kept in the context: rd_last_error().
 *
 * The library never prints, exits, reads the environment or installs signal handlers, and it has no
 * mutable globals. One object may be used by one thread at a time; different objects, also of the
 * same context, are independent.
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

/* Values are pinned: they never change meaning between releases. */
typedef enum rd_status {
    RD_OK = 0,
    RD_ENOMEM = 1,       /* allocation failed or the context's limit was reached */
    RD_EINVAL = 2,       /* an argument or option is wrong: the caller's mistake */
    RD_EIO = 3,          /* the operating system could not read or write */
    RD_EFORMAT = 4,      /* the content of a file is damaged or not what it should be */
    RD_ERANGE = 5,       /* a number does not fit where it must go */
    RD_EUNSUPPORTED = 6, /* not in this build, or not offered by this engine or format */
    RD_ESTATE = 7,       /* calls in the wrong order */
    RD_EDEVICE = 8,      /* an accelerator failed */
    RD_ECANCELED = 9     /* a callback of the caller asked to stop */
} rd_status;

/* "RD_ENOMEM" and so on; never NULL. */
RD_API const char *rd_status_name(rd_status status);

/* "0.1.0"; may differ from the macros above when the shared library was replaced. */
RD_API const char *rd_version(void);

/* Optional parts of this build, for people: one line each ("libarchive 3.6.2: gz bz2 xz zst lz4"),
 * NULL past the last one. */
RD_API const char *rd_build_feature(size_t index);

/* The allocator the whole library uses. `resize` behaves like realloc(3), also for NULL and for
 * new_size 0 (free), and is told the old size. It may be called from several threads at once. */
typedef struct rd_alloc {
    void *(*resize)(void *user, void *old, size_t old_size, size_t new_size);
    void *user;
} rd_alloc;

/* Memory accounting and the last error. Every other object belongs to one context, and must be
 * closed before it. */
typedef struct rd_ctx rd_ctx;

/* `alloc` NULL: the C library's allocator. The struct is copied. */
RD_API RD_CHECKED rd_status rd_ctx_new(const rd_alloc *alloc, rd_ctx **out);
RD_API void rd_ctx_free(rd_ctx *ctx);

/* Allocations that would lift the live bytes above `max_bytes` fail with RD_ENOMEM. 0: no limit. */
RD_API void rd_ctx_set_limit(rd_ctx *ctx, size_t max_bytes);
RD_API size_t rd_ctx_live_bytes(const rd_ctx *ctx);
RD_API size_t rd_ctx_peak_bytes(const rd_ctx *ctx);

/* Text of the newest failure in this context, "" when there was none. Borrowed; valid until the
 * next failing call on this context. */
RD_API const char *rd_last_error(const rd_ctx *ctx);

/* Frees a text that a function of this library made for its caller. NULL is allowed. */
RD_API void rd_text_free(rd_ctx *ctx, char *text);

/* A text, a file name say, made fit for a terminal, a log or XML: control characters and what is
 * not UTF-8 become \xNN. Writes as much as `room` takes, NUL-ended, and returns the length of the
 * whole, like snprintf(3). */
RD_API size_t rd_text_escape(const char *text, char *out, size_t room);

/* Writes `n` bytes to a file; "-" is standard output. A plain file appears under its name only when
 * every byte is in it: until then a file of that name stays as it was. */
RD_API RD_CHECKED rd_status rd_text_write(rd_ctx *ctx, const char *path, const char *text,
                                          size_t n);

/* ---- option tables: engines, formats, generators and commands declare theirs the same way ---- */

typedef enum rd_opt_type {
    RD_OPT_U64,    /* uint64_t: decimal, or 0x hex */
    RD_OPT_SIZE,   /* uint64_t: decimal with optional K, M, G, T (powers of 1024) */
    RD_OPT_DOUBLE, /* double */
    RD_OPT_BOOL,   /* bool: on, off (also yes, no, true, false, 1, 0) */
    RD_OPT_CHOICE, /* uint32_t: index into `choices` */
    RD_OPT_STRING, /* const char *: borrowed from the option text the object keeps */
    RD_OPT_SIZES, /* rd_sizes: several RD_OPT_SIZE values joined by ':' (or ',' on the command line)
                   */
    RD_OPT_STRINGS /* rd_strings: may be given several times */
} rd_opt_type;

#define RD_SIZES_MAX 64
typedef struct rd_sizes {
    size_t n;
    uint64_t value[RD_SIZES_MAX];
} rd_sizes;

#define RD_STRINGS_MAX 64
typedef struct rd_strings {
    size_t n;
    const char *value[RD_STRINGS_MAX];
} rd_strings;

/* One option. A table ends with name == NULL. */
typedef struct rd_opt {
    const char *name;    /* key in "key=value,..." and long option "--name" of a command */
    rd_opt_type type;    /* how the text is read and what is stored at `offset` */
    size_t offset;       /* of the field in the state struct */
    const char *def;     /* default as the user would write it; NULL: field stays zero */
    double min, max;     /* inclusive range of numbers; both 0: no check */
    const char *choices; /* RD_OPT_CHOICE: "splay|avl|interval" */
    const char *help;    /* one line, lower case, no full stop */
    char letter;         /* commands only: short option, 0 for none */
    const char *arg;     /* commands only: what --help calls the value; NULL for a plain switch */
} rd_opt;

/* Sets every field of `state` to its default. */
RD_API RD_CHECKED rd_status rd_opts_default(rd_ctx *ctx, const rd_opt *table, void *state);

/* Reads one value. `owner` names the thing in messages ("engine bk", "analyze"). */
RD_API RD_CHECKED rd_status rd_opts_set(rd_ctx *ctx, const char *owner, const rd_opt *table,
                                        void *state, const char *name, const char *value);

/* "123", "64K", "2G". Whole text must be used. */
RD_API RD_CHECKED rd_status rd_parse_size(rd_ctx *ctx, const char *text, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
