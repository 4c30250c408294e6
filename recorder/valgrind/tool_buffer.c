/* Where records go: chunks of the ring that is shared with the analyser (src/trace/ring.h).
 *
 * Valgrind runs one thread at a time, so one chunk at a time is enough for a process. Records stay
 * in the order in which they happened, also across threads: a chunk is handed over when another
 * thread gets its turn.
 *
 * While nothing is to be recorded, instrumented code writes into a buffer of our own.
 *
 * Licence: see tool.h.
 */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Of Valgrind's core: its headers for these two are not installed. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

#define FUTEX_WAIT   0
#define FUTEX_WAKE   1
#define WAIT_NS      100000000 /* after which we look whether the analyser is still there */
#define CHUNK_BYTES  (RDI_RING_CHUNK_WORDS * sizeof(ULong))
#define UNUSED_BYTES (2 * BUFFER_SLACK_BYTES)

/* Nothing taken yet: the first record asks for room. */
static const buffer_cursor no_room = {.next = 1, .limit = 0};

buffer_cursor cursor = {.next = 1, .limit = 0};

static rdi_ring *ring;
static const HChar *ring_path;
static ULong ring_inode;
static Int chunk = -1;                             /* ours; -1: none */
static UInt process;                               /* number of this recording */
static ThreadId current;                           /* thread that runs */
static Bool recording;                             /* this process takes part */
static ULong unused[UNUSED_BYTES / sizeof(ULong)]; /* where records go that nobody wants */

/* ---- waiting, and the end of the analyser ---- */

static void futex(UInt *counter, Int operation, UInt value, const struct vki_timespec *timeout) {
    VG_(do_syscall)(__NR_futex, (Addr)counter, operation, value, (Addr)timeout, 0, 0, 0, 0);
}

static void end_program(const HChar *why) {
    VG_(umsg)("reusedist: %s: the program ends here\n", why);
    VG_(exit)(1);
}

/* The ring is found through its owner's open files, which are gone when the owner is, even if
 * nobody has taken notice of its end yet. */
static Bool is_analyser_gone(void) {
    struct vg_stat now;
    SysRes result = VG_(stat)(ring_path, &now);
    if (sr_isError(result))
        return sr_Err(result) == VKI_ENOENT;
    return now.ino != ring_inode;
}

static void wait_for_free_chunk(void) {
    struct vki_timespec moment = {.tv_sec = 0, .tv_nsec = WAIT_NS};
    UInt before = __atomic_load_n(&ring->frees, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ring->recorders_wait, 1, __ATOMIC_SEQ_CST);
    chunk = rdi_ring_take(ring, VG_(getpid)());
    if (chunk < 0)
        futex(&ring->frees, FUTEX_WAIT, before, &moment);
}

/* ---- chunks ---- */

static void check_open(void) {
    if (__atomic_load_n(&ring->closed, __ATOMIC_RELAXED))
        end_program("the analyser takes no more references");
}

static void take_chunk(void) {
    chunk = rdi_ring_take(ring, VG_(getpid)());
    while (chunk < 0) {
        check_open();
        if (is_analyser_gone())
            end_program("the analyser is gone");
        wait_for_free_chunk();
    }
    ring->chunk[chunk].process = process;
    ring->chunk[chunk].thread = current;
    cursor.next = (Addr)rdi_ring_words(ring, chunk);
    cursor.limit = cursor.next + CHUNK_BYTES - BUFFER_SLACK_BYTES;
}

static void submit_chunk(void) {
    ULong words = (cursor.next - (Addr)rdi_ring_words(ring, chunk)) / sizeof(ULong);
    tl_assert(words > 0 && words <= RDI_RING_CHUNK_WORDS);
    if (rdi_ring_submit(ring, chunk, words))
        futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    chunk = -1;
    cursor = no_room;
}

static Bool has_records(void) {
    return chunk >= 0 && cursor.next != (Addr)rdi_ring_words(ring, chunk);
}

void buffer_flush(void) {
    buffer_absorb();
    if (has_records())
        submit_chunk();
}

void buffer_make_room(void) {
    if (!recording) {
        cursor.next = (Addr)unused;
        cursor.limit = cursor.next + UNUSED_BYTES - BUFFER_SLACK_BYTES;
        return;
    }
    if (has_records())
        submit_chunk();
    check_open();
    take_chunk();
}

void buffer_set_thread(ThreadId thread) {
    if (thread == current)
        return;
    if (has_records())
        submit_chunk();
    current = thread;
    if (chunk >= 0)
        ring->chunk[chunk].thread = thread;
}

/* Behind the cursor a chunk is zero, except for what an interrupted block of code has written. */
void buffer_absorb(void) {
    if (chunk < 0)
        return;
    const uint64_t *words = rdi_ring_words(ring, chunk);
    UInt at = (cursor.next - (Addr)words) / sizeof(ULong);
    while (at < RDI_RING_CHUNK_WORDS && words[at] != 0)
        at += ring->record_words;
    cursor.next = (Addr)(words + at);
}

/* ---- beginnings ---- */

/* What this very process recorded before it became another program by exec. */
static void submit_left_behind(void) {
    for (Int i = 0; i < RDI_RING_CHUNKS; i++) {
        UInt owner;
        if (rdi_ring_is_filling(&ring->chunk[i], &owner) && owner == (UInt)VG_(getpid)() &&
            rdi_ring_submit(ring, i, 0))
            futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    }
}

static void start_recording(void) {
    process = __atomic_fetch_add(&ring->processes, 1, __ATOMIC_RELAXED);
    recording = True;
}

static void fail_to_open(const HChar *path, const HChar *why) {
    VG_(umsg)("reusedist: %s: %s\n", path, why);
    VG_(exit)(1);
}

void buffer_open(const HChar *path) {
    SysRes opened = VG_(open)(path, VKI_O_RDWR, 0);
    if (sr_isError(opened))
        fail_to_open(path, "cannot open the memory of the analyser");
    Int fd = sr_Res(opened);
    struct vg_stat st;
    if (VG_(fstat)(fd, &st) != 0 || st.size < RDI_RING_BYTES)
        fail_to_open(path, "this is not the memory of an analyser");
    SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(RDI_RING_BYTES,
                                                            VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    VG_(close)(fd);
    if (sr_isError(mapped))
        fail_to_open(path, "cannot share memory with the analyser");
    ring = (rdi_ring *)sr_Res(mapped);
    ring_path = path;
    ring_inode = st.ino;
    if (ring->magic != RDI_RING_MAGIC)
        fail_to_open(path, "the analyser is of another version");
    submit_left_behind();
    start_recording();
}

void buffer_restart_in_child(Bool wanted) {
    chunk = -1; /* that of the parent, which has handed it over before */
    cursor = no_room;
    recording = False;
    if (wanted)
        start_recording();
}
