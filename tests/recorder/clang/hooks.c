/* Has functions whose references to `memory` are known, for the compiled-in recorder. The argument
 * names the function that runs, between two markers. The test compiles this file with
 * reusedist-cc. */
#include "reusedist/marker.h"

#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT(type, offset) (*(volatile type *)(memory + (offset)))

/* This variable is not static, so that the compiler must assume that other code reads it. */
_Alignas(4096) uint8_t memory[4096];
typedef struct pair {
    long a[8];
} pair;
typedef long vector __attribute__((vector_size(16)));
typedef long wide __attribute__((vector_size(32)));

static void sizes(void) {
    AT(uint8_t, 1) = AT(uint8_t, 0);
    AT(uint16_t, 10) = AT(uint16_t, 8);
    AT(uint32_t, 20) = AT(uint32_t, 16);
    AT(uint64_t, 40) = AT(uint64_t, 32);
    AT(vector, 80) = AT(vector, 64);
    AT(double, 104) = AT(float, 96);
}

static void loop(void) {
    for (long i = 0; i < 8; i++)
        AT(long, 8 * i) += i;
}

static void chase(void) { /* follows pointers 0 -> 512 -> 64 -> 0 */
    AT(long, 0) = 512;
    AT(long, 512) = 64;
    AT(long, 64) = 0;
    long at = 0;
    for (int i = 0; i < 4; i++)
        at = AT(long, at);
}

static void unaligned(void) { /* makes unaligned accesses, some of which cross blocks */
    struct __attribute__((packed)) odd {
        volatile uint32_t word;
    };
    ((struct odd *)(memory + 62))->word = ((struct odd *)(memory + 1))->word;
}

static void copy(void) { /* copies 5, 100 and 130 bytes */
    volatile size_t n = 5;
    memcpy(memory + 1024, memory, n);
    memmove(memory + 1024, memory + 64, 20 * n);
    memset(memory + 2048, 1, 26 * n);
}

static void *touch(void *number) {
    for (long i = 0; i < 4; i++)
        AT(long, 1024 * (long)number + 64 * i) = i;
    return NULL;
}

static void threads(void) {
    for (long which = 0; which < 3; which++) {
        pthread_t thread;
        pthread_create(&thread, NULL, touch, (void *)which);
        pthread_join(thread, NULL);
    }
}

static void forked(void) {
    AT(long, 0) = 1;
    pid_t child = fork();
    AT(long, 64) = 1;
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    AT(long, 128) = 1;
}

static void crash(void) {
    AT(long, 8) = 1;
    if (AT(long, 8) == 1)
        abort();
}

/* ---- references that the hooks do not report: the list in recorder/clang/README.md ---- */

static void missing_structs(void) {
    *(pair *)(memory + 128) = *(pair *)memory;
}

static void missing_built_in_copies(void) {
    __builtin_memcpy(memory + 128, memory, 24);
    __builtin_memset(memory + 256, 1, 24);
}

static void missing_other_sizes(void) {
    AT(long double, 128) = AT(long double, 0);
}

static void missing_atomics(void) {
    long expected = 0;
    __atomic_fetch_add((long *)memory, 1, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n((long *)memory, &expected, 2, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
}

__attribute__((target("avx"))) static void missing_wide_vectors(void) {
    *(volatile wide *)(memory + 128) = *(volatile wide *)memory;
}

__attribute__((target("avx"))) static void missing_masked_vectors(void) {
    volatile int all = -1;
    __m128i mask = _mm_set1_epi32(all);
    _mm_maskstore_ps((float *)memory, mask, _mm_maskload_ps((float *)memory + 16, mask));
}

static void missing_assembler(void) {
    __asm__ volatile("incq (%0)" ::"r"(memory) : "memory");
}

/* clang does not instrument a function whose first basic block never returns. */
static void missing_endings(void) {
    AT(long, 8) = 1;
    abort();
}

static void missing_libraries(void) {
    volatile size_t n = strlen((char *)memory);
    n += (size_t)snprintf((char *)memory, 10, "%s", "text");
    (void)n;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"sizes", sizes},
               {"loop", loop},
               {"chase", chase},
               {"unaligned", unaligned},
               {"copy", copy},
               {"threads", threads},
               {"forked", forked},
               {"crash", crash},
               {"structs", missing_structs},
               {"built-in copies", missing_built_in_copies},
               {"other sizes", missing_other_sizes},
               {"atomics", missing_atomics},
               {"wide vectors", missing_wide_vectors},
               {"masked vectors", missing_masked_vectors},
               {"assembler", missing_assembler},
               {"endings", missing_endings},
               {"libraries", missing_libraries}};
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            rd_record_start();
            all[i].run();
            rd_record_stop();
            return 0;
        }
    return 1;
}
