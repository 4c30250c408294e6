/* Several threads read the lines of a text trace ahead of their use, and one thread delivers the
 * batches in order.
 *
 * Each thread in turn cuts a portion of whole lines from the input, which includes unpacking, and
 * then parses it while another thread cuts the next portion. The caller gets the portions in order.
 * If a thread cannot complete a portion, because a line is damaged, an id collides, the portion has too
 * many references or memory is exhausted, the caller's thread reads the portion again. So a failure,
 * its message and the references before it are the same as with a single reader. The end of the input
 * and a failure to read it are left to the reader of the trace.
 *
 * The table of ids belongs to the reader of the trace. A thread logs the ids that the table must
 * remember or check (rdi_id_log), and enters them when the ids of all earlier portions have been
 * entered.
 */
#ifndef RDI_TEXT_AHEAD_H
#define RDI_TEXT_AHEAD_H

#include "trace/format.h"

#define RDI_TEXT_AHEAD_THREADS 16 /* maximum number of threads */
/* Usual maximum number of bytes of a portion. A long line can make a portion larger. */
#define RDI_TEXT_AHEAD_PORTION (512 * 1024)

typedef struct rdi_text_ahead rdi_text_ahead;

/* Starts `threads` threads, but at most RDI_TEXT_AHEAD_THREADS. `self` is the state of an opened
 * reader of the format `ops`, which reads lines; it must not be used until rdi_text_ahead_close().
 * Returns RD_ENOMEM if memory is exhausted or no thread can be started. */
rd_status rdi_text_ahead_open(const rdi_format_ops *ops, void *self, rdi_reader *r,
                              unsigned threads, rdi_text_ahead **out);
/* Reads the next batch, like rdi_format_ops.read(). Sets refs->n to 0 when the threads have read as
 * far as they can. The caller then closes `a` and continues with the reader of the trace. */
rd_status rdi_text_ahead_read(rdi_text_ahead *a, rd_refs *refs);
/* Returns the number of bytes of the file up to the end of the current portion, and sets *total to
 * the size of the file. */
uint64_t rdi_text_ahead_bytes(const rdi_text_ahead *a, uint64_t *total);
/* Ends the threads. The reader of the trace may then be used again. */
void rdi_text_ahead_close(rdi_text_ahead *a);

#endif
