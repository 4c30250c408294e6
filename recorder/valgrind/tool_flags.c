/* Stores processor flags with less work.
 *
 * Valgrind does not compute the processor's flags but stores the data that they are derived from:
 * the operation and up to three words. It always writes all of them, so that its optimizer sees
 * that they replace the previous ones. This file runs after the optimizer and leaves out constants
 * that the operation does not need, which saves one or two stores per block of code. If Valgrind
 * calls a function to find out whether the result of a logical operation was negative, this file
 * tests the result directly. Flags that every successor of the block replaces (tool_ahead.c) are
 * not stored at all.
 *
 * To find out which words an operation needs, this file calls Valgrind's own function that computes
 * all flags.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"

enum {
    OPERATIONS = 256, /* operations with this number or a higher one count as unknown */
    SIGN_FLAG = 0x80,
    IF_NEGATIVE = 8, /* condition code of conditional jumps */
    IF_NOT_NEGATIVE = 9
};

/* ---- operations ---- */

typedef struct operation {
    Bool known;
    Bool uses_second, uses_third; /* True: the flags depend on this word */
    Bool sign_is_of_first;        /* True: the sign flag is the top bit of the first word */
} operation;

static const ULong samples[] = {0, 1, 2, 0x7f, 0x80, 0x8000, 0x80000000, 1ULL << 63, ~0ULL};
enum { SAMPLES = sizeof samples / sizeof *samples };

static ULong flags_of(ULong number, ULong first, ULong second, ULong third) {
    static VexGuestAMD64State state;
    state.guest_CC_OP = number;
    state.guest_CC_DEP1 = first;
    state.guest_CC_DEP2 = second;
    state.guest_CC_NDEP = third;
    state.guest_DFLAG = 1;
    return LibVEX_GuestAMD64_get_rflags(&state);
}

/* Tests, for one choice of the words, whether the second and the third word change the flags, and
 * whether the sign flag is the top bit of the first word. Updates `o`. */
static void try_words(operation *o, ULong number, ULong first, ULong second, ULong third) {
    ULong flags = flags_of(number, first, second, third);
    if (!(flags & SIGN_FLAG) != !(first >> 63))
        o->sign_is_of_first = False;
    for (UInt i = 0; i < SAMPLES; i++) {
        if (flags_of(number, first, samples[i], third) != flags)
            o->uses_second = True;
        if (flags_of(number, first, second, samples[i]) != flags)
            o->uses_third = True;
    }
}

static const operation *operation_of(const IRExpr *number) {
    static const operation unknown = {.uses_second = True, .uses_third = True};
    static operation all[OPERATIONS];
    if (number->tag != Iex_Const || number->Iex.Const.con->Ico.U64 >= OPERATIONS)
        return &unknown;
    ULong n = number->Iex.Const.con->Ico.U64;
    if (!all[n].known) {
        all[n] = (operation){.known = True, .sign_is_of_first = True};
        for (UInt i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++)
            try_words(&all[n], n, samples[i % SAMPLES], samples[i / SAMPLES % SAMPLES],
                      samples[i / SAMPLES / SAMPLES]);
    }
    return &all[n];
}

/* ---- words left out ---- */

static Bool is_put(const IRStmt *s, SizeT to) {
    return s->tag == Ist_Put && s->Ist.Put.offset == (Int)to;
}

static Bool is_unused_by(const operation *o, const IRStmt *s) {
    if (s->tag != Ist_Put || s->Ist.Put.data->tag != Iex_Const)
        return False;
    return (!o->uses_second && is_put(s, offsetof(VexGuestAMD64State, guest_CC_DEP2))) ||
           (!o->uses_third && is_put(s, offsetof(VexGuestAMD64State, guest_CC_NDEP)));
}

/* Removes stores that write a constant to a flag word which the operation does not need. The
 * program cannot observe the state between the statements `from` to `to` - 1. */
static void leave_out_words(IRSB *block, Int from, Int to) {
    const IRExpr *number = NULL;
    for (Int i = from; i < to; i++)
        if (is_put(block->stmts[i], offsetof(VexGuestAMD64State, guest_CC_OP)))
            number = block->stmts[i]->Ist.Put.data;
    for (Int i = from; number && i < to; i++)
        if (is_unused_by(operation_of(number), block->stmts[i]))
            block->stmts[i] = IRStmt_NoOp();
}

