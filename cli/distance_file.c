/* Writes distances as lines. For speed, numbers are formatted by hand into a large buffer. */
#include "distance_file.h"

#include "reusedist/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256 * 1024)
#define LINE_BYTES   21 /* 20 digits and a newline */

struct distance_file {
    const char *path;
    int fd;
    uint64_t written; /* bytes in the file: complete lines */
    bool failed;      /* the failure has been reported */
    size_t n;         /* bytes in the buffer */
    char buffer[BUFFER_BYTES];
};

distance_file *distance_file_open(const char *path) {
    distance_file *f = calloc(1, sizeof *f);
    if (!f) {
        fail("out of memory");
        return NULL;
    }
    bool standard = strcmp(path, "-") == 0;
    f->path = standard ? "(standard output)" : path;
    f->fd = standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (f->fd < 0) {
        fail("%s: cannot open for writing: %s", path, strerror(errno));
        free(f);
        return NULL;
    }
    return f;
}

/* Reports a failure, and truncates the file to complete lines if possible: half a line would look
 * like another distance. */
static void report_failure(distance_file *f) {
    fail("%s: cannot write: %s", f->path, strerror(errno));
    f->failed = true;
    if (f->fd != STDOUT_FILENO && ftruncate(f->fd, (off_t)f->written) != 0)
        fail("%s: the last line may be incomplete", f->path);
}

static rd_status flush(distance_file *f) {
    size_t done = 0;
    while (done < f->n && !f->failed) {
        ssize_t part = write(f->fd, f->buffer + done, f->n - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            report_failure(f);
        else
            done += (size_t)part;
    }
    if (f->failed)
        return RD_EIO;
    f->written += f->n;
    f->n = 0;
    return RD_OK;
}

/* Number of decimal digits of x. */
static unsigned count_digits(uint64_t x) {
    unsigned n = 1;
    for (; x >= 10000; x /= 10000)
        n += 4;
    return n + (x >= 10) + (x >= 100) + (x >= 1000);
}

/* Writes x at `to`, two digits at a time from the end; returns the end. */
static char *put_number(char *to, uint64_t x) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char *end = to + count_digits(x), *at = end;
    while (x >= 10) {
        at -= 2;
        memcpy(at, &pairs[x % 100 * 2], 2);
        x /= 100;
    }
    if (at > to)
        *--at = (char)('0' + x);
    return end;
}

rd_status distance_file_sink(void *user, const uint64_t *distances, size_t n) {
    distance_file *f = user;
    for (size_t i = 0; i < n; i++) {
        if (f->n + LINE_BYTES > BUFFER_BYTES && flush(f) != RD_OK)
            return RD_EIO;
        char *at = f->buffer + f->n;
        if (distances[i] == RD_COLD) {
            memcpy(at, "inf", 3);
            at += 3;
        } else {
            at = put_number(at, distances[i]);
        }
        *at++ = '\n';
        f->n = (size_t)(at - f->buffer);
    }
    return RD_OK;
}

int distance_file_close(distance_file *f) {
    if (!f)
        return EXIT_OK;
    bool good = !f->failed && flush(f) == RD_OK;
    if (f->fd != STDOUT_FILENO && close(f->fd) != 0 && good) {
        fail("%s: cannot write: %s", f->path, strerror(errno));
        good = false;
    }
    free(f);
    return good ? EXIT_OK : EXIT_FAILED;
}
