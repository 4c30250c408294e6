/* Runs random code: instructions that write general and vector registers, whole or in part, and
 * flags, which are read after jumps. The program prints its result as one number, which must not
 * depend on the recorder. The random code is mapped from a file, like the code of programs, because
 * recorders may assume that such code does not change. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SEQUENCES = 8000,
    LONGEST = 24,         /* maximum number of items in a sequence: instructions, jumps
                             with the instructions that they skip, and the return */
    BYTES = 32 * LONGEST, /* maximum size of a sequence in bytes */
    MEMORY_DOUBLES = 8,
    FLAGS = 0x8c5 /* the flags that all INSTRUCTIONS leave defined */
};

/* The instructions use rax, rcx, rdx, xmm0 to xmm3, and memory at rdi. */
#define INSTRUCTIONS(I)                                                                            \
    I(clear_eax, "xor %eax, %eax")                                                                 \
    I(clear_ecx, "xor %ecx, %ecx")                                                                 \
    I(sete_al, "sete %al")                                                                         \
    I(setc_cl, "setc %cl")                                                                         \
    I(sets_dh, "sets %dh")                                                                         \
    I(mov_cl_al, "mov %cl, %al")                                                                   \
    I(mov_dl_ah, "mov %dl, %ah")                                                                   \
    I(load_al, "movb (%rdi), %al")                                                                 \
    I(load_cx, "movw 2(%rdi), %cx")                                                                \
    I(load_rdx, "movq 8(%rdi), %rdx")                                                              \
    I(store_ax, "movw %ax, 40(%rdi)")                                                              \
    I(widen_al, "movzbl %al, %ecx")                                                                \
    I(add_ax_dx, "add %ax, %dx")                                                                   \
    I(add_rax_rcx, "add %rax, %rcx")                                                               \
    I(cmp_rcx_rdx, "cmp %rcx, %rdx")                                                               \
    I(neg_cx, "neg %cx")                                                                           \
    I(sbb_dl, "sbb %dl, %dl")                                                                      \
    I(adc_rax, "adc %rax, %rcx")                                                                   \
    I(adc_cl, "adc $1, %cl")                                                                       \
    I(seto_dl, "seto %dl")                                                                         \
    I(setp_al, "setp %al")                                                                         \
    I(setg_cl, "setg %cl")                                                                         \
    I(cmovs_rdx, "cmovs %rcx, %rdx")                                                               \
    I(cmovb_eax, "cmovb %edx, %eax")                                                               \
    I(keep_flags, "pushfq; pop %rdx; and $0x8c5, %edx")                                            \
    I(test_rax, "test %rax, %rax")                                                                 \
    I(test_al, "test $0x81, %al")                                                                  \
    I(and_ecx, "and $0x7fff, %ecx")                                                                \
    I(or_memory, "orb $2, 1(%rdi)")                                                                \
    I(sub_rdx, "sub $0x1234, %rdx")                                                                \
    I(cmp_memory, "cmpl $77, 4(%rdi)")                                                             \
    I(dec_rcx, "dec %rcx")                                                                         \
    I(carry_across,                                                                                \
      "stc; inc %dl; jz 1f; 1: setc %cl; xor %eax, %eax; inc %al; jz 2f; 2: setc %ch")             \
    I(sign_across, "xor %rax, %rdx; js 1f; inc %eax; 1: setns %al")                                \
    I(double_eax, "shl $1, %eax")                                                                  \
    I(rotate_rax, "rcl $1, %rax")                                                                  \
    I(not_dx, "not %dx")                                                                           \
    I(carry, "stc")                                                                                \
    I(other_carry, "cmc")                                                                          \
    I(push_pop, "push %rax; pop %rcx")                                                             \
    I(address, "lea 9(%rax, %rcx, 4), %rdx")                                                       \
    I(address_of_code, "lea 0x100000(, %rcx, 2), %rax; bswap %eax")                                \
    I(constant_rax, "movabs $0x8123453889abcdef, %rax")                                            \
    I(constant_cl, "mov $0x80, %cl")                                                               \
    I(constant_memory, "movw $0x1234, 6(%rdi)")                                                    \
    I(long_nop, "nopw 0x12345678(%rax, %rax, 1)")                                                  \
    I(call_next, "call 1f; 1: pop %rdx; and $1, %edx")                                             \
    I(inc_al, "inc %al")                                                                           \
    I(swap_al_ah, "xchg %al, %ah")                                                                 \
    I(mov_eax_edx, "mov %eax, %edx")                                                               \
    I(cut_rax, "movzwl %ax, %eax")                                                                 \
    I(load_low_0, "movsd (%rdi), %xmm0")                                                           \
    I(load_low_1, "movsd 8(%rdi), %xmm1")                                                          \
    I(load_single_2, "movss 16(%rdi), %xmm2")                                                      \
    I(load_all_3, "movups 16(%rdi), %xmm3")                                                        \
    I(load_half_1, "movlpd 24(%rdi), %xmm1")                                                       \
    I(load_upper_2, "movhpd 32(%rdi), %xmm2")                                                      \
    I(store_low_0, "movsd %xmm0, 48(%rdi)")                                                        \
    I(store_upper_3, "movhpd %xmm3, 56(%rdi)")                                                     \
    I(join_1_0, "movsd %xmm1, %xmm0")                                                              \
    I(join_single_2_1, "movss %xmm2, %xmm1")                                                       \
    I(upper_to_lower, "movhlps %xmm3, %xmm0")                                                      \
    I(lower_to_upper, "movlhps %xmm0, %xmm3")                                                      \
    I(clear_xmm0, "pxor %xmm0, %xmm0")                                                             \
    I(clear_xmm2, "xorps %xmm2, %xmm2")                                                            \
    I(int_to_double, "cvtsi2sd %eax, %xmm0")                                                       \
    I(long_to_double, "cvtsi2sdq %rcx, %xmm1")                                                     \
    I(int_to_float, "cvtsi2ss %eax, %xmm2")                                                        \
    I(float_to_double, "cvtss2sd %xmm2, %xmm0")                                                    \
    I(double_to_float, "cvtsd2ss %xmm0, %xmm2")                                                    \
    I(double_to_long, "cvttsd2si %xmm1, %rax")                                                     \
    I(add_low, "addsd %xmm1, %xmm0")                                                               \
    I(multiply_low, "mulsd %xmm0, %xmm3")                                                          \
    I(multiply_memory, "mulsd (%rdi), %xmm1")                                                      \
    I(add_both, "addpd %xmm3, %xmm1")                                                              \
    I(add_single, "addss %xmm2, %xmm3")                                                            \
    I(root, "sqrtsd %xmm1, %xmm2")                                                                 \
    I(interleave, "unpcklpd %xmm1, %xmm0")                                                         \
    I(shuffle, "shufps $0x4e, %xmm3, %xmm3")                                                       \
    I(from_general, "movq %rax, %xmm3")                                                            \
    I(from_general_half, "movd %ecx, %xmm2")                                                       \
    I(to_general, "movq %xmm0, %rcx")                                                              \
    I(insert_word, "pinsrw $3, %eax, %xmm0")                                                       \
    I(compare, "ucomisd %xmm0, %xmm1")                                                             \
    I(signs, "movmskpd %xmm3, %edx")                                                               \
    I(copy, "movaps %xmm0, %xmm2")

