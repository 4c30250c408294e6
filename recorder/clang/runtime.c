/* The main file of the runtime of the recorder that is compiled into a program. It makes
 * room for the records of the hooks, writes events, and submits buffers.
 *
 * Every thread has a buffer of the channel that is shared with the analyzer (src/live/channel.h)
 * and a cursor in it for its next record. A hook compares and stores one word; it calls a function
 * only if its cursor has no room. The analyzer finds the buffers that a thread leaves behind when
 * the program ends or is killed.
 *
 * With program counters, a record has two words. The cursor of the hooks then never has room, so
 * the function that they call writes both words. This keeps the hooks short.
 *
 * A signal may interrupt the program between any two instructions, and the compiler keeps the
 * cursor in a register. So signal handlers write into separate buffers (signals.c), and the cursor
 * is restored afterwards.
 *
 * REUSEDIST_CHANNEL names the shared memory. Without it, records go to a scratch buffer and are
 * dropped. Programs with more rights than their caller, such as setuid programs, ignore the variable,
 * because whoever can write to the channel can make the runtime write to other memory. If
 * REUSEDIST_CHILDREN is set, forked children and further programs are recorded too. Otherwise the first
 * program that finds the channel is the recorded one, and removes REUSEDIST_CHANNEL from the environment
 * of the programs that it starts. REUSEDIST_BURST=N:SKIP sets the lengths
 * of bursts and gaps, as numbers of references of a thread. Records in gaps are also dropped.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include "hooks.h"
#include "runtime_contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS     100000000 /* ns between two checks that the analyzer still exists */
#define ASIDE_WORDS 1024
#define HANDLERS    8  /* maximum number of nested signal handlers */
#define COPY_BYTES  64 /* maximum number of bytes per record of memcpy() and similar functions */

/* State of the process. */
static int started;           /* true: functions of the C library may be called */
static rdi_channel *channel;  /* NULL: there is no analyzer */
static char channel_path[64]; /* path of the channel; a copy, because programs overwrite their
                                 environment */
static ino_t channel_inode;
static int with_children;     /* true: forked children and further programs are recorded */
static uint32_t process;      /* number of this process in the channel */
static pid_t process_id;      /* process id of this process */
static pthread_key_t at_exit; /* key whose destructor submits the buffer of a thread that ends */
static uint32_t threads;      /* number of threads that have a thread number */
static int unended;           /* number of threads of this process in channel->threads */
static int several_threads;   /* true: there may be more than one thread */
static uint32_t record_words = 1;
/* Numbers of references to record and to skip alternately. If `burst` is 0, all references are
 * recorded. */
static uint64_t burst, gap;

/* The position at which a thread writes. */
typedef struct position {
    int buffer;            /* index of the thread's buffer; -1: none */
    uint64_t *resume;      /* end of the records in the buffer when the cursor was last placed or
                              removed */
    int dividing;          /* true: the cursor belongs to a sequence of bursts and gaps */
    int in_burst;          /* true: inside a burst, where records are kept; false: in a gap */
    uint64_t left_in_turn; /* number of references until the burst or gap ends */
    uint32_t context;      /* calling context of the next record of the buffer */
} position;

/* A signal handler that is running, or was left by longjmp(). */
typedef struct handler {
    char *frame;
    int on_other_stack;
    int buffer; /* index of the buffer of the interrupted code; -1: none, or unknown */
} handler;

/* State of a thread. `pairs` is the cursor for records of two words. The cursor of the hooks
 * (hooks.c) is for records of one word. */
static __thread cursor pairs;
static __thread position here = {.buffer = -1};
static __thread uint32_t thread;     /* thread number, from 1; 0: none yet */
static __thread volatile int inside; /* nonzero: a function that changes the state above is
                                        running */
/* The cancellation type that the program has chosen for this thread, while a function that changes the
 * state above has replaced it; NOT_HELD otherwise. */
#define NOT_HELD (-1)
static __thread int held_type = NOT_HELD;
static __thread uint64_t aside[ASIDE_WORDS];
static __thread handler handlers[HANDLERS];
static __thread int running; /* number of `handlers` in use */
static __thread int created; /* true: this thread is counted in channel->threads */

/* ---- changes of the state of a thread ---- */

