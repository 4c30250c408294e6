/* Compressed input through libarchive, where the build has it. */
#include "base/build_config.h"
#include "trace/source.h"

#include <string.h>

static const struct {
    const char *name;
    size_t n;
    const char *magic;
} compressions[] = {
    {"gzip", 2, "\x1f\x8b"},
    {"bzip2", 3, "BZh"},
    {"xz", 6,
     "\xfd"
     "7zXZ\0"},
    {"zstd", 4, "\x28\xb5\x2f\xfd"},
    {"lz4", 4, "\x04\x22\x4d\x18"},
};

const char *rdi_unpack_detect(const uint8_t *head, size_t n) {
    for (size_t i = 0; i < RDI_COUNT(compressions); i++)
        if (n >= compressions[i].n && memcmp(head, compressions[i].magic, compressions[i].n) == 0)
            return compressions[i].name;
    return NULL;
}

#if RDI_HAVE_LIBARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>

struct rdi_unpack {
    rdi_source *source;
    struct archive *archive;
    const char *compression;
    rd_status failed;  /* the source's own error, whose text stands in the context */
    bool ended;        /* nothing is packed in it, and libarchive must not be asked for data */
    uint64_t unpacked; /* bytes given so far */
    uint8_t chunk[64 * 1024];
};

static la_ssize_t feed_archive(struct archive *a, void *user, const void **buf) {
    rdi_unpack *u = user;
    size_t got = 0;
    u->failed = rdi_source_read(u->source, u->chunk, sizeof u->chunk, &got);
    if (u->failed != RD_OK) {
        archive_set_error(a, EIO, "%s", rd_last_error(u->source->ctx));
        return -1;
    }
    *buf = u->chunk;
    return (la_ssize_t)got;
}

static rd_status fail_archive(rdi_unpack *u) {
    if (u->failed != RD_OK)
        return u->failed;
    const char *why = archive_error_string(u->archive);
    return rdi_fail(u->source->ctx, RD_EFORMAT,
                    "%s: byte %" PRIu64 " of what is packed in it: damaged %s data: %s",
                    u->source->name, u->unpacked, u->compression, why ? why : "no reason given");
}

static rd_status start_archive(rdi_unpack *u) {
    u->archive = archive_read_new();
    if (!u->archive)
        return rdi_fail(u->source->ctx, RD_ENOMEM, "out of memory in libarchive");
    archive_read_support_filter_gzip(u->archive);
    archive_read_support_filter_bzip2(u->archive);
    archive_read_support_filter_xz(u->archive);
    archive_read_support_filter_zstd(u->archive);
    archive_read_support_filter_lz4(u->archive);
    archive_read_support_format_raw(u->archive);
    archive_read_support_format_empty(u->archive);
    struct archive_entry *entry;
    if (archive_read_open(u->archive, u, NULL, feed_archive, NULL) != ARCHIVE_OK)
        return fail_archive(u);
    int result = archive_read_next_header(u->archive, &entry);
    u->ended = result == ARCHIVE_EOF;
    return result == ARCHIVE_OK || u->ended ? RD_OK : fail_archive(u);
}

rd_status rdi_unpack_open(rdi_source *s, const char *compression, rdi_unpack **out) {
    rdi_unpack *u = rdi_calloc(s->ctx, 1, sizeof *u);
    if (!u)
        return RD_ENOMEM;
    u->source = s;
    u->compression = compression;
    rd_status status = start_archive(u);
    if (status != RD_OK) {
        rdi_unpack_close(u);
        return status;
    }
    *out = u;
    return RD_OK;
}

rd_status rdi_unpack_read(rdi_unpack *u, void *buf, size_t n, size_t *got) {
    la_ssize_t result = u->ended ? 0 : archive_read_data(u->archive, buf, n);
    if (result < 0)
        return fail_archive(u);
    u->unpacked += (uint64_t)result;
    *got = (size_t)result;
    return RD_OK;
}

void rdi_unpack_close(rdi_unpack *u) {
    if (u) {
        archive_read_free(u->archive);
        rdi_free(u->source->ctx, u);
    }
}

#else

rd_status rdi_unpack_open(rdi_source *s, const char *compression, rdi_unpack **out) {
    (void)out;
    return rdi_fail(s->ctx, RD_EUNSUPPORTED,
                    "%s: is %s-compressed, and this build has no libarchive: unpack it first, or "
                    "install libarchive-dev and build again",
                    s->name, compression);
}

rd_status rdi_unpack_read(rdi_unpack *u, void *buf, size_t n, size_t *got) {
    (void)u;
    (void)buf;
    (void)n;
    *got = 0;
    return RD_OK;
}

void rdi_unpack_close(rdi_unpack *u) {
    (void)u;
}

#endif
