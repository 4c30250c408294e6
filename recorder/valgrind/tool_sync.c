/* Reports where threads release each other and wait for each other: RD_EVENT_SYNC_RELEASE and
 * RD_EVENT_SYNC_ACQUIRE, which docs/threads.md defines.
 *
 * The tool watches the functions of POSIX threads, of C++ and of OpenMP by their names, as
 * tool_events.c does with allocators. Most releases are reported when the function is entered, and
 * most acquires when it returns. Functions that lock or unlock are reported at both times, and
 * functions with RELEASES_LATE report a release when they return (see the flags below). Functions
 * call each other, and functions such as GOMP_parallel() run code of the program, so each thread
 * has a stack of the calls that have not returned. The system call futex() is reported too, unless
 * a watched function made it, and so is any other system call that waits while another thread runs.
 *
 * While there are several threads, a thread yields after SYNC_QUANTUM_BYTES bytes of records and
 * after each unlock. Otherwise Valgrind would run a thread for 100,000 basic blocks, and threads
 * that compete for a lock would hardly ever alternate.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "reusedist/trace.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* A function of Valgrind's core, whose header is not installed. */
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord, RegWord);

/* ---- functions ---- */

/* Flags that say what a function does with its object. */
enum {
    RELEASES = 1,         /* releases the object when it is entered */
    ACQUIRES = 2,         /* has acquired the object when it returns success */
    RELEASES_SECOND = 4,  /* releases its second argument when it is entered */
    ACQUIRES_SECOND = 8,  /* has acquired its second argument when it returns */
    RELEASES_LATE = 16,   /* releases the object when it returns; with RELEASES, once more */
    TRUE_IS_SUCCESS = 32, /* a result other than 0 means success; usually 0 means success */
    ANY_IS_SUCCESS = 64,
    YIELDS = 128,          /* lets another thread run when it returns */
    BARRIER = 256,         /* releases and acquires are those of a barrier, and are numbered */
    SEMAPHORE = 512,       /* releases and acquires are numbered */
    FORGETS = 1024,        /* initializes the object, whose releases are numbered from 1 again */
    STARTS_BODY = 2048,    /* the object is a function that other threads will run */
    BODY = 4096,           /* the function itself is run by other threads (STARTS_BODY) */
    ACQUIRES_EARLY = 8192, /* also acquires the object when it is entered */
    ONCE = 16384, /* releases the object only if it had not been initialized before the call */
    /* An acquire of a lock is reported twice: when the function is entered, so that the references
     * of the function itself come after the releases so far, and when it returns, so that later
     * references come after the releases that it had to wait for. A release is also reported
     * twice: when the function is entered, before another thread can get the lock, and when it
     * returns. */
    LOCKS = ACQUIRES | ACQUIRES_EARLY,
    UNLOCKS = RELEASES | RELEASES_LATE | YIELDS
};

/* The object of a function: one of its arguments, or a number that stands for an object that is not
 * among the arguments. These numbers are smaller than any address. */
enum {
    FIRST = 0x1000, /* the first argument, and so on */
    SECOND,
    THIRD,
    OMP_BARRIER = 0x2000,
    OMP_CRITICAL,
    OMP_ATOMIC,
    OMP_COPY,
    OMP_TASKS
};

typedef struct watched {
    const HChar *name; /* without leading underscores */
    UInt object;
    UInt does;
} watched;