/* Must be called before the state of this thread changes. Until end_change(), hooks do not change the
 * state, and asynchronous cancellation does not end the thread in the middle of the change. The
 * function makes cancellation deferred and does not disable it, because glibc 2.36 may cancel a thread
 * that has just disabled asynchronous cancellation. */
static void begin_change(void) {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &held_type);
    inside = 1;
}

/* Does not return if the thread allows asynchronous cancellation and was canceled during the change. */
static void end_change(void) {
    inside = 0;
    pthread_setcanceltype(held_type, NULL);
    held_type = NOT_HELD;
}

/* ---- waiting, and an analyzer that has exited ---- */

/* Makes the system call futex(). Preserves errno, which belongs to the program. */
static void futex(uint32_t *counter, int operation, uint32_t value, const struct timespec *wait) {
    int before = errno;
    syscall(SYS_futex, counter, operation, value, wait, NULL, 0);
    errno = before;
}

static void end_program(const char *why) {
    dprintf(STDERR_FILENO, "reusedist: %s; stopping the program\n", why);
    _exit(1);
}

static void end_program_without_buffer(void) {
    dprintf(
        STDERR_FILENO,
        "reusedist: stopping the program, because too many threads or processes record at once and "
        "use all %u buffers; start fewer of them\n",
        channel->buffers);
    _exit(1);
}

/* Returns whether the analyzer has exited. The path of the channel is in the /proc folder of the
 * analyzer's open files, which disappears with the analyzer. If the program sees no /proc, as after
 * chroot(), the analyzer's process id decides. */
static int is_gone(void) {
    struct stat now;
    if (stat(channel_path, &now) == 0)
        return now.st_ino != channel_inode;
    if (errno != ENOENT || stat("/proc/self", &now) == 0)
        return errno == ENOENT;
    return kill((pid_t)channel->reader, 0) != 0 && errno == ESRCH;
}

/* Returns the result of is_gone(). Preserves errno, which belongs to the program. */
static int is_analyzer_gone(void) {
    int before = errno, gone = is_gone();
    errno = before;
    return gone;
}

/* Returns the id of this process in /proc, where the analyzer looks for it. In another namespace of
 * process ids, this id may differ from getpid(). Preserves errno, which belongs to the program. */
static uint32_t own_id(void) {
    int before = errno;
    char id[16];
    ssize_t n = readlink("/proc/self", id, sizeof id - 1);
    errno = before;
    id[n > 0 ? n : 0] = '\0';
    return n > 0 ? (uint32_t)strtoul(id, NULL, 10) : (uint32_t)getpid();
}

/* Takes a buffer and returns its index, after waiting until one is free. Ends the program if the
 * analyzer has exited or accepts no more references, or if recorders hold all buffers and none of
 * them makes progress (rdi_channel_is_hopeless()). */
static int wait_for_buffer(void) {
    struct timespec moment = {.tv_nsec = WAIT_NS};
    unsigned turns = 0;
    while (1) {
        uint32_t before = __atomic_load_n(&channel->frees, __ATOMIC_SEQ_CST);
        __atomic_store_n(&channel->recorders_wait, 1, __ATOMIC_SEQ_CST);
        int index = rdi_channel_take(channel, own_id());
        if (__atomic_load_n(&channel->closed, __ATOMIC_RELAXED))
            end_program("the analyzer accepts no more references");
        if (index >= 0)
            return index;
        if (is_analyzer_gone())
            end_program("the analyzer has exited");
        if (rdi_channel_is_hopeless(channel, &turns))
            end_program_without_buffer();
        if (rdi_channel_reader_waits(channel))
            futex(&channel->fulls, FUTEX_WAKE, 1, NULL);
        futex(&channel->frees, FUTEX_WAIT, before, &moment);
    }
}

/* ---- buffers ---- */

/* Submits a buffer that has `words` words, and wakes the analyzer if it sleeps and enough buffers
 * are full. If `words` is 0, the analyzer finds out how many words there are. */
static void hand_over(int buffer, uint64_t words) {
    if (rdi_channel_submit(channel, buffer, words) && rdi_channel_is_worth_waking(channel))
        futex(&channel->fulls, FUTEX_WAKE, 1, NULL);
}

