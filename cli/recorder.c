/* Starts a program under a recorder. See recorder.h.
 *
 * The program gets our standard streams. Signals from the terminal reach it as they would without
 * us; those sent to us we pass on. We end after it, with what it recorded.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef RD_VALGRIND_LAUNCHER
#define RD_VALGRIND_LAUNCHER ""
#endif
#ifndef RD_LIBEXEC_FROM_BIN
#define RD_LIBEXEC_FROM_BIN "../libexec"
#endif

/* How long a program that shall end may take. */
#define END_WAIT_NS 100000000
#define END_TURNS   50

/* As shells and Valgrind have it. */
enum { EXIT_NOT_RUNNABLE = 126, EXIT_NO_PROGRAM = 127 };

extern char **environ;

struct recorder {
    rd_ctx *ctx;
    rd_live *live;
    const recorder_options *options;
    pid_t program;
    bool ended; /* the program has */
    int wait_status;
    uint64_t burst, gap; /* references to be recorded and to be skipped by turns; 0: no bursts */
    bool alone;          /* so have the processes that it started, if they are recorded */
};

/* ---- signals ---- */

/* Who gets them: the program, and one beside it. 0: nobody. */
static volatile sig_atomic_t programs_of_signals[2];
static rd_live *live_of_signals;
static volatile sig_atomic_t told_to_stop;

/* Perhaps nobody has taken notice of it yet. */
static bool has_ended(pid_t program) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)program, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* The terminal has told the programs as well; a process that sent the signal to us has not. When
 * they have ended it is for us: we do not wait for what they started, or have left to be read. */
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    bool any = false;
    for (int i = 0; i < 2; i++) {
        pid_t program = (pid_t)programs_of_signals[i];
        if (program == 0 || has_ended(program))
            continue;
        any = true;
        if (info->si_code <= 0)
            kill(program, number);
    }
    if (!any) {
        told_to_stop = 1;
        rd_live_stop(live_of_signals);
    }
}

static void take_notice(int number) {
    (void)number; /* it interrupts waiting, that is all */
}

/* What is ignored stays so. */
static void set_passed_on(const struct sigaction *action) {
    static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction old;
        if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed_on[i], action, NULL);
    }
}

static void handle_signals(rd_live *live) {
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction notice = {.sa_handler = take_notice};
    live_of_signals = live;
    set_passed_on(&action);
    sigaction(SIGCHLD, &notice, NULL);
}

/* There is nobody to pass them on to any more, and nothing that they could stop but us. */
static void release_signals(void) {
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

static void ignore_switches(void) {
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
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
            programs_of_signals[0] = 0;
            r->ended = true;
            r->wait_status = wait_status;
            r->alone = !r->options->children;
        }
    }
}

/* What ended the process beside by a signal was meant for the program, too, and a program that was
 * just about to become another one may have missed it. */
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

bool recorder_is_sampling(const recorder_options *o) {
    return o->burst || o->start || o->stop || o->inside || o->paused;
}

/* "N:SKIP", both with K, M and so on. */
static bool parse_burst(recorder *r) {
    const char *text = r->options->burst, *colon = text ? strchr(text, ':') : NULL;
    char first[32];
    if (!text)
        return true;
    if (colon && (size_t)(colon - text) < sizeof first) {
        memcpy(first, text, (size_t)(colon - text));
        first[colon - text] = '\0';
        if (rd_parse_size(r->ctx, first, &r->burst) == RD_OK && r->burst > 0 &&
            rd_parse_size(r->ctx, colon + 1, &r->gap) == RD_OK && r->gap > 0 &&
            (r->burst | r->gap) >> 62 == 0)
            return true;
    }
    fail_usage("--burst: '%.80s' is not RECORD:SKIP, like 1M:99M", text);
    return false;
}

/* A command line that grows, NULL-ended; `failed`: out of memory. */
typedef struct arguments {
    char **words;
    size_t n;
    bool failed;
} arguments;

static void free_arguments(arguments *args) {
    for (size_t i = 0; i < args->n; i++)
        free(args->words[i]);
    free(args->words);
    *args = (arguments){0};
}

__attribute__((format(printf, 2, 3))) static void add_argument(arguments *args, const char *format,
                                                               ...) {
    char **grown = realloc(args->words, (args->n + 2) * sizeof *grown), *word = NULL;
    va_list values;
    va_start(values, format);
    int bytes = vsnprintf(NULL, 0, format, values) + 1;
    va_end(values);
    if (grown && (word = malloc((size_t)bytes)) != NULL) {
        va_start(values, format);
        vsnprintf(word, (size_t)bytes, format, values);
        va_end(values);
        grown[args->n++] = word;
        grown[args->n] = NULL;
    }
    args->words = grown ? grown : args->words;
    args->failed |= !word;
}