static const watched functions[] = {
    {"pthread_mutex_lock", FIRST, LOCKS},
    {"pthread_mutex_trylock", FIRST, LOCKS},
    {"pthread_mutex_timedlock", FIRST, LOCKS},
    {"pthread_mutex_clocklock", FIRST, LOCKS},
    {"pthread_mutex_unlock", FIRST, UNLOCKS},
    {"pthread_rwlock_rdlock", FIRST, LOCKS},
    {"pthread_rwlock_tryrdlock", FIRST, LOCKS},
    {"pthread_rwlock_timedrdlock", FIRST, LOCKS},
    {"pthread_rwlock_clockrdlock", FIRST, LOCKS},
    {"pthread_rwlock_wrlock", FIRST, LOCKS},
    {"pthread_rwlock_trywrlock", FIRST, LOCKS},
    {"pthread_rwlock_timedwrlock", FIRST, LOCKS},
    {"pthread_rwlock_clockwrlock", FIRST, LOCKS},
    {"pthread_rwlock_unlock", FIRST, UNLOCKS},
    {"pthread_spin_lock", FIRST, LOCKS},
    {"pthread_spin_trylock", FIRST, LOCKS},
    {"pthread_spin_unlock", FIRST, UNLOCKS},
    {"pthread_spin_init", FIRST, UNLOCKS}, /* in glibc, another name of the unlock */
    {"pthread_cond_wait", FIRST, ACQUIRES | RELEASES_SECOND | ACQUIRES_SECOND},
    {"pthread_cond_timedwait", FIRST, ACQUIRES | RELEASES_SECOND | ACQUIRES_SECOND},
    {"pthread_cond_clockwait", FIRST, ACQUIRES | RELEASES_SECOND | ACQUIRES_SECOND},
    {"pthread_cond_signal", FIRST, RELEASES | RELEASES_LATE},
    {"pthread_cond_broadcast", FIRST, RELEASES | RELEASES_LATE},
    {"pthread_barrier_wait", FIRST, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"sem_wait", FIRST, SEMAPHORE | LOCKS},
    {"sem_trywait", FIRST, SEMAPHORE | LOCKS},
    {"sem_timedwait", FIRST, SEMAPHORE | LOCKS},
    {"sem_clockwait", FIRST, SEMAPHORE | LOCKS},
    {"sem_post", FIRST, SEMAPHORE | RELEASES | RELEASES_LATE},
    {"sem_init", FIRST, FORGETS},
    {"pthread_join", FIRST, ACQUIRES},
    {"pthread_tryjoin_np", FIRST, ACQUIRES},
    {"pthread_timedjoin_np", FIRST, ACQUIRES},
    {"pthread_clockjoin_np", FIRST, ACQUIRES},
    {"pthread_once", FIRST, ACQUIRES | RELEASES_LATE | ONCE},
    {"call_once", FIRST, ACQUIRES | RELEASES_LATE | ONCE | ANY_IS_SUCCESS},
    {"cxa_guard_acquire", FIRST, ACQUIRES | ANY_IS_SUCCESS},
    {"cxa_guard_release", FIRST, RELEASES},
    /* OpenMP of gcc: libgomp */
    {"GOMP_parallel", FIRST, STARTS_BODY},
    {"GOMP_parallel_reductions", FIRST, STARTS_BODY},
    {"GOMP_parallel_sections", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_static", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_dynamic", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_guided", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_runtime", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_nonmonotonic_dynamic", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_nonmonotonic_guided", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_nonmonotonic_runtime", FIRST, STARTS_BODY},
    {"GOMP_parallel_loop_maybe_nonmonotonic_runtime", FIRST, STARTS_BODY},
    {"GOMP_task", FIRST, STARTS_BODY},
    {"GOMP_taskwait", OMP_TASKS, ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_taskgroup_end", OMP_TASKS, ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_barrier", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_barrier_cancel", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_loop_end", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_loop_end_cancel", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_sections_end", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_sections_end_cancel", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_single_copy_start", OMP_COPY, ACQUIRES | ANY_IS_SUCCESS},
    {"GOMP_single_copy_end", OMP_COPY, RELEASES},
    {"GOMP_critical_start", OMP_CRITICAL, LOCKS | ANY_IS_SUCCESS},
    {"GOMP_critical_end", OMP_CRITICAL, UNLOCKS},
    {"GOMP_critical_name_start", FIRST, LOCKS | ANY_IS_SUCCESS},
    {"GOMP_critical_name_end", FIRST, UNLOCKS},
    {"GOMP_atomic_start", OMP_ATOMIC, LOCKS | ANY_IS_SUCCESS},
    {"GOMP_atomic_end", OMP_ATOMIC, UNLOCKS},
    {"omp_set_lock", FIRST, LOCKS | ANY_IS_SUCCESS},
    {"omp_test_lock", FIRST, LOCKS | TRUE_IS_SUCCESS},
    {"omp_unset_lock", FIRST, UNLOCKS},
    {"omp_set_nest_lock", FIRST, LOCKS | ANY_IS_SUCCESS},
    {"omp_test_nest_lock", FIRST, LOCKS | TRUE_IS_SUCCESS},
    {"omp_unset_nest_lock", FIRST, UNLOCKS},
    /* OpenMP of clang: libomp */
    {"kmpc_fork_call", THIRD, STARTS_BODY},
    {"kmpc_barrier", OMP_BARRIER, BARRIER | RELEASES | ACQUIRES | ANY_IS_SUCCESS},
    {"kmpc_critical", THIRD, LOCKS | ANY_IS_SUCCESS},
    {"kmpc_critical_with_hint", THIRD, LOCKS | ANY_IS_SUCCESS},
    {"kmpc_end_critical", THIRD, UNLOCKS},
    {"kmpc_omp_taskwait", OMP_TASKS, ACQUIRES | ANY_IS_SUCCESS},
};

#define FUNCTIONS (sizeof functions / sizeof *functions)

/* Describes every function in bodies[], as an entry of `functions` does. The object is the address
 * of the function when the function is entered, and this address plus 1 when it returns. */
static const watched body = {"", FIRST, BODY};

/* Functions of the program that other threads run, in the order in which they became known. */
static Addr *bodies;
static UInt body_count, body_room;

static UInt find_body(Addr function) {
    for (UInt i = 0; i < body_count; i++)
        if (bodies[i] == function)
            return i + 1;
    return 0;
}

/* Remembers a function that other threads will run. It was not translated before, because nothing
 * else in the program calls it. */
static void add_body(Addr function) {
    if (find_body(function))
        return;
    if (body_count == body_room) {
        body_room = body_room ? 2 * body_room : 64;
        bodies = VG_(realloc)("reusedist.bodies", bodies, body_room * sizeof *bodies);
    }
    bodies[body_count++] = function;
}

UInt sync_function_at(Addr instruction) {
    const HChar *name;
    if (find_body(instruction))
        return FUNCTIONS + find_body(instruction);
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), instruction, &name))
        return 0;
    if (VG_(strncmp)(name, "__GI_", 5) == 0)
        name += 5;
    while (*name == '_')
        name++;
    const HChar *version = VG_(strchr)(name, '@'); /* as in pthread_join@@GLIBC_2.34 */
    SizeT length = version ? (SizeT)(version - name) : VG_(strlen)(name);
    for (UInt i = 0; i < FUNCTIONS; i++)
        if (VG_(strlen)(functions[i].name) == length &&
            VG_(strncmp)(name, functions[i].name, length) == 0)
            return i + 1;
    return 0;
}

