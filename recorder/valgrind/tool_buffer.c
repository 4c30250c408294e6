/* Writes records into buffers of the channel that is shared with the analyzer (src/live/channel.h).
 *
 * Valgrind runs one thread at a time, so a process fills one buffer at a time. Records stay in the
 * order in which they happened, even across threads, because a buffer is submitted when another
 * thread begins to run.
 *
 * Instrumented code always writes records. While recording is stopped, they go to a small scratch
 * buffer, where they are counted and dropped. With bursts, all records go to the scratch buffer,
 * and the records of a burst are copied from it to the channel, so that bursts have exactly the
 * requested length.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "reusedist/trace.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Functions of Valgrind's core, whose headers are not installed. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

#define FUTEX_WAIT           0
#define FUTEX_WAKE           1
#define WAIT_NS              100000000 /* ns between two checks that the analyzer still exists */
#define CHANNEL_BUFFER_BYTES (RDI_CHANNEL_BUFFER_WORDS * sizeof(ULong))
#define ASIDE_BYTES          (2 * BUFFER_SLACK_BYTES)

/* A cursor without room, so that the first record calls buffer_make_room(). */
static const buffer_cursor no_room = {.next = 1, .limit = 0};

static buffer_cursor cursor = {.next = 1, .limit = 0};
static ThreadId runs; /* the thread whose code has the cursor now; 0: the cursor is in `cursor` */

static rdi_channel *channel; /* NULL: there is no analyzer, and all records are dropped */
static const HChar *channel_path;
static ULong channel_inode;
static UInt record_bytes = 8;
static UInt process;     /* number of this process in the channel */
static UInt known_id;    /* result of own_id(); 0: not known yet */
static ThreadId current; /* the thread that ran last */
static Bool taking_part; /* True: this process is recorded */

static Int buffer = -1; /* index of this process's buffer; -1: none */
static Addr buffer_end; /* end of the records in the buffer, while the cursor is not in it */
static enum { NOWHERE, IN_BUFFER, ASIDE } place = NOWHERE; /* the place of the cursor */
static ULong aside[ASIDE_BYTES / sizeof(ULong)];

#define HELD_MAX (RDI_CHANNEL_FULL_MAX / 2)
static uint64_t *reserved; /* space for an event, in a buffer that is not submitted; NULL: none */
/* Buffers that this process has finished but not submitted yet. The first one contains
 * `reserved`. */
static struct {
    Int buffer;
    ULong words;
} held[HELD_MAX];
static UInt held_count;

#define SWITCH_BYTES (RDI_SWITCH_WORDS * sizeof(ULong))
static UInt context;    /* calling context of the thread that runs */
static UInt in_context; /* calling context of the next record of the buffer */
static Addr
    switch_end; /* end of the last record in the buffer that switches the context; 0: none */

static Bool wanted;   /* True: records in the scratch buffer belong to the sequence of bursts and
                         gaps */
static Bool in_burst; /* True: inside a burst, where records are kept; False: in a gap */
static ULong left_in_turn; /* number of references until the burst or gap ends */

/* ---- waiting, and an analyzer that has exited ---- */

static void futex(UInt *counter, Int operation, UInt value, const struct vki_timespec *timeout) {
    VG_(do_syscall)(__NR_futex, (Addr)counter, operation, value, (Addr)timeout, 0, 0, 0, 0);
}

static void end_program(const HChar *why) {
    VG_(umsg)("reusedist: %s; stopping the program\n", why);
    VG_(exit)(1);
}

static void end_program_without_buffer(void) {
    VG_(umsg)
    ("reusedist: stopping the program, because too many processes record at once and use all %u "
     "buffers; start fewer processes, or omit --trace-children\n",
     channel->buffers);
    VG_(exit)(1);
}

static Bool is_there(const HChar *path) {
    struct vg_stat st;
    return !sr_isError(VG_(stat)(path, &st));
}

/* Returns whether the analyzer has exited. The path of the channel is in the /proc folder of the
 * analyzer's open files, which disappears when the analyzer exits, even before its parent has
 * waited for it. If the program sees no /proc, as after chroot(), the analyzer's process id
 * decides. */
static Bool is_analyzer_gone(void) {
    struct vg_stat now;
    SysRes result = VG_(stat)(channel_path, &now);
    if (!sr_isError(result))
        return now.ino != channel_inode;
    if (sr_Err(result) != VKI_ENOENT || is_there("/proc/self"))
        return sr_Err(result) == VKI_ENOENT;
    result = VG_(do_syscall)(__NR_kill, channel->reader, 0, 0, 0, 0, 0, 0, 0);
    return sr_isError(result) && sr_Err(result) == VKI_ESRCH;
}

