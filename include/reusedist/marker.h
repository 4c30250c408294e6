/* Marks in a program what shall be recorded of it: rd_record_start() and rd_record_stop().
 *
 * They tell the recorder that the program runs under, and do nothing, at the cost of a few
 * instructions, in a program that is not recorded. `reusedist run --paused` records nothing before
 * the first start. Needs no library, and works with both recorders.
 */
#ifndef REUSEDIST_MARKER_H
#define REUSEDIST_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Requests to the recorder for Valgrind: 'R' 'D' in the upper half. */
#define RD_MARKER_START 0x52440000u
#define RD_MARKER_STOP  0x52440001u

/* Of the compiled-in recorder; absent without it. */
__attribute__((weak)) void rd_recorder_mark(int on);

/* The instructions that Valgrind recognises as a request: rotations that cancel out, and an
 * exchange of a register with itself. */
static inline void rd_marker_request(unsigned long request) {
#if defined(__x86_64__) && defined(__linux__)
    volatile unsigned long args[6] = {request, 0, 0, 0, 0, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(result)
                     : "a"(&args[0])
                     : "cc", "memory");
#else
    (void)request;
#endif
}

static inline void rd_record_start(void) {
    if (rd_recorder_mark)
        rd_recorder_mark(1);
    rd_marker_request(RD_MARKER_START);
}

static inline void rd_record_stop(void) {
    rd_marker_request(RD_MARKER_STOP);
    if (rd_recorder_mark)
        rd_recorder_mark(0);
}

#ifdef __cplusplus
}
#endif
#endif
