/* Public input structs begin with their size, so that they can grow: a program that was compiled
 * with an older or a newer header than this library works with it. */
#ifndef RDI_SIZED_H
#define RDI_SIZED_H

#include "base/common.h"

/* Copies the caller's struct `from`, which begins with its size as the caller's header has it, to
 * `to`, which this library knows with `size` bytes. Fields that the caller does not know become 0;
 * RD_EINVAL if it has set fields that this library does not know, or no size. `from` may be NULL:
 * all fields are 0. `name` is the type, for the message. */
rd_status rdi_sized_copy(rd_ctx *ctx, const char *name, const void *from, void *to, size_t size);

#endif
