/* Declarations that every file of the library may use: errors, memory, options, ranks, numbers. */
#ifndef RDI_BASE_H
#define RDI_BASE_H

#include "reusedist/base.h"

#include <stdarg.h>

#if defined(__GNUC__)
#define RDI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define RDI_LIKELY(x)         __builtin_expect(!!(x), 1)
#define RDI_UNLIKELY(x)       __builtin_expect(!!(x), 0)
#define RDI_PREFETCH(p)       __builtin_prefetch((p), 1, 3)
#else
#error "reusedist needs gcc or clang"
#endif

/* Evaluates `expr`. If its status is not RD_OK, the function that contains the macro returns this
 * status. */
#define RD_TRY(expr)                                                                               \
    do {                                                                                           \
        rd_status rd_try_status_ = (expr);                                                         \
        if (rd_try_status_ != RD_OK)                                                               \
            return rd_try_status_;                                                                 \
    } while (0)

typedef unsigned __int128 rdi_u128; /* for sums of distances */

#define RDI_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Stores the message in the context, unless `ctx` is NULL, and returns `status`. */
rd_status rdi_fail(rd_ctx *ctx, rd_status status, const char *format, ...) RDI_PRINTF(3, 4);
rd_status rdi_vfail(rd_ctx *ctx, rd_status status, const char *format, va_list args)
    RDI_PRINTF(3, 0);

/* Makes a public function fail with RD_EINVAL if one of the pointers is NULL. The message names the
 * function and the argument; it is lost if `ctx` is NULL. */
#define RDI_NEED(ctx, ...)                                                                         \
    RD_TRY(rdi_need((ctx), __func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},             \
                    sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))
rd_status rdi_need(rd_ctx *ctx, const char *function, const char *names,
                   const void *const *pointers, size_t n);

/* ---- memory (ctx.c) ----
 *
 * Every allocation is counted and limited by the context, and fails on demand in tests. A function
 * that fails sets the message and returns NULL; its caller returns RD_ENOMEM. An overflow of n *
 * size is a failure.
 */
/* Makes a context that has messages of its own and takes its memory from `outer`. */
RD_CHECKED rd_status rdi_ctx_within(rd_ctx *outer, rd_ctx **out);
void *rdi_alloc(rd_ctx *ctx, size_t n, size_t size);  /* returns uninitialized memory */
void *rdi_calloc(rd_ctx *ctx, size_t n, size_t size); /* returns zeroed memory */
/* Resizes `old`, or allocates memory if `old` is NULL. If the function fails, `old` stays valid. */
void *rdi_resize(rd_ctx *ctx, void *old, size_t n, size_t size);
/* Doubles the capacity *room of the array `old`, whose elements have `size` bytes, and returns the
 * array. A capacity of 0 becomes 16. If the function fails, `old` and *room stay valid. */
void *rdi_grow(rd_ctx *ctx, void *old, size_t *room, size_t size);
void rdi_free(rd_ctx *ctx, void *p);
char *rdi_strdup(rd_ctx *ctx, const char *text);

/* Returns zeroed memory: whole pages from the system, huge pages where possible, or, if the context
 * has an allocator of the user, memory from this allocator, aligned to cache lines. Fast engines keep
 * their large arrays in such memory. It is counted and limited like any other memory. The caller must
 * remember `bytes` to free it. */
void *rdi_pages_alloc(rd_ctx *ctx, size_t bytes);
/* Grows an array that rdi_pages_alloc() made to new_bytes >= old_bytes; `old` may be NULL. The added
 * bytes are zero. Where the system can move pages, they are not copied, so the array never exists
 * twice. Memory from an allocator of the user is copied. If the function fails, the old array stays
 * unchanged. */
void *rdi_pages_grow(rd_ctx *ctx, void *old, size_t old_bytes, size_t new_bytes);
void rdi_pages_free(rd_ctx *ctx, void *p, size_t bytes);
/* Enlarges the array of pages at *p from *n to `to` elements of `size` bytes, and sets *n. If `to`
 * is not above *n, the function does nothing. */
rd_status rdi_pages_grow_array(rd_ctx *ctx, void **p, uint64_t *n, uint64_t to, size_t size);

/* ---- options (options.c) ---- */

