/* Computes XXH64, the 64-bit checksum of the native trace format, in less than a cycle per byte. */
#ifndef RDI_CHECKSUM_H
#define RDI_CHECKSUM_H

#include "base/common.h"

uint64_t rdi_xxh64(const uint8_t *p, size_t n, uint64_t seed);

#endif
