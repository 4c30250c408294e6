/* Options of the sampling engine that the core recommends when memory runs out. */
#ifndef RDI_SHARDS_H
#define RDI_SHARDS_H

#include "base/common.h"

/* Writes the options with which engine shards stays within `bytes` on any trace to `options`, which
 * has `room` characters. Returns false if no options do. */
bool rdi_shards_fit(uint64_t bytes, char *options, size_t room);

#endif
