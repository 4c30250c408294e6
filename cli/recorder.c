/* Starts a program under a recorder. See recorder.h.
 *
 * The program inherits the standard streams of this process. The terminal sends its signals to the
 * program directly; signals that another process sends to this process are forwarded to the program.
 * This process ends after the program.
 */
#include "recorder.h"

#include "recorder_command.h"
#include "recorder_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* After SIGTERM, a program has up to END_TURNS * END_WAIT_NS nanoseconds to exit before it gets
 * SIGKILL. */
#define END_WAIT_NS 100000000
#define END_TURNS   50

/* The largest factor by which a compiled-in recorder enlarges the stack frames of a program. */
#define STACK_FACTOR 3

/* Exit statuses with the meaning that shells and Valgrind give them. */
enum { EXIT_NOT_RUNNABLE = 126, EXIT_NO_PROGRAM = 127 };

extern char **environ;

struct recorder {
    rd_ctx *ctx;
    rd_live *live;
    const recorder_options *options;
    pid_t program;
    bool ended; /* true: the program has ended */
    int wait_status;
    bool alone; /* true: no recorded process is left: the program has ended and, with
                   options->children, so have all processes that it started */
};

/* ---- the end of the program ---- */

/* Collects the exit statuses of processes that have ended, and updates `r`. `flags` are options of
 * waitpid(). */
static void reap(recorder *r, int flags) {
    while (!r->alone) {
        int wait_status;
        pid_t pid = waitpid(r->options->children ? -1 : r->program, &wait_status, flags);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            r->alone = r->ended = true; /* there are no processes left */
        if (pid <= 0)
            break;
        if (pid == r->program) {
            recorder_signals_set_program(0);
            r->ended = true;
            r->wait_status = wait_status;
            r->alone = !r->options->children;
        }
    }
    if (r->alone)
        recorder_signals_end_recording();
}

/* Terminates the program if a signal killed process options->beside. The signal was sent to the
 * program, too, but the program misses a signal that arrives during exec(). */
