/* Instruments code: every memory access gets a few inlined statements that write its record.
 *
 * A block of code keeps the position of its first record in a temporary. The other records lie at
 * constant offsets from it. Each access needs three steps: shift the address, add size and kind,
 * store. Addresses at constant offsets from each other, such as those of the stack, are shifted
 * once. The cursor is usually read once per block, after a check that there is room for the records
 * of the block, and written back before each exit.
 *
 * The tool counts accesses in the same way as Valgrind's tool lackey.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

/* A temporary that is the sum of another temporary and a constant. */
typedef struct sum {
    IRTemp base;    /* the temporary itself if no sum is known */
    ULong distance; /* the constant, modulo 2^64 */
    IRTemp shifted; /* for a base: its value, shifted as in a record; IRTemp_INVALID: not computed
                       yet */
} sum;

typedef struct block_recorder {
    IRSB *out;
    sum *sums; /* one entry per temporary of the block */
    /* Position of the first record since the cursor was read; IRTemp_INVALID: not read yet. */
    IRTemp place;
    UInt offset; /* number of bytes of records after `place` */
    UInt saved;  /* number of bytes of records after `place` that the cursor has passed */
    Addr pc;     /* address of the current instruction */
    const VexGuestLayout *layout;
} block_recorder;

IRExpr *ir_word(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static void add(block_recorder *b, IRStmt *statement) {
    addStmtToIRSB(b->out, statement);
}

IRExpr *ir_compute(IRSB *to, IRType type, IRExpr *value) {
    IRTemp result = newIRTemp(to->tyenv, type);
    addStmtToIRSB(to, IRStmt_WrTmp(result, value));
    return IRExpr_RdTmp(result);
}

static IRExpr *load_word(block_recorder *b, const Addr *from) {
    return ir_compute(b->out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, ir_word((Addr)from)));
}

static IRExpr *place_behind(block_recorder *b, UInt offset) {
    IRExpr *place = IRExpr_RdTmp(b->place);
    return offset ? ir_compute(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, place, ir_word(offset)))
                  : place;
}

/* Returns the offset in the guest state of the field at `offset` of the cursor. */
static Int of_cursor(SizeT offset) {
    return sizeof(VexGuestAMD64State) + offset;
}

static IRExpr *read_cursor(block_recorder *b, SizeT offset) {
    return ir_compute(b->out, Ity_I64, IRExpr_Get(of_cursor(offset), Ity_I64));
}

static void move_cursor(block_recorder *b, IRExpr *to) {
    add(b, IRStmt_Put(of_cursor(offsetof(buffer_cursor, next)), to));
}

static void save_cursor(block_recorder *b) {
    if (b->place == IRTemp_INVALID || b->offset == b->saved)
        return;
    move_cursor(b, place_behind(b, b->offset));
    b->saved = b->offset;
}

/* Returns a new call of `function`, which may read and change the cursor. */
static IRDirty *call_with_cursor(const HChar *name, void *function, IRExpr **args) {
    IRDirty *call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), args);
    call->nFxState = 1;
    call->fxState[0].fx = Ifx_Modify;
    call->fxState[0].offset = of_cursor(0);
    call->fxState[0].size = sizeof(buffer_cursor);
    call->fxState[0].nRepeats = call->fxState[0].repeatLen = 0;
    return call;
}

/* Adds statements that save the cursor, make room for records if there is none, and read the cursor
 * again. */
static void start_records(block_recorder *b) {
    save_cursor(b);
    IRExpr *next = read_cursor(b, offsetof(buffer_cursor, next));
    IRExpr *limit = read_cursor(b, offsetof(buffer_cursor, limit));
    IRDirty *call = call_with_cursor("buffer_make_room", buffer_make_room, mkIRExprVec_0());
    call->guard = ir_compute(b->out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, limit, next));
    add(b, IRStmt_Dirty(call));
    b->place = read_cursor(b, offsetof(buffer_cursor, next))->Iex.RdTmp.tmp;
    b->offset = b->saved = 0;
}

static UInt record_bytes(void) {
    return options.pc ? 16 : 8;
}

/* Adds statements that store the words of a record after the previous records. The cursor does not
 * move. */
static void store_record(block_recorder *b, IRExpr *record) {
    add(b, IRStmt_Store(Iend_LE, place_behind(b, b->offset), record));
    if (options.pc)
        add(b, IRStmt_Store(Iend_LE, place_behind(b, b->offset + 8), ir_word(b->pc)));
}

static void reserve_record(block_recorder *b) {
    if (b->place == IRTemp_INVALID || b->offset + record_bytes() > BUFFER_SLACK_BYTES)
        start_records(b);
}

