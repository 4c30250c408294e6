/* Functions that the fuzz targets for readers share: they split an input and read it as a trace. */
#ifndef TEST_FUZZ_READ_H
#define TEST_FUZZ_READ_H

#include <stddef.h>
#include <stdint.h>

/* An input that begins with ':' has options for the format up to the end of that line; the rest is
 * the trace. Writes "FORMAT[:options]" to `spec` and returns the position of the trace in the
 * input. If the format is "auto" or `spec` has no room for the options, the whole input is the trace. */
size_t fuzz_take_spec(const char *format, const uint8_t *data, size_t n, char *spec, size_t room);

/* Reads the trace, maps it to blocks and checks the guarantees of readers. Stops after 200,000 references
 * or 100,000 block references. */
void fuzz_read_trace(const char *spec, const uint8_t *data, size_t n);

#endif
