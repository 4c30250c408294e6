/* Makes the command line and the environment of a recorded program. See recorder_command.h. */
#include "recorder_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RD_VALGRIND_LAUNCHER
#define RD_VALGRIND_LAUNCHER ""
#endif
#ifndef RD_LIBEXEC_FROM_BIN
#define RD_LIBEXEC_FROM_BIN "../libexec"
#endif

/* Finds the directory of the Valgrind tool, whose path is relative to this program both in the
 * build tree and in an installation. Returns false if there is no tool. */
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

/* Replaces the path of an existing folder if LD_PRELOAD, where Valgrind adds a library of this folder, cannot
 * contain it: the dynamic loader splits the variable at spaces and colons and expands dollar signs. The new path is
 * that of a descriptor, which stays open until this process ends. */
static void avoid_separators(char directory[PATH_MAX]) {
    int fd = strpbrk(directory, " :$") ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0)
        snprintf(directory, PATH_MAX, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

/* Numbers of references to record (n) and to skip (gap) alternately. n is 0 if there are no
 * bursts. */
typedef struct burst {
    uint64_t n, gap;
} burst;

/* Parses "N:SKIP". Both numbers may have suffixes (K, M ...). `text` NULL leaves *out unchanged.
 * Returns false after reporting a mistake. */
static bool parse_burst(rd_ctx *ctx, const char *text, burst *out) {
    const char *colon = text ? strchr(text, ':') : NULL;
    char first[32];
    if (!text)
        return true;
    if (colon && (size_t)(colon - text) < sizeof first) {
        memcpy(first, text, (size_t)(colon - text));
        first[colon - text] = '\0';
        if (rd_parse_size(ctx, first, &out->n) == RD_OK && out->n > 0 &&
            rd_parse_size(ctx, colon + 1, &out->gap) == RD_OK && out->gap > 0 &&
            (out->n | out->gap) >> 62 == 0)
            return true;
    }
    fail_usage(
        "--burst: '%.80s' is not N:SKIP with two numbers from 1 to 2^62 - 1, for example 1M:99M",
        text);
    return false;
}

__attribute__((format(printf, 2, 3))) static void add_argument(recorder_command *c,
                                                               const char *format, ...) {
    char **grown = realloc(c->words, (c->n + 2) * sizeof *grown), *word = NULL;
    va_list values;
    va_start(values, format);
    int bytes = vsnprintf(NULL, 0, format, values) + 1;
    va_end(values);
    if (grown && (word = malloc((size_t)bytes)) != NULL) {
        va_start(values, format);
        vsnprintf(word, (size_t)bytes, format, values);
        va_end(values);
        grown[c->n++] = word;
        grown[c->n] = NULL;
    }
    c->words = grown ? grown : c->words;
    c->failed |= !word;
}

/* Adds the command line of Valgrind, which comes before the command line of the program. */
static void add_valgrind(recorder_command *c, const recorder_options *o, const rd_live *live,
                         const burst *bursts) {
    add_argument(c, "%s", RD_VALGRIND_LAUNCHER);
    add_argument(c, "--tool=reusedist");
    add_argument(c, "-q");
    add_argument(c, "--command-line-only=yes"); /* ignores files of options for other tools */
    add_argument(c, "--vgdb=no");
    add_argument(c, "--channel=%s", rd_live_path(live));
    add_argument(c, "--loads=%s", o->kinds & RD_LOAD ? "yes" : "no");
    add_argument(c, "--stores=%s", o->kinds & RD_STORE ? "yes" : "no");
    add_argument(c, "--fetches=%s", o->kinds & RD_FETCH ? "yes" : "no");
    add_argument(c, "--pc=%s", o->pc || o->events ? "yes" : "no");
    add_argument(c, "--events=%s", o->events ? "yes" : "no");
    if (o->sync) {
        add_argument(c, "--sync=yes");
        add_argument(c, "--fair-sched=try");
    }
    add_argument(c, "--contexts=%s", o->contexts ? "yes" : "no");
    add_argument(c, "--children=%s", o->children ? "yes" : "no");
    add_argument(c, "--trace-children=%s", o->children ? "yes" : "no");
    if (bursts->n) {
        add_argument(c, "--burst=%" PRIu64, bursts->n);
        add_argument(c, "--gap=%" PRIu64, bursts->gap);
    }
    if (o->start)
        add_argument(c, "--start=%s", o->start);
    if (o->stop)
        add_argument(c, "--stop=%s", o->stop);
    if (o->inside)
        add_argument(c, "--inside=%s", o->inside);
    add_argument(c, "--");
}

/* Returns whether a compiled-in recorder supports all options. Reports an option that it does not
 * support. */
static bool check_clang(const recorder_options *o) {
    const char *wrong = o->start ? "start" : o->stop ? "stop" : o->inside ? "inside" : NULL;
    if (wrong)
        fail_usage("--%s does not work with --tool=clang; use the markers of reusedist/marker.h",
                   wrong);
    return !wrong;
}

/* Sets the environment variable for bursts of a compiled-in recorder, or removes it if there are no
 * bursts. Returns false if memory is exhausted. */
static bool set_burst(const burst *bursts) {
    char text[64];
    if (!bursts->n)
        return unsetenv("REUSEDIST_BURST") == 0;
    snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64, bursts->n, bursts->gap);
    return setenv("REUSEDIST_BURST", text, 1) == 0;
}