#define ASSEMBLE(name, text)                                                                       \
    extern const uint8_t name##_start[], name##_end[];                                             \
    __asm__(".pushsection .rodata\n" #name "_start: " text "\n" #name "_end:\n.popsection");
INSTRUCTIONS(ASSEMBLE)

#define ENTRY(name, text) {name##_start, name##_end},
static const struct { const uint8_t *start, *end; } instructions[] = {INSTRUCTIONS(ENTRY)};

typedef struct state {
    uint64_t general[3];
    uint64_t vectors[4][2];
    double memory[MEMORY_DOUBLES];
    uint64_t flags;
} state;

_Static_assert(offsetof(state, memory) == 88 && offsetof(state, flags) == 152, "as run() says");

static uint64_t seed = 1;

static uint64_t random_below(uint64_t limit) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % limit;
}

/* Fills registers and memory with random numbers. The doubles are finite, because processors and
 * emulators may choose either of two NaNs. */
static void fill(state *s) {
    for (int i = 0; i < 3; i++)
        s->general[i] = random_below(UINT64_MAX);
    double numbers[MEMORY_DOUBLES + 8];
    for (int i = 0; i < MEMORY_DOUBLES + 8; i++)
        numbers[i] = (double)random_below(1000000) / 64 - 5000;
    memcpy(s->vectors, numbers, sizeof s->vectors);
    memcpy(s->memory, numbers + 8, sizeof s->memory);
}

