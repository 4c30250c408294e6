/* Reads the profile for mrc or sharing, or analyzes the traces. See mrc_input.h. */
#include "mrc_input.h"

#include "profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 4096 /* bytes that are enough to tell a profile from a trace */

/* A file whose first bytes have been read. Standard input, and a file that cannot be read again from its
 * start, such as a pipe, stay open. */
typedef struct input_file {
    const char *path;
    int fd; /* -1: the file is not open */
    char head[HEAD_BYTES];
    size_t n;
    rd_trace *trace; /* the trace in a file that stays open; NULL: none */
} input_file;

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/* Reads `n` bytes, or fewer at the end of the file or after an error. Waits if the descriptor does
 * not block. Returns the number of bytes read. */
static size_t read_bytes(int fd, char *to, size_t n) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    size_t got = 0;
    while (got < n) {
        poll(&ready, 1, -1);
        ssize_t part = read(fd, to + got, n - got);
        if (part < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    return got;
}

static bool can_be_read_again(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && !S_ISFIFO(s.st_mode) && !S_ISCHR(s.st_mode) &&
           !S_ISSOCK(s.st_mode);
}

/* Reads the beginning of a file. If the file cannot be opened, nothing is read, and the analysis
 * reports the failure. */
static void read_head(const char *path, input_file *f) {
    bool standard = is_standard(path);
    f->path = path;
    f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    f->n = f->fd >= 0 ? read_bytes(f->fd, f->head, sizeof f->head) : 0;
    if (!standard && f->fd >= 0 && can_be_read_again(f->fd)) {
        close(f->fd);
        f->fd = -1;
    }
}

static const char *name_of(const input_file *f) {
    return is_standard(f->path) ? "(standard input)" : f->path;
}

static void close_files(input_file *files, int n) {
    for (int i = 0; i < n; i++) {
        rd_trace_close(files[i].trace);
        if (files[i].fd > STDIN_FILENO)
            close(files[i].fd);
    }
    free(files);
}

/* Returns whether a file is a profile. Other JSON, for example a trace in JSON lines, does not have
 * the schema of a profile near its start. */
static bool is_profile(const input_file *f) {
    static const char schema[] = "\"reusedist.profile/";
    size_t at = 0;
    while (at < f->n && strchr(" \t\r\n", f->head[at]) && f->head[at])
        at++;
    if (at == f->n || f->head[at] != '{')
        return false;
    for (; at + sizeof schema - 1 <= f->n; at++)
        if (memcmp(f->head + at, schema, sizeof schema - 1) == 0)
            return true;
    return false;
}

static bool has_trace_options(const mrc_input *in) {
    const pipeline_options *o = in->pipe;
    return o->engine || o->format || o->block || o->kinds || o->bound || o->merge;
}

/* Adds the traces to the analysis. */
static rd_status add_traces(pipeline *p, int n, input_file *files) {
    rd_status status = RD_OK;
    for (int i = 0; i < n && status == RD_OK; i++) {
        input_file *f = &files[i];
        if (f->fd < 0) {
            status = rd_analysis_add_file(p->analysis, f->path);
            continue;
        }
        status = rd_trace_open_fd(p->ctx, f->fd, name_of(f), f->head, f->n, p->options->format,
                                  &f->trace);
        if (status == RD_OK)
            status = rd_analysis_add_trace(p->analysis, f->trace, f->path);
    }
    return status;
}

static int analyze(rd_ctx *ctx, const mrc_input *in, int n, input_file *files, rd_profile **out) {
    pipeline p;
    rd_objects_config config;
    pipeline_extras extras = {.objects = objects_config(in->objects, in->sizes, &config),
                              .sharing = in->sharing};
    pipeline_options options = *in->pipe;
    if (in->sharing)
        options.engine = "null";
    int status = objects_check_trace(in->objects, options.hist, in->hist);
    if (status == EXIT_OK && in->for_bytes && !extras.objects)
        status = fail_usage(
            "%s: %s need --weight=bytes, because the price of a cache depends on its bytes",
            in->command, in->for_bytes);
    if (status == EXIT_OK)
        status = objects_take_engine(ctx, in->objects, &options.engine, &config);
    if (status != EXIT_OK)
        return status;
    status = pipeline_open(&p, ctx, &options, &extras);
    if (status == EXIT_OK) {
        rd_status added = add_traces(&p, n, files);
        status = added == RD_OK ? pipeline_run(&p, out) : fail_status(ctx, added);
    }
    pipeline_close(&p);
    return status;
}

static int read_as_profile(rd_ctx *ctx, const mrc_input *in, const input_file *f,
                           rd_profile **out) {
    const char *path = f->path;
    if (has_trace_options(in))
        return fail_usage("%s: this is a profile; %s are for traces; omit them", path,
                          in->sharing ? "-f, -b and --kinds"
                                      : "-e, -f, -b, --kinds, --bound and --merge");
    rd_status status = f->fd >= 0 ? rd_profile_read_fd(ctx, f->fd, name_of(f), f->head, f->n, out)
                                  : rd_profile_read(ctx, path, out);
    if (status != RD_OK)
        return fail_status(ctx, status);
    tell_profile_note(path, *out);
    object_options wanted = *in->objects;
    if (in->for_bytes && wanted.weight == WEIGHT_AUTO)
        wanted.weight = WEIGHT_BYTES;
    int fits = objects_check_profile(&wanted, path, *out);
    if (fits != EXIT_OK) {
        rd_profile_free(*out);
        *out = NULL;
    }
    return fits;
}

/* Reads the beginnings of the files, and then either the profile or the traces. Standard input is
 * read only once; the analysis refuses to read it again. */
static int read_files(rd_ctx *ctx, const mrc_input *in, int n, char **paths, input_file *files,
                      rd_profile **out) {
    bool standard = false;
    for (int i = 0; i < n; i++) {
        if (is_standard(paths[i]) && standard) {
            files[i] = (input_file){.path = paths[i], .fd = -1};
            continue;
        }
        standard = standard || is_standard(paths[i]);
        read_head(paths[i], &files[i]);
        if (is_profile(&files[i]) && n > 1)
            return fail_usage("%s: this is a profile; %s takes one profile, or traces. 'reusedist "
                              "merge' adds profiles",
                              paths[i], in->command);
        if (is_profile(&files[i]))
            return read_as_profile(ctx, in, &files[i], out);
    }
    return analyze(ctx, in, n, files, out);
}

int mrc_read(rd_ctx *ctx, const mrc_input *in, int n, char **paths, rd_profile **out) {
    input_file *files = calloc((size_t)n, sizeof *files);
    if (!files)
        return fail("out of memory");
    int status = read_files(ctx, in, n, paths, files, out);
    close_files(files, n);
    return status;
}
