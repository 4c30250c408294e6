/* Allocates whole pages from the operating system. rdi_pages_alloc() and rdi_pages_grow() (ctx.c)
 * use these functions. */
#ifndef RDI_PAGES_H
#define RDI_PAGES_H

#include <stddef.h>

/* Returns zeroed pages, or NULL. Ranges of 2 MiB and more are aligned for huge pages and request
 * them. */
void *rdi_system_pages(size_t bytes);

/* Grows a range to new_bytes >= old_bytes. Pages are moved, not copied, where the system supports
 * it, so a growing array never exists twice. The added bytes are zero. If the function fails, it
 * returns NULL, and the old range stays unchanged. */
void *rdi_system_pages_grow(void *p, size_t old_bytes, size_t new_bytes);

void rdi_system_pages_free(void *p, size_t bytes);

#endif