static uint64_t filled_words(void) {
    return (uint64_t)(here.resume - rdi_channel_words(channel, (unsigned)here.buffer));
}

static void submit_buffer(void) {
    if (filled_words() == 0)
        return;
    hand_over(here.buffer, filled_words());
    here.buffer = -1;
}

static uint64_t *buffer_end(void) {
    return rdi_channel_words(channel, (unsigned)here.buffer) + RDI_CHANNEL_BUFFER_WORDS;
}

static void put_event(uint64_t head, const void *address, uint64_t size, uint64_t pc,
                      const char *path) {
    rdi_channel_put_event(here.resume, head, (uint64_t)(uintptr_t)address, size, pc, path);
    here.resume += rdi_channel_event_words(head);
}

/* Reports the stack of this thread with its maximum size: writes an event into the buffer of the
 * thread. */
static void tell_stack(void) {
    static __thread void *stack;
    /* 0: unknown. A forked child has the value of its parent, because it must not ask the C library. */
    static __thread size_t size;
    pthread_attr_t attributes;
    if (!size && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &size);
        pthread_attr_destroy(&attributes);
    }
    if (!size)
        return;
    put_event(RDI_EVENT_HEAD(RD_EVENT_STACK, 0, thread), stack, size, 0, NULL);
    contexts_begin_thread(stack, size);
}

static void take_buffer(void) {
    int first = !thread;
    if (first)
        thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    /* The value may be anything except NULL. It is set for each buffer, because destructors of the
     * program may run, and record, after the destructor of this key. */
    pthread_setspecific(at_exit, &thread);
    here.buffer = wait_for_buffer();
    channel->buffer[here.buffer].process = process;
    channel->buffer[here.buffer].thread = thread;
    here.resume = rdi_channel_words(channel, (unsigned)here.buffer);
    here.context = 0;
    if (first && runtime_tells_events())
        tell_stack();
}

/* Makes room for `n` contiguous words in the buffer of this thread. Takes another buffer if
 * necessary. */
static void make_room_in_buffer(uint64_t n) {
    if (here.buffer >= 0 && (uint64_t)(buffer_end() - here.resume) < n)
        submit_buffer();
    if (here.buffer < 0)
        take_buffer();
}

static void skip(uint64_t references) {
    static __thread uint64_t since;
    if (!channel)
        return;
    if (rdi_channel_skip(channel, &since, references) && is_analyzer_gone())
        end_program("the analyzer has exited");
}

/* ---- the cursor ---- */

static cursor current(void) {
    return record_words == 2 ? pairs : recorder_cursor();
}

static void place(cursor to) {
    if (record_words == 2)
        pairs = to;
    else
        recorder_place(to);
}

static int is_aside(const uint64_t *place) {
    return place >= aside && place <= aside + ASIDE_WORDS;
}

/* Removes the cursor: updates the end of the records in the buffer, or counts the records in the
 * scratch buffer as skipped. Also counts the records as part of the burst or gap. */
static void settle(void) {
    cursor now = current();
    place((cursor){NULL, NULL});
    if (!now.end)
        return;
    /* If the thread was canceled right after it had stored a record, the cursor is still before it. */
    if (!is_aside(now.end) && now.next < now.end && *now.next != 0)
        now.next += record_words;
    uint64_t n = (uint64_t)(now.next - (is_aside(now.end) ? aside : here.resume)) / record_words;
    if (here.dividing)
        here.left_in_turn -= n;
    if (is_aside(now.end))
        skip(n);
    else
        here.resume = now.next;
}

/* Places the cursor at `first`, with room for `n` words, or for fewer words if the burst or gap
 * ends earlier. */
static void place_cursor(uint64_t *first, uint64_t n) {
    if (here.dividing && here.left_in_turn < n / record_words)
        n = here.left_in_turn * record_words;
    place((cursor){first, first + n});
}

static void write_aside(void) {
    place_cursor(aside, ASIDE_WORDS);
}

static void write_into_buffer(void) {
    make_room_in_buffer(record_words);
    place_cursor(here.resume, (uint64_t)(buffer_end() - here.resume));
}

static void divide_into_bursts(void) {
    if (here.left_in_turn == 0) {
        here.in_burst = !here.in_burst;
        here.left_in_turn = here.in_burst ? burst : gap;
    }
    if (here.in_burst)
        write_into_buffer();
    else
        write_aside();
}

