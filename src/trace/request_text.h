/* Reads the values of requests in text: times, lifetimes, sizes and operations. */
#ifndef RDI_REQUEST_TEXT_H
#define RDI_REQUEST_TEXT_H

#include "trace/csv_split.h"

/* Units of times, in the order of RDI_TIME_UNITS. */
enum { RDI_TIME_S, RDI_TIME_MS, RDI_TIME_US, RDI_TIME_NS, RDI_TIME_FILETIME };
#define RDI_TIME_UNITS "s|ms|us|ns|filetime" /* filetime: 100 nanoseconds, as in Windows */

/* Returns the number of nanoseconds in a unit. */
uint64_t rdi_time_unit(uint32_t unit);

/* The functions below set *out and return NULL, or return a text that says what is wrong with the
 * value. The byte after the value must not be a digit. */

/* Reads a time with an optional fraction, in units of `unit` nanoseconds. */
const char *rdi_read_time(const char *text, size_t n, uint64_t unit, uint64_t *out);
/* Reads a lifetime in seconds. More than 292 years count as UINT64_MAX. */
const char *rdi_read_lifetime(const char *text, size_t n, uint64_t *out);
/* Reads a size in bytes, which must be below 2^63. */
const char *rdi_read_bytes(const char *text, size_t n, uint64_t *out);
/* Reads the name of an operation, in upper or lower case. */
const char *rdi_read_operation(const char *text, size_t n, uint64_t *out);

#endif
