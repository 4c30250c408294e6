/* A report page, written to its file. */
#ifndef RD_PAGE_FILE_H
#define RD_PAGE_FILE_H

#include "caches.h"
#include "cli.h"

/* Writes the page as output_text() does. `caches` NULL: those of the profiles, or of this
 * machine. Returns the exit status, a failure having been reported. */
int page_write(rd_ctx *ctx, rd_page *page, const cache_list *caches, const char *path);

#endif
