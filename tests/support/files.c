/* Implements temporary files for tests. See files.h. */
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

char *files_named(const char *name) {
    const char *top = getenv("TMPDIR");
    char dir[512];
    int n = snprintf(dir, sizeof dir, "%s/reusedist-test-XXXXXX", top ? top : "/tmp");
    assert_true(n > 0 && (size_t)n < sizeof dir);
    assert_non_null(mkdtemp(dir));
    size_t room = strlen(dir) + strlen(name) + sizeof "/";
    char *path = malloc(room);
    assert_non_null(path);
    snprintf(path, room, "%s/%s", dir, name);
    return path;
}

char *files_path(void) {
    return files_named("file");
}

void files_remove(char *path) {
    if (!path)
        return;
    unlink(path);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    free(path);
}

bool files_exist(const char *path) {
    return access(path, F_OK) == 0;
}

void files_write(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

uint8_t *files_read(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_true(size >= 0);
    rewind(f);
    uint8_t *data = malloc((size_t)size + 1);
    assert_non_null(data);
    *n = fread(data, 1, (size_t)size, f);
    assert_int_equal(*n, size);
    fclose(f);
    return data;
}
