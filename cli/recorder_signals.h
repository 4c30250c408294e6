/* Signals while a program is recorded. They are process-wide, and so is what is kept here: there is
 * one recording at a time. */
#ifndef RD_RECORDER_SIGNALS_H
#define RD_RECORDER_SIGNALS_H

#include "cli.h"

#include <sys/types.h>

/* From now on signals that end programs go to the recorded program and to `beside` (0: none); when
 * both have ended they stop reading from `live`. With `switches`, SIGUSR1 and SIGUSR2 turn
 * recording on and off. */
void recorder_signals_take(rd_live *live, pid_t beside, bool switches);
void recorder_signals_set_program(pid_t program); /* 0: it has ended */
/* There is nobody to pass signals on to any more, and nothing that they could stop but us. */
void recorder_signals_release(void);
void recorder_signals_ignore_switches(void);
/* Whether a signal has stopped the reading. */
bool recorder_signals_stopped(void);

#endif