static size_t put_instruction(uint8_t *to) {
    size_t which = random_below(sizeof instructions / sizeof *instructions);
    size_t bytes = (size_t)(instructions[which].end - instructions[which].start);
    memcpy(to, instructions[which].start, bytes);
    return bytes;
}

/* Adds a jump, mostly a conditional one, over an instruction or two. */
static size_t put_jump(uint8_t *to) {
    to[0] = (uint8_t)(random_below(6) ? 0x70 + random_below(16) : 0xeb);
    size_t over = put_instruction(to + 2);
    if (random_below(2))
        over += put_instruction(to + 2 + over);
    to[1] = (uint8_t)over;
    return 2 + over;
}

static void generate(uint8_t *to) {
    size_t count = 1 + random_below(LONGEST - 1), at = 0;
    for (size_t i = 0; i < count; i++)
        at += random_below(3) ? put_instruction(to + at) : put_jump(to + at);
    to[at] = 0xc3; /* the return instruction */
}

/* Puts all sequences into memory that can be executed but not written. */
static const uint8_t *generate_all(void) {
    size_t size = (size_t)SEQUENCES * BYTES;
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), (off_t)size) != 0)
        return MAP_FAILED;
    uint8_t *code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (code == MAP_FAILED)
        return code;
    for (size_t i = 0; i < SEQUENCES; i++)
        generate(code + i * BYTES);
    munmap(code, size);
    return mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
}

static void run(state *s, const uint8_t *code) {
    __asm__ volatile("movups 24(%%rsi), %%xmm0\n"
                     "movups 40(%%rsi), %%xmm1\n"
                     "movups 56(%%rsi), %%xmm2\n"
                     "movups 72(%%rsi), %%xmm3\n"
                     "lea 88(%%rsi), %%rdi\n"
                     "movq (%%rsi), %%rax\n"
                     "movq 8(%%rsi), %%rcx\n"
                     "movq 16(%%rsi), %%rdx\n"
                     "cmp %%rax, %%rcx\n"
                     "call *%%rbx\n"
                     "pushfq\n"
                     "popq 152(%%rsi)\n"
                     "movq %%rax, (%%rsi)\n"
                     "movq %%rcx, 8(%%rsi)\n"
                     "movq %%rdx, 16(%%rsi)\n"
                     "movups %%xmm0, 24(%%rsi)\n"
                     "movups %%xmm1, 40(%%rsi)\n"
                     "movups %%xmm2, 56(%%rsi)\n"
                     "movups %%xmm3, 72(%%rsi)\n"
                     :
                     : "S"(s), "b"(code)
                     : "rax", "rcx", "rdx", "rdi", "xmm0", "xmm1", "xmm2", "xmm3", "cc", "memory");
}

int main(void) {
    const uint8_t *code = generate_all();
    if (code == MAP_FAILED)
        return 1;
    uint64_t checksum = 0;
    for (size_t i = 0; i < SEQUENCES; i++) {
        state s;
        fill(&s);
        run(&s, code + i * BYTES);
        s.flags &= FLAGS;
        uint64_t words[sizeof s / 8];
        memcpy(words, &s, sizeof s);
        for (size_t w = 0; w < sizeof s / 8; w++)
            checksum = (checksum ^ words[w]) * 0x100000001b3;
    }
    printf("%016llx\n", (unsigned long long)checksum);
    return 0;
}
