/* How right the program's registers are where instructions fault.
 *
 * Translated code may put off what instructions write into registers to the end of a block. Nobody
 * sees that unless an instruction in between faults, and the program handles that: its handler may
 * look at the registers, as a virtual machine does to learn which instruction met a null pointer,
 * and when it returns, the program goes on with them. To keep them right takes a fifth of the time
 * and more, so we begin with it when the program has such a handler: one that is told where the
 * fault happened. Others, as compilers have to say good-bye, cannot mend anything.
 *
 * Licence: see tool.h.
 */
#include "tool.h"

#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Of Valgrind's core, which does this after other system calls: its header is not installed. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

/* Of its translator, which copies what the core is told before the first translation. */
extern VexControl vex_control;

Bool faults_need_registers(void) {
    return VG_(clo_px_file_backed) != VexRegUpdSpAtMemAccess;
}

static void translate_with(VexRegisterUpdates updates) {
    VG_(clo_px_file_backed) = updates;
    VG_(clo_vex_control).iropt_register_updates_default = updates;
    vex_control.iropt_register_updates_default = updates;
}

/* Divisions fault, too, and are no accesses. What raises other signals ends a block; of those,
 * illegal instructions are handled by looking at registers. */
static VexRegisterUpdates needed_by_handler_of(UWord signal) {
    switch (signal) {
    case VKI_SIGSEGV:
    case VKI_SIGBUS:
    case VKI_SIGILL:
        return VexRegUpdAllregsAtMemAccess;
    case VKI_SIGFPE:
        return VexRegUpdAllregsAtEachInsn;
    default:
        return VexRegUpdSpAtMemAccess;
    }
}

static Bool may_mend(const vki_sigaction_toK_t *action) {
    return action && action->ksa_handler != VKI_SIG_DFL && action->ksa_handler != VKI_SIG_IGN &&
           (action->sa_flags & VKI_SA_SIGINFO);
}

static void before_system_call(ThreadId thread, UInt number, UWord *args, UInt count) {
    (void)thread, (void)number, (void)args, (void)count;
}

static void after_system_call(ThreadId thread, UInt number, UWord *args, UInt count,
                              SysRes result) {
    (void)thread, (void)count;
    if (number != __NR_rt_sigaction || sr_isError(result) ||
        needed_by_handler_of(args[0]) <= VG_(clo_px_file_backed) ||
        !may_mend((const vki_sigaction_toK_t *)args[1]))
        return;
    translate_with(needed_by_handler_of(args[0]));
    VG_(discard_translations)(0, ~0ULL, "reusedist");
}

void faults_start(void) {
    translate_with(VexRegUpdSpAtMemAccess);
    VG_(needs_syscall_wrapper)(before_system_call, after_system_call);
}
