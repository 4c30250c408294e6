/* What the files of the compiled-in recorder share. */
#ifndef RECORDER_RUNTIME_H
#define RECORDER_RUNTIME_H

#include "live/channel.h"
#include "reusedist/trace.h"

#include <stddef.h>

/* Inside of the instruction that called this very function. */
#define CALL_SITE() ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

/* Whether the analyser wants to know (runtime.c). */
int runtime_tells_events(void);
/* An event of this thread, behind its references so far. `path`: a module's, else NULL. */
void runtime_tell(rd_event_kind kind, const void *address, uint64_t size, uint64_t pc,
                  const char *path);

/* Another thread is about to begin: it may use everything that was told so far. */
void runtime_before_thread(void);

/* Calls a signal handler, which has records of its own. */
void runtime_run_handler(void (*run)(void *), void *argument);

/* Tells of the modules that are not known, and of those that are gone (modules.c). */
void modules_update(void);
/* In a forked child: all are new. */
void modules_forget(void);

#endif
