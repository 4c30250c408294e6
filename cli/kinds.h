/* --kinds=LSI: loads, stores, instruction fetches. */
#ifndef RD_KINDS_H
#define RD_KINDS_H

#include "cli.h"

/* Mask of RD_LOAD ...; 0 for NULL: all. Returns false after having reported a mistake. */
bool kinds_parse(const char *text, uint32_t *mask);

#endif
