/* Compares rdi_prefix_counts with sums over an array that has the count of each place. */
#include "order/prefix_counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void totals_are_those_of_counting(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 15, 16, 17, 255, 256, 4095, 4096, 4097, 13000};
    rdi_rng rng = {7};
    for (size_t k = 0; k < RDI_COUNT(sizes); k++) {
        size_t places = sizes[k];
        uint64_t *events = test_calloc(places, sizeof *events);
        void *memory = test_malloc(rdi_prefix_counts_bytes(places));
        rdi_prefix_counts c;
        rdi_prefix_counts_init(&c, places, memory);
        for (int round = 0; round < 2; round++) {
            for (size_t i = 0; i < 3 * places; i++) {
                size_t place = (size_t)rdi_rng_below(&rng, places);
                rdi_prefix_counts_add(&c, place);
                events[place]++;
            }
            uint64_t sum = 0;
            for (size_t i = 0; i < places; i++) {
                sum += events[i];
                assert_true(rdi_prefix_counts_upto(&c, i) == sum);
                events[i] = 0;
            }
            rdi_prefix_counts_clear(&c, places);
        }
        assert_true(rdi_prefix_counts_upto(&c, places - 1) == 0);
        test_free(memory);
        test_free(events);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(totals_are_those_of_counting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
