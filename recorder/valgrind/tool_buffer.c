/* Where records go: chunks of the ring that is shared with the analyser (src/trace/ring.h).
 *
 * Valgrind runs one thread at a time, so one chunk at a time is enough for a process. Records stay
 * in the order in which they happened, also across threads: a chunk is handed over when another
 * thread gets its turn.
 *
 * Instrumented code always writes its records somewhere. While they are not wanted, that is a small
 * buffer aside, where they are counted and forgotten. With bursts they all go there, and those of a
 * burst are copied from it into the chunk, so that bursts have the very length that was asked for.
 *
 * Licence: see tool.h.
 */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Of Valgrind's core: its headers for these two are not installed. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

#define FUTEX_WAIT  0
#define FUTEX_WAKE  1
#define WAIT_NS     100000000 /* after which we look whether the analyser is still there */
#define CHUNK_BYTES (RDI_RING_CHUNK_WORDS * sizeof(ULong))
#define ASIDE_BYTES (2 * BUFFER_SLACK_BYTES)

/* The first record asks for room. */
static const buffer_cursor no_room = {.next = 1, .limit = 0};

static buffer_cursor cursor = {.next = 1, .limit = 0};
static ThreadId runs; /* the thread whose code runs, and has the cursor; 0: none, we have it */

static rdi_ring *ring; /* NULL: nobody reads, everything goes aside */
static const HChar *ring_path;
static ULong ring_inode;
static UInt record_bytes = 8;
static UInt process;     /* number of this recording */
static ThreadId current; /* thread that ran last */
static Bool taking_part; /* this process is recorded */

static Int chunk = -1; /* ours; -1: none */
static Addr chunk_end; /* behind its last record, while the cursor is elsewhere */
static enum { NOWHERE, IN_CHUNK, ASIDE } place = NOWHERE; /* of the cursor */
static ULong aside[ASIDE_BYTES / sizeof(ULong)];

#define HELD_MAX (RDI_RING_FULL_MAX / 2)
static uint64_t *reserved; /* place for an event, in a chunk that we still have; NULL: none */
/* Full chunks from that one on, not handed over yet. */
static struct {
    Int chunk;
    ULong words;
} held[HELD_MAX];
static UInt held_count;

static Bool wanted;        /* records that are aside belong to the sequence that bursts divide */
static Bool in_burst;      /* the next of them are recorded, not skipped ... */
static ULong left_of_part; /* ... so many, until the other begins */

/* ---- waiting, and the end of the analyser ---- */

static void futex(UInt *counter, Int operation, UInt value, const struct vki_timespec *timeout) {
    VG_(do_syscall)(__NR_futex, (Addr)counter, operation, value, (Addr)timeout, 0, 0, 0, 0);
}

static void end_program(const HChar *why) {
    VG_(umsg)("reusedist: %s: the program ends here\n", why);
    VG_(exit)(1);
}

static Bool is_there(const HChar *path) {
    struct vg_stat st;
    return !sr_isError(VG_(stat)(path, &st));
}

/* The ring is found through its owner's open files, which are gone when the owner is, even if
 * nobody has taken notice of its end yet. A program that has changed its root may see no files of
 * processes at all. */
static Bool is_analyser_gone(void) {
    struct vg_stat now;
    SysRes result = VG_(stat)(ring_path, &now);
    if (!sr_isError(result))
        return now.ino != ring_inode;
    if (sr_Err(result) != VKI_ENOENT || is_there("/proc/self"))
        return sr_Err(result) == VKI_ENOENT;
    result = VG_(do_syscall)(__NR_kill, ring->reader, 0, 0, 0, 0, 0, 0, 0);
    return sr_isError(result) && sr_Err(result) == VKI_ESRCH;
}

static void wait_for_free_chunk(void) {
    struct vki_timespec moment = {.tv_sec = 0, .tv_nsec = WAIT_NS};
    UInt before = __atomic_load_n(&ring->frees, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ring->recorders_wait, 1, __ATOMIC_SEQ_CST);
    chunk = rdi_ring_take(ring, VG_(getpid)());
    if (chunk >= 0)
        return;
    if (rdi_ring_reader_waits(ring))
        futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    futex(&ring->frees, FUTEX_WAIT, before, &moment);
}

/* ---- chunks ---- */

static void hand_over(Int full, ULong words) {
    if (rdi_ring_submit(ring, full, words) && rdi_ring_is_worth_waking(ring))
        futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
}

