/* Detects the compression of an input and chooses the unpacker. */
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

rd_status rdi_unpack_missing(rdi_source *s, const char *compression, const char *library,
                             const char *package) {
    return rdi_fail(s->ctx, RD_EUNSUPPORTED,
                    "%s: the file is %s-compressed, but this build has no %s; unpack the file "
                    "first, or install %s "
                    "and build again",
                    s->name, compression, library, package);
}

rd_status rdi_unpack_open(rdi_source *s, const char *compression, rdi_unpack **out) {
    /* gzip has its own unpacker, because libarchive does not check the checksums of gzip and would
     * not detect damage. */
    return strcmp(compression, "gzip") == 0 ? rdi_gunzip_open(s, out)
                                            : rdi_unarchive_open(s, compression, out);
}

rd_status rdi_unpack_read(rdi_unpack *u, void *buf, size_t n, size_t *got) {
    return u->read(u, buf, n, got);
}

void rdi_unpack_close(rdi_unpack *u) {
    if (u)
        u->close(u);
}
