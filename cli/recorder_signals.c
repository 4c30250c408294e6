/* Handles signals while a program is recorded. See recorder_signals.h. */
#include "recorder_signals.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/* The processes that signals are forwarded to: the recorded program, and process `beside` of
 * recorder_signals_take(). 0: no process. */
static volatile sig_atomic_t programs_of_signals[2];
static rd_live *live_of_signals;
static volatile sig_atomic_t told_to_stop;
static volatile sig_atomic_t recording_over;

/* Returns whether a process has ended, even if nobody has waited for it yet. */
static bool has_ended(pid_t program) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)program, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* Terminates this process by the signal that is being handled, when the handler returns. Results
 * that are being written have no names yet, so no file is left half-written. */
static void terminate(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

/* Returns whether the terminal has sent the signal to `program` as well as to this process. SIGINT
 * and SIGQUIT go to the process group in the foreground. SIGHUP goes to the leader of the session
 * alone, or to the process group in the foreground if the leader has ended. */
static bool has_got(pid_t program, int number, const siginfo_t *info) {
    bool for_leader = number == SIGHUP && getsid(0) == getpid();
    return info->si_code > 0 && !for_leader && getpgid(program) == getpgrp();
}

/* Forwards a signal to the processes of programs_of_signals, unless a signal from the terminal reaches
 * them directly. If both processes have ended, the signal ends the trace: the recording then waits
 * neither for other processes that they started nor for buffers that are still in the channel. After
 * that, or if no recorded process is left, the signal terminates this process, because reading symbols
 * may take long. */
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    bool any = false;
    for (int i = 0; i < 2; i++) {
        pid_t program = (pid_t)programs_of_signals[i];
        if (program == 0 || has_ended(program))
            continue;
        any = true;
        if (!has_got(program, number, info))
            kill(program, number);
    }
    if (!any && (told_to_stop || recording_over)) {
        terminate(number);
    } else if (!any) {
        told_to_stop = 1;
        rd_live_stop(live_of_signals);
    }
}

static void take_notice(int number) {
    (void)number; /* the only purpose of this handler is to interrupt system calls that wait */
}

/* Installs a handler for the signals that are forwarded. Signals that are ignored stay ignored. */
static void set_passed_on(const struct sigaction *action) {
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction old;
        if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed_on[i], action, NULL);
    }
}

static void handle_passed_on(void) {
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction notice = {.sa_handler = take_notice};
    set_passed_on(&action);
    sigaction(SIGCHLD, &notice, NULL);
}

void recorder_signals_hold(sigset_t *before) {
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&held, passed_on[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

void recorder_signals_release(void) {
    set_passed_on(&(struct sigaction){.sa_handler = SIG_DFL});
}

static void switch_recording(int number) {
    rd_live_set_recording(live_of_signals, number == SIGUSR1);
}

static void handle_switches(void) {
    struct sigaction action = {.sa_handler = switch_recording, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
}

void recorder_signals_ignore_switches(void) {
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
}

void recorder_signals_take(rd_live *live, pid_t beside, bool switches) {
    live_of_signals = live;
    programs_of_signals[1] = beside;
    handle_passed_on();
    if (switches)
        handle_switches();
}

void recorder_signals_set_program(pid_t program) {
    programs_of_signals[0] = program;
}

void recorder_signals_end_recording(void) {
    recording_over = 1;
}

bool recorder_signals_stopped(void) {
    return told_to_stop;
}
