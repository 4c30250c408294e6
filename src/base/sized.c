/* Copies structs that begin with their size. See sized.h. */
#include "base/sized.h"

#include <string.h>

/* More bytes than any struct has. A caller that gives a larger size has not initialized the field
 * with the size. */
#define SIZE_LIMIT 65536

rd_status rdi_sized_copy(rd_ctx *ctx, const char *name, const void *from, void *to, size_t size) {
    size_t given;
    memset(to, 0, size);
    if (!from)
        return RD_OK;
    memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > SIZE_LIMIT)
        return rdi_fail(ctx, RD_EINVAL, "%s.size is %zu: set it to sizeof(%s)", name, given, name);
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i])
            return rdi_fail(
                ctx, RD_EINVAL,
                "%s has values in fields that version %s of this library does not know: "
                "set them to 0, or use a newer library",
                name, rd_version());
    memcpy(to, from, given < size ? given : size);
    return RD_OK;
}
