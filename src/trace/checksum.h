/* Computes XXH64, the checksum of the native trace format. It has 64 bits and takes less than a
 * cycle per byte. */
#ifndef RDI_CHECKSUM_H
#define RDI_CHECKSUM_H

#include "base/common.h"

uint64_t rdi_xxh64(const uint8_t *p, size_t n, uint64_t seed);

#endif