/* Makes room for a record and returns 1. Returns 0 without making room if `inside` is set, because
 * a function that changes the state of this thread is running. Resolvers of indirect functions run
 * before the dynamic loader has bound the functions of the C library, so until the runtime has
 * started, this function only goes back to the beginning of the scratch buffer. */
static int make_room(void) {
    if (inside)
        return 0;
    if (__builtin_expect(!started, 0)) {
        write_aside();
        return 1;
    }
    begin_change();
    settle();
    int wanted = channel && __atomic_load_n(&channel->recording, __ATOMIC_RELAXED);
    here.dividing = wanted && burst;
    if (!wanted)
        write_aside();
    else if (here.dividing)
        divide_into_bursts();
    else
        write_into_buffer();
    end_change();
    return 1;
}

/* ---- calling contexts ---- */

/* Reports the definitions that the analyzer needs for `context`, and makes room in the buffer for a
 * change to this context and for an event of `words` words after the change. */
static void define_context(uint32_t context, uint64_t words) {
    const uint64_t head = RDI_EVENT_HEAD(RD_EVENT_CONTEXT, 0, thread);
    context_definition one;
    while (contexts_next_definition(context, &one)) {
        make_room_in_buffer(RDI_EVENT_WORDS);
        rdi_channel_put_event(here.resume, head, one.number, one.parent, one.site, NULL);
        here.resume += RDI_EVENT_WORDS;
    }
    make_room_in_buffer(RDI_SWITCH_WORDS + words);
}

static void put_switch(uint64_t *to, uint32_t context) {
    to[1] = 0;
    __atomic_store_n(to, RDI_SWITCH(contexts_number(context)), __ATOMIC_RELEASE);
    here.context = context;
}

/* Makes the current context the context of the next record: writes a context switch into the buffer if the
 * last record has another context. Makes room for an event of `words` words after it. The cursor must not be in
 * the buffer. */
static void change_context(uint64_t words) {
    uint32_t context = contexts_now();
    define_context(context, words);
    if (here.context != context) {
        put_switch(here.resume, context);
        here.resume += RDI_SWITCH_WORDS;
    }
}

/* Gives the next record the context of the code with this stack pointer. Returns 1, or 0 if the
 * context must change and `inside` is set. The cursor must have room. */
static int follow(uintptr_t stack_pointer) {
    contexts_see(stack_pointer);
    if (is_aside(current().end) || contexts_now() == here.context)
        return 1;
    if (inside)
        return 0;
    begin_change();
    settle();
    change_context(record_words);
    place_cursor(here.resume, (uint64_t)(buffer_end() - here.resume));
    end_change();
    return 1;
}

/* ---- records ---- */

static void record(uint64_t word, uint64_t pc, uintptr_t stack_pointer) {
    cursor at = current();
    if (at.next == at.end && !make_room())
        return;
    if (recorder_follows_calls && !follow(stack_pointer))
        return;
    at = current();
    at.next[0] = word;
    if (record_words == 2)
        at.next[1] = pc;
    at.next += record_words;
    __atomic_signal_fence(__ATOMIC_RELEASE); /* the cursor is never after a missing record */
    place(at);
}

void recorder_record(uint64_t word) {
    record(word, CALL_SITE(), CALLER_STACK());
}

/* ---- functions of the C library, wrapped by the linker option --wrap ---- */

static uint64_t word_of(const char *address, size_t size, int kind) {
    return (uint64_t)(uintptr_t)address << RDI_RECORD_SHIFT | RDI_RECORD_LOW(size, kind);
}

/* Records the references of a copy of `n` bytes: alternating loads from `from` and stores to `to`,
 * 64 bytes at a time. If one of the pointers is NULL, its references are left out. */
static void record_copy(const char *from, const char *to, size_t n, uint64_t pc,
                        uintptr_t stack_pointer) {
    for (size_t at = 0; at < n; at += COPY_BYTES) {
        size_t size = n - at < COPY_BYTES ? n - at : COPY_BYTES;
        if (from)
            record(word_of(from + at, size, RDI_RECORD_LOAD), pc, stack_pointer);
        if (to)
            record(word_of(to + at, size, RDI_RECORD_STORE), pc, stack_pointer);
    }
}

