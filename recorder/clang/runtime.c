/* The recorder that is compiled into a program: what clang's hooks for loads and stores call.
 *
 * Every thread has a chunk of the ring that is shared with the analyser (src/trace/ring.h) and a
 * place in it for its next record. A hook stores one word and compares; only when the chunk is full
 * a function is called. Chunks that a thread leaves behind, at the end of the program or because it
 * was killed, are found by the analyser.
 *
 * REUSEDIST_RING names the shared memory. Without it, records go to a few words aside and are
 * forgotten.
 */
#define _GNU_SOURCE
#include "trace/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS     100000000 /* after which we look whether the analyser is still there */
#define ASIDE_WORDS 1024
#define PIECE_BYTES 64 /* in which memcpy() and the like are recorded */

/* Of the program, not of a thread. */
static rdi_ring *ring; /* NULL: nobody reads */
static const char *ring_path;
static ino_t ring_inode;
static uint32_t process;      /* number of this recording */
static pthread_key_t at_exit; /* its destructor hands over the chunk of a thread that ends */
static uint32_t threads;      /* numbers given so far */

/* Of a thread. `next` equals `end` at first and whenever there is no room. */
static __thread uint64_t *next, *end;
static __thread int chunk = -1;      /* ours; -1: none */
static __thread uint64_t *resume;    /* where to go on in it, while `next` is elsewhere */
static __thread uint32_t thread;     /* number, from 1; 0: none yet */
static __thread volatile int inside; /* of the functions that change the above */
static __thread uint64_t aside[ASIDE_WORDS];

/* ---- waiting, and the end of the analyser ---- */

static void futex(uint32_t *counter, int operation, uint32_t value, const struct timespec *wait) {
    syscall(SYS_futex, counter, operation, value, wait, NULL, 0);
}

static void end_program(const char *why) {
    dprintf(STDERR_FILENO, "reusedist: %s: the program ends here\n", why);
    _exit(1);
}

/* The ring is found through its owner's open files, which are gone when the owner is. */
static int is_analyser_gone(void) {
    struct stat now;
    if (stat(ring_path, &now) != 0)
        return errno == ENOENT;
    return now.st_ino != ring_inode;
}

/* A free chunk, sooner or later. */
static int wait_for_chunk(void) {
    struct timespec moment = {.tv_nsec = WAIT_NS};
    while (1) {
        uint32_t before = __atomic_load_n(&ring->frees, __ATOMIC_SEQ_CST);
        __atomic_store_n(&ring->recorders_wait, 1, __ATOMIC_SEQ_CST);
        int index = rdi_ring_take(ring, (uint32_t)getpid());
        if (__atomic_load_n(&ring->closed, __ATOMIC_RELAXED))
            end_program("the analyser takes no more references");
        if (index >= 0)
            return index;
        if (is_analyser_gone())
            end_program("the analyser is gone");
        futex(&ring->frees, FUTEX_WAIT, before, &moment);
    }
}

/* ---- chunks ---- */

static void submit_chunk(void) {
    uint64_t words = (uint64_t)(resume - rdi_ring_words(ring, (unsigned)chunk));
    if (words > 0 && rdi_ring_submit(ring, chunk, words))
        futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    if (words > 0)
        chunk = -1;
}

static void take_chunk(void) {
    if (!thread) {
        thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
        pthread_setspecific(at_exit, &thread); /* any value but NULL */
    }
    chunk = wait_for_chunk();
    ring->chunk[chunk].process = process;
    ring->chunk[chunk].thread = thread;
    resume = rdi_ring_words(ring, (unsigned)chunk);
}

static uint64_t *chunk_end(void) {
    return rdi_ring_words(ring, (unsigned)chunk) + RDI_RING_CHUNK_WORDS;
}

/* Takes the place of the next record away: the chunk knows how far it is filled, and what was
 * written aside is counted. */
static void settle(void) {
    if (end == aside + ASIDE_WORDS) {
        if (ring)
            __atomic_fetch_add(&ring->skipped, (uint64_t)(next - aside), __ATOMIC_RELAXED);
    } else if (end) {
        resume = next;
    }
    next = end = NULL;
}

static void write_aside(void) {
    next = aside;
    end = aside + ASIDE_WORDS;
}

static void write_into_chunk(void) {
    if (chunk >= 0 && resume == chunk_end())
        submit_chunk();
    if (chunk < 0)
        take_chunk();
    next = resume;
    end = chunk_end();
}

/* Called when there is no room. Returns whether there is now: not for a signal handler that
 * interrupted this very function. */