/* ---- addresses at constant offsets ---- */

static void start_sums(block_recorder *b) {
    Int count = b->out->tyenv->types_used;
    b->sums = LibVEX_Alloc(count * sizeof *b->sums);
    for (Int t = 0; t < count; t++)
        b->sums[t] = (sum){t, 0, IRTemp_INVALID};
}

/* Notes that `of` is `operand` plus `distance`. */
static void note_sum(block_recorder *b, IRTemp of, const IRExpr *operand, ULong distance) {
    if (operand->tag != Iex_RdTmp)
        return;
    const sum *s = &b->sums[operand->Iex.RdTmp.tmp];
    b->sums[of] = (sum){s->base, s->distance + distance, IRTemp_INVALID};
}

static void note_temporary(block_recorder *b, const IRStmt *s) {
    const IRExpr *value = s->Ist.WrTmp.data;
    if (value->tag == Iex_RdTmp)
        note_sum(b, s->Ist.WrTmp.tmp, value, 0);
    if (value->tag != Iex_Binop || value->Iex.Binop.arg2->tag != Iex_Const)
        return;
    const IRConst *constant = value->Iex.Binop.arg2->Iex.Const.con;
    if (value->Iex.Binop.op == Iop_Add64)
        note_sum(b, s->Ist.WrTmp.tmp, value->Iex.Binop.arg1, constant->Ico.U64);
    else if (value->Iex.Binop.op == Iop_Sub64)
        note_sum(b, s->Ist.WrTmp.tmp, value->Iex.Binop.arg1, -constant->Ico.U64);
}

static IRExpr *shifted(block_recorder *b, IRTemp base) {
    sum *s = &b->sums[base];
    if (s->shifted == IRTemp_INVALID)
        s->shifted = ir_compute(b->out, Ity_I64,
                                IRExpr_Binop(Iop_Shl64, IRExpr_RdTmp(base),
                                             IRExpr_Const(IRConst_U8(RDI_RECORD_SHIFT))))
                         ->Iex.RdTmp.tmp;
    return IRExpr_RdTmp(s->shifted);
}

static IRExpr *make_record(block_recorder *b, IRExpr *address, Int size, UInt kind) {
    tl_assert(size > 0 && size <= RDI_RECORD_SIZE_MAX && isIRAtom(address));
    ULong low = RDI_RECORD_LOW(size, kind);
    if (address->tag == Iex_Const)
        return ir_word(address->Iex.Const.con->Ico.U64 << RDI_RECORD_SHIFT | low);
    const sum *s = &b->sums[address->Iex.RdTmp.tmp];
    Long far = (Long)(s->distance << RDI_RECORD_SHIFT | low);
    if (far != (Int)far) /* the constant does not fit into an instruction */
        return ir_compute(
            b->out, Ity_I64,
            IRExpr_Binop(Iop_Add64, shifted(b, address->Iex.RdTmp.tmp), ir_word(low)));
    return ir_compute(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, shifted(b, s->base), ir_word(far)));
}

/* ---- records ---- */

static Bool is_wanted(UInt kind) {
    return kind == RDI_RECORD_LOAD    ? options.loads
           : kind == RDI_RECORD_STORE ? options.stores
                                      : options.fetches;
}

static void record(block_recorder *b, IRExpr *address, Int size, UInt kind) {
    if (!is_wanted(kind))
        return;
    reserve_record(b);
    store_record(b, make_record(b, address, size, kind));
    b->offset += record_bytes();
}

/* Adds statements that record an access which happens only if `guard` holds. If `guard` does not
 * hold, they write 0 as the first word of the record and leave the cursor before the record. */
static void record_guarded(block_recorder *b, IRExpr *guard, IRExpr *address, Int size, UInt kind) {
    if (!is_wanted(kind))
        return;
    reserve_record(b);
    IRExpr *value = make_record(b, address, size, kind);
    store_record(b, ir_compute(b->out, Ity_I64, IRExpr_ITE(guard, value, ir_word(0))));
    IRExpr *step =
        ir_compute(b->out, Ity_I64, IRExpr_ITE(guard, ir_word(record_bytes()), ir_word(0)));
    IRExpr *place =
        ir_compute(b->out, Ity_I64, IRExpr_Binop(Iop_Add64, place_behind(b, b->offset), step));
    move_cursor(b, place);
    b->saved = b->offset;
    start_records(b); /* because offsets are no longer constant, the cursor is read again */
}