/* The functions of the C library. They are NULL if the program is linked without --wrap. */
__attribute__((weak)) void *__real_memcpy(void *to, const void *from, size_t n);
__attribute__((weak)) void *__real_memmove(void *to, const void *from, size_t n);
__attribute__((weak)) void *__real_memset(void *to, int byte, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n) {
    record_copy(from, to, n, CALL_SITE(), CALLER_STACK());
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n) {
    record_copy(from, to, n, CALL_SITE(), CALLER_STACK());
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int byte, size_t n) {
    record_copy(NULL, to, n, CALL_SITE(), CALLER_STACK());
    return __real_memset(to, byte, n);
}

/* ---- events ---- */

int runtime_tells_events(void) {
    return channel && channel->events & RDI_EVENTS_DATA;
}

int runtime_tells_sync(void) {
    return channel && channel->events & RDI_EVENTS_SYNC;
}

/* Reports an event, unless `inside` is set. If there may be more than one thread, the buffer is
 * submitted after every event except an acquire, so that an event about memory comes before the
 * uses of the memory by other threads, and a release before the acquires of the threads that it
 * lets run. */
void runtime_tell(rd_event_kind kind, const void *address, uint64_t size, uint64_t pc,
                  const char *path) {
    if (inside)
        return;
    begin_change();
    settle();
    size_t path_bytes = path ? strlen(path) : 0;
    uint64_t words = rdi_channel_event_words(RDI_EVENT_HEAD(kind, path_bytes, 0));
    if (recorder_follows_calls && kind == RD_EVENT_ALLOCATE)
        change_context(words);
    else
        make_room_in_buffer(words);
    put_event(RDI_EVENT_HEAD(kind, path_bytes, thread), address, size, pc, path);
    if (__atomic_load_n(&several_threads, __ATOMIC_RELAXED) && kind != RD_EVENT_SYNC_ACQUIRE)
        submit_buffer();
    end_change();
}

void runtime_sync(rd_event_kind kind, const volatile void *object, uint64_t number) {
    if (runtime_tells_sync() && __atomic_load_n(&several_threads, __ATOMIC_RELAXED))
        runtime_tell(kind, (const void *)(uintptr_t)object, number, 0, NULL);
}

void runtime_follow_processes(void) {
    if (with_children && runtime_tells_sync())
        runtime_tell(RD_EVENT_SYNC_ACQUIRE, NULL, 0, 0, NULL);
}

static void submit_so_far(void) {
    begin_change();
    settle();
    if (here.buffer >= 0)
        submit_buffer();
    end_change();
}

int runtime_is_recorded(void) {
    return channel != NULL;
}

void runtime_count_thread(int by) {
    if (!channel)
        return;
    __atomic_fetch_add(&channel->threads, (uint32_t)by, __ATOMIC_RELAXED);
    __atomic_fetch_add(&unended, by, __ATOMIC_RELAXED);
}

static void count_exec(int threads_ended, int by) {
    __atomic_fetch_sub(&channel->threads, (uint32_t)(threads_ended * by), __ATOMIC_RELAXED);
    if (!with_children)
        __atomic_fetch_add(&channel->replaced, (uint32_t)by, __ATOMIC_RELAXED);
}

int runtime_begin_exec(void) {
    if (!channel || getpid() != process_id) /* a child of vfork() has the variables of its parent */
        return -1;
    int threads_ended = __atomic_load_n(&unended, __ATOMIC_RELAXED);
    count_exec(threads_ended, 1);
    return threads_ended;
}

void runtime_fail_exec(int begun) {
    if (begun >= 0)
        count_exec(begun, -1);
}

void runtime_begin_thread(void) {
    created = 1;
    pthread_setspecific(at_exit, &thread); /* not NULL, so that end_thread() is called */
}

/* ---- signal handlers ---- */

/* Ends the handlers with index `first` or higher. Submits the buffers of the code that they
 * interrupted. */
static void end_handlers(int first) {
    for (; running > first; running--)
        if (channel && handlers[running - 1].buffer >= 0)
            hand_over(handlers[running - 1].buffer, 0);
}