static int make_room(void) {
    if (inside)
        return 0;
    inside = 1;
    settle();
    if (ring && __atomic_load_n(&ring->recording, __ATOMIC_RELAXED))
        write_into_chunk();
    else
        write_aside();
    inside = 0;
    return 1;
}

/* ---- hooks ---- */

/* In a function of its own, so that hooks need no stack. */
__attribute__((noinline, cold)) static void record_slowly(uint64_t word) {
    if (make_room())
        *next++ = word;
}

static inline __attribute__((always_inline)) void record(const void *address, uint64_t low) {
    uint64_t word = (uint64_t)address << RDI_RECORD_SHIFT | low;
    if (__builtin_expect(next == end, 0))
        record_slowly(word);
    else
        *next++ = word;
}

#define HOOKS(bytes)                                                                               \
    void __sanitizer_cov_load##bytes(const void *address);                                         \
    void __sanitizer_cov_store##bytes(const void *address);                                        \
    void __sanitizer_cov_load##bytes(const void *address) {                                        \
        record(address, RDI_RECORD_LOW(bytes, RDI_RECORD_LOAD));                                   \
    }                                                                                              \
    void __sanitizer_cov_store##bytes(const void *address) {                                       \
        record(address, RDI_RECORD_LOW(bytes, RDI_RECORD_STORE));                                  \
    }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

/* ---- functions of the C library, linked in by --wrap ---- */

/* Loads from `from` and stores to `to` in turns, a piece at a time; either may be NULL. */
static void record_pieces(const char *from, const char *to, size_t n) {
    for (size_t at = 0; at < n; at += PIECE_BYTES) {
        size_t size = n - at < PIECE_BYTES ? n - at : PIECE_BYTES;
        if (from)
            record(from + at, RDI_RECORD_LOW(size, RDI_RECORD_LOAD));
        if (to)
            record(to + at, RDI_RECORD_LOW(size, RDI_RECORD_STORE));
    }
}

/* Absent where --wrap is not given. */
__attribute__((weak)) void *__real_memcpy(void *to, const void *from, size_t n);
__attribute__((weak)) void *__real_memmove(void *to, const void *from, size_t n);
__attribute__((weak)) void *__real_memset(void *to, int byte, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n) {
    record_pieces(from, to, n);
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n) {
    record_pieces(from, to, n);
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int byte, size_t n) {
    record_pieces(NULL, to, n);
    return __real_memset(to, byte, n);
}

/* ---- markers (reusedist/marker.h) ---- */

void rd_recorder_mark(int on);

void rd_recorder_mark(int on) {
    if (!ring)
        return;
    inside = 1;
    settle();
    __atomic_store_n(&ring->recording, on != 0, __ATOMIC_RELAXED);
    inside = 0;
}

/* ---- beginning and end ---- */

static void end_thread(void *value) {
    (void)value;
    inside = 1;
    settle();
    if (chunk >= 0)
        submit_chunk();
    inside = 0;
}

/* The chunk stays the parent's. */
static void restart_in_child(void) {
    next = end = NULL;
    chunk = -1;
    thread = 0;
    if (getenv("REUSEDIST_CHILDREN"))
        process = __atomic_fetch_add(&ring->processes, 1, __ATOMIC_RELAXED);
    else
        ring = NULL;
}

/* What this very process recorded before it became another program by exec. */
static void submit_left_behind(void) {
    for (int i = 0; i < RDI_RING_CHUNKS; i++) {
        uint32_t owner;
        if (rdi_ring_is_filling(&ring->chunk[i], &owner) && owner == (uint32_t)getpid() &&
            rdi_ring_submit(ring, i, 0))
            futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    }
}

static void *map_ring(const char *path) {
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= RDI_RING_BYTES)
        memory = mmap(NULL, RDI_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    ring_inode = st.st_ino;
    return memory;
}

__attribute__((constructor(101))) static void open_ring(void) {
    ring_path = getenv("REUSEDIST_RING");
    if (!ring_path)
        return;
    rdi_ring *mapped = map_ring(ring_path);
    if (mapped == MAP_FAILED || mapped->magic != RDI_RING_MAGIC || mapped->record_words != 1)
        end_program("cannot share memory with the analyser");
    pthread_key_create(&at_exit, end_thread);
    pthread_atfork(NULL, NULL, restart_in_child);
    process = __atomic_fetch_add(&mapped->processes, 1, __ATOMIC_RELAXED);
    settle(); /* what came before this constructor is not recorded */
    ring = mapped;
    submit_left_behind();
}
