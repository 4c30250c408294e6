/* Implements the input buffer of a trace. See input.h. */
#include "trace/input.h"

#include "base/number.h"
#include "base/retry.h"
#include "trace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Under AddressSanitizer the memory after the input buffer and its '\n' is poisoned, so that tests
 * and fuzzers detect a reader that reads too far, even if the allocation is larger. */
#if defined(__SANITIZE_ADDRESS__)
#define GUARD_WINDOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARD_WINDOW 1
#endif
#endif
#ifdef GUARD_WINDOW
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

/* Initial size of the input buffer in bytes: small enough to stay in the second-level cache while a
 * reader uses it. */
#define BUFFER_BYTES (256 * 1024)

typedef struct input_impl {
    rdi_input in; /* must be the first member; the reader sees it */
    rdi_source source;
    rdi_unpack *unpack; /* unpacks the input; NULL: not compressed */
    uint8_t *buffer;    /* memory of the input buffer, `room` + 1 bytes */
    size_t room;
    rd_status pending;  /* status of a read error, reported after the bytes before it */
    char *pending_text; /* message of that error */
    uint64_t total;     /* size of the file; 0: unknown */
    bool owns_fd;
    uint8_t *early; /* the bytes that the caller had already read */
    char *name;
} input_impl;

rd_status rdi_source_read(rdi_source *s, void *buf, size_t n, size_t *got) {
    if (s->n > 0 || s->fd < 0) {
        size_t part = s->n < n ? s->n : n;
        if (part)
            memcpy(buf, s->data, part);
        s->data += part;
        s->n -= part;
        *got = part;
        return RD_OK;
    }
    ssize_t result;
    do
        result = read(s->fd, buf, n);
    while (result < 0 && rdi_may_retry(s->fd, POLLIN));
    if (result < 0)
        return rdi_fail(s->ctx, RD_EIO, "%s: cannot read: %s", s->name, strerror(errno));
    s->stored += (uint64_t)result;
    *got = (size_t)result;
    return RD_OK;
}

static void guard_buffer(input_impl *impl) {
    const uint8_t *behind = impl->in.data + impl->in.avail + 1;
    ASAN_POISON_MEMORY_REGION(behind, (size_t)(impl->buffer + impl->room + 1 - behind));
}

static void unguard_buffer(input_impl *impl) {
    ASAN_UNPOISON_MEMORY_REGION(impl->buffer, impl->room + 1);
}

static rd_status new_input(rd_ctx *ctx, const char *name, input_impl **out) {
    input_impl *impl = rdi_calloc(ctx, 1, sizeof *impl);
    if (!impl)
        return RD_ENOMEM;
    impl->in.ctx = impl->source.ctx = ctx;
    impl->source.fd = -1;
    impl->name = rdi_strdup(ctx, name);
    impl->room = BUFFER_BYTES;
    impl->buffer = rdi_alloc(ctx, impl->room + 1, 1);
    if (!impl->name || !impl->buffer) {
        rdi_input_close(&impl->in);
        return RD_ENOMEM;
    }
    impl->in.name = impl->source.name = impl->name;
    impl->in.data = impl->buffer;
    impl->buffer[0] = '\n';
    guard_buffer(impl);
    *out = impl;
    return RD_OK;
}

static rd_status check_file(input_impl *impl) {
    rd_ctx *ctx = impl->in.ctx;
    struct stat st;
    if (fstat(impl->source.fd, &st) != 0)
        return rdi_fail(ctx, RD_EIO, "%s: cannot get the type of the file: %s", impl->name,
                        strerror(errno));
    if (S_ISDIR(st.st_mode))
        return rdi_fail(ctx, RD_EIO, "%s: this is a directory; name a file", impl->name);
    if (S_ISREG(st.st_mode))
        impl->total = (uint64_t)st.st_size;
    return RD_OK;
}

