/* Writes beside the target, then renames. See output_file.h. */
#include "output_file.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *text, size_t n) {
    while (n > 0) {
        ssize_t part = write(fd, text, n);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        text += part;
        n -= (size_t)part;
    }
    return true;
}

static int fail_write(const char *path) {
    return fail("%s: cannot write: %s", path, strerror(errno));
}

/* Standard output and everything that is not a regular file. */
static int write_direct(const char *path, int fd, const char *text, size_t n) {
    bool good = write_all(fd, text, n);
    int why = errno;
    if (fd != STDOUT_FILENO && close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    errno = why;
    return good ? EXIT_OK : fail_write(path);
}

/* What open(2) would have given a new file, or what the old one has. */
static mode_t wanted_mode(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* `path` is no link any more, so that a rename replaces the file and not the link to it. */
static int write_and_rename(const char *path, const char *text, size_t n) {
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return fail_write(path);
    }
    int fd = mkstemp(temporary);
    if (fd < 0)
        return fail_write(path);
    bool good = fchmod(fd, wanted_mode(path)) == 0 && write_all(fd, text, n);
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(temporary, path) == 0)
        return EXIT_OK;
    errno = good ? errno : why;
    int status = fail_write(path);
    unlink(temporary);
    return status;
}

int output_text(const char *path, const char *text, size_t n) {
    if (!path || strcmp(path, "-") == 0) {
        fflush(stdout); /* what was printed before comes first */
        return write_direct("(standard output)", STDOUT_FILENO, text, n);
    }
    struct stat st;
    bool exists = stat(path, &st) == 0;
    bool special = exists ? !S_ISREG(st.st_mode) : lstat(path, &st) == 0; /* or a link to nothing */
    if (special) {
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        return fd < 0 ? fail_write(path) : write_direct(path, fd, text, n);
    }
    char resolved[PATH_MAX];
    if (exists && !realpath(path, resolved))
        return fail_write(path);
    return write_and_rename(exists ? resolved : path, text, n);
}
