/* Functions that the files of the compiled-in recorder share. */
#ifndef RECORDER_RUNTIME_H
#define RECORDER_RUNTIME_H

#include "live/channel.h"
#include "reusedist/trace.h"

#include <stddef.h>
#include <sys/types.h>

/* Returns an address inside the instruction that called the current function. */
#define CALL_SITE() ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

/* Returns whether there is an analyzer that wants events (runtime.c). */
int runtime_tells_events(void);
/* Reports an event, after the references of this thread so far. runtime_tells_events() must be
 * true, or runtime_tells_sync() for an event of synchronization. `pc` is the call site of an
 * allocation or the load bias of a module, otherwise 0. `path` is the path of a module, otherwise
 * NULL. */
void runtime_tell(rd_event_kind kind, const void *address, uint64_t size, uint64_t pc,
                  const char *path);

/* Returns whether there is an analyzer that wants events of synchronization. */
int runtime_tells_sync(void);
/* Reports that the thread has waited for everything that was recorded before, in any process, if the
 * analyzer wants events of synchronization and records forked children. */
void runtime_follow_processes(void);
/* Reports an event of synchronization of `object`, if the analyzer wants it and the program has
 * begun to create a second thread. `number` is the number of the release, or 0. */
void runtime_sync(rd_event_kind kind, const volatile void *object, uint64_t number);

/* Returns whether there is an analyzer. */
int runtime_is_recorded(void);
/* Adds `by` to the number of threads that the program has created and that have not ended. */
void runtime_count_thread(int by);
/* runtime_begin_exec() must be called before exec(). It counts the program as replaced, unless further
 * programs are recorded, and its threads as ended. If exec() fails, runtime_fail_exec() must be called with
 * the result. */
int runtime_begin_exec(void);
void runtime_fail_exec(int begun);
/* Must be called by a new thread, so that its end is counted. */
void runtime_begin_thread(void);

/* Calls a function that makes a process like fork() does, but without the handlers of pthread_atfork(). */
pid_t runtime_fork(pid_t (*fork_process)(void));
/* Must be called in a forked child: forgets the numbers of releases (runtime_threads.c, which statically
 * linked programs do not contain). */
__attribute__((weak)) void counted_restart_in_child(void);

/* Must be called before a thread is created. If the analyzer wants events, hands over the records
 * of this thread, because the new thread may use all memory that was reported so far. */
void runtime_before_thread(void);

/* Calls `run` with `argument`. `run` must call a signal handler of the program. The references of
 * the handler go to a different buffer than the references of the interrupted code. */
void runtime_run_handler(void (*run)(void *), void *argument);

/* Reports modules that are new, and modules that are gone, if the analyzer wants events
 * (runtime_modules.c). */
void modules_update(void);
/* Must be called in a forked child: reports all modules again. Does not ask the dynamic loader, because another
 * thread of the parent may have held the loader's lock. */
void modules_restart_in_child(void);

#endif
