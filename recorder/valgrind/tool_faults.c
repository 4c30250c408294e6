/* Decides how precise the program's registers must be when instructions fault.
 *
 * Translated code may delay writes to registers until the end of a block. This is visible only if
 * an instruction in between faults and the program handles the fault: its handler may look at the
 * registers, as a virtual machine does to find the instruction that used a null pointer, and the
 * program continues with them afterwards. Precise registers cost at least a fifth of the speed, so
 * they are enabled only when the program installs a handler that receives the address of the fault
 * (SA_SIGINFO). Other handlers, such as that of a compiler that prints a last message, usually do
 * not resume the program.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* A function of Valgrind's core, which the core itself calls after some system calls. The header
 * that declares the function is not installed. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

/* The translator's own copy of VG_(clo_vex_control), which it makes before the first
 * translation. */
extern VexControl vex_control;

Bool faults_need_registers(void) {
    return VG_(clo_px_file_backed) != VexRegUpdSpAtMemAccess;
}

static void translate_with(VexRegisterUpdates updates) {
    VG_(clo_px_file_backed) = updates;
    VG_(clo_vex_control).iropt_register_updates_default = updates;
    vex_control.iropt_register_updates_default = updates;
}

/* Returns the precision of registers that a handler of `signal` needs. SIGSEGV and SIGBUS need
 * correct registers at memory accesses. SIGFPE needs them at every instruction, because divisions
 * fault and are not memory accesses. Instructions that raise other signals end a block, so their
 * handlers need no precision. SIGILL is treated like SIGSEGV, because its handlers look at
 * registers. */
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

void faults_after_system_call(UInt number, const UWord *args, SysRes result) {
    if (number != __NR_rt_sigaction || sr_isError(result) ||
        needed_by_handler_of(args[0]) <= VG_(clo_px_file_backed) ||
        !may_mend((const vki_sigaction_toK_t *)args[1]))
        return;
    translate_with(needed_by_handler_of(args[0]));
    VG_(discard_translations)(0, ~0ULL, "reusedist");
}

void faults_start(void) {
    translate_with(VexRegUpdSpAtMemAccess);
}
