/* Whole pages from the system, beneath rdi_pages_alloc() and its companions in ctx.c. */
#ifndef RDI_PAGES_H
#define RDI_PAGES_H

#include <stddef.h>

/* Zeroed. NULL on failure. Ranges of 2 MiB and more are aligned for huge pages and ask for them. */
void *rdi_system_pages(size_t bytes);

/* Moves pages instead of copying bytes, where the system can: a growing array never exists twice.
 * The new part is zeroed. NULL on failure, and the old range stays. new_bytes >= old_bytes. */
void *rdi_system_pages_grow(void *p, size_t old_bytes, size_t new_bytes);

void rdi_system_pages_free(void *p, size_t bytes);

#endif