/* Returns the id of this process in /proc, where the analyzer looks for it. In another namespace of
 * process ids, this id may differ from VG_(getpid)(). With threads, buffers are taken so often that
 * reading the id each time would take a tenth of the recorder's time. */
static UInt own_id(void) {
    HChar id[16];
    if (known_id)
        return known_id;
    SSizeT n = VG_(readlink)("/proc/self", id, sizeof id - 1);
    id[n > 0 ? n : 0] = '\0';
    known_id = n > 0 ? (UInt)VG_(strtoull10)(id, NULL) : (UInt)VG_(getpid)();
    return known_id;
}

static void wait_for_free_buffer(void) {
    struct vki_timespec moment = {.tv_sec = 0, .tv_nsec = WAIT_NS};
    UInt before = __atomic_load_n(&channel->frees, __ATOMIC_SEQ_CST);
    __atomic_store_n(&channel->recorders_wait, 1, __ATOMIC_SEQ_CST);
    buffer = rdi_channel_take(channel, own_id());
    if (buffer >= 0)
        return;
    if (rdi_channel_reader_waits(channel))
        futex(&channel->fulls, FUTEX_WAKE, 1, NULL);
    futex(&channel->frees, FUTEX_WAIT, before, &moment);
}

/* ---- buffers ---- */

static void hand_over(Int full, ULong words) {
    if (rdi_channel_submit(channel, full, words) && rdi_channel_is_worth_waking(channel))
        futex(&channel->fulls, FUTEX_WAKE, 1, NULL);
}

static void release_held(void) {
    for (UInt i = 0; i < held_count; i++)
        hand_over(held[i].buffer, held[i].words);
    held_count = 0;
    reserved = NULL;
}

static void put_switch(Addr at) {
    uint64_t *words = (uint64_t *)at;
    words[1] = 0;
    words[0] = RDI_SWITCH(context);
    in_context = context;
    switch_end = at + SWITCH_BYTES;
}

static void take_buffer(void) {
    unsigned turns = 0;
    buffer = rdi_channel_take(channel, own_id());
    while (buffer < 0) {
        release_held(); /* other recorders may wait for the buffers of this process */
        if (is_analyzer_gone())
            end_program("the analyzer has exited");
        if (rdi_channel_is_hopeless(channel, &turns))
            end_program_without_buffer();
        wait_for_free_buffer();
    }
    if (__atomic_load_n(&channel->closed, __ATOMIC_RELAXED))
        end_program("the analyzer accepts no more references");
    channel->buffer[buffer].process = process;
    channel->buffer[buffer].thread = current;
    buffer_end = (Addr)rdi_channel_words(channel, buffer);
    in_context = switch_end = 0;
    if (context) {
        put_switch(buffer_end);
        buffer_end = switch_end;
    }
}

/* Submits the buffer if it is not empty, or holds it while space for an event is reserved. The
 * cursor must not be in the buffer. */
static void submit_buffer(void) {
    if (buffer < 0 || buffer_end == (Addr)rdi_channel_words(channel, buffer))
        return;
    ULong words = (buffer_end - (Addr)rdi_channel_words(channel, buffer)) / sizeof(ULong);
    tl_assert(words <= RDI_CHANNEL_BUFFER_WORDS);
    if (held_count == HELD_MAX)
        release_held();
    if (reserved) {
        held[held_count].buffer = buffer;
        held[held_count++].words = words;
    } else {
        hand_over(buffer, words);
    }
    buffer = -1;
}

static SizeT room_in_buffer(void) {
    return buffer < 0
               ? 0
               : (Addr)rdi_channel_words(channel, buffer) + CHANNEL_BUFFER_BYTES - buffer_end;
}

/* ---- bursts ---- */

static void append_to_buffer(Addr records, SizeT bytes) {
    while (bytes > 0) {
        SizeT room = room_in_buffer(), part = bytes < room ? bytes : room;
        VG_(memcpy)((void *)buffer_end, (void *)records, part);
        buffer_end += part;
        records += part;
        bytes -= part;
        if (bytes > 0) {
            submit_buffer();
            take_buffer();
        }
    }
}

static void skip(ULong references) {
    static uint64_t since;
    if (!taking_part)
        return;
    if (rdi_channel_skip(channel, &since, references) && is_analyzer_gone())
        end_program("the analyzer has exited");
}

static void tell_context(void);