/* Returns whether the handler `earlier` was left by longjmp() before the handler `now` began.
 * Stacks grow downwards, so on the same stack a later call has a lower frame. */
static int was_left(const handler *earlier, const handler *now) {
    if (earlier->on_other_stack != now->on_other_stack)
        return earlier->on_other_stack;
    return earlier->frame <= now->frame;
}

/* Ends the handlers that were left before `now`, a handler or other code, began. If all HANDLERS
 * entries are still in use then, ends all handlers. */
static void end_left_handlers(const handler *now) {
    int still = running;
    while (still > 0 && was_left(&handlers[still - 1], now))
        still--;
    end_handlers(still < HANDLERS ? still : 0);
}

static interrupted_calls begin_handler(int buffer) {
    stack_t stack = {.ss_flags = 0};
    sigaltstack(NULL, &stack);
    handler now = {.frame = __builtin_frame_address(0),
                   .on_other_stack = (stack.ss_flags & SS_ONSTACK) != 0,
                   .buffer = buffer};
    end_left_handlers(&now);
    handlers[running++] = now;
    uintptr_t low = now.on_other_stack ? (uintptr_t)stack.ss_sp : 0;
    return contexts_begin_handler((uintptr_t)now.frame, low, low ? low + stack.ss_size : 0);
}

void runtime_run_handler(void (*run)(void *), void *argument) {
    int was_inside = inside, held = held_type;
    begin_change();
    position interrupted = here;
    cursor at = current();
    here = (position){.buffer = -1};
    place((cursor){NULL, NULL});
    interrupted_calls calls = begin_handler(was_inside ? -1 : interrupted.buffer);
    int number = running;
    if (held != NOT_HELD)
        held_type = held; /* the handler is the program's code */
    end_change();

    run(argument);

    begin_change();
    contexts_end_handler(calls);
    settle();
    if (here.buffer >= 0)
        hand_over(here.buffer, filled_words());
    if (running >= number) {
        end_handlers(number);
        running--;
        here = interrupted;
        place(at);
    } else { /* the handler was assumed to be left, or this is a forked child */
        here = (position){.buffer = -1};
        place((cursor){NULL, NULL});
    }
    if (held == NOT_HELD)
        end_change();
    else
        held_type = held;
    inside = was_inside;
}

void runtime_before_thread(void) {
    stack_t stack = {.ss_flags = 0};
    if (!channel || !channel->events)
        return;
    __atomic_store_n(&several_threads, 1, __ATOMIC_RELAXED);
    sigaltstack(NULL, &stack);
    end_left_handlers(&(handler){.frame = __builtin_frame_address(0),
                                 .on_other_stack = (stack.ss_flags & SS_ONSTACK) != 0});
    submit_so_far();
}

/* ---- markers (reusedist/marker.h) ---- */

void rd_recorder_mark(int on);

void rd_recorder_mark(int on) {
    if (!channel)
        return;
    begin_change();
    settle();
    __atomic_store_n(&channel->recording, on != 0, __ATOMIC_RELAXED);
    end_change();
}

/* ---- beginning and end ---- */

static void end_thread(void *value) {
    static __thread int told; /* true: the end was reported; reporting can take a buffer, and then
                                 this function is called again */
    (void)value;
    if (!told || here.buffer >= 0)
        runtime_sync(RD_EVENT_SYNC_RELEASE, (void *)(uintptr_t)pthread_self(), 0);
    told = 1;
    runtime_count_thread(created ? -1 : 0);
    created = 0;
    submit_so_far();
    if (here.buffer >= 0) /* empty, because the thread was canceled when it took the buffer */
        hand_over(here.buffer, 0);
    here.buffer = -1;
    end_handlers(0);
    contexts_end_thread();
}

/* If children are recorded, hands over the records so far, so that they come before the records of a
 * forked child. */
static void submit_before_fork(void) {
    if (channel && with_children)
        submit_so_far();
}

/* Starts a new recording in a forked child, or stops recording there if children are not recorded.
 * The buffer stays with the parent. */
