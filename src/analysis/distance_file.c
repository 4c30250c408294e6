/* Writes the file of --distances. For speed, the code formats numbers itself, without printf(). */
#include "analysis/distance_file.h"

#include "base/output.h"
#include "reusedist/engine.h"

#include <string.h>

#define BUFFER_BYTES (16 * 1024)
#define LINE_BYTES   21 /* 20 digits and a newline */

struct rdi_distance_file {
    rd_ctx *ctx;
    rdi_output *out;
    char lines[BUFFER_BYTES];
};

rd_status rdi_distance_file_open(rd_ctx *ctx, const char *path, rdi_distance_file **out) {
    rdi_distance_file *f = rdi_alloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    rd_status status = rdi_output_open(ctx, path, &f->out);
    if (status == RD_OK)
        *out = f;
    else
        rdi_free(ctx, f);
    return status;
}

/* Returns the number of decimal digits of x. */
static unsigned count_digits(uint64_t x) {
    unsigned n = 1;
    for (; x >= 10000; x /= 10000)
        n += 4;
    return n + (x >= 10) + (x >= 100) + (x >= 1000);
}

/* Writes x at `to`, two digits at a time from the end. Returns the end of the number. */
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

rd_status rdi_distance_file_write(rdi_distance_file *f, const uint64_t *distances, size_t n) {
    char *at = f->lines;
    for (size_t i = 0; i < n; i++) {
        if (distances[i] == RD_COLD) {
            memcpy(at, "inf", 3);
            at += 3;
        } else {
            at = put_number(at, distances[i]);
        }
        *at++ = '\n';
        if (at > f->lines + BUFFER_BYTES - LINE_BYTES) {
            RD_TRY(rdi_output_write(f->out, f->lines, (size_t)(at - f->lines)));
            at = f->lines;
        }
    }
    return rdi_output_write(f->out, f->lines, (size_t)(at - f->lines));
}

rd_status rdi_distance_file_finish(rdi_distance_file *f) {
    return rdi_output_finish(f->out);
}

void rdi_distance_file_close(rdi_distance_file *f) {
    if (!f)
        return;
    rdi_output_close(f->out);
    rdi_free(f->ctx, f);
}