static void divide_into_bursts(Addr records, ULong n) {
    while (n > 0) {
        if (left_in_turn == 0) {
            in_burst = !in_burst;
            left_in_turn = (ULong)(in_burst ? options.burst : options.gap);
        }
        ULong part = n < left_in_turn ? n : left_in_turn;
        if (in_burst) {
            tell_context();
            append_to_buffer(records, part * record_bytes);
        } else {
            skip(part);
        }
        records += part * record_bytes;
        left_in_turn -= part;
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

/* Removes the cursor. Updates the end of the records in the buffer, or takes the records from the
 * scratch buffer: records of bursts are kept, and all other records are counted as skipped. */
static void settle(void) {
    fetch_cursor();
    Addr end = cursor.next;
    Bool is_aside = place == ASIDE;
    if (place == IN_BUFFER)
        buffer_end = end;
    place = NOWHERE;
    cursor = no_room;
    give_cursor();
    if (!is_aside)
        return;
    ULong n = (end - (Addr)aside) / record_bytes;
    if (wanted)
        divide_into_bursts((Addr)aside, n);
    else
        skip(n);
}

static Bool is_recording(void) {
    return taking_part && __atomic_load_n(&channel->recording, __ATOMIC_RELAXED);
}

static void write_aside(Bool for_bursts) {
    wanted = for_bursts;
    place = ASIDE;
    cursor.next = (Addr)aside;
    cursor.limit = cursor.next + ASIDE_BYTES - BUFFER_SLACK_BYTES;
}

/* Makes the cursor continue in the buffer. Takes another buffer first if this one has no room for
 * the records of a block of code and a record that switches the context. */
static void write_into_buffer(void) {
    tell_context();
    if (room_in_buffer() < BUFFER_SLACK_BYTES + SWITCH_BYTES) {
        submit_buffer();
        take_buffer();
    }
    place = IN_BUFFER;
    cursor.next = buffer_end;
    cursor.limit = (Addr)rdi_channel_words(channel, buffer) + CHANNEL_BUFFER_BYTES -
                   BUFFER_SLACK_BYTES - SWITCH_BYTES;
    if (options.sync && cursor.limit > cursor.next + SYNC_QUANTUM_BYTES)
        cursor.limit = cursor.next + SYNC_QUANTUM_BYTES;
}

void buffer_make_room(void) {
    fetch_cursor();
    if (options.sync && place == IN_BUFFER && cursor.next > cursor.limit)
        sync_after_records();
    settle();
    if (!is_recording())
        write_aside(False);
    else if (options.burst)
        write_aside(True);
    else
        write_into_buffer();
    give_cursor();
}

/* ---- events ---- */

/* Returns space in the buffer, after the records so far, for a record that is not a reference and
 * whose first word is `head`. */
static uint64_t *place_record(ULong head) {
    SizeT bytes = rdi_channel_event_words(head) * sizeof(ULong);
    settle();
    if (room_in_buffer() < bytes) {
        submit_buffer();
        take_buffer();
    }
    uint64_t *event = (uint64_t *)buffer_end;
    buffer_end += bytes;
    return event;
}

/* Returns space for an event, which belongs to the current calling context. */
static uint64_t *place_event(ULong head) {
    settle();
    tell_context();
    return place_record(head);
}

void buffer_event(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc,
                  const HChar *path) {
    ULong head = RDI_EVENT_HEAD(kind, path ? VG_(strlen)(path) : 0, thread);
    if (taking_part)
        rdi_channel_put_event(place_event(head), head, address, size, pc, path);
}

void buffer_reserve(void) {
    ULong head = RDI_EVENT_HEAD(0, 0, 0);
    if (!taking_part)
        return;
    release_held();
    reserved = place_event(head);
    rdi_channel_put_event(reserved, head, 0, 0, 0, NULL);
}

Bool buffer_fill(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc) {
    if (!reserved)
        return False;
    rdi_channel_put_event(reserved, RDI_EVENT_HEAD(kind, 0, thread), address, size, pc, NULL);
    release_held();
    return True;
}

void buffer_release(void) {
    release_held();
}

/* ---- calling contexts ---- */

/* Defines the current context if the analyzer does not know it. Writes a record that switches to
 * this context, unless the next record of the buffer has it already. */
static void tell_context(void) {
    contexts_tell(context);
    if (context != in_context)
        put_switch((Addr)place_record(RDI_SWITCH(context)));
}

void buffer_define_context(UInt number, UInt parent, Addr site) {
    ULong head = RDI_EVENT_HEAD(RD_EVENT_CONTEXT, 0, current);
    rdi_channel_put_event(place_record(head), head, number, parent, site, NULL);
}

/* Returns whether the context of records in the scratch buffer matters: they belong to a burst, or
 * a burst can begin before the scratch buffer is full. */
static Bool is_burst_near(void) {
    return wanted && (in_burst || left_in_turn < ASIDE_BYTES / record_bytes);
}

/* Writes a record that switches the context. If the last record also switches the context, the new
 * record replaces it. */
Addr buffer_switch_context(Addr next, UInt number) {
    if (number == context)
        return next;
    if (place == IN_BUFFER && contexts_is_told(number)) {
        context = number;
        put_switch(next == switch_end ? next - SWITCH_BYTES : next);
        return switch_end;
    }
    buffer_set_context(number);
    return cursor.next;
}

void buffer_set_context(UInt number) {
    if (number == context)
        return;
    fetch_cursor();
    if (place == IN_BUFFER || (place == ASIDE && is_burst_near())) {
        settle();
        context = number;
        buffer_make_room();
    }
    context = number;
}

/* ---- switching ---- */

void buffer_set_recording(Bool on) {
    settle();
    if (taking_part)
        __atomic_store_n(&channel->recording, on, __ATOMIC_RELAXED);
}

static void set_thread(ThreadId thread) {
    settle();
    release_held();
    submit_buffer();
    current = thread;
    context = contexts_set_thread(thread);
    if (buffer >= 0)
        channel->buffer[buffer].thread = thread;
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

/* A buffer is zero after the cursor, except for the records of an interrupted block of code. A
 * block never writes events. */
void buffer_absorb(void) {
    if (place != IN_BUFFER)
        return;
    fetch_cursor();
    Addr end = (Addr)rdi_channel_words(channel, buffer) + CHANNEL_BUFFER_BYTES;
    while (cursor.next < end && *(ULong *)cursor.next != 0)
        cursor.next += record_bytes;
    give_cursor();
}

void buffer_flush(void) {
    buffer_absorb();
    settle();
    release_held();
    submit_buffer();
}

/* ---- start ---- */

/* Submits the buffers that this process was filling when it called exec(). */
static void submit_left_behind(void) {
    UInt self = own_id();
    for (Int i = 0; i < (Int)channel->buffers; i++) {
        UInt owner;
        if (rdi_channel_is_filling(&channel->buffer[i], &owner) && owner == self &&
            rdi_channel_submit(channel, i, 0))
            futex(&channel->fulls, FUTEX_WAKE, 1, NULL);
    }
}

static void take_part(void) {
    process = __atomic_fetch_add(&channel->processes, 1, __ATOMIC_RELAXED);
    taking_part = True;
}

static void fail_to_open(const HChar *path, const HChar *why) {
    VG_(umsg)("reusedist: %s: %s\n", path, why);
    VG_(exit)(1);
}

void buffer_open(const HChar *path) {
    SysRes opened = VG_(open)(path, VKI_O_RDWR, 0);
    if (sr_isError(opened))
        fail_to_open(path, "cannot open the memory that is shared with the analyzer");
    Int fd = sr_Res(opened);
    struct vg_stat st;
    if (VG_(fstat)(fd, &st) != 0 || st.size < (Long)RDI_CHANNEL_BYTES(1))
        fail_to_open(path, "this is not the shared memory of an analyzer; use 'reusedist record'");
    SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)((SizeT)st.size,
                                                            VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    VG_(close)(fd);
    if (sr_isError(mapped))
        fail_to_open(path, "cannot map the memory that is shared with the analyzer");
    channel = (rdi_channel *)sr_Res(mapped);
    channel_path = path;
    channel_inode = st.ino;
    if (channel->magic != RDI_CHANNEL_MAGIC)
        fail_to_open(
            path, "the recorder and the analyzer have different versions; install both together");
    record_bytes = channel->record_words * sizeof(ULong);
    submit_left_behind();
    take_part();
}

Bool buffer_is_first_process(void) {
    return process == 0;
}

void buffer_count_child(void) {
    if (channel)
        __atomic_fetch_add(&channel->children, 1, __ATOMIC_RELAXED);
}

void buffer_count_thread(Int by) {
    if (taking_part)
        __atomic_fetch_add(&channel->threads, by, __ATOMIC_RELAXED);
}

void buffer_count_replaced(Int by) {
    if (taking_part)
        __atomic_fetch_add(&channel->replaced, by, __ATOMIC_RELAXED);
}

void buffer_restart_in_child(Bool recorded) {
    buffer = -1; /* an empty buffer may still belong to the parent */
    known_id = 0;
    in_context = switch_end = 0;
    held_count = 0;
    reserved = NULL;
    place = NOWHERE;
    cursor = no_room;
    give_cursor();
    taking_part = False;
    if (recorded)
        take_part();
}
