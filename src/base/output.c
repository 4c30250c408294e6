/* Buffered output to a file or standard output. See output.h.
 *
 * A regular file is written without a name or, if the file system does not support that, under a random name in the
 * folder of the finished file. At the end it gets a random name and is then renamed, in one step, to the name of the
 * finished file. Because random names are not predictable and links are not followed, nobody else can choose which
 * file is written. If the file cannot be replaced, because the folder is read-only or the file is a mount point, the
 * complete contents are copied into it at the end. If no new file can be created in the folder, the contents are in
 * an unnamed file in /tmp until the end.
 *
 * rdi_output_keep() gives the unfinished file its own name at once or, if a file of that name exists, another name in
 * the same folder.
 */
#define _GNU_SOURCE /* O_TMPFILE, fallocate() */
#include "base/output.h"

#include "base/output_place.h"
#include "base/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES    (256 * 1024)

#define TEMPORARY_TRIES 100
#define FD_PATH_BYTES   32
#define KEPT_STEM_BYTES 200 /* maximum length of the target's name in the name of a kept file */

struct rdi_output {
    rd_ctx *ctx;
    char *name;                   /* path, or the name of standard output in messages */
    int folder;                   /* regular files: folder of `target` and `temporary`; else
                                        -1 */
    char *path;                   /* regular files: path of the finished file, without links at its
                                        end */
    const char *target;           /* regular files: last component of `path` */
    char temporary[NAME_MAX + 1]; /* regular files: name until the file is finished; "": none */
    char *kept;                   /* path of `temporary`, which stays even if the file is never
                                        finished; NULL: rdi_output_close() removes it */
    bool replaces;                /* true: the file must still replace the target */
    bool elsewhere;               /* true: the file is in another folder, so it can only be
                                        copied */
    int fd;                       /* file descriptor; -1: closed or never opened */
    bool owns_fd;                 /* false for standard output */
    int error;                    /* errno of the first failure, after which nothing is written */
    bool finished;
    uint64_t written; /* number of bytes written to the descriptor, if no write failed */
    size_t used;      /* number of bytes in the buffer */
    uint8_t buffer[BUFFER_BYTES];
};

static rd_status fail_write(rdi_output *out, int error) {
    out->error = error;
    return rdi_fail(out->ctx, RD_EIO, "%s: cannot write: %s", out->name, strerror(error));
}

/* ---- a new file beside the target ---- */

static void print_fd_path(const rdi_output *out, char path[FD_PATH_BYTES]) {
    snprintf(path, FD_PATH_BYTES, "/proc/self/fd/%d", out->fd);
}

/* Opens a file without a name, which disappears when the process ends for any reason. Leaves
 * out->fd at -1 if the file system does not support this, or if there is no /proc, without which
 * the file could not get a name later. */
static void open_unnamed(rdi_output *out) {
    char fd_path[FD_PATH_BYTES];
    out->fd = openat(out->folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    if (out->fd < 0)
        return;
    print_fd_path(out, fd_path);
    if (access(fd_path, F_OK) != 0) {
        close(out->fd);
        out->fd = -1;
    }
}

static void print_temporary(rdi_output *out) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = rdi_mix64((uint64_t)getpid() ^ (uintptr_t)out ^ number);
    snprintf(out->temporary, sizeof out->temporary, ".reusedist-%016llx",
             (unsigned long long)number);
}

/* Makes a new file with a temporary name, or gives such a name to the unnamed file. Returns false
 * and sets errno if this is impossible. */