static void end_with_beside(recorder *r) {
    siginfo_t info = {.si_pid = 0};
    if (r->options->beside &&
        waitid(P_PID, (id_t)r->options->beside, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid && info.si_code != CLD_EXITED)
        kill(r->program, SIGTERM);
}

static bool is_running(void *user) {
    recorder *r = user;
    end_with_beside(r);
    reap(r, WNOHANG);
    return !r->alone;
}

/* ---- the beginning ---- */

bool recorder_is_sampling(const recorder_options *o) {
    return o->burst || o->start || o->stop || o->inside || o->paused;
}

static bool is_program(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *recorder_program_file(char **words, char found[PATH_MAX]) {
    if (strchr(words[0], '/'))
        return words[0];
    for (const char *folder = getenv("PATH"); folder;) {
        int n = (int)strcspn(folder, ":"); /* an empty name means the current folder */
        int length = snprintf(found, PATH_MAX, "%.*s%s%s", n, folder, n ? "/" : "", words[0]);
        if (length < PATH_MAX && is_program(found))
            return found;
        folder = folder[n] ? folder + n + 1 : NULL;
    }
    return NULL;
}

/* SIGPIPE and SIGXFSZ, which this process ignores, get their default handling in the program. Signals are held back
 * until their handler knows the program, because otherwise a signal could end this process alone. */
int recorder_spawn(pid_t *program, char **args, bool silent, bool signals) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t streams;
    sigset_t ignored, before;
    posix_spawnattr_init(&attributes);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    recorder_signals_hold(&before);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&streams);
    for (int fd = 0; fd < 3 && silent; fd++)
        posix_spawn_file_actions_addopen(&streams, fd, "/dev/null", O_RDWR, 0);
    int error = posix_spawnp(program, args[0], &streams, &attributes, args, environ);
    if (error == 0 && signals)
        recorder_signals_set_program(*program);
    sigprocmask(SIG_SETMASK, &before, NULL);
    posix_spawn_file_actions_destroy(&streams);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Multiplies the stack limit by STACK_FACTOR, up to the hard limit, for a program whose stack
 * frames are larger because of a compiled-in recorder. Returns whether the limit was set; *before
 * is then the old limit, which may already have been the hard limit. */
static bool raise_stack_limit(struct rlimit *before) {
    if (getrlimit(RLIMIT_STACK, before) != 0 || before->rlim_cur >= RLIM_INFINITY / STACK_FACTOR)
        return false;
    struct rlimit raised = {before->rlim_cur * STACK_FACTOR, before->rlim_max};
    if (raised.rlim_cur > raised.rlim_max)
        raised.rlim_cur = raised.rlim_max;
    return setrlimit(RLIMIT_STACK, &raised) == 0;
}

static int spawn_recorded(recorder *r, char **words) {
    struct rlimit before;
    bool raised = r->options->tool == RECORDER_CLANG && raise_stack_limit(&before);
    int error = recorder_spawn(&r->program, words, r->options->silent, true);
    if (raised)
        setrlimit(RLIMIT_STACK, &before);
    return error;
}

/* Installs the signal handlers and starts the program. Reports a failure and returns the exit
 * status. */
static int launch(recorder *r, char **words) {
    if (r->options->children) /* orphaned processes become children of this process */
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    recorder_signals_take(r->live, r->options->beside, r->options->paused);
    int error = spawn_recorded(r, words);
    if (error) {
        recorder_signals_release();
        fail("%s: cannot start: %s", words[0], strerror(error));
        return error == ENOENT ? EXIT_NO_PROGRAM : EXIT_NOT_RUNNABLE;
    }
    return EXIT_OK;
}

static int start_program(recorder *r, int n, char **words) {
    recorder_command made;
    int status = recorder_command_make(r->ctx, r->options, r->live, n, words, &made);
    if (status == EXIT_OK)
        status = launch(r, made.words);
    recorder_command_free(&made);
    return status;
}

recorder *recorder_start(rd_ctx *ctx, const recorder_options *options, int n, char **words,
                         int *status) {
    recorder *r = calloc(1, sizeof *r);
    if (!r) {
        *status = fail("out of memory");
        return NULL;
    }
    r->ctx = ctx;
    r->options = options;
    rd_live_config config = {.size = sizeof config,
                             .pc = options->pc,
                             .events = options->events,
                             .contexts = options->contexts,
                             .thread = options->thread,
                             .sync = options->sync,
                             .collapse_bytes = options->collapse_bytes,
                             .collapse_loads = options->collapse_loads,
                             .paused = options->paused || options->start || options->inside,
                             .running = is_running,
                             .user = r};
    rd_status made = rd_live_new(ctx, &config, &r->live);
    *status = made == RD_OK ? start_program(r, n, words) : fail_status(ctx, made);
    if (*status == EXIT_OK)
        return r;
    rd_live_free(r->live);
    free(r);
    return NULL;
}

rd_live *recorder_live(recorder *r) {
    return r->live;
}

/* Terminates the program with SIGTERM, and with SIGKILL if it has not exited after END_TURNS waits of
 * END_WAIT_NS. */
static void end_program(recorder *r) {
    const struct timespec moment = {.tv_nsec = END_WAIT_NS};
    kill(r->program, SIGTERM);
    reap(r, WNOHANG);
    for (int turn = 0; turn < END_TURNS && !r->ended; turn++) {
        nanosleep(&moment, NULL); /* SIGCHLD interrupts the sleep */
        reap(r, WNOHANG);
    }
    while (!r->ended) {
        kill(r->program, SIGKILL);
        nanosleep(&moment, NULL);
        reap(r, WNOHANG);
    }
}

/* Tells the user about processes that the results do not cover, and about threads that were still running
 * when the program ended. */
static void tell_unrecorded(const recorder *r) {
    uint64_t children = rd_live_children(r->live), threads = rd_live_threads(r->live);
    if (r->options->quiet || r->options->silent)
        return;
    if (children)
        tell_user("%" PRIu64
                  " child process%s not recorded; to record child processes, use --trace-children",
                  children, children == 1 ? " was" : "es were");
    if (threads && (r->ended || r->alone))
        tell_user("%" PRIu64 " thread%s still running when the program ended; the results cover "
                  "%s up to that point",
                  threads, threads == 1 ? " was" : "s were", threads == 1 ? "it" : "them");
    if (rd_live_replaced(r->live))
        tell_user(
            "exec() replaced the program with another one, which was not recorded; to record it, "
            "use --trace-children");
}

int recorder_finish(recorder *r, bool *cut_short) {
    bool silent = rd_live_programs(r->live) == 0;
    tell_unrecorded(r);
    if (r->options->paused)
        recorder_signals_ignore_switches();
    if (!r->options->beside)
        recorder_signals_release();
    rd_live_free(r->live);
    reap(r, WNOHANG);
    if (!r->ended) /* a failure, already reported, ended the analysis first */
        end_program(r);
    bool killed = WIFSIGNALED(r->wait_status);
    int status = killed ? 128 + WTERMSIG(r->wait_status) : WEXITSTATUS(r->wait_status);
    *cut_short = killed || recorder_signals_stopped();
    /* A program in which no recorder started can fail for this reason: a library that was built
     * with reusedist-cc cannot be loaded into a program that was not. Valgrind itself prints a
     * message if it fails. */
    bool clang = r->options->tool == RECORDER_CLANG;
    if (silent && (status == EXIT_OK || (clang && !*cut_short))) {
        int failed = fail("nothing was recorded, because no recorder started in the program%s",
                          clang ? "; build it with reusedist-cc" : "");
        status = status == EXIT_OK ? failed : status;
    }
    free(r);
    return status;
}