static void release_held(void) {
    for (UInt i = 0; i < held_count; i++)
        hand_over(held[i].chunk, held[i].words);
    held_count = 0;
    reserved = NULL;
}

static void take_chunk(void) {
    unsigned turns = 0;
    chunk = rdi_ring_take(ring, VG_(getpid)());
    while (chunk < 0) {
        release_held(); /* nobody may wait for what we hold */
        if (is_analyser_gone())
            end_program("the analyser is gone");
        if (rdi_ring_is_hopeless(ring, &turns))
            end_program("too many processes record at once");
        wait_for_free_chunk();
    }
    if (__atomic_load_n(&ring->closed, __ATOMIC_RELAXED))
        end_program("the analyser takes no more references");
    ring->chunk[chunk].process = process;
    ring->chunk[chunk].thread = current;
    chunk_end = (Addr)rdi_ring_words(ring, chunk);
}

/* Unless there is nothing in it. The cursor is elsewhere. */
static void submit_chunk(void) {
    if (chunk < 0 || chunk_end == (Addr)rdi_ring_words(ring, chunk))
        return;
    ULong words = (chunk_end - (Addr)rdi_ring_words(ring, chunk)) / sizeof(ULong);
    tl_assert(words <= RDI_RING_CHUNK_WORDS);
    if (held_count == HELD_MAX)
        release_held();
    if (reserved) {
        held[held_count].chunk = chunk;
        held[held_count++].words = words;
    } else {
        hand_over(chunk, words);
    }
    chunk = -1;
}

static SizeT room_in_chunk(void) {
    return chunk < 0 ? 0 : (Addr)rdi_ring_words(ring, chunk) + CHUNK_BYTES - chunk_end;
}

/* ---- bursts ---- */

static void append_to_chunk(Addr records, SizeT bytes) {
    while (bytes > 0) {
        SizeT room = room_in_chunk(), part = bytes < room ? bytes : room;
        VG_(memcpy)((void *)chunk_end, (void *)records, part);
        chunk_end += part;
        records += part;
        bytes -= part;
        if (bytes > 0) {
            submit_chunk();
            take_chunk();
        }
    }
}

static void skip(ULong references) {
    static uint64_t since;
    if (!taking_part)
        return;
    if (rdi_ring_skip(ring, &since, references) && is_analyser_gone())
        end_program("the analyser is gone");
}

static void divide_into_bursts(Addr records, ULong n) {
    while (n > 0) {
        if (left_of_part == 0) {
            in_burst = !in_burst;
            left_of_part = (ULong)(in_burst ? options.burst : options.gap);
        }
        ULong part = n < left_of_part ? n : left_of_part;
        if (in_burst)
            append_to_chunk(records, part * record_bytes);
        else
            skip(part);
        records += part * record_bytes;
        left_of_part -= part;
        n -= part;
    }
}

/* ---- the cursor ---- */

static void fetch_cursor(void) {
    if (runs)
        VG_(get_shadow_regs_area)(runs, (UChar *)&cursor, 1, 0, sizeof cursor);
}

static void give_cursor(void) {
    if (runs)
        VG_(set_shadow_regs_area)(runs, 1, 0, sizeof cursor, (const UChar *)&cursor);
}

/* Takes the cursor away: what it has written is counted, and the chunk knows its end. */
static void settle(void) {
    fetch_cursor();
    if (place == IN_CHUNK) {
        chunk_end = cursor.next;
    } else if (place == ASIDE) {
        ULong n = (cursor.next - (Addr)aside) / record_bytes;
        if (wanted)
            divide_into_bursts((Addr)aside, n);
        else
            skip(n);
    }
    place = NOWHERE;
    cursor = no_room;
    give_cursor();
}

static Bool is_recording(void) {
    return taking_part && __atomic_load_n(&ring->recording, __ATOMIC_RELAXED);
}

static void write_aside(Bool for_bursts) {
    wanted = for_bursts;
    place = ASIDE;
    cursor.next = (Addr)aside;
    cursor.limit = cursor.next + ASIDE_BYTES - BUFFER_SLACK_BYTES;
}

static void write_into_chunk(void) {
    if (room_in_chunk() < BUFFER_SLACK_BYTES) {
        submit_chunk();
        take_chunk();
    }
    place = IN_CHUNK;
    cursor.next = chunk_end;
    cursor.limit = (Addr)rdi_ring_words(ring, chunk) + CHUNK_BYTES - BUFFER_SLACK_BYTES;
}