/* Sets the environment variables that configure a compiled-in recorder. Reports a failure and
 * returns the exit status. */
static int prepare_clang(const recorder_options *o, const rd_live *live, const burst *bursts) {
    if (!check_clang(o))
        return EXIT_USAGE;
    bool good = setenv("REUSEDIST_CHANNEL", rd_live_path(live), 1) == 0;
    good = set_burst(bursts) && good;
    if (o->children)
        good = setenv("REUSEDIST_CHILDREN", "1", 1) == 0 && good;
    else
        unsetenv("REUSEDIST_CHILDREN");
    return good ? EXIT_OK : fail("out of memory");
}

/* Checks that Valgrind will be able to make its temporary files in the folder TMPDIR, or in /tmp if
 * TMPDIR is not set. Reports a failure and returns the exit status. */
static int check_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    if (access(folder, W_OK | X_OK) == 0)
        return EXIT_OK;
    return fail(
        "%s: Valgrind cannot make temporary files in this folder: %s; set TMPDIR to another "
        "folder",
        folder, strerror(errno));
}

static int prepare_valgrind(recorder_command *c, const recorder_options *o, const rd_live *live,
                            const burst *bursts) {
    char directory[PATH_MAX];
    if (!find_tool(directory))
        return fail("this build has no recorder for Valgrind; install Valgrind's development files "
                    "and rebuild, or use --tool=clang");
    if (check_temporary_folder() != EXIT_OK)
        return EXIT_FAILED;
    add_valgrind(c, o, live, bursts);
    avoid_separators(directory);
    return setenv("VALGRIND_LIB", directory, 1) == 0 ? EXIT_OK : fail("out of memory");
}

/* Each recorded process has bursts of its own, and so has each thread with a compiled-in recorder.
 * Functions and signals interrupt bursts. */
bool recorder_burst(rd_ctx *ctx, const recorder_options *o, uint64_t *out) {
    burst bursts = {0};
    bool several = o->tool == RECORDER_CLANG || o->children;
    bool interrupted = o->start || o->stop || o->inside || o->paused;
    if (!parse_burst(ctx, o->burst, &bursts))
        return false;
    *out = several || interrupted ? 0 : bursts.n;
    return true;
}

/* Makes threads of OpenMP sleep when they wait, unless the user has chosen otherwise, because the
 * recorder sees the system calls of a thread that sleeps, but nothing of a thread that spins. Returns
 * false if memory is exhausted. */
static bool set_waiting(const recorder_options *o) {
    return !o->sync ||
           (setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "0", 0) == 0);
}

int recorder_command_make(rd_ctx *ctx, const recorder_options *o, const rd_live *live, int n,
                          char **words, recorder_command *out) {
    burst bursts = {0};
    *out = (recorder_command){0};
    if (!parse_burst(ctx, o->burst, &bursts))
        return EXIT_USAGE;
    int status = !set_waiting(o)             ? fail("out of memory")
                 : o->tool == RECORDER_CLANG ? prepare_clang(o, live, &bursts)
                                             : prepare_valgrind(out, o, live, &bursts);
    for (int i = 0; i < n; i++)
        add_argument(out, "%s", words[i]);
    return status == EXIT_OK && out->failed ? fail("out of memory") : status;
}

void recorder_command_free(recorder_command *c) {
    for (size_t i = 0; i < c->n; i++)
        free(c->words[i]);
    free(c->words);
}
