/* Unpacks bz2, xz, zst and lz4 with libarchive, if the build has libarchive. */
#include "base/build_config.h"
#include "trace/source.h"

#if RDI_HAVE_LIBARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>

typedef struct unarchive {
    rdi_unpack base;
    rdi_source *source;
    struct archive *archive;
    const char *compression;
    rd_status failed;  /* status of a failure of the source, whose message is in the context */
    bool ended;        /* true: the archive is empty, so libarchive must not be asked for data */
    uint64_t unpacked; /* number of bytes unpacked so far */
    uint8_t buffer[64 * 1024];
} unarchive;

static la_ssize_t feed_archive(struct archive *a, void *user, const void **buf) {
    unarchive *u = user;
    size_t got = 0;
    u->failed = rdi_source_read(u->source, u->buffer, sizeof u->buffer, &got);
    if (u->failed != RD_OK) {
        archive_set_error(a, EIO, "%s", rd_last_error(u->source->ctx));
        return -1;
    }
    *buf = u->buffer;
    return (la_ssize_t)got;
}

/* Returns whether libarchive failed for lack of memory. For zst, bz2 and lz4, the error number of
 * libarchive does not distinguish lack of memory from damage. So the callers set errno to 0 before
 * they call libarchive, and this function checks errno as well. */
static bool is_out_of_memory(const unarchive *u) {
    return errno == ENOMEM || archive_errno(u->archive) == ENOMEM;
}

static rd_status fail_archive(unarchive *u) {
    if (u->failed != RD_OK)
        return u->failed;
    if (is_out_of_memory(u))
        return rdi_fail(u->source->ctx, RD_ENOMEM,
                        "%s: byte %" PRIu64 " of the unpacked data: out of memory", u->source->name,
                        u->unpacked);
    const char *why = archive_error_string(u->archive);
    return rdi_fail(u->source->ctx, RD_EFORMAT,
                    "%s: byte %" PRIu64 " of the unpacked data: the %s data is damaged: %s",
                    u->source->name, u->unpacked, u->compression, why ? why : "no reason given");
}

static rd_status start_archive(unarchive *u) {
    errno = 0;
    u->archive = archive_read_new();
    if (!u->archive)
        return rdi_fail(u->source->ctx, RD_ENOMEM, "%s: out of memory", u->source->name);
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

static rd_status unarchive_read(rdi_unpack *base, void *buf, size_t n, size_t *got) {
    unarchive *u = (unarchive *)base;
    errno = 0;
    la_ssize_t result = u->ended ? 0 : archive_read_data(u->archive, buf, n);
    if (result < 0)
        return fail_archive(u);
    u->unpacked += (uint64_t)result;
    *got = (size_t)result;
    return RD_OK;
}

static void unarchive_close(rdi_unpack *base) {
    unarchive *u = (unarchive *)base;
    archive_read_free(u->archive);
    rdi_free(u->source->ctx, u);
}

rd_status rdi_unarchive_open(rdi_source *s, const char *compression, rdi_unpack **out) {
    unarchive *u = rdi_calloc(s->ctx, 1, sizeof *u);
    if (!u)
        return RD_ENOMEM;
    u->base = (rdi_unpack){unarchive_read, unarchive_close};
    u->source = s;
    u->compression = compression;
    rd_status status = start_archive(u);
    if (status != RD_OK) {
        unarchive_close(&u->base);
        return status;
    }
    *out = &u->base;
    return RD_OK;
}

#else

rd_status rdi_unarchive_open(rdi_source *s, const char *compression, rdi_unpack **out) {
    (void)out;
    return rdi_unpack_missing(s, compression, "libarchive", "libarchive-dev");
}

#endif