/* ---- events ---- */

static UInt threads = 1; /* number of threads that have not ended */
static Bool several;     /* True: a second thread was created; until then nothing is reported */

/* Reports that a thread has waited for everything that was recorded before. */
static void acquire_everything(ThreadId thread) {
    buffer_event(RD_EVENT_SYNC_ACQUIRE, thread, 0, 0, 0, NULL);
}

static void release(ThreadId thread, Addr object, ULong number) {
    if (several && object)
        buffer_event(RD_EVENT_SYNC_RELEASE, thread, object, number, 0, NULL);
}

static void acquire(ThreadId thread, Addr object, ULong number) {
    if (several && object)
        buffer_event(RD_EVENT_SYNC_ACQUIRE, thread, object, number, 0, NULL);
}

/* ---- numbered objects ---- */

/* A barrier or a semaphore. */
typedef struct counted {
    struct counted *next; /* the hash table uses `next` and `object` */
    Addr object;
    ULong releases; /* number of releases so far: arrivals at a barrier, or posts of a semaphore */
    ULong opened;   /* barrier: number of arrivals when a thread last found it open. Semaphore:
                       number of waits that have ended */
    ULong at_first; /* semaphore: its value before its first call */
} counted;

static VgHashTable *all_counted;

static counted *find_counted(Addr object, Bool semaphore) {
    counted *c = VG_(HT_lookup)(all_counted, object);
    if (c)
        return c;
    c = VG_(calloc)("reusedist.counted", 1, sizeof *c);
    c->object = object;
    c->at_first = semaphore ? *(UInt *)object : 0; /* glibc has the value in the lower half */
    VG_(HT_add_node)(all_counted, c);
    return c;
}

