/* Decides whether a read or write that failed is tried again.
 *
 * Whether a descriptor blocks is a property of the open file, which several processes may share. If
 * one of them makes a terminal or pipe non-blocking, the terminal or pipe does not block in this
 * process either.
 */
#ifndef RDI_RETRY_H
#define RDI_RETRY_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

/* Returns whether the failed call, whose error is in errno, should be repeated. A call that a signal
 * interrupted should be repeated. If the call failed because `fd` does not block, the function first
 * waits until `fd` is ready for `events` (POLLIN or POLLOUT). */
static inline bool rdi_may_retry(int fd, short events) {
    struct pollfd ready = {.fd = fd, .events = events};
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return errno == EINTR;
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

#endif
