/* Traces in tests: text in, every reference out, from memory or through a slow pipe. */
#ifndef TEST_TRACES_H
#define TEST_TRACES_H

#include "reusedist/trace.h"

#include <stddef.h>

/* A whole trace with all columns filled in (defaults where the format has none). */
typedef struct traces_result {
    rd_status status; /* of opening or reading; references before a failure are there */
    char error[1024]; /* message, "" after success */
    char note[1024];  /* rd_trace_note(), "" without one */
    const char *format;
    bool ids;
    uint32_t fields;
    size_t n, batches;
    uint64_t *addr, *pc;
    uint32_t *size, *thread;
    uint8_t *kind;
} traces_result;

/* `spec` NULL: by content. The file is called "t" in messages. Leaks in the library fail the test.
 */
traces_result traces_read(const char *spec, const void *data, size_t n);
traces_result traces_read_text(const char *spec, const char *text);
/* Through a pipe that delivers `chunk` bytes at a time. */
traces_result traces_read_pipe(const char *spec, const void *data, size_t n, size_t chunk);
void traces_free(traces_result *r);

/* References with these columns through a trace writer; returns the file, free with free(). */
uint8_t *traces_write(const char *spec, const rd_refs *refs, bool ids, size_t *n);

/* The same, to a file. */
void traces_write_file(const char *path, const char *spec, const rd_refs *refs);

/* Fails the test unless both are equal in status, message and every reference. */
void traces_assert_equal(const traces_result *a, const traces_result *b);

#endif
