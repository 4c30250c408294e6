/* Traces in tests: functions that read all references of a trace, from memory or through a slow
 * pipe, and that write and compare traces. */
#ifndef TEST_TRACES_H
#define TEST_TRACES_H

#include "reusedist/trace.h"

#include <stddef.h>

/* The references of a whole trace. Columns that the trace does not have get default values: program
 * counter and thread 0, size 1, and kind load. */
typedef struct traces_result {
    rd_status status; /* status of opening or reading; the references before a failure are kept */
    char error[1024]; /* message of the failure; "" after success */
    char note[1024];  /* text of rd_trace_note(); "" if there is none */
    const char *format;
    bool ids;
    uint32_t fields;
    size_t n, batches;
    uint64_t *addr, *pc;
    uint32_t *size, *thread;
    uint8_t *kind;
} traces_result;

/* Reads a trace. If `spec` is NULL, the format is detected from the content. Messages call the
 * trace "t". A memory leak in the library fails the test. */
traces_result traces_read(const char *spec, const void *data, size_t n);
traces_result traces_read_text(const char *spec, const char *text);
/* Reads a trace through a pipe that delivers `step` bytes at a time. */
traces_result traces_read_pipe(const char *spec, const void *data, size_t n, size_t step);
void traces_free(traces_result *r);

/* Writes references with a trace writer and returns the contents of the file. Free them with
 * free(). */
uint8_t *traces_write(const char *spec, const rd_refs *refs, bool ids, size_t *n);

/* Writes references to a file. */
void traces_write_file(const char *path, const char *spec, const rd_refs *refs);

/* Fails the test unless both results are equal in status, message and every reference. */
void traces_assert_equal(const traces_result *a, const traces_result *b);

#endif