/* Adds a call of `action`, which may move the cursor. */
static void call_action(block_recorder *b, control_action action) {
    save_cursor(b);
    IRExpr *stack_pointer = ir_compute(b->out, Ity_I64, IRExpr_Get(b->layout->offset_SP, Ity_I64));
    add(b, IRStmt_Dirty(call_with_cursor("control_action", action,
                                         mkIRExprVec_2(stack_pointer, ir_word(b->pc)))));
    b->place = IRTemp_INVALID;
    b->offset = b->saved = 0;
}

static IRExpr *register_word(block_recorder *b, Int offset) {
    return ir_compute(b->out, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

/* Adds a call of events_call() if an allocator function begins at `instruction`, which must be the
 * first of its block, because the guest state has the current registers only there. */
static void watch_call(block_recorder *b, Addr instruction) {
    UInt function = options.events ? events_function_at(instruction) : 0;
    if (!function)
        return;
    IRExpr **args = mkIRExprVec_6(ir_word(function), register_word(b, b->layout->offset_SP),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RDI)),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RSI)),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RDX)),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RCX)));
    add(b, IRStmt_Dirty(call_with_cursor("events_call", events_call, args)));
}

/* Adds a call of sync_call_begins() if a watched function begins at `instruction`, which must be
 * the first of its block. */
static void watch_sync_call(block_recorder *b, Addr instruction) {
    UInt function = options.sync ? sync_function_at(instruction) : 0;
    if (!function)
        return;
    IRExpr **args = mkIRExprVec_5(ir_word(function), register_word(b, b->layout->offset_SP),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RDI)),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RSI)),
                                  register_word(b, offsetof(VexGuestAMD64State, guest_RDX)));
    add(b, IRStmt_Dirty(call_with_cursor("sync_call_begins", sync_call_begins, args)));
}

/* Adds a call of `action` at the end of a block that ends with a return instruction. The call is
 * executed if the stack pointer is equal to *outside. */
static void watch_return_to(block_recorder *b, const HChar *name,
                            void (*action)(Addr to, UWord result), const Addr *outside) {
    IRExpr *expected = load_word(b, outside);
    IRExpr *stack_pointer = register_word(b, b->layout->offset_SP);
    IRExpr *result = register_word(b, offsetof(VexGuestAMD64State, guest_RAX));
    IRDirty *call = call_with_cursor(name, action, mkIRExprVec_2(b->out->next, result));
    call->guard = ir_compute(b->out, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, expected, stack_pointer));
    add(b, IRStmt_Dirty(call));
}

static void start_instruction(block_recorder *b, const IRStmt *mark) {
    b->pc = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    control_action action = control_action_at(mark->Ist.IMark.addr);
    if (action)
        call_action(b, action);
    record(b, ir_word(mark->Ist.IMark.addr), mark->Ist.IMark.len, RDI_RECORD_FETCH);
}

/* Adds a call of control_return() at the end of a block that ends with a return instruction. The
 * call is executed if the stack pointer is at control_stack_outside or above. */
static void watch_return(block_recorder *b) {
    IRExpr *outside = load_word(b, &control_stack_outside);
    IRExpr *stack_pointer = ir_compute(b->out, Ity_I64, IRExpr_Get(b->layout->offset_SP, Ity_I64));
    IRDirty *call = call_with_cursor("control_return", control_return, mkIRExprVec_0());
    call->guard = ir_compute(b->out, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, outside, stack_pointer));
    add(b, IRStmt_Dirty(call));
}

/* ---- calling contexts ---- */

/* Adds a call of contexts_call() or contexts_return() at the end of a block that ends with a call
 * or a return. */
static void follow_call(block_recorder *b, Bool is_call) {
    IRExpr *next = read_cursor(b, offsetof(buffer_cursor, next));
    IRExpr *stack_pointer = register_word(b, b->layout->offset_SP);
    IRDirty *call = is_call ? call_with_cursor("contexts_call", contexts_call,
                                               mkIRExprVec_3(next, stack_pointer, ir_word(b->pc)))
                            : call_with_cursor("contexts_return", contexts_return,
                                               mkIRExprVec_2(next, stack_pointer));
    call->tmp = newIRTemp(b->out->tyenv, Ity_I64);
    add(b, IRStmt_Dirty(call));
    move_cursor(b, IRExpr_RdTmp(call->tmp));
}

/* Adds a call of contexts_jump() at the end of a block that ends with an indirect jump. The call is
 * executed if the stack pointer is above the innermost call, as after longjmp(). */
static void follow_jump(block_recorder *b) {
    IRExpr *top = load_word(b, &contexts_top);
    IRExpr *stack_pointer = register_word(b, b->layout->offset_SP);
    IRDirty *call = call_with_cursor("contexts_jump", contexts_jump, mkIRExprVec_1(stack_pointer));
    call->guard = ir_compute(b->out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, top, stack_pointer));
    add(b, IRStmt_Dirty(call));
}