static void forget_counted(Addr object) {
    counted *c = VG_(HT_remove)(all_counted, object);
    if (c)
        VG_(free)(c);
}

/* ---- calls ---- */

#define CALLS_MAX 16 /* maximum number of nested calls of watched functions */

typedef struct sync_call {
    Addr outside; /* stack pointer after the return */
    Addr return_to;
    const watched *function;
    Addr object, second;
    ULong number; /* barrier: number of the arrival; sem_post(): number of the post; else 0 */
    Bool done;    /* pthread_once(): the object had been initialized before the call */
} sync_call;

typedef struct thread_state {
    sync_call calls[CALLS_MAX];
    UInt depth;
    Bool started;   /* True: the thread has run code */
    ThreadId child; /* the number of this thread; 0: no other thread has created it */
    ULong turns;    /* value of the variable `turns` when the thread entered a system call */
    ULong yielded;  /* value of the variable `turns` when the thread last filled its quantum */
    UInt quanta;    /* number of quanta that the thread has filled */
    Bool called;    /* True: the thread has made a system call since then */
} thread_state;

static thread_state *states; /* one entry per thread */
static ThreadId current;
static ULong turns; /* number of times that code of another thread began to run */

Addr sync_stack_outside;

static void set_outside(const thread_state *t) {
    sync_stack_outside = t->depth ? t->calls[t->depth - 1].outside : 0;
}

/* Drops calls whose frames are gone after an exception or longjmp(). A new call begins, whose
 * return will leave the stack pointer at `outside`, so frames below `outside` are gone. */
static void drop_left(thread_state *t, Addr outside) {
    while (t->depth > 0) {
        const sync_call *c = &t->calls[t->depth - 1];
        if (outside <= c->outside && *(Addr *)(c->outside - sizeof(Addr)) == c->return_to)
            break;
        t->depth--;
    }
}

