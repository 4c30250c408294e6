/* Writes a report page to a file. */
#ifndef RD_PAGE_FILE_H
#define RD_PAGE_FILE_H

#include "caches.h"
#include "cli.h"

/* Writes the page like output_text(). If `caches` is NULL, the page shows the caches of the first profile
 * that counts misses of caches, or this machine's caches if no profile does. Reports a failure and returns
 * the exit status. */
int page_write(rd_ctx *ctx, rd_page *page, const cache_list *caches, const char *path);

#endif