void buffer_make_room(void) {
    settle();
    if (!is_recording())
        write_aside(False);
    else if (options.burst)
        write_aside(True);
    else
        write_into_chunk();
    give_cursor();
}

/* ---- events ---- */

/* Where an event with this head may be written. */
static uint64_t *place_event(ULong head) {
    SizeT bytes = rdi_ring_event_words(head) * sizeof(ULong);
    settle();
    if (room_in_chunk() < bytes) {
        submit_chunk();
        take_chunk();
    }
    uint64_t *event = (uint64_t *)chunk_end;
    chunk_end += bytes;
    return event;
}

void buffer_event(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc,
                  const HChar *path) {
    ULong head = RDI_EVENT_HEAD(kind, path ? VG_(strlen)(path) : 0, thread);
    if (taking_part)
        rdi_ring_put_event(place_event(head), head, address, size, pc, path);
}

void buffer_reserve(void) {
    ULong head = RDI_EVENT_HEAD(0, 0, 0);
    if (!taking_part)
        return;
    release_held();
    reserved = place_event(head);
    rdi_ring_put_event(reserved, head, 0, 0, 0, NULL);
}

Bool buffer_fill(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc) {
    if (!reserved)
        return False;
    rdi_ring_put_event(reserved, RDI_EVENT_HEAD(kind, 0, thread), address, size, pc, NULL);
    release_held();
    return True;
}

void buffer_release(void) {
    release_held();
}

/* ---- switching ---- */

void buffer_set_recording(Bool on) {
    settle();
    if (taking_part)
        __atomic_store_n(&ring->recording, on, __ATOMIC_RELAXED);
}

static void set_thread(ThreadId thread) {
    settle();
    release_held();
    submit_chunk();
    current = thread;
    if (chunk >= 0)
        ring->chunk[chunk].thread = thread;
}

void buffer_enter_code(ThreadId thread) {
    if (thread != current)
        set_thread(thread);
    runs = thread;
    give_cursor();
}

void buffer_leave_code(void) {
    fetch_cursor();
    runs = 0;
}

/* Behind the cursor a chunk is zero, except for what an interrupted block of code has written.
 * Those are records, events are not written by code. */
void buffer_absorb(void) {
    if (place != IN_CHUNK)
        return;
    fetch_cursor();
    Addr end = (Addr)rdi_ring_words(ring, chunk) + CHUNK_BYTES;
    while (cursor.next < end && *(ULong *)cursor.next != 0)
        cursor.next += record_bytes;
    give_cursor();
}

void buffer_flush(void) {
    buffer_absorb();
    settle();
    release_held();
    submit_chunk();
}

/* ---- beginnings ---- */

/* What this very process recorded before it became another program by exec. */
static void submit_left_behind(void) {
    for (Int i = 0; i < (Int)ring->chunks; i++) {
        UInt owner;
        if (rdi_ring_is_filling(&ring->chunk[i], &owner) && owner == (UInt)VG_(getpid)() &&
            rdi_ring_submit(ring, i, 0))
            futex(&ring->fulls, FUTEX_WAKE, 1, NULL);
    }
}

static void take_part(void) {
    process = __atomic_fetch_add(&ring->processes, 1, __ATOMIC_RELAXED);
    taking_part = True;
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
    if (VG_(fstat)(fd, &st) != 0 || st.size < (Long)RDI_RING_BYTES(1))
        fail_to_open(path, "this is not the memory of an analyser");
    SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)((SizeT)st.size,
                                                            VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    VG_(close)(fd);
    if (sr_isError(mapped))
        fail_to_open(path, "cannot share memory with the analyser");
    ring = (rdi_ring *)sr_Res(mapped);
    ring_path = path;
    ring_inode = st.ino;
    if (ring->magic != RDI_RING_MAGIC)
        fail_to_open(path, "the analyser is of another version");
    record_bytes = ring->record_words * sizeof(ULong);
    submit_left_behind();
    take_part();
}

void buffer_restart_in_child(Bool recorded) {
    chunk = -1; /* an empty one of the parent's, if any */
    held_count = 0;
    reserved = NULL;
    place = NOWHERE;
    cursor = no_room;
    give_cursor();
    taking_part = False;
    if (recorded)
        take_part();
}
