/* Tests that rdi_object_open() opens only regular files as modules. */
#include "support/files.h"
#include "symbols/object.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Tests that a FIFO without a writer, named as a module, has no code. If rdi_object_open() opened the FIFO, it
 * would wait forever, until the alarm ends the test. */
static void a_fifo_has_no_code(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    rdi_object *object = NULL;
    uint64_t low = 1, high = 1;
    char *path = files_path();
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    alarm(20);
    assert_int_equal(rdi_object_open(ctx, path, &object), RD_OK);
    alarm(0);
    rdi_object_span(object, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, 0);
    rdi_object_close(object);
    rd_ctx_free(ctx);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_fifo_has_no_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