/* Gives a thread that was just woken the processor, so that it can ask Valgrind to run. */
static void give_processor(void) {
    if (threads > 1)
        VG_(do_syscall)(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* Lets a thread that has asked to run do so after the current block of code, by setting to 0 the
 * number of blocks that Valgrind's scheduler still grants the current thread. */
static void let_run(void) {
    UInt none = 0;
    if (threads > 1)
        VG_(set_shadow_regs_area)
    (current, 0, offsetof(VexGuestAMD64State, host_EvC_COUNTER), sizeof none, (const UChar *)&none);
}

static void yield(void) {
    give_processor();
    let_run();
}

/* After a quantum without system calls, the current thread has woken no other thread. If other threads have run since
 * its last quantum, they are asking to run already, and giving them the processor would only cost time. A thread that
 * was woken and waits for a processor gets it after at most four quanta. */
void sync_after_records(void) {
    thread_state *t = &states[current];
    if (t->called || t->yielded == turns || ++t->quanta % 4 == 0)
        give_processor();
    let_run();
    t->called = False;
    t->yielded = turns;
}

/* Reports that a thread acquires a semaphore. If the semaphore had the value V at first, the first
 * V waits wait for nothing, and wait number V + n waits for post number n. If `early` is True, the
 * wait only begins, and an acquire is reported only if the post has already happened. */
static void acquire_semaphore(Addr semaphore, Bool early) {
    counted *s = find_counted(semaphore, True);
    ULong waits = s->opened + 1;
    if (!early)
        s->opened++;
    if (waits > s->at_first && (!early || waits - s->at_first <= s->releases))
        acquire(current, semaphore, waits - s->at_first);
}

/* Reports the releases and acquires of a function when it is entered. */
static void begin_call(sync_call *c) {
    UInt does = c->function->does;
    if (does & STARTS_BODY) {
        add_body(c->object);
        release(current, c->object, 0);
    }
    if (does & BODY)
        acquire(current, c->object, 0);
    if (does & FORGETS)
        forget_counted(c->object);
    if (does & BARRIER)
        c->number = ++find_counted(c->object, False)->releases;
    if (does & SEMAPHORE) {
        counted *s = find_counted(c->object, True);
        c->number = does & RELEASES ? ++s->releases : 0;
    }
    if (does & ACQUIRES_EARLY && does & SEMAPHORE)
        acquire_semaphore(c->object, True);
    else if (does & ACQUIRES_EARLY)
        acquire(current, c->object, 0);
    if (does & RELEASES)
        release(current, c->object, c->number);
    if (does & RELEASES_SECOND)
        release(current, c->second, 0);
    if (does & ONCE)
        c->done = *(UInt *)c->object == 2; /* glibc's value of a pthread_once_t that is done */
}

/* Returns the number of the last arrival at a barrier that a thread with arrival `own` waited for.
 * When the first thread returns, all arrivals that opened the barrier have been counted, but no
 * arrival for its next use. */
static ULong round_of(Addr barrier, ULong own) {
    counted *b = find_counted(barrier, False);
    if (own > b->opened)
        b->opened = b->releases;
    return b->opened;
}

/* Reports the releases and acquires of a function when it returns. */
static void end_call(const sync_call *c, UWord result) {
    UInt does = c->function->does;
    Bool success = does & ANY_IS_SUCCESS    ? True
                   : does & TRUE_IS_SUCCESS ? (UInt)result != 0
                                            : (UInt)result == 0;
    if (does & ACQUIRES && success) {
        if (does & SEMAPHORE)
            acquire_semaphore(c->object, False);
        else
            acquire(current, c->object, does & BARRIER ? round_of(c->object, c->number) : 0);
    }
    if (does & ACQUIRES_SECOND)
        acquire(current, c->second, 0);
    if (does & RELEASES_LATE && !c->done)
        release(current, c->object, c->number);
    if (does & STARTS_BODY)
        acquire(current, c->object + 1, 0);
    if (does & BODY) {
        release(current, c->object + 1, 0);
        release(current, OMP_TASKS, 0);
    }
    if (does & YIELDS)
        yield();
}

void sync_call_begins(UWord function, Addr stack_pointer, UWord a, UWord b, UWord c) {
    thread_state *t = &states[current];
    Addr outside = stack_pointer + sizeof(Addr);
    Bool is_body = function > FUNCTIONS;
    drop_left(t, outside);
    if (t->depth == CALLS_MAX)
        return;
    const watched *w = is_body ? &body : &functions[function - 1];
    sync_call *call = &t->calls[t->depth++];
    *call = (sync_call){.outside = outside,
                        .return_to = *(Addr *)stack_pointer,
                        .function = w,
                        .object = is_body               ? bodies[function - FUNCTIONS - 1]
                                  : w->object == FIRST  ? a
                                  : w->object == SECOND ? b
                                  : w->object == THIRD  ? c
                                                        : w->object,
                        .second = b};
    set_outside(t);
    begin_call(call);
}

void sync_call_returns(Addr to, UWord result) {
    thread_state *t = &states[current];
    if (t->depth == 0)
        return;
    sync_call c = t->calls[--t->depth];
    set_outside(t);
    if (to == c.return_to)
        end_call(&c, result);
}

/* ---- system calls ---- */

enum { WAIT = 0, WAKE, REQUEUE = 3, CMP_REQUEUE, WAKE_OP, LOCK_PI, UNLOCK_PI, WAIT_BITSET = 9 };
enum { WAKE_BITSET = 10, WAIT_REQUEUE_PI, CMP_REQUEUE_PI, LOCK_PI2, OPERATION_MASK = 127 };

static Bool futex_waits(UWord operation) {
    switch (operation & OPERATION_MASK) {
    case WAIT:
    case WAIT_BITSET:
    case LOCK_PI:
    case LOCK_PI2:
    case WAIT_REQUEUE_PI:
        return True;
    default:
        return False;
    }
}

/* Reports the releases and acquires of futex() before the system call. A thread that waits also
 * releases, because it may have arrived at a barrier, and a thread that does not wait also
 * acquires. So the last thread that arrives at a barrier continues after everything that the other
 * threads recorded before the barrier. */
static void before_futex(ThreadId thread, const UWord *args) {
    UWord operation = args[1] & OPERATION_MASK;
    if (!futex_waits(operation))
        acquire(thread, args[0], 0);
    release(thread, args[0], 0);
    if (operation == REQUEUE || operation == CMP_REQUEUE || operation == CMP_REQUEUE_PI)
        release(thread, args[4], 0);
}

/* Returns whether a system call waits for something that happens outside its thread. */
static Bool waits(UInt number, const UWord *args) {
    struct vg_stat file;
    switch (number) {
    case __NR_read:
    case __NR_readv:
        return VG_(fstat)((Int)args[0], &file) == 0 && !VKI_S_ISREG(file.mode);
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_poll:
    case __NR_ppoll:
    case __NR_select:
    case __NR_pselect6:
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
    case __NR_wait4:
    case __NR_waitid:
    case __NR_pause:
    case __NR_rt_sigsuspend:
    case __NR_rt_sigtimedwait:
    case __NR_accept:
    case __NR_accept4:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_msgrcv:
    case __NR_semop:
    case __NR_semtimedop:
        return True;
    default:
        return False;
    }
}

void sync_before_system_call(ThreadId thread, UInt number, const UWord *args) {
    states[thread].turns = turns;
    states[thread].called = True;
    if (number == __NR_futex && states[thread].depth == 0)
        before_futex(thread, args);
}

/* Returns whether a system call that succeeded has waited for the end of a recorded process. */
static Bool waits_for_child(UInt number) {
    return options.children && (number == __NR_wait4 || number == __NR_waitid);
}

void sync_after_system_call(ThreadId thread, UInt number, const UWord *args, Bool success) {
    if (number == __NR_futex && states[thread].depth == 0 && futex_waits(args[1]))
        acquire(thread, args[0], 0);
    /* If no other thread ran in the meantime, the thread has waited for none of them. */
    Bool waited = several && turns != states[thread].turns && waits(number, args);
    if (waited || (success && waits_for_child(number)))
        acquire_everything(thread);
}

/* ---- threads ---- */

/* Returns the pthread_t of a thread, an address. It lies in the memory of the thread's stack, so a
 * thread with the same stack as an earlier one has the same address. */
static Addr library_thread(ThreadId thread) {
    Addr address = 0;
    VG_(get_shadow_regs_area)
    (thread, (UChar *)&address, 0, offsetof(VexGuestAMD64State, guest_FS_CONST), sizeof address);
    return address;
}

/* Reports a release that a new thread acquires when it begins to run, so that it waits for its
 * creator. The object is the number of the thread, which is smaller than any address. */
void sync_thread_is_created(ThreadId parent, ThreadId child) {
    if (parent == VG_INVALID_THREADID)
        return;
    several = True;
    threads++;
    states[child] = (thread_state){.child = child};
    release(parent, child, 0);
}

void sync_thread_ends(ThreadId thread) {
    release(thread, library_thread(thread), 0);
    threads--;
}

void sync_set_thread(ThreadId thread) {
    thread_state *t = &states[thread];
    turns += thread != current;
    current = thread;
    set_outside(t);
    if (t->child && !t->started) {
        acquire(thread, t->child, 0);
        acquire(thread, library_thread(thread), 0);
    }
    t->started = True;
}

/* If another recorded process has started this one, reports that this process begins after
 * everything that was recorded before. */
static void begin_process(ThreadId thread) {
    if (!buffer_is_first_process())
        acquire_everything(thread);
}

void sync_start(void) {
    states = VG_(calloc)("reusedist.states", VG_N_THREADS, sizeof *states);
    all_counted = VG_(HT_construct)("reusedist.counted");
    begin_process(1);
}

void sync_restart_in_child(ThreadId thread) {
    threads = 1;
    several = False;
    begin_process(thread);
}
