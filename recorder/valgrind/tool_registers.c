/* Replaces writes to parts of registers with writes to whole registers.
 *
 * Translated code keeps the program's registers in memory. Some instructions write a register in
 * parts: movsd clears it and then fills its lower half, and setcc sets one byte of a register,
 * which programs usually clear before. Valgrind stores only the part, and the next read of the
 * whole register waits until both stores have left the processor's store buffer, which takes as
 * long as ten other instructions. Floating-point programs do this constantly. For most parts, this
 * file instead computes and stores the whole register. The instruction pointer is not stored if
 * nothing can read it before it is stored again.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "libvex_guest_amd64.h"

enum {
    INTEGERS = 16, /* number of general registers */
    VECTORS = 16,  /* number of vector registers; only the lower 16 bytes are handled */
    REGISTERS = INTEGERS + VECTORS,
    VECTOR_STRIDE =
        offsetof(VexGuestAMD64State, guest_YMM1) - offsetof(VexGuestAMD64State, guest_YMM0)
};

typedef struct whole {
    IRExpr *value; /* value of the register, as an atom; NULL: unknown in this block */
    /* Index of the statement with which the current instruction stored the register, if nothing may
     * have read the register since then; else -1. */
    Int put;
} whole;

typedef struct block_registers {
    IRSB *out;
    whole known[REGISTERS];
    /* Index of the statement that stored the instruction pointer, if nothing may have read the
     * pointer since then; else -1. */
    Int pointer;
} block_registers;

/* ---- register offsets ---- */

static Int register_start(Int r) {
    return r < INTEGERS
               ? (Int)offsetof(VexGuestAMD64State, guest_RAX) + 8 * r
               : (Int)offsetof(VexGuestAMD64State, guest_YMM0) + VECTOR_STRIDE * (r - INTEGERS);
}

static IRType register_type(Int r) {
    return r < INTEGERS ? Ity_I64 : Ity_V128;
}

static Int register_bytes(Int r) {
    return r < INTEGERS ? 8 : 16;
}

/* Returns the number of the register that contains all `bytes` bytes at `offset`, or -1 if there is
 * none. */
static Int register_around(Int offset, Int bytes) {
    for (Int r = 0; r < REGISTERS; r++)
        if (offset >= register_start(r) && offset + bytes <= register_start(r) + register_bytes(r))
            return r;
    return -1;
}

static void forget(block_registers *b, Int offset, Int bytes) {
    for (Int r = 0; r < REGISTERS; r++)
        if (offset < register_start(r) + register_bytes(r) && register_start(r) < offset + bytes)
            b->known[r] = (whole){NULL, -1};
}

static void forget_all(block_registers *b) {
    for (Int r = 0; r < REGISTERS; r++)
        b->known[r] = (whole){NULL, -1};
}

/* Keeps all register stores so far: later stores to the same registers no longer remove them. This is
 * necessary before registers may be read from memory, and at the beginning of each instruction. */
static void keep_stores(block_registers *b) {
    for (Int r = 0; r < REGISTERS; r++)
        b->known[r].put = -1;
}

/* ---- parts and wholes ---- */

static Bool is_zero(const IRExpr *value) {
    return value->tag == Iex_Const && value->Iex.Const.con->tag == Ico_V128 &&
           value->Iex.Const.con->Ico.V128 == 0;
}

/* Returns the bits of `part`, zero-extended to a word, or NULL if `type` is not handled. */
static IRExpr *part_as_word(block_registers *b, IRExpr *part, IRType type) {
    switch (type) {
    case Ity_I8:
        return ir_compute(b->out, Ity_I64, IRExpr_Unop(Iop_8Uto64, part));
    case Ity_I16:
        return ir_compute(b->out, Ity_I64, IRExpr_Unop(Iop_16Uto64, part));
    case Ity_I32:
        return ir_compute(b->out, Ity_I64, IRExpr_Unop(Iop_32Uto64, part));
    case Ity_F32:
        part = ir_compute(b->out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, part));
        return ir_compute(b->out, Ity_I64, IRExpr_Unop(Iop_32Uto64, part));
    case Ity_F64:
        return ir_compute(b->out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, part));
    case Ity_I64:
        return part;
    default:
        return NULL;
    }
}

/* Returns `old` with one or two bytes, at bit `shift`, replaced by `part`. */
static IRExpr *integer_with(block_registers *b, IRExpr *old, IRExpr *part, IRType type, Int shift) {
    ULong mask = (type == Ity_I8 ? 0xffULL : 0xffffULL) << shift;
    IRExpr *bits = part_as_word(b, part, type);
    if (shift)
        bits = ir_compute(b->out, Ity_I64,
                          IRExpr_Binop(Iop_Shl64, bits, IRExpr_Const(IRConst_U8(shift))));
    IRExpr *rest = ir_compute(b->out, Ity_I64, IRExpr_Binop(Iop_And64, old, ir_word(~mask)));
    return ir_compute(b->out, Ity_I64, IRExpr_Binop(Iop_Or64, rest, bits));
}

/* Returns `old` with the bytes from byte `at` on replaced by `part`. `part` must be half a register,
 * or the lower end of a register that is known to be zero; otherwise the function returns NULL. */