static rd_status open_file(input_impl *impl, const char *path) {
    if (!*path)
        return rdi_fail(impl->in.ctx, RD_EINVAL,
                        "the name of the trace is empty; name a file, or - for standard input");
    if (strcmp(path, "-") == 0) {
        impl->source.fd = STDIN_FILENO;
    } else {
        impl->source.fd = open(path, O_RDONLY | O_CLOEXEC);
        impl->owns_fd = true;
    }
    if (impl->source.fd < 0)
        return rdi_fail(impl->in.ctx, RD_EIO, "%s: cannot open: %s", path, strerror(errno));
    return check_file(impl);
}

static rd_status use_fd(input_impl *impl, int fd, const void *head, size_t n) {
    impl->source.fd = fd;
    impl->early = rdi_alloc(impl->in.ctx, n ? n : 1, 1);
    if (!impl->early)
        return RD_ENOMEM;
    if (n)
        memcpy(impl->early, head, n);
    impl->source.data = impl->early;
    impl->source.n = n;
    impl->source.stored = n;
    return check_file(impl);
}

/* Opens an unpacker if the first bytes have the magic number of a compression. Afterwards,
 * rdi_source_read() delivers these bytes again. */
static rd_status start_unpacking(input_impl *impl) {
    rdi_source *s = &impl->source;
    if (s->fd >= 0 && s->n < sizeof s->head) {
        size_t have = 0, got = 1;
        while (have < sizeof s->head && got > 0) {
            RD_TRY(rdi_source_read(s, s->head + have, sizeof s->head - have, &got));
            have += got;
        }
        s->data = s->head;
        s->n = have;
    }
    const char *compression = rdi_unpack_detect(s->data, s->n);
    return compression ? rdi_unpack_open(s, compression, &impl->unpack) : RD_OK;
}

/* Starts unpacking, which is the last step of opening. `status` is the result of the earlier steps.
 * Closes the input if any step has failed. */
static rd_status start_input(input_impl *impl, rd_status status, rdi_input **out) {
    if (status == RD_OK)
        status = start_unpacking(impl);
    if (status != RD_OK) {
        rdi_input_close(&impl->in);
        return status;
    }
    *out = &impl->in;
    return RD_OK;
}

rd_status rdi_input_open(rd_ctx *ctx, const char *path, rdi_input **out) {
    input_impl *impl;
    RD_TRY(new_input(ctx, strcmp(path, "-") == 0 ? "(standard input)" : path, &impl));
    return start_input(impl, open_file(impl, path), out);
}

rd_status rdi_input_open_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                            rdi_input **out) {
    input_impl *impl;
    RD_TRY(new_input(ctx, name, &impl));
    return start_input(impl, use_fd(impl, fd, head, n), out);
}

rd_status rdi_input_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                                rdi_input **out) {
    input_impl *impl;
    RD_TRY(new_input(ctx, name, &impl));
    impl->source.data = data;
    impl->source.n = n;
    impl->total = n;
    return start_input(impl, RD_OK, out);
}

/* Moves the remaining bytes to the beginning of the input buffer's memory and makes room for `want`
 * bytes in total. */
static rd_status make_room(input_impl *impl, size_t want) {
    rdi_input *in = &impl->in;
    unguard_buffer(impl);
    if (in->avail && in->data != impl->buffer)
        memmove(impl->buffer, in->data, in->avail);
    in->data = impl->buffer;
    if (want <= impl->room)
        return RD_OK;
    size_t room = impl->room;
    while (room < want)
        room *= 2;
    uint8_t *grown = rdi_resize(in->ctx, impl->buffer, room + 1, 1);
    if (!grown)
        return RD_ENOMEM;
    impl->buffer = grown;
    impl->room = room;
    in->data = grown;
    return RD_OK;
}

static rd_status read_more(input_impl *impl, size_t *got) {
    rdi_input *in = &impl->in;
    uint8_t *to = impl->buffer + in->avail;
    size_t n = impl->room - in->avail;
    return impl->unpack ? rdi_unpack_read(impl->unpack, to, n, got)
                        : rdi_source_read(&impl->source, to, n, got);
}