/* Valgrind's command line, up to that of the program. */
static void add_valgrind(arguments *args, const recorder *r) {
    const recorder_options *o = r->options;
    add_argument(args, "%s", RD_VALGRIND_LAUNCHER);
    add_argument(args, "--tool=reusedist");
    add_argument(args, "-q");
    add_argument(args, "--command-line-only=yes"); /* options of other tools are no concern here */
    add_argument(args, "--vgdb=no");
    add_argument(args, "--channel=%s", rd_live_path(r->live));
    add_argument(args, "--loads=%s", o->kinds & RD_LOAD ? "yes" : "no");
    add_argument(args, "--stores=%s", o->kinds & RD_STORE ? "yes" : "no");
    add_argument(args, "--fetches=%s", o->kinds & RD_FETCH ? "yes" : "no");
    add_argument(args, "--pc=%s", o->pc || o->events ? "yes" : "no");
    add_argument(args, "--events=%s", o->events ? "yes" : "no");
    add_argument(args, "--children=%s", o->children ? "yes" : "no");
    add_argument(args, "--trace-children=%s", o->children ? "yes" : "no");
    if (r->burst) {
        add_argument(args, "--burst=%" PRIu64, r->burst);
        add_argument(args, "--gap=%" PRIu64, r->gap);
    }
    if (o->start)
        add_argument(args, "--start=%s", o->start);
    if (o->stop)
        add_argument(args, "--stop=%s", o->stop);
    if (o->inside)
        add_argument(args, "--inside=%s", o->inside);
    add_argument(args, "--");
}

/* What a recorder that is compiled into the program can do. */
static bool check_clang(const recorder_options *o) {
    const char *wrong = o->start ? "start" : o->stop ? "stop" : o->inside ? "inside" : NULL;
    if (wrong)
        fail_usage("--%s is not for --tool=clang: mark the program with reusedist/marker.h", wrong);
    return !wrong;
}

/* In the environment of a compiled-in recorder. */
static bool set_burst(const recorder *r) {
    char text[64];
    if (!r->burst)
        return unsetenv("REUSEDIST_BURST") == 0;
    snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64, r->burst, r->gap);
    return setenv("REUSEDIST_BURST", text, 1) == 0;
}

/* The environment tells a compiled-in recorder where to find us, and Valgrind where its tool is. */
static int prepare(const recorder *r, arguments *args) {
    char directory[PATH_MAX];
    bool good;
    if (r->options->tool == RECORDER_CLANG) {
        if (!check_clang(r->options))
            return EXIT_USAGE;
        good = setenv("REUSEDIST_CHANNEL", rd_live_path(r->live), 1) == 0;
        good = set_burst(r) && good;
        if (r->options->children)
            good = setenv("REUSEDIST_CHILDREN", "1", 1) == 0 && good;
        else
            unsetenv("REUSEDIST_CHILDREN");
    } else {
        if (!find_tool(directory))
            return fail("this build has no recorder: it needs Valgrind's development files");
        good = setenv("VALGRIND_LIB", directory, 1) == 0;
        add_valgrind(args, r);
    }
    return good ? EXIT_OK : fail("out of memory");
}

/* The signals that we ignore are the program's business again. */
int recorder_spawn(pid_t *program, char **args, bool silent) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t streams;
    sigset_t ignored;
    posix_spawnattr_init(&attributes);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&streams);
    for (int fd = 0; fd < 3 && silent; fd++)
        posix_spawn_file_actions_addopen(&streams, fd, "/dev/null", O_RDWR, 0);
    int error = posix_spawnp(program, args[0], &streams, &attributes, args, environ);
    posix_spawn_file_actions_destroy(&streams);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Takes over the terminal's signals and starts the program. */
static int launch(recorder *r, char **words) {
    if (r->options->children) /* processes that lose their parent become our children */
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    programs_of_signals[1] = r->options->beside;
    handle_signals(r->live);
    if (r->options->paused)
        handle_switches();
    int error = recorder_spawn(&r->program, words, r->options->silent);
    if (error) {
        release_signals();
        fail("%s: cannot start: %s", words[0], strerror(error));
        return error == ENOENT ? EXIT_NO_PROGRAM : EXIT_NOT_RUNNABLE;
    }
    programs_of_signals[0] = r->program;
    return EXIT_OK;
}

static int start_program(recorder *r, int n, char **words) {
    arguments args = {0};
    int status = parse_burst(r) ? prepare(r, &args) : EXIT_USAGE;
    for (int i = 0; i < n; i++)
        add_argument(&args, "%s", words[i]);
    if (status == EXIT_OK)
        status = args.failed ? fail("out of memory") : launch(r, args.words);
    free_arguments(&args);
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
    rd_live_config config = {.pc = options->pc,
                             .events = options->events,
                             .thread = options->thread,
                             .collapse_bytes = options->collapse_bytes,
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

/* With patience at first, and in any case. */
static void end_program(recorder *r) {
    const struct timespec moment = {.tv_nsec = END_WAIT_NS};
    kill(r->program, SIGTERM);
    reap(r, WNOHANG);
    for (int turn = 0; turn < END_TURNS && !r->ended; turn++) {
        nanosleep(&moment, NULL); /* the end of a child interrupts it */
        reap(r, WNOHANG);
    }
    while (!r->ended) {
        kill(r->program, SIGKILL);
        nanosleep(&moment, NULL);
        reap(r, WNOHANG);
    }
}

int recorder_finish(recorder *r, bool *cut_short) {
    bool silent = rd_live_programs(r->live) == 0;
    if (r->options->paused)
        ignore_switches();
    if (!r->options->beside)
        release_signals();
    rd_live_free(r->live);
    reap(r, WNOHANG);
    if (!r->ended) /* we failed before its end, and have said so */
        end_program(r);
    bool killed = WIFSIGNALED(r->wait_status);
    int status = killed ? 128 + WTERMSIG(r->wait_status) : WEXITSTATUS(r->wait_status);
    *cut_short = killed || told_to_stop;
    if (silent && status == EXIT_OK)
        status = fail("nothing was recorded%s", r->options->tool == RECORDER_CLANG
                                                    ? ": the program is not built with reusedist-cc"
                                                    : "");
    free(r);
    return status;
}
