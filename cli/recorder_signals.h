/* Handles signals while a program is recorded. Signal handlers are process-wide, so the state here
 * is global, and there can be only one recording at a time. */
#ifndef RD_RECORDER_SIGNALS_H
#define RD_RECORDER_SIGNALS_H

#include "cli.h"

#include <signal.h>
#include <sys/types.h>

/* Installs the handlers. SIGINT, SIGQUIT, SIGTERM and SIGHUP are forwarded to the recorded program and to process
 * `beside` (0: none). After both have ended, the first of these signals ends the trace of `live`, and the second one
 * terminates this process. With `switches`, SIGUSR1 switches recording on, and SIGUSR2 switches it off. */
void recorder_signals_take(rd_live *live, pid_t beside, bool switches);
/* Holds the forwarded signals back until the caller restores the signal mask, which *before receives. */
void recorder_signals_hold(sigset_t *before);
/* Sets the recorded program, to which signals are forwarded; 0: it has ended. */
void recorder_signals_set_program(pid_t program);
/* The caller calls this function when no recorded process is left. From then on, a signal that
 * cannot be forwarded terminates this process. */
void recorder_signals_end_recording(void);
/* Restores the default handling of the forwarded signals, which then terminate this process.
 * Signals that are ignored stay ignored. */
void recorder_signals_release(void);
void recorder_signals_ignore_switches(void);
/* Returns whether a signal has ended the trace. */
bool recorder_signals_stopped(void);

#endif
