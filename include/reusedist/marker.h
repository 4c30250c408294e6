/* Markers: a program calls rd_record_start() and rd_record_stop() to choose which stretches of its
 * run are recorded.
 *
 * The markers work with the recorder for Valgrind and with the compiled-in recorder, and need no
 * library. In a program that is not recorded they do nothing and cost a few instructions.
 * `reusedist run --paused` records nothing before the first rd_record_start() or SIGUSR1.
 */
#ifndef REUSEDIST_MARKER_H
#define REUSEDIST_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of the requests to the recorder for Valgrind. The upper half has the letters 'R' and
 * 'D'. */
#define RD_MARKER_START 0x52440000u
#define RD_MARKER_STOP  0x52440001u

/* Starts recording if `on` is 1, and stops it if `on` is 0. The compiled-in recorder defines this
 * function; without that recorder it is NULL. */
__attribute__((weak)) void rd_recorder_mark(int on);

/* Executes the instructions that Valgrind recognizes as a request: rotations that cancel out, and
 * the exchange of a register with itself. */
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