static Bool may_be_seen_at(const IRStmt *s) {
    return s->tag == Ist_IMark || s->tag == Ist_Exit || s->tag == Ist_Dirty || s->tag == Ist_PutI;
}

/* ---- conditions ---- */

/* Returns whether `call` tests the sign flag after an operation whose first word has the sign as
 * its top bit. */
static Bool is_condition_of_sign(const IRExpr *call) {
    if (call->tag != Iex_CCall ||
        VG_(strcmp)(call->Iex.CCall.cee->name, "amd64g_calculate_condition") != 0)
        return False;
    const IRExpr *condition = call->Iex.CCall.args[0];
    if (condition->tag != Iex_Const || !operation_of(call->Iex.CCall.args[1])->sign_is_of_first)
        return False;
    ULong which = condition->Iex.Const.con->Ico.U64;
    return which == IF_NEGATIVE || which == IF_NOT_NEGATIVE;
}

/* Adds statements that compute the result of amd64g_calculate_condition() with `args`, for which
 * is_condition_of_sign() must hold. Returns an expression for the result: 1 if the condition holds,
 * else 0. */
static IRExpr *condition_of_sign(IRSB *to, IRExpr *const *args) {
    IRExpr *negative =
        ir_compute(to, Ity_I64, IRExpr_Binop(Iop_Shr64, args[2], IRExpr_Const(IRConst_U8(63))));
    return args[0]->Iex.Const.con->Ico.U64 == IF_NEGATIVE
               ? negative
               : ir_compute(to, Ity_I64, IRExpr_Binop(Iop_Xor64, negative, ir_word(1)));
}

/* ---- flags that nobody needs ---- */

enum { FIRST_WORD = offsetof(VexGuestAMD64State, guest_CC_OP), WORDS = 4, ALL_WORDS = 15 };

/* Returns the bit that represents the flag word at `offset` of the guest state, or 0 if there is no
 * flag word. */
static UInt word_at(Int offset) {
    return offset >= FIRST_WORD && offset < FIRST_WORD + 8 * WORDS ? 1u << (offset - FIRST_WORD) / 8
                                                                   : 0;
}

/* Returns the flag words, as bits, that may be read after a jump of kind `jump` from the block at
 * `block` to `code`. */
static UInt words_read_at(Addr code, IRJumpKind jump, Addr block) {
    Bool goes_on = jump == Ijk_Boring || jump == Ijk_Call;
    return goes_on && ahead_flags_are_replaced(code, block) ? 0 : ALL_WORDS;
}

static UInt words_read_behind(const IRSB *block, Addr address) {
    return block->next->tag == Iex_Const
               ? words_read_at(block->next->Iex.Const.con->Ico.U64, block->jumpkind, address)
               : ALL_WORDS;
}

static UInt words_read_by(const IRStmt *s, Addr address) {
    if (s->tag == Ist_Exit)
        return words_read_at(s->Ist.Exit.dst->Ico.U64, s->Ist.Exit.jk, address);
    if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get)
        return word_at(s->Ist.WrTmp.data->Iex.Get.offset);
    return s->tag == Ist_Dirty ? ALL_WORDS : 0;
}

static void leave_out_unread(IRSB *block, Addr address) {
    UInt wanted = words_read_behind(block, address);
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        const IRStmt *s = block->stmts[i];
        UInt put = s->tag == Ist_Put ? word_at(s->Ist.Put.offset) : 0;
        if (put && !(wanted & put))
            block->stmts[i] = IRStmt_NoOp();
        wanted = (wanted & ~put) | words_read_by(s, address);
    }
}

/* ---- blocks ---- */

IRSB *flags_made_short(IRSB *in, Addr address) {
    IRSB *out = deepCopyIRSBExceptStmts(in);
    Int from = 0;
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *s = in->stmts[i];
        if (may_be_seen_at(s)) {
            leave_out_words(out, from, out->stmts_used);
            from = out->stmts_used;
        }
        if (s->tag == Ist_WrTmp && is_condition_of_sign(s->Ist.WrTmp.data))
            s = IRStmt_WrTmp(s->Ist.WrTmp.tmp,
                             condition_of_sign(out, s->Ist.WrTmp.data->Iex.CCall.args));
        addStmtToIRSB(out, s);
    }
    leave_out_words(out, from, out->stmts_used);
    if (!faults_need_registers())
        leave_out_unread(out, address);
    return out;
}