static void restart_in_child(void) {
    pairs = (cursor){NULL, NULL};
    recorder_place(pairs);
    here.buffer = -1;
    running = 0;
    thread = threads = 0;
    several_threads = created = unended = 0;
    process_id = getpid();
    if (with_children)
        process = __atomic_fetch_add(&channel->processes, 1, __ATOMIC_RELAXED);
    else
        channel = NULL;
    contexts_restart_in_child();
    if (counted_restart_in_child)
        counted_restart_in_child();
    runtime_follow_processes(); /* the child begins after everything that the parent did before */
    modules_restart_in_child();
}

/* Counts a forked child, in the parent, if children are not recorded. A message at the end of the
 * recording reports the number. */
static void count_child(void) {
    if (channel && !with_children)
        __atomic_fetch_add(&channel->children, 1, __ATOMIC_RELAXED);
}

pid_t runtime_fork(pid_t (*fork_process)(void)) {
    if (!channel)
        return fork_process();
    submit_before_fork();
    pid_t child = fork_process();
    if (child == 0)
        restart_in_child();
    else if (child > 0)
        count_child();
    return child;
}

/* Submits the buffers that this process was filling when it called exec(). */
static void submit_left_behind(void) {
    uint32_t self = own_id();
    for (int i = 0; i < (int)channel->buffers; i++) {
        uint32_t owner;
        if (rdi_channel_is_filling(&channel->buffer[i], &owner) && owner == self)
            hand_over(i, 0);
    }
}

static rdi_channel *map_channel(const char *path, uint64_t *bytes) {
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= (off_t)RDI_CHANNEL_BYTES(1)) {
        *bytes = (uint64_t)st.st_size;
        memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        channel_inode = st.st_ino;
    }
    if (fd >= 0)
        close(fd);
    return memory;
}

static void read_burst(const char *text) {
    char *colon = NULL;
    if (!text)
        return;
    burst = strtoull(text, &colon, 10);
    gap = *colon ? strtoull(colon + 1, NULL, 10) : 0;
}

/* Returns whether this program is recorded. If it is, takes the number of this process from the channel; otherwise
 * counts the program as not recorded. */
static int take_part(rdi_channel *mapped) {
    uint32_t none = 0;
    if (with_children) {
        process = __atomic_fetch_add(&mapped->processes, 1, __ATOMIC_RELAXED);
        return 1;
    }
    unsetenv("REUSEDIST_CHANNEL"); /* for programs that this one starts */
    if (__atomic_compare_exchange_n(&mapped->processes, &none, 1, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        return 1;
    __atomic_fetch_add(&mapped->children, 1, __ATOMIC_RELAXED);
    return 0;
}

__attribute__((constructor(101))) static void open_channel(void) {
    const char *path = secure_getenv("REUSEDIST_CHANNEL");
    uint64_t bytes = 0;
    started = 1;
    if (!path)
        return;
    rdi_channel *mapped = map_channel(path, &bytes);
    if (mapped == MAP_FAILED)
        end_program("cannot open the file in REUSEDIST_CHANNEL, the memory that is shared with the "
                    "analyzer; unset the variable to run without recording");
    if (mapped->magic != RDI_CHANNEL_MAGIC)
        end_program("the program's recorder and the analyzer have different versions; build the "
                    "program again");
    if (mapped->buffers > RDI_CHANNEL_BUFFERS || bytes < RDI_CHANNEL_BYTES(mapped->buffers))
        end_program("the memory that is shared with the analyzer is damaged: it is too small for "
                    "its number of "
                    "buffers, or this number is too large; run the command again");
    snprintf(channel_path, sizeof channel_path, "%s", path);
    with_children = getenv("REUSEDIST_CHILDREN") != NULL;
    if (!take_part(mapped)) {
        munmap(mapped, bytes);
        return;
    }
    read_burst(getenv("REUSEDIST_BURST"));
    pthread_key_create(&at_exit, end_thread);
    pthread_atfork(submit_before_fork, count_child, restart_in_child);
    settle(); /* references before this constructor runs are not recorded */
    record_words = mapped->record_words;
    if (mapped->events & RDI_EVENTS_CONTEXTS)
        contexts_start();
    process_id = getpid();
    channel = mapped;
    submit_left_behind();
    if (process > 0) /* the references of the process that started this one come before its own */
        runtime_follow_processes();
    modules_update();
    submit_so_far(); /* the events of the modules must precede the records of all threads */
}
