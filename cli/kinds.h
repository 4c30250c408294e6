/* Parses --kinds=LSI: loads, stores, instruction fetches. */
#ifndef RD_KINDS_H
#define RD_KINDS_H

#include "cli.h"

/* Stores a mask of RD_LOAD ... in *mask; 0, which means all, for NULL. Returns false after
 * reporting a mistake. */
bool kinds_parse(const char *text, uint32_t *mask);

#endif