/* Splits "NAME:key=value,..." into a name and the text after ':' (NULL if there is none). Both are
 * copied into one allocation, which the caller frees with rdi_free(*name). */
rd_status rdi_spec_split(rd_ctx *ctx, const char *spec, char **name, char **options);

/* Sets the defaults, and then the options in `text`, "key=value,...", each of which may occur only once. The
 * table has at most 64 options. `text` is split in place and must outlive `state`, because string options
 * point into `text`. If `text` is NULL or "", the defaults stay. */
rd_status rdi_opts_parse(rd_ctx *ctx, const char *owner, const rd_opt *table, void *state,
                         char *text);

/* Returns "key=value,..." with the current value of every option, or NULL if memory runs out. The
 * caller frees the text. */
char *rdi_opts_describe(rd_ctx *ctx, const rd_opt *table, const void *state);

/* Writes the names next(0), next(1) ... as "a, b, c" into `buf`, cut to `n` - 1 bytes. `next`
 * returns NULL after the last name. */
void rdi_list_names(char *buf, size_t n, const char *(*next)(size_t index));
/* Returns RD_EINVAL with the message that there is no `what` (for example "engine") called `name`.
 * The message lists the valid names, which `next` returns as for rdi_list_names(), and suggests a
 * similar one if there is one. */
rd_status rdi_fail_unknown_name(rd_ctx *ctx, const char *what, const char *name,
                                const char *(*next)(size_t index));

/* ---- other processes (ctx.c) ---- */

/* These functions set and return the ranks that this process works with (ranks.h), and the number
 * of processes that run the ranks. The ranks are borrowed. `ranks` NULL means that this process is
 * alone. */
struct rdi_ranks;
void rdi_ctx_set_ranks(rd_ctx *ctx, struct rdi_ranks *ranks, unsigned processes);
struct rdi_ranks *rdi_ctx_ranks(const rd_ctx *ctx);
unsigned rdi_ctx_processes(const rd_ctx *ctx); /* 1: this process is alone */

/* ---- numbers ---- */

/* Returns a number that identifies the thread of a reference or event. The upper half is the number of
 * the process if `processes` (rd_trace_has_processes()) is true, else 0. The lower half is the thread
 * number. */
static inline uint64_t rdi_thread_key(bool processes, uint64_t address, uint32_t thread) {
    return (processes ? address >> 48 : 0) << 32 | thread;
}

/* Mixes all bits of a 64-bit key (the finalizer of SplitMix64). */
static inline uint64_t rdi_mix64(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* These functions load and store little-endian numbers at any alignment on any machine. */
static inline uint16_t rdi_load_le16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t rdi_load_le32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t rdi_load_le64(const uint8_t *p) {
    return rdi_load_le32(p) | (uint64_t)rdi_load_le32(p + 4) << 32;
}

static inline void rdi_store_le32(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> 8 * i);
}

static inline void rdi_store_le64(uint8_t *p, uint64_t x) {
    rdi_store_le32(p, (uint32_t)x);
    rdi_store_le32(p + 4, (uint32_t)(x >> 32));
}

/* Returns the number of bits that x needs: 0 for 0, 1 for 1, 64 for UINT64_MAX. */
static inline unsigned rdi_bit_width(uint64_t x) {
    return x ? 64u - (unsigned)__builtin_clzll(x) : 0;
}

/* A generator of pseudo-random numbers (SplitMix64), which depend only on the seed. The period is
 * 2^64. */
typedef struct rdi_rng {
    uint64_t state;
} rdi_rng;

static inline uint64_t rdi_rng_next(rdi_rng *rng) {
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return rdi_mix64(rng->state);
}

/* Returns a uniformly distributed number in [0, n), where n > 0. The bias of at most n / 2^64 is
 * negligible for all callers. */
static inline uint64_t rdi_rng_below(rdi_rng *rng, uint64_t n) {
    return (uint64_t)(((rdi_u128)rdi_rng_next(rng) * n) >> 64);
}

/* Returns a uniformly distributed number in [0, 1). */
static inline double rdi_rng_unit(rdi_rng *rng) {
    return (double)(rdi_rng_next(rng) >> 11) * 0x1p-53;
}

#endif
