/* Starts a program under a recorder. See recorder.h.
 *
 * The program gets our standard streams. Signals from the terminal reach it as they would without
 * us; those sent to us we pass on. We end after it, with what it recorded.
 */
#include "recorder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef RD_VALGRIND_LAUNCHER
#define RD_VALGRIND_LAUNCHER ""
#endif
#ifndef RD_LIBEXEC_FROM_BIN
#define RD_LIBEXEC_FROM_BIN "../libexec"
#endif

#define TOOL_OPTIONS_MAX 16

extern char **environ;

struct recorder {
    rd_ctx *ctx;
    rd_live *live;
    const recorder_options *options;
    pid_t program;
    bool ended; /* the program has */
    int wait_status;
    bool alone; /* so have the processes that it started, if they are recorded */
};

/* ---- signals ---- */

static volatile sig_atomic_t program_of_signals; /* who gets them; 0: nobody yet */

/* The terminal has told the program as well; a process that sent the signal to us has not. */
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code <= 0 && program_of_signals > 0)
        kill((pid_t)program_of_signals, number);
}

static void take_notice(int number) {
    (void)number; /* it interrupts waiting, that is all */
}

static void handle_signals(void) {
    static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction old;
        if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
    struct sigaction notice = {.sa_handler = take_notice};
    sigaction(SIGCHLD, &notice, NULL);
}

/* ---- the end of the program ---- */

/* Takes notice of every process that has ended. */
static void reap(recorder *r, int flags) {
    while (!r->alone) {
        int wait_status;
        pid_t pid = waitpid(r->options->children ? -1 : r->program, &wait_status, flags);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            r->alone = r->ended = true; /* there is none any more */
        if (pid <= 0)
            return;
        if (pid == r->program) {
            r->ended = true;
            r->wait_status = wait_status;
            r->alone = !r->options->children;
        }
    }
}

static bool is_running(void *user) {
    recorder *r = user;
    reap(r, WNOHANG);
    return !r->alone;
}

/* ---- the beginning ---- */

/* Where the tool lies: relative to this program, in the build tree and when installed. */
static bool find_tool(char directory[PATH_MAX]) {
    static const char *const places[] = {"libexec/reusedist/valgrind",
                                         RD_LIBEXEC_FROM_BIN "/reusedist/valgrind"};
    char self[PATH_MAX], tool[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        n = snprintf(directory, PATH_MAX, "%s%s", self, places[i]);
        snprintf(tool, sizeof tool, "%s/reusedist-amd64-linux", directory);
        if (n < PATH_MAX && access(tool, X_OK) == 0)
            return true;
    }
    return false;
}

/* The recorder's command line, NULL-ended; `ring` is the option that names the shared memory. */
static char **make_arguments(const recorder *r, char *ring, int n, char **words) {
    static char launcher[] = RD_VALGRIND_LAUNCHER, tool[] = "--tool=reusedist", quiet[] = "-q";
    static char only[] = "--command-line-only=yes", vgdb[] = "--vgdb=no", pc[] = "--pc=yes";
    static char no_loads[] = "--loads=no", no_stores[] = "--stores=no";
    static char fetches[] = "--fetches=yes", forked[] = "--children=yes";
    static char executed[] = "--trace-children=yes", end[] = "--";
    size_t used = 0;
    char **args = calloc(TOOL_OPTIONS_MAX + (size_t)n + 1, sizeof *args);
    if (!args)
        return NULL;
    char *chosen[TOOL_OPTIONS_MAX] = {launcher,
                                      tool,
                                      quiet,
                                      only,
                                      vgdb,
                                      ring,
                                      r->options->pc ? pc : NULL,
                                      r->options->kinds & RD_LOAD ? NULL : no_loads,
                                      r->options->kinds & RD_STORE ? NULL : no_stores,
                                      r->options->kinds & RD_FETCH ? fetches : NULL,
                                      r->options->children ? forked : NULL,
                                      r->options->children ? executed : NULL,
                                      end};
    for (size_t i = 0; i < TOOL_OPTIONS_MAX; i++)
        if (chosen[i])
            args[used++] = chosen[i];
    memcpy(args + used, words, (size_t)n * sizeof *args);
    return args;
}

/* The signals that we ignore are the program's business again. */
static int spawn(recorder *r, char **args) {
    posix_spawnattr_t attributes;
    sigset_t ignored;
    posix_spawnattr_init(&attributes);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(&r->program, args[0], NULL, &attributes, args, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int start_program(recorder *r, int n, char **words) {
    char directory[PATH_MAX], ring[128];
    if (!find_tool(directory))
        return fail("this build has no recorder: it needs Valgrind's development files");
    if (setenv("VALGRIND_LIB", directory, 1) != 0)
        return fail("out of memory");
    snprintf(ring, sizeof ring, "--ring=%s", rd_live_path(r->live));
    char **args = make_arguments(r, ring, n, words);
    if (!args)
        return fail("out of memory");
    if (r->options->children) /* processes that lose their parent become our children */
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    handle_signals();
    int error = spawn(r, args);
    free(args);
    if (error)
        return fail("%s: cannot start: %s", RD_VALGRIND_LAUNCHER, strerror(error));
    program_of_signals = r->program;
    return EXIT_OK;
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
    rd_live_config config = {
        .pc = options->pc, .thread = options->thread, .running = is_running, .user = r};
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

int recorder_finish(recorder *r, bool *cut_short) {
    rd_live_free(r->live);
    reap(r, WNOHANG);
    if (!r->ended) /* we failed before its end, and have said so */
        kill(r->program, SIGTERM);
    reap(r, 0);
    *cut_short = WIFSIGNALED(r->wait_status);
    int status = *cut_short ? 128 + WTERMSIG(r->wait_status) : WEXITSTATUS(r->wait_status);
    free(r);
    return status;
}
