/* Has functions whose references to `memory` are known one by one, because they are written in
 * assembly language. The argument names the function that runs. The memory is static, so that its
 * address is in the symbol table.
 *
 * Every value that is loaded is used, because Valgrind leaves out loads whose result is not needed.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define RECORDED __attribute__((noinline)) static void

_Alignas(4096) static uint8_t memory[4096];
static volatile long sink;

/* Adds a number in memory to a sum. `suffix` tells the assembler its size, and `size` tells gcc. */
#define LOAD(suffix, size, sum, offset)                                                            \
    __asm__ volatile("add" #suffix " (%1), %" #size "0" : "+r"(sum) : "r"(memory + (offset)))

RECORDED loop(void) { /* loads eight words upwards, then stores to them downwards */
    long sum = 0;
    for (long i = 0; i < 8; i++)
        LOAD(q, q, sum, 8 * i);
    for (long i = 7; i >= 0; i--)
        __asm__ volatile("movl %k0, (%1)" ::"r"(sum), "r"(memory + 8 * i) : "memory");
    sink = sum;
}

RECORDED chase(void) { /* follows pointers 0 -> 512 -> 64 -> 1024 -> 0 */
    void *at = memory;
    for (int i = 0; i < 5; i++)
        __asm__ volatile("movq (%0), %0" : "+r"(at)::"memory");
    sink = (long)at;
}

RECORDED unaligned(void) { /* makes unaligned accesses, some of which cross blocks */
    long sum = 0;
    LOAD(w, w, sum, 1);
    LOAD(l, k, sum, 61);
    LOAD(q, q, sum, 60);
    LOAD(b, b, sum, 63);
    __asm__ volatile("movq %0, 127(%1)" ::"r"(sum), "r"(memory) : "memory");
}

RECORDED vector(void) {
    __asm__ volatile(
        "movaps 64(%0), %%xmm0\n\tmovups %%xmm0, 132(%0)\n\tmovss 4(%0), %%xmm1\n\t"
        "movss %%xmm1, 190(%0)\n\tvmovups 48(%0), %%ymm0\n\tvmovaps %%ymm0, 256(%0)\n\t"
        "vzeroupper" ::"r"(memory)
        : "xmm0", "xmm1", "memory");
}

/* Loads, stores and gathers lanes 0, 2 and 3 of four lanes. memory + 2048 holds the mask, and
 * memory + 2064 the indices. */
RECORDED masked(void) {
    __asm__ volatile(
        "vmovups 2048(%0), %%xmm1\n\tvmaskmovps (%0), %%xmm1, %%xmm0\n\t"
        "vmaskmovps %%xmm0, %%xmm1, 64(%0)\n\tvmovups 2064(%0), %%xmm2\n\t"
        "vgatherdps %%xmm1, (%0,%%xmm2,4), %%xmm0\n\tvmovups %%xmm0, 3072(%0)" ::"r"(memory)
        : "xmm0", "xmm1", "xmm2", "memory");
}

RECORDED atomic(void) {
    __asm__ volatile("movq $1, %%rax\n\tlock xaddq %%rax, 8(%0)\n\txchgl %%eax, 16(%0)\n\t"
                     "lock incl 24(%0)\n\tlock cmpxchgl %%ecx, 32(%0)\n\t"
                     "xorl %%edx, %%edx\n\tlock cmpxchg16b 48(%0)" ::"r"(memory)
                     : "rax", "rcx", "rdx", "memory");
}

RECORDED modify(void) { /* reads, changes and writes memory */
    __asm__ volatile("addq $1, (%0)\n\tnegl 8(%0)\n\tshlw $1, 16(%0)\n\tnotb 24(%0)" ::"r"(memory)
                     : "memory");
}

RECORDED string(void) { /* uses string instructions that repeat one move or store */
    const void *from = memory;
    void *to = memory + 512;
    long n = 3;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n)::"memory");
    n = 2;
    to = memory + 1024;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0L) : "memory");
}

RECORDED fault(void) { /* makes references that must be recorded, and then a fault */
    long sum = 0;
    LOAD(q, q, sum, 0);
    LOAD(q, q, sum, 8);
    __asm__ volatile("movq %0, 16(%1)\n\tmovq %0, 0" ::"r"(sum), "r"(memory) : "memory");
}

RECORDED side_exit(void) { /* jumps over an instruction, which must not be recorded */
    long sum = 0;
    for (long i = 0; i < 3; i++)
        __asm__ volatile("addq (%1), %0\n\ttest %2, %2\n\tjz 1f\n\taddb 64(%1), %b0\n1:\n\t"
                         "addb 128(%1), %b0"
                         : "+r"(sum)
                         : "r"(memory + 8 * i), "r"(i & 1));
    sink = sum;
}

static void *touch(void *number) {
    long sum = 0;
    for (long i = 0; i < 4; i++)
        LOAD(q, q, sum, 1024 * (long)number + 64 * i);
    sink = sum;
    return NULL;
}

RECORDED threads(void) { /* starts threads one at a time, so that the order is known */
    for (long which = 0; which < 2; which++) {
        pthread_t thread;
        pthread_create(&thread, NULL, touch, (void *)which);
        pthread_join(thread, NULL);
    }
    touch((void *)2);
}

RECORDED copy(void) { /* copies 1, 2, 4 ... 1024 bytes */
    for (volatile size_t n = 1; n <= 1024; n *= 2)
        memcpy(memory + 2048, memory + 3, n);
}

static void prepare(void) {
    static const uint32_t mask[4] = {1u << 31, 0, 1u << 31, 1u << 31}, index[4] = {16, 32, 48, 64};
    const uint8_t *links[] = {memory + 512, memory + 64, memory + 1024, memory};
    memcpy(memory + 2048, mask, sizeof mask);
    memcpy(memory + 2064, index, sizeof index);
    memcpy(memory, &links[0], 8);
    memcpy(memory + 512, &links[1], 8);
    memcpy(memory + 64, &links[2], 8);
    memcpy(memory + 1024, &links[3], 8);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"loop", loop},       {"chase", chase},         {"unaligned", unaligned},
               {"vector", vector},   {"masked", masked},       {"atomic", atomic},
               {"modify", modify},   {"string", string},       {"fault", fault},
               {"threads", threads}, {"side_exit", side_exit}, {"copy", copy}};
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            prepare();
            all[i].run();
            return 0;
        }
    return 1;
}
