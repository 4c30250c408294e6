/* Declares rdi_shards_fit(), which chooses the options of engine shards that the core recommends
 * when memory runs out. */
#ifndef RDI_SHARDS_H
#define RDI_SHARDS_H

#include "base/common.h"

/* Writes to `options`, which has `room` characters, the options with which engine shards stays
 * within `bytes` of memory on any trace. Returns false if `bytes` is too little for any options. */
bool rdi_shards_fit(uint64_t bytes, char *options, size_t room);

#endif
