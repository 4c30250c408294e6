/* Copies public structs that a caller fills. They begin with their size, so that they can grow: a
 * program that was compiled with an older or a newer header works with this library. */
#ifndef RDI_SIZED_H
#define RDI_SIZED_H

#include "base/common.h"

/* Copies the struct `from`, which begins with its size according to the caller's header, to `to`,
 * which has `size` bytes in this library. Fields that the caller does not know become 0. Returns
 * RD_EINVAL if the caller has set fields that this library does not know, or if the size is not set or
 * impossible. If `from` is NULL, all fields become 0. `name` is the name of the type, for the message. */
rd_status rdi_sized_copy(rd_ctx *ctx, const char *name, const void *from, void *to, size_t size);

#endif