static IRExpr *vector_with(block_registers *b, IRExpr *old, IRExpr *part, IRType type, Int at) {
    Bool half = type == Ity_I64 || type == Ity_F64;
    if (!(half && (at == 0 || at == 8)) && !(at == 0 && is_zero(old)))
        return NULL;
    IRExpr *bits = part_as_word(b, part, type);
    if (!bits)
        return NULL;
    IRExpr *lower = ir_compute(b->out, Ity_V128, IRExpr_Unop(Iop_64UtoV128, bits));
    if (at == 0 && is_zero(old))
        return lower;
    IRExpr *joined = ir_compute(b->out, Ity_V128, IRExpr_Binop(Iop_InterleaveLO64x2, lower, old));
    return at == 8 ? joined
                   : ir_compute(b->out, Ity_V128, IRExpr_Binop(Iop_InterleaveHI64x2, old, joined));
}

/* ---- statements ---- */

static void put_whole(block_registers *b, Int r, IRExpr *value) {
    b->known[r] = (whole){value, b->out->stmts_used};
    addStmtToIRSB(b->out, IRStmt_Put(register_start(r), value));
}

/* Adds a store of the whole register `r`. If the current instruction has already stored this
 * register, removes the earlier store, because `value` includes what it stored. */
static void put_joined(block_registers *b, Int r, IRExpr *value) {
    if (b->known[r].put >= 0)
        b->out->stmts[b->known[r].put] = IRStmt_NoOp();
    put_whole(b, r, value);
}

/* Notes that the statement with index `put` stores the instruction pointer; -1: the block ends
 * here, and leaving it stores the pointer. Removes the previous store, which this one replaces, if
 * nothing may have read the pointer in between and no fault handler of the program needs
 * registers. */
static void replace_pointer(block_registers *b, Int put) {
    if (b->pointer >= 0 && !faults_need_registers())
        b->out->stmts[b->pointer] = IRStmt_NoOp();
    b->pointer = put;
}

/* Returns the value of register `r` after a store of `part` at byte `at`, or NULL if such a part is
 * not handled. In a general register, only parts of one or two bytes are handled. For vector
 * registers, see vector_with(). */
static IRExpr *join(block_registers *b, Int r, IRExpr *part, Int at) {
    IRType type = typeOfIRExpr(b->out->tyenv, part);
    if (r < INTEGERS && type != Ity_I8 && type != Ity_I16)
        return NULL;
    IRExpr *old = b->known[r].value;
    if (!old)
        old = ir_compute(b->out, register_type(r), IRExpr_Get(register_start(r), register_type(r)));
    return r < INTEGERS ? integer_with(b, old, part, type, 8 * at)
                        : vector_with(b, old, part, type, at);
}

static void put(block_registers *b, IRStmt *s) {
    IRType type = typeOfIRExpr(b->out->tyenv, s->Ist.Put.data);
    Int offset = s->Ist.Put.offset, bytes = sizeofIRType(type), r = register_around(offset, bytes);
    if (r >= 0 && type == register_type(r)) {
        put_whole(b, r, s->Ist.Put.data);
        return;
    }
    IRExpr *joined = r >= 0 ? join(b, r, s->Ist.Put.data, offset - register_start(r)) : NULL;
    if (joined) {
        put_joined(b, r, joined);
        return;
    }
    if (offset == b->out->offsIP)
        replace_pointer(b, b->out->stmts_used);
    forget(b, offset, bytes);
    addStmtToIRSB(b->out, s);
}

static void get(block_registers *b, IRStmt *s) {
    IRExpr *from = s->Ist.WrTmp.data;
    Int r = register_around(from->Iex.Get.offset, sizeofIRType(from->Iex.Get.ty));
    if (r >= 0 && from->Iex.Get.ty == register_type(r)) {
        if (b->known[r].value)
            s = IRStmt_WrTmp(s->Ist.WrTmp.tmp, b->known[r].value);
        else
            b->known[r].value = IRExpr_RdTmp(s->Ist.WrTmp.tmp);
    } else {
        keep_stores(b);
        b->pointer = -1;
    }
    addStmtToIRSB(b->out, s);
}

static void statement(block_registers *b, IRStmt *s) {
    switch (s->tag) {
    case Ist_Put:
        put(b, s);
        return;
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Get) {
            get(b, s);
            return;
        }
        if (s->Ist.WrTmp.data->tag == Iex_GetI)
            keep_stores(b);
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            b->pointer = -1;
        break;
    case Ist_Store:
    case Ist_StoreG:
    case Ist_LoadG:
    case Ist_CAS:
    case Ist_LLSC:
        b->pointer = -1; /* this access may fault, and the handler may read the pointer */
        break;
    case Ist_Dirty:
        b->pointer = -1;
        forget_all(b);
        break;
    case Ist_PutI:
        forget_all(b);
        break;
    case Ist_IMark:
    case Ist_Exit:
        keep_stores(b);
        break;
    default:
        break;
    }
    addStmtToIRSB(b->out, s);
}

IRSB *registers_made_whole(const IRSB *in) {
    block_registers b = {.out = deepCopyIRSBExceptStmts(in), .pointer = -1};
    forget_all(&b);
    for (Int i = 0; i < in->stmts_used; i++)
        statement(&b, in->stmts[i]);
    replace_pointer(&b, -1);
    return b.out;
}
