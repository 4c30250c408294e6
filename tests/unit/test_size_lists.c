/* Tests rdi_size_lists: the lists of objects per class of sizes, and the errors of cache sizes that follow from these
 * lists. */
#include "objects/size_lists.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define GIANT (UINT64_C(1) << 20)

static rdi_size_lists lists;

static int begin(void **state) {
    (void)state;
    rdi_size_lists_init(lists);
    return 0;
}

/* Requests each of `n` objects of `bytes` bytes three times. The hashes of the objects are evenly spread. */
static void request(uint64_t n, uint64_t bytes) {
    for (uint64_t i = 0; i < 3 * n; i++)
        rdi_size_lists_add(lists, (i * 7 % n) * (UINT64_MAX / n) + 1, bytes);
}

/* Returns the relative error of the cache size 2^k bytes in a sample of one in four objects. */
static double error_at(size_t k) {
    double errors[RD_BAND_SIZES];
    rdi_size_lists_errors(lists, UINT64_MAX / 4, 4, errors);
    return errors[k];
}

static void a_list_has_the_objects_with_the_smallest_hashes(void **state) {
    (void)state;
    request(1000, 10);
    const rdi_size_list *l = &lists[4];
    assert_int_equal(l->n, RDI_LISTED);
    assert_true(l->more);
    for (size_t i = 0; i < l->n; i++)
        assert_int_equal(l->object[i].hash, i * (UINT64_MAX / 1000) + 1);
    assert_true(l->requested == 30000);
}

static void a_small_class_is_known_completely(void **state) {
    (void)state;
    request(RDI_LISTED, 10);
    assert_int_equal(lists[4].n, RDI_LISTED);
    assert_false(lists[4].more);
}

static void an_object_has_its_last_size(void **state) {
    (void)state;
    rdi_size_lists_add(lists, 5, 8);
    rdi_size_lists_add(lists, 5, 9);
    assert_int_equal(lists[4].n, 1);
    assert_int_equal(lists[4].object[0].bytes, 9);
}

/* Tests that a cache of S bytes has the 95 % error of S / 8 objects, each sampled with probability 1/4, if all objects
 * have 8 bytes. */
static void equal_sizes_have_the_binomial_error(void **state) {
    (void)state;
    request(100000, 8);
    assert_float_equal(error_at(13), 1.96 * sqrt(3 * 8 / 8192.0), 1e-9);
}

static void a_complete_sample_has_no_error(void **state) {
    (void)state;
    double errors[RD_BAND_SIZES];
    request(1000, 10);
    request(3, GIANT);
    rdi_size_lists_errors(lists, UINT64_MAX, 1, errors);
    for (size_t k = 0; k < RD_BAND_SIZES; k++)
        assert_true(errors[k] == 0);
}

/* Tests a giant outside the sample: the sample lacks all bytes of the giant, and the cache may hold them. */
static void a_giant_outside_the_sample_is_missing_once(void **state) {
    (void)state;
    rdi_size_lists_add(lists, UINT64_MAX / 2, GIANT);
    assert_float_equal(error_at(24), 1 / 16.0, 1e-9);
}

/* Tests a giant in the sample: the sample counts it as four giants, which is three too many. */
static void a_giant_in_the_sample_is_three_giants_too_many(void **state) {
    (void)state;
    rdi_size_lists_add(lists, UINT64_MAX / 8, GIANT);
    assert_float_equal(error_at(24), 3 / 16.0, 1e-9);
}

static void objects_above_the_cache_size_do_not_matter(void **state) {
    (void)state;
    request(100000, 8);
    double before = error_at(13);
    rdi_size_lists_add(lists, UINT64_MAX / 8, GIANT);
    assert_float_equal(error_at(13), before, 1e-9);
    assert_true(error_at(24) > before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_list_has_the_objects_with_the_smallest_hashes, begin),
        cmocka_unit_test_setup(a_small_class_is_known_completely, begin),
        cmocka_unit_test_setup(an_object_has_its_last_size, begin),
        cmocka_unit_test_setup(equal_sizes_have_the_binomial_error, begin),
        cmocka_unit_test_setup(a_complete_sample_has_no_error, begin),
        cmocka_unit_test_setup(a_giant_outside_the_sample_is_missing_once, begin),
        cmocka_unit_test_setup(a_giant_in_the_sample_is_three_giants_too_many, begin),
        cmocka_unit_test_setup(objects_above_the_cache_size_do_not_matter, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
