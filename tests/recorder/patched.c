/* Jumps to code, replaces this code with other code, and jumps there again. The old code replaces
 * flags, and the new code reads the flags from before the jump. Prints the flags that the new code
 * sees for each way to replace the code. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, AT = 64 };

static const unsigned char jumps[] = {0x48, 0x83, 0xff, 0x05,             /* cmp $5, %rdi */
                                      0x0f, 0x84, 0xf6, 0x0f, 0x00, 0x00, /* je to the next page */
                                      0x31, 0xc0, 0xc3};                  /* xor %eax, %eax; ret */
static const unsigned char replaces[] = {0x31, 0xc0, 0xc3};
static const unsigned char reads[] = {0x0f, 0x94, 0xc0,        /* sete %al */
                                      0x0f, 0xb6, 0xc0, 0xc3}; /* movzbl %al, %eax; ret */

/* Makes a file of two pages: the jump is in the first one, and `code` is in the second. */
static int file_with(const unsigned char *code, size_t bytes) {
    FILE *file = tmpfile();
    if (!file || fseek(file, AT, SEEK_SET) != 0 || fwrite(jumps, sizeof jumps, 1, file) != 1 ||
        fseek(file, PAGE + AT, SEEK_SET) != 0 || (bytes && fwrite(code, bytes, 1, file) != 1) ||
        fflush(file) != 0 || ftruncate(fileno(file), 2 * PAGE) != 0)
        return -1;
    return fileno(file);
}

static void write_over(unsigned char *page, int protection) {
    mprotect(page, PAGE, protection);
    memcpy(page + AT, reads, sizeof reads);
    mprotect(page, PAGE, PROT_READ | PROT_EXEC);
}

static void replace(char how, unsigned char *page, int old, int other) {
    if (how == 'u')
        munmap(page, PAGE);
    if (how == 'm' || how == 'u')
        mmap(page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, other, PAGE);
    if (how == 'w')
        write_over(page, PROT_READ | PROT_WRITE);
    if (how == 'x')
        write_over(page, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (how == 's')
        memcpy((char *)mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, old, PAGE) + AT, reads,
               sizeof reads);
}

/* Runs the code, replaces it, and runs the new code. `how` is m: a file with the new code is
 * mapped; u: the same, after the old code was unmapped; w: the code is overwritten; x: it is
 * overwritten while it is executable; s: the new code is written through another mapping, to a
 * place without code. */
static int run(char how) {
    int old = file_with(replaces, how == 's' ? 0 : sizeof replaces);
    int other = file_with(reads, sizeof reads);
    unsigned char *code =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, how == 's' ? MAP_SHARED : MAP_PRIVATE, old, 0);
    if (code == MAP_FAILED)
        return -1;
    int (*function)(long);
    unsigned char *start = code + AT;
    memcpy(&function, &start, sizeof function);
    function(how == 's' || how == 'x' ? 4 : 5);
    replace(how, code + PAGE, old, other);
    return function(5);
}

int main(void) {
    for (const char *how = "muwxs"; *how; how++)
        printf("%c %d\n", *how, run(*how));
    return 0;
}
