/* Executes instructions that fault, with a handler that looks at the address and the registers, and
 * continues when the handler returns. The instructions are in the program's own code and in code
 * that it has just generated. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGES = 50, PAGE = 4096 };

/* The code adds 1 to the first argument, stores the sum at the second one, adds 2, divides by the
 * third one, and adds 3. If the divisor is 0, the division faults, and the handler sets it to 5. */
extern const uint8_t steps_start[], steps_store[], steps_divide[], steps_end[];
__asm__(".text\n"
        "steps_start: leaq 1(%rdi), %rax\n"
        "movq %rdx, %rcx\n"
        "steps_store: movq %rax, (%rsi)\n"
        "addq $2, %rax\n"
        "xorl %edx, %edx\n"
        "steps_divide: divq %rcx\n"
        "addq $3, %rax\n"
        "movl $0, %ecx\n"
        "ret\n"
        "steps_end:\n");

typedef uint64_t (*steps)(uint64_t from, uint64_t *to, uint64_t divisor);

static const uint8_t *code; /* the copy of the code that runs */
static uint64_t expected;   /* value of rax at the store */
static int stores, divisions, wrong;

static void handle(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t rax = (uint64_t)registers[REG_RAX];
    size_t at = (size_t)((const uint8_t *)registers[REG_RIP] - code);
    if (number == SIGSEGV) {
        stores++;
        wrong += at != (size_t)(steps_store - steps_start) || rax != expected;
        mprotect((void *)((uintptr_t)info->si_addr / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE);
    } else {
        divisions++;
        wrong += at != (size_t)(steps_divide - steps_start) || rax != expected + 2;
        registers[REG_RCX] = 5;
    }
}

static void run(const char *where, const uint8_t *start, char *memory) {
    uint64_t sum = 0;
    code = start;
    stores = divisions = wrong = 0;
    mprotect(memory, PAGES * PAGE, PROT_NONE);
    for (uint64_t i = 0; i < PAGES * PAGE / 64; i++) {
        steps function;
        memcpy(&function, &start, sizeof function);
        expected = 10 * i + 1;
        sum = sum * 3 + function(10 * i, (uint64_t *)(void *)(memory + 64 * i), i % 2);
    }
    printf("%s: %d stores, %d divisions, %d wrong, %016llx\n", where, stores, divisions, wrong,
           (unsigned long long)sum);
}

/* Makes the next page accessible after any fault. This handler has no SA_SIGINFO. */
static char *next_page;
static int opened;

static void open_next(int number) {
    (void)number;
    mprotect(next_page, PAGE, PROT_READ | PROT_WRITE);
    next_page += PAGE;
    opened++;
}

/* Stores 16 bytes at a time, and adds 1 to `n` before each store and 2 after it. A store may fault. */
static void run_uninformed(char *memory) {
    uint64_t sum = 0, n = 0;
    struct sigaction action = {.sa_handler = open_next};
    mprotect(memory, PAGES * PAGE, PROT_NONE);
    next_page = memory;
    if (sigaction(SIGSEGV, &action, NULL) != 0)
        return;
    for (char *to = memory; to < memory + PAGES * PAGE; to += 16)
        __asm__ volatile("movq %[n], %%xmm0\n"
                         "punpcklqdq %%xmm0, %%xmm0\n"
                         "addq $1, %[n]\n"
                         "movaps %%xmm0, (%[to])\n"
                         "addq $2, %[n]\n"
                         : [n] "+r"(n)
                         : [to] "r"(to)
                         : "xmm0", "memory", "cc");
    for (const uint64_t *at = (const uint64_t *)(const void *)memory; (const char *)at < next_page;)
        sum = sum * 3 + *at++;
    printf("told nothing: %d pages, counted to %llu, %016llx\n", opened, (unsigned long long)n,
           (unsigned long long)sum);
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    char *memory = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *made =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || made == MAP_FAILED || sigaction(SIGSEGV, &action, NULL) != 0 ||
        sigaction(SIGFPE, &action, NULL) != 0)
        return 1;
    memcpy(made, steps_start, (size_t)(steps_end - steps_start));
    run("its own code", steps_start, memory);
    run("made code", made, memory);
    run_uninformed(memory);
    return 0;
}
