/* Unpacks gzip with zlib, if the build has zlib. Consecutive members form one stream, as in
 * gzip(1). */
#include "base/build_config.h"
#include "trace/source.h"

#if RDI_HAVE_ZLIB

#include <inttypes.h>
#include <zlib.h>

typedef struct gunzip {
    rdi_unpack base;
    rdi_source *source;
    z_stream z;
    bool between;      /* true: a member has ended, and no other has begun */
    uint64_t unpacked; /* number of bytes unpacked so far */
    uint8_t buffer[64 * 1024];
} gunzip;

static void *z_alloc(void *ctx, unsigned n, unsigned size) {
    return rdi_alloc(ctx, n, size);
}

static void z_free(void *ctx, void *p) {
    rdi_free(ctx, p);
}

static rd_status fail_gunzip(gunzip *g, const char *why) {
    return rdi_fail(g->source->ctx, RD_EFORMAT,
                    "%s: byte %" PRIu64 " of the unpacked data: the gzip data is damaged: %s",
                    g->source->name, g->unpacked, why);
}

/* Reads more packed bytes. *got is 0 at the end of the file. Fails if the file ends inside a
 * member. */
static rd_status refill(gunzip *g, size_t *got) {
    RD_TRY(rdi_source_read(g->source, g->buffer, sizeof g->buffer, got));
    g->z.next_in = g->buffer;
    g->z.avail_in = (unsigned)*got;
    if (*got == 0 && !g->between)
        return fail_gunzip(g, "it ends too early");
    return RD_OK;
}

static rd_status gunzip_read(rdi_unpack *base, void *buf, size_t n, size_t *got) {
    gunzip *g = (gunzip *)base;
    g->z.next_out = buf;
    g->z.avail_out = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
    const unsigned room = g->z.avail_out;
    while (g->z.avail_out == room) {
        size_t more = 1;
        if (g->z.avail_in == 0)
            RD_TRY(refill(g, &more));
        if (more == 0)
            break;
        if (g->between)
            inflateReset(&g->z);
        int result = inflate(&g->z, Z_NO_FLUSH);
        g->between = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return RD_ENOMEM;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_gunzip(g, g->z.msg ? g->z.msg : "no reason given");
    }
    *got = room - g->z.avail_out;
    g->unpacked += *got;
    return RD_OK;
}

static void gunzip_close(rdi_unpack *base) {
    gunzip *g = (gunzip *)base;
    inflateEnd(&g->z);
    rdi_free(g->source->ctx, g);
}

rd_status rdi_gunzip_open(rdi_source *s, rdi_unpack **out) {
    gunzip *g = rdi_calloc(s->ctx, 1, sizeof *g);
    if (!g)
        return RD_ENOMEM;
    g->base = (rdi_unpack){gunzip_read, gunzip_close};
    g->source = s;
    g->z = (z_stream){.zalloc = z_alloc, .zfree = z_free, .opaque = s->ctx};
    if (inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) { /* 16 selects gzip with its checksum */
        rdi_free(s->ctx, g);
        return RD_ENOMEM;
    }
    *out = &g->base;
    return RD_OK;
}

#else

rd_status rdi_gunzip_open(rdi_source *s, rdi_unpack **out) {
    (void)out;
    return rdi_unpack_missing(s, "gzip", "zlib", "zlib1g-dev");
}

#endif
