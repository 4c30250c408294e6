/* Reads the profile of mrc, or analyzes its traces. See mrc_input.h. */
#include "mrc_input.h"

#include "profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 4096 /* bytes that are enough to tell a profile from a trace */

/* The beginning of a file, which for standard input cannot be read again. */
typedef struct file_head {
    char bytes[HEAD_BYTES];
    size_t n;
} file_head;

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

/* Reads the beginning of a file, or nothing if it cannot be opened, which the analysis reports. */
static void read_head(const char *path, file_head *head) {
    int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    head->n = fd >= 0 ? read_bytes(fd, head->bytes, sizeof head->bytes) : 0;
    if (!is_standard(path) && fd >= 0)
        close(fd);
}

/* Returns whether a file that begins with `head` is a profile. Other JSON, for example a trace in
 * JSON lines, does not have the schema of a profile near its start. */
static bool is_profile(const file_head *head) {
    static const char schema[] = "\"reusedist.profile/";
    size_t at = 0;
    while (at < head->n && strchr(" \t\r\n", head->bytes[at]) && head->bytes[at])
        at++;
    if (at == head->n || head->bytes[at] != '{')
        return false;
    for (; at + sizeof schema - 1 <= head->n; at++)
        if (memcmp(head->bytes + at, schema, sizeof schema - 1) == 0)
            return true;
    return false;
}

static bool has_trace_options(const mrc_input *in) {
    const pipeline_options *o = in->pipe;
    return o->engine || o->format || o->block || o->kinds || o->bound || o->merge;
}

/* Adds the traces to the analysis. If one of them is standard input, `head` has its first bytes,
 * which have already been read, and the caller closes *standard. */
static rd_status add_traces(pipeline *p, int n, char **paths, const file_head *head,
                            rd_trace **standard) {
    rd_status status = RD_OK;
    for (int i = 0; i < n && status == RD_OK; i++) {
        if (!is_standard(paths[i]) || *standard) {
            status = rd_analysis_add_file(p->analysis, paths[i]);
            continue;
        }
        status = rd_trace_open_fd(p->ctx, STDIN_FILENO, "(standard input)", head->bytes, head->n,
                                  p->options->format, standard);
        if (status == RD_OK)
            status = rd_analysis_add_trace(p->analysis, *standard, paths[i]);
    }
    return status;
}

static int analyze(rd_ctx *ctx, const mrc_input *in, int n, char **paths, const file_head *head,
                   rd_profile **out) {
    pipeline p;
    rd_trace *standard = NULL;
    rd_objects_config config;
    pipeline_extras extras = {.objects = objects_config(in->objects, in->sizes, &config),
                              .sharing = in->sharing};
    pipeline_options options = *in->pipe;
    if (in->sharing)
        options.engine = "null";
    int status = objects_take_engine(ctx, in->objects, &options.engine, &config);
    if (status != EXIT_OK)
        return status;
    status = pipeline_open(&p, ctx, &options, &extras);
    if (status == EXIT_OK) {
        rd_status added = add_traces(&p, n, paths, head, &standard);
        status = added == RD_OK ? pipeline_run(&p, out) : fail_status(ctx, added);
    }
    pipeline_close(&p);
    rd_trace_close(standard);
    return status;
}

static int read_as_profile(rd_ctx *ctx, const mrc_input *in, const char *path,
                           const file_head *head, rd_profile **out) {
    if (has_trace_options(in))
        return fail_usage("%s: this is a profile; -e, -f, -b, --kinds, --bound and --merge are for "
                          "traces",
                          path);
    rd_status status = is_standard(path) ? rd_profile_read_fd(ctx, STDIN_FILENO, "(standard input)",
                                                              head->bytes, head->n, out)
                                         : rd_profile_read(ctx, path, out);
    if (status != RD_OK)
        return fail_status(ctx, status);
    tell_profile_note(path, *out);
    if (in->objects->weight && !rd_profile_objects(*out)) {
        rd_profile_free(*out);
        *out = NULL;
        return fail("%s: this profile does not count bytes; analyze the trace with --weight=bytes",
                    path);
    }
    int fits = objects_check_profile(in->objects, path, *out);
    if (fits != EXIT_OK) {
        rd_profile_free(*out);
        *out = NULL;
    }
    return fits;
}

int mrc_read(rd_ctx *ctx, const mrc_input *in, int n, char **paths, rd_profile **out) {
    file_head head, standard = {.n = 0};
    for (int i = 0; i < n; i++) {
        read_head(paths[i], &head);
        if (is_standard(paths[i]) && !standard.n)
            standard = head;
        if (is_profile(&head) && n > 1)
            return fail_usage("%s: this is a profile; %s takes one profile, or traces. 'reusedist "
                              "merge' adds profiles",
                              paths[i], in->command);
        if (is_profile(&head))
            return read_as_profile(ctx, in, paths[i], &head, out);
    }
    return analyze(ctx, in, n, paths, &standard, out);
}