static void follow_end(block_recorder *b, const IRSB *in) {
    if (in->jumpkind == Ijk_Call || in->jumpkind == Ijk_Ret)
        follow_call(b, in->jumpkind == Ijk_Call);
    else if (in->jumpkind == Ijk_Boring && in->next->tag != Iex_Const)
        follow_jump(b);
}

/* ---- the statements that access memory ---- */

static void record_dirty(block_recorder *b, const IRDirty *d) {
    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        record(b, d->mAddr, d->mSize, RDI_RECORD_LOAD);
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        record(b, d->mAddr, d->mSize, RDI_RECORD_STORE);
}

static Int bytes_of(const block_recorder *b, const IRExpr *value) {
    return sizeofIRType(typeOfIRExpr(b->out->tyenv, value));
}

static void record_swap(block_recorder *b, const IRCAS *cas) {
    Int size = bytes_of(b, cas->dataLo) * (cas->dataHi ? 2 : 1);
    record(b, cas->addr, size, RDI_RECORD_LOAD);
    record(b, cas->addr, size, RDI_RECORD_STORE);
}

static void record_load_guarded(block_recorder *b, const IRLoadG *load) {
    IRType result = Ity_INVALID, loaded = Ity_INVALID;
    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    record_guarded(b, load->guard, load->addr, sizeofIRType(loaded), RDI_RECORD_LOAD);
}

static void record_linked(block_recorder *b, const IRStmt *s) {
    if (s->Ist.LLSC.storedata)
        record(b, s->Ist.LLSC.addr, bytes_of(b, s->Ist.LLSC.storedata), RDI_RECORD_STORE);
    else
        record(b, s->Ist.LLSC.addr, sizeofIRType(typeOfIRTemp(b->out->tyenv, s->Ist.LLSC.result)),
               RDI_RECORD_LOAD);
}

/* Adds the statements that must come before `s`: those that record its memory accesses, begin an
 * instruction, or save the cursor before an exit. The caller adds `s` afterwards. */
static void record_statement(block_recorder *b, IRStmt *s) {
    switch (s->tag) {
    case Ist_IMark:
        start_instruction(b, s);
        break;
    case Ist_WrTmp:
        note_temporary(b, s);
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            record(b, s->Ist.WrTmp.data->Iex.Load.addr, bytes_of(b, s->Ist.WrTmp.data),
                   RDI_RECORD_LOAD);
        break;
    case Ist_Store:
        record(b, s->Ist.Store.addr, bytes_of(b, s->Ist.Store.data), RDI_RECORD_STORE);
        break;
    case Ist_LoadG:
        record_load_guarded(b, s->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        record_guarded(b, s->Ist.StoreG.details->guard, s->Ist.StoreG.details->addr,
                       bytes_of(b, s->Ist.StoreG.details->data), RDI_RECORD_STORE);
        break;
    case Ist_Dirty:
        record_dirty(b, s->Ist.Dirty.details);
        break;
    case Ist_CAS:
        record_swap(b, s->Ist.CAS.details);
        break;
    case Ist_LLSC:
        record_linked(b, s);
        break;
    case Ist_Exit:
        save_cursor(b);
        break;
    default:
        break;
    }
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word) {
    (void)closure, (void)host;
    if (guest_word != Ity_I64 || host_word != Ity_I64)
        VG_(tool_panic)("only 64-bit programs can be recorded");
    in = flags_made_short(registers_made_whole(in), extents->base[0]);
    block_recorder b = {
        .out = deepCopyIRSBExceptStmts(in), .place = IRTemp_INVALID, .layout = layout};
    start_sums(&b);
    Int i = 0;
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        addStmtToIRSB(b.out, in->stmts[i++]); /* copies Valgrind's own preamble unchanged */
    if (i < in->stmts_used) {
        watch_call(&b, in->stmts[i]->Ist.IMark.addr);
        watch_sync_call(&b, in->stmts[i]->Ist.IMark.addr);
    }
    for (; i < in->stmts_used; i++) {
        record_statement(&b, in->stmts[i]);
        addStmtToIRSB(b.out, in->stmts[i]);
    }
    save_cursor(&b);
    if (options.inside && in->jumpkind == Ijk_Ret)
        watch_return(&b);
    if (options.events && in->jumpkind == Ijk_Ret)
        watch_return_to(&b, "events_return", events_return, &events_stack_outside);
    if (options.sync && in->jumpkind == Ijk_Ret)
        watch_return_to(&b, "sync_call_returns", sync_call_returns, &sync_stack_outside);
    if (options.contexts)
        follow_end(&b, in);
    return b.out;
}
