/* Allocates whole pages from the operating system. rdi_pages_alloc(), rdi_pages_grow() and
 * rdi_pages_free() (ctx.c) use these functions. */
#ifndef RDI_PAGES_H
#define RDI_PAGES_H

#include <stddef.h>

/* Returns zeroed pages, or NULL if the system refuses them. For 2 MiB and more, the function aligns the
 * pages for huge pages and requests huge pages. */
void *rdi_system_pages(size_t bytes);

/* Grows a range of pages to new_bytes >= old_bytes. Where the system can move pages, they are not
 * copied, so a growing array never exists twice. The added bytes are zero. If the function
 * fails, it returns NULL, and the old range stays unchanged. */
void *rdi_system_pages_grow(void *p, size_t old_bytes, size_t new_bytes);

void rdi_system_pages_free(void *p, size_t bytes);

#endif
