/* Parses --kinds=LSI: loads, stores, instruction fetches. */
#ifndef RD_KINDS_H
#define RD_KINDS_H

#include "cli.h"

/* Stores the mask of kinds, RD_LOAD and so on, in *mask. If `text` is NULL, the mask is 0, which
 * means all kinds. Returns false after reporting a mistake. */
bool kinds_parse(const char *text, uint32_t *mask);

#endif