/* Stores the current error, to report it after the valid bytes before it were delivered. */
static void postpone(input_impl *impl, rd_status status) {
    impl->pending = status;
    impl->pending_text = rdi_strdup(impl->in.ctx, rd_last_error(impl->in.ctx));
}

rd_status rdi_input_fill(rdi_input *in, size_t need, size_t want) {
    input_impl *impl = (input_impl *)in;
    if (in->avail < want && !in->eof && impl->pending == RD_OK)
        RD_TRY(make_room(impl, want));
    while (in->avail < want && !in->eof && impl->pending == RD_OK) {
        size_t got = 0;
        rd_status status = read_more(impl, &got);
        if (status != RD_OK)
            postpone(impl, status);
        else if (got == 0)
            in->eof = true;
        in->avail += got;
        impl->buffer[in->avail] = '\n';
    }
    guard_buffer(impl);
    if (impl->pending != RD_OK && in->avail < need)
        return rdi_fail(in->ctx, impl->pending, "%s",
                        impl->pending_text ? impl->pending_text : in->name);
    return RD_OK;
}

static RDI_PRINTF(4, 0) rd_status
    fail_at(rdi_input *in, const char *unit, uint64_t where, const char *format, va_list args) {
    char text[512];
    rdi_vsnprintf(text, sizeof text, format, args);
    return rdi_fail(in->ctx, RD_EFORMAT, "%s: %s %" PRIu64 ": %s", in->name, unit, where, text);
}

rd_status rdi_input_fail_line(rdi_input *in, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rd_status status = fail_at(in, "line", in->line, format, args);
    va_end(args);
    return status;
}

rd_status rdi_input_fail_byte(rdi_input *in, uint64_t offset, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rd_status status = fail_at(in, "byte", offset, format, args);
    va_end(args);
    return status;
}

uint64_t rdi_input_size(const rdi_input *in) {
    const input_impl *impl = (const input_impl *)in;
    return impl->owns_fd && !impl->unpack ? impl->total : 0;
}

rd_status rdi_input_seek(rdi_input *in, uint64_t offset) {
    input_impl *impl = (input_impl *)in;
    if (lseek(impl->source.fd, (off_t)offset, SEEK_SET) < 0)
        return rdi_fail(in->ctx, RD_EIO, "%s: cannot seek to byte %" PRIu64 ": %s", in->name,
                        offset, strerror(errno));
    unguard_buffer(impl);
    impl->source.n = 0;
    impl->source.stored = in->offset = offset;
    in->data = impl->buffer;
    in->avail = 0;
    in->eof = false;
    impl->buffer[0] = '\n';
    guard_buffer(impl);
    return RD_OK;
}

bool rdi_input_peek(const rdi_input *in, uint64_t offset, void *buf, size_t n) {
    const input_impl *impl = (const input_impl *)in;
    return pread(impl->source.fd, buf, n, (off_t)offset) == (ssize_t)n;
}

void rdi_input_progress(const rdi_input *in, uint64_t *done, uint64_t *total) {
    const input_impl *impl = (const input_impl *)in;
    *done = impl->source.fd < 0 ? impl->total - impl->source.n : impl->source.stored;
    *total = impl->total;
}

void rdi_input_close(rdi_input *in) {
    if (!in)
        return;
    input_impl *impl = (input_impl *)in;
    if (impl->buffer)
        unguard_buffer(impl);
    rdi_unpack_close(impl->unpack);
    if (impl->owns_fd && impl->source.fd >= 0)
        close(impl->source.fd);
    rdi_free(in->ctx, impl->pending_text);
    rdi_free(in->ctx, impl->early);
    rdi_free(in->ctx, impl->buffer);
    rdi_free(in->ctx, impl->name);
    rdi_free(in->ctx, impl);
}