static bool take_temporary_name(rdi_output *out) {
    char fd_path[FD_PATH_BYTES];
    print_fd_path(out, fd_path);
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        print_temporary(out);
        bool unnamed = out->fd >= 0;
        if (unnamed &&
            linkat(AT_FDCWD, fd_path, out->folder, out->temporary, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (!unnamed)
            out->fd = openat(out->folder, out->temporary,
                             O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (!unnamed && out->fd >= 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    out->temporary[0] = '\0';
    return false;
}

/* Returns the permissions of a new file that replaces a file of another owner. No user except the new owner gets a
 * right that they did not have on the old file. The old owner may now be a member of the group or one of the others. If
 * the group changes, members of the old group may be among the others, and others may be in the new group. */
static mode_t common_permissions(const struct stat *old, const struct stat *new) {
    mode_t owner = old->st_mode >> 6 & 07;
    mode_t group = old->st_mode >> 3 & owner, others = old->st_mode & owner;
    if (old->st_gid != new->st_gid)
        group = others = group & others;
    mode_t common = S_IRWXU | group << 3 | others;
    return common & new->st_mode;
}

/* Gives the new file the permissions of the file that it replaces, unless this would give somebody
 * more rights than before: bits such as set-user-ID are dropped, a file of another owner keeps only
 * what both files permit, and the group gets no rights if the old group cannot be kept. Returns
 * false if a system call fails. */
static bool keep_permissions(rdi_output *out) {
    struct stat old, new;
    if (fstatat(out->folder, out->target, &old, AT_SYMLINK_NOFOLLOW) != 0 ||
        fstat(out->fd, &new) != 0)
        return false;
    if (!S_ISREG(old.st_mode))
        return true;
    if (old.st_uid != new.st_uid)
        return fchmod(out->fd, common_permissions(&old, &new)) == 0;
    mode_t mode = old.st_mode & 0777;
    if (old.st_gid != new.st_gid && fchown(out->fd, (uid_t)-1, old.st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG;
    return fchmod(out->fd, mode) == 0;
}

/* Opens a file that never gets a name, in the folder for temporary files. Returns false if this is
 * impossible. */
static bool open_elsewhere(rdi_output *out) {
    out->fd = open(P_tmpdir, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
    out->replaces = out->elsewhere = out->fd >= 0;
    return out->elsewhere;
}

/* Returns whether the error number `error` means that no new file can be created in the folder, or that
 * the target cannot be replaced. */
static bool is_refusal(int error) {
    return error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
}

static bool open_file(rdi_output *out, const rdi_output_place *place) {
    bool exists = place->kind == RDI_PLACE_EXISTING;
    out->folder = rdi_output_folder(place);
    if (out->folder < 0)
        return false;
    open_unnamed(out);
    if (out->fd < 0 && !take_temporary_name(out))
        return exists && is_refusal(errno) && open_elsewhere(out);
    out->replaces = true;
    return !exists || keep_permissions(out);
}

/* ---- opening ---- */

static rd_status open_place(rdi_output *out, const rdi_output_place *place) {
    bool opened = false;
    switch (place->kind) {
    case RDI_PLACE_STREAM:
        out->fd = place->fd == STDOUT_FILENO ? place->fd : fcntl(place->fd, F_DUPFD_CLOEXEC, 3);
        out->owns_fd = place->fd != STDOUT_FILENO;
        opened = out->fd >= 0;
        break;
    case RDI_PLACE_SPECIAL:
        out->fd = open(place->resolved, O_WRONLY | O_CLOEXEC);
        opened = out->fd >= 0;
        break;
    case RDI_PLACE_EXISTING:
    case RDI_PLACE_NEW:
        if (!(out->path = rdi_strdup(out->ctx, place->resolved)))
            return RD_ENOMEM;
        out->target = out->path + (place->base - place->resolved);
        opened = open_file(out, place);
        break;
    }
    return opened ? RD_OK : rdi_output_fail_open(out->ctx, out->name);
}

rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **result) {
    rdi_output_place place;
    RD_TRY(rdi_output_locate(ctx, path, &place));
    rdi_output *out = rdi_alloc(ctx, 1, sizeof *out);
    if (!out)
        return RD_ENOMEM;
    memset(out, 0, offsetof(rdi_output, buffer));
    out->ctx = ctx;
    out->folder = out->fd = -1;
    out->owns_fd = true;
    out->name = rdi_strdup(ctx, strcmp(path, "-") == 0 ? "(standard output)" : path);
    rd_status status = out->name ? open_place(out, &place) : RD_ENOMEM;
    if (status != RD_OK) {
        rdi_output_close(out);
        return status;
    }
    *result = out;
    return RD_OK;
}

/* ---- writing ---- */

/* Writes all of `data` to the file descriptor, with as many calls as necessary. Waits if the
 * descriptor does not block and is full. Returns false and sets errno if a call fails. */
static bool write_all(int fd, const uint8_t *data, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(fd, data, n);
        if (wrote < 0 && rdi_may_retry(fd, POLLOUT))
            continue;
        if (wrote < 0)
            return false;
        data += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

static rd_status write_through(rdi_output *out, const uint8_t *data, size_t n) {
    out->written += n;
    return write_all(out->fd, data, n) ? RD_OK : fail_write(out, errno);
}

static rd_status flush(rdi_output *out) {
    size_t n = out->used;
    out->used = 0;
    return write_through(out, out->buffer, n);
}

/* Returns a failure if the output is finished. If the output has failed before, repeats the first
 * failure. */
static rd_status check_open(rdi_output *out) {
    if (out->error)
        return fail_write(out, out->error);
    if (out->finished)
        return rdi_fail(out->ctx, RD_ESTATE, "%s: cannot write to a finished file", out->name);
    return RD_OK;
}

rd_status rdi_output_write(rdi_output *out, const void *data, size_t n) {
    RD_TRY(check_open(out));
    if (n > BUFFER_BYTES - out->used)
        RD_TRY(flush(out));
    if (n >= BUFFER_BYTES)
        return write_through(out, data, n);
    if (n > 0)
        memcpy(out->buffer + out->used, data, n);
    out->used += n;
    return RD_OK;
}

/* ---- replacing the target ---- */

/* Closes the descriptor if the output owns it. Returns false if close() fails, because some network
 * file systems and quotas report failed writes only then. After EINTR the file is closed nevertheless. */
static bool close_fd(rdi_output *out) {
    int fd = out->fd;
    out->fd = -1;
    return fd < 0 || !out->owns_fd || close(fd) == 0 || errno == EINTR;
}

static void remove_temporary(rdi_output *out) {
    int error = errno;
    if (*out->temporary)
        unlinkat(out->folder, out->temporary, 0);
    out->temporary[0] = '\0';
    errno = error;
}

/* Reserves the space of a file that is about to be overwritten, so that a full disk is detected
 * while the old contents are still there. Returns false and sets errno if the disk or the quota is
 * full, or if the file would be too large. Not every file system can reserve space, so the copy may
 * still fail. */
static bool reserve(int fd, uint64_t bytes) {
    struct stat st;
    if (bytes == 0 || fstat(fd, &st) != 0 || fallocate(fd, 0, 0, (off_t)bytes) == 0)
        return true;
    int error = errno;
    bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    if (full && ftruncate(fd, st.st_size) != 0)
        return false;
    errno = error;
    return !full;
}

static bool copy_all(int from, int to, uint8_t *buffer) {
    ssize_t n = lseek(from, 0, SEEK_SET) == 0 ? 1 : -1;
    while (n > 0) {
        n = read(from, buffer, BUFFER_BYTES);
        if (n > 0 && !write_all(to, buffer, (size_t)n))
            return false;
    }
    return n == 0;
}

/* Copies the contents of the temporary file into the target, which becomes the output, and removes
 * the temporary file. Returns false and sets errno if this fails; a kept file then stays. */
static bool continue_in_place(rdi_output *out) {
    int from = out->fd;
    out->fd = openat(out->folder, out->target, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool good = out->fd >= 0 && reserve(out->fd, out->written) &&
                copy_all(from, out->fd, out->buffer) &&
                ftruncate(out->fd, (off_t)out->written) == 0;
    if (good || !out->kept)
        remove_temporary(out);
    int error = errno;
    close(from);
    errno = error;
    return good;
}

/* Gives the file the name of the target, or copies its contents to a target that cannot be
 * replaced. Returns false and sets errno if this fails. */
static bool replace_target(rdi_output *out) {
    bool named = !out->elsewhere && (*out->temporary || take_temporary_name(out));
    if (named && renameat(out->folder, out->temporary, out->folder, out->target) == 0)
        out->temporary[0] = '\0';
    else if ((named ? !is_refusal(errno) : !out->elsewhere) || !continue_in_place(out))
        return false;
    out->replaces = false;
    return true;
}

/* ---- keeping an unfinished file ---- */

/* Renames the temporary file unless there is a file with the new name. Returns false and sets errno if this fails. The
 * function first creates an empty file with the new name and then replaces it, because not every file system supports a
 * rename that fails if the new name exists. */
static bool rename_to_free(rdi_output *out, const char *name) {
    int fd = openat(out->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    if (renameat(out->folder, out->temporary, out->folder, name) == 0)
        return true;
    int error = errno;
    unlinkat(out->folder, name, 0);
    errno = error;
    return false;
}

/* Gives the temporary file a name that tells which file it will replace: TARGET.partial, or TARGET.partial-2 and so on.
 * Returns false and sets errno if this fails. */
static bool take_kept_name(rdi_output *out) {
    char name[NAME_MAX + 1];
    for (int i = 1; i <= TEMPORARY_TRIES; i++) {
        int n = snprintf(name, sizeof name, "%.*s.partial", KEPT_STEM_BYTES, out->target);
        if (i > 1)
            snprintf(name + n, sizeof name - (size_t)n, "-%d", i);
        if (rename_to_free(out, name)) {
            strcpy(out->temporary, name);
            return true;
        }
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static rd_status keep_beside(rdi_output *out) {
    size_t folder = (size_t)(out->target - out->path), room = folder + sizeof out->temporary;
    char *kept = rdi_alloc(out->ctx, room, 1);
    if (!kept)
        return RD_ENOMEM;
    if (!take_kept_name(out)) {
        rdi_free(out->ctx, kept);
        return fail_write(out, errno);
    }
    snprintf(kept, room, "%.*s%s", (int)folder, out->path, out->temporary);
    out->kept = kept;
    return RD_OK;
}

rd_status rdi_output_keep(rdi_output *out) {
    RD_TRY(check_open(out));
    RD_TRY(flush(out));
    if (!out->replaces || out->elsewhere || out->kept)
        return RD_OK;
    if (!*out->temporary && !take_temporary_name(out))
        return is_refusal(errno) ? RD_OK : fail_write(out, errno);
    if (rename_to_free(out, out->target)) {
        out->temporary[0] = '\0';
        out->replaces = false;
        return RD_OK;
    }
    return errno == EEXIST ? keep_beside(out) : fail_write(out, errno);
}

const char *rdi_output_kept(const rdi_output *out) {
    return out->replaces ? out->kept : NULL;
}

/* ---- the end ---- */

/* Returns whether all bytes have been written, as far as close() of a second descriptor reports it. */
static bool is_written(const rdi_output *out) {
    int copy = dup(out->fd);
    return copy >= 0 && (close(copy) == 0 || errno == EINTR);
}

rd_status rdi_output_finish(rdi_output *out) {
    RD_TRY(check_open(out));
    RD_TRY(flush(out));
    bool good = !out->replaces || (is_written(out) && replace_target(out));
    if (!good || !close_fd(out))
        return fail_write(out, errno);
    out->finished = true;
    return RD_OK;
}

void rdi_output_close(rdi_output *out) {
    if (!out)
        return;
    if (!out->kept)
        remove_temporary(out);
    close_fd(out);
    if (out->folder >= 0)
        close(out->folder);
    rdi_free(out->ctx, out->path);
    rdi_free(out->ctx, out->kept);
    rdi_free(out->ctx, out->name);
    rdi_free(out->ctx, out);
}

rd_status rd_text_write(rd_ctx *ctx, const char *path, const char *text, size_t n) {
    RDI_NEED(ctx, ctx, path);
    if (n)
        RDI_NEED(ctx, text);
    rdi_output *out = NULL;
    RD_TRY(rdi_output_open(ctx, path, &out));
    rd_status status = rdi_output_write(out, text, n);
    if (status == RD_OK)
        status = rdi_output_finish(out);
    rdi_output_close(out);
    return status;
}
