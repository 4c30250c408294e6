/* Decides whether flags are still needed at the end of a block of code.
 *
 * Valgrind translates a block of code without looking at the next one, so it stores the flags at
 * the end of each block. Usually nothing needs them, because the next instruction that reads or
 * writes flags replaces all of them. This file decodes the next instructions to find out. If an
 * instruction is unknown here, the flags count as needed.
 *
 * The processor's manual explains prefixes, opcodes and operands.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "pub_tool_aspacemgr.h"

enum {
    INSTRUCTIONS = 24, /* maximum number of instructions to decode */
    PAGE = 4096,
    PREFIXES = 4,        /* maximum number of prefixes that are decoded */
    LONGEST = 20,        /* maximum number of bytes that are read to decode an instruction */
    REX_WIDE = 0x08,     /* bit of the prefixes 0x40 to 0x4f: operands have 8 bytes */
    SHORT_VECTOR = 0xc5, /* first byte of the two-byte prefix of vector instructions */
    LONG_VECTOR = 0xc4   /* first byte of the three-byte prefix of vector instructions */
};

typedef enum effect { KEEPS, REPLACES, JUMPS, UNKNOWN } effect;

typedef struct instruction {
    const UChar *at;  /* next byte to decode */
    Bool repeated;    /* True: the instruction has the prefix 0xf2 or 0xf3 */
    Bool short_words; /* True: the instruction has the prefix 0x66 */
    Bool wide;
    Long distance; /* displacement of a jump, from the end of the instruction */
} instruction;

/* ---- operands ---- */

static UInt middle_bits(const instruction *i) {
    return *i->at >> 3 & 7;
}

/* Skips register or memory operands and an immediate operand of `constant` bytes. Returns KEEPS. */
static effect keeps_with_operands(instruction *i, UInt constant) {
    UChar how = *i->at++;
    UInt mode = how >> 6, base = how & 7;
    if (mode != 3 && base == 4)
        base = *i->at++ & 7; /* the SIB byte has the base register */
    else if (base == 4)
        base = 0;
    i->at += (mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0) + constant;
    return KEEPS;
}

static effect keeps_with_constant(instruction *i, UInt bytes) {
    i->at += bytes;
    return KEEPS;
}

static effect jumps(instruction *i, UInt bytes) {
    if (i->short_words) /* with this prefix, the size of the displacement depends on the processor */
        return UNKNOWN;
    i->distance = bytes == 1 ? (Char)*i->at : *(const Int *)i->at;
    i->at += bytes;
    return JUMPS;
}

static UInt constant_bytes(const instruction *i) {
    return i->short_words ? 2 : 4;
}

/* ---- opcodes ---- */

/* Returns the effect of an arithmetic instruction. `operation` is its index in: add, or, adc, sbb,
 * and, sub, xor, cmp. The effect of adc and sbb is UNKNOWN, because they read a flag. */
static effect of_arithmetic(UInt operation) {
    return operation == 2 || operation == 3 ? UNKNOWN : REPLACES;
}

/* Returns the effect of a vector instruction whose opcode follows 0x0f, or a prefix that replaces
 * 0x0f, and skips its operands. */
static effect of_vector_table(instruction *i, UChar opcode) {
    switch (opcode) {
    case 0x10 ... 0x17: /* moves, interleaving */
    case 0x28 ... 0x2d: /* moves, conversions */
    case 0x50 ... 0x6f: /* arithmetic, conversions, packing, moves */
    case 0x74 ... 0x76: /* comparisons that produce masks */
    case 0x7c ... 0x7f:
    case 0xd0 ... 0xfe:
        return keeps_with_operands(i, 0);
    case 0x70 ... 0x73: /* shuffles, shifts */
    case 0xc2:
    case 0xc4 ... 0xc6:
        return keeps_with_operands(i, 1);
    default:
        return UNKNOWN;
    }
}

/* Returns the effect of an instruction whose opcode follows 0x0f. */
static effect of_second_table(instruction *i) {
    UChar opcode = *i->at++;
    switch (opcode) {
    case 0x0d: /* prefetch */
    case 0x18:
    case 0x1e: /* no operation */
    case 0x1f:
    case 0xb6: /* extending moves */
    case 0xb7:
    case 0xbe:
    case 0xbf:
        return keeps_with_operands(i, 0);
    case 0x2e: /* comparisons of floating-point numbers */
    case 0x2f:
        return i->repeated ? UNKNOWN : REPLACES;
    case 0xc8 ... 0xcf: /* byte swaps */
        return KEEPS;
    default:
        return of_vector_table(i, opcode);
    }
}

static effect of_first_table(instruction *i) {
    UChar opcode = *i->at++;
    switch (opcode) {
    case 0x00: /* two zero bytes may be code that is not written yet */
        return *i->at ? REPLACES : UNKNOWN;
    case 0x01 ... 0x3f:
        return (opcode & 7) < 6 ? of_arithmetic(opcode >> 3) : UNKNOWN;
    case 0x80:
    case 0x81:
    case 0x83:
        return of_arithmetic(middle_bits(i));
    case 0x84: /* test */
    case 0x85:
    case 0xa8:
    case 0xa9:
        return REPLACES;
    case 0xf6: /* test, not, neg and others */
    case 0xf7:
        return middle_bits(i) == 2                          ? keeps_with_operands(i, 0)
               : middle_bits(i) == 0 || middle_bits(i) == 3 ? REPLACES
                                                            : UNKNOWN;
    case 0x50 ... 0x5f: /* push, pop */
    case 0x90:          /* nop */
    case 0x98:          /* sign extensions */
    case 0x99:
        return KEEPS;
    case 0x63: /* moves */
    case 0x88 ... 0x8b:
        return keeps_with_operands(i, 0);
    case 0x8d:
        return *i->at >> 6 == 3 ? UNKNOWN : keeps_with_operands(i, 0);
    case 0x6a:          /* push of a constant */
    case 0xb0 ... 0xb7: /* move of a constant of one byte */
        return keeps_with_constant(i, 1);
    case 0xb8 ... 0xbf: /* move of a longer constant */
        return keeps_with_constant(i, i->wide ? 8 : constant_bytes(i));
    case 0xc6: /* moves of a constant */
        return middle_bits(i) == 0 ? keeps_with_operands(i, 1) : UNKNOWN;
    case 0xc7:
        return middle_bits(i) == 0 ? keeps_with_operands(i, i->wide ? 4 : constant_bytes(i))
                                   : UNKNOWN;
    case 0xe8: /* call */
    case 0xe9: /* jmp */
        return jumps(i, 4);
    case 0xeb:
        return jumps(i, 1);
    default:
        return UNKNOWN;
    }
}

/* Returns the effect of an instruction with a vector prefix. The effect is UNKNOWN unless the
 * opcode belongs to the table of 0x0f. */
static effect of_vector(instruction *i) {
    if (*i->at++ == LONG_VECTOR && (*i->at++ & 0x1f) != 1)
        return UNKNOWN;
    i->at++;
    UChar opcode = *i->at++;
    return opcode == 0x77 ? KEEPS : of_vector_table(i, opcode); /* 0x77: vzeroupper, vzeroall */
}

/* Returns whether `byte` is a prefix for operand size (0x66), repetition or a variant of the
 * instruction (0xf2, 0xf3), or thread-local memory (0x64, 0x65). */
static Bool is_prefix(UChar byte) {
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x64 || byte == 0x65;
}

static void note_prefix(instruction *i, UChar byte) {
    i->short_words |= byte == 0x66;
    i->repeated |= byte == 0xf2 || byte == 0xf3;
}

/* Returns the effect of the next instruction on the flags. If the effect is KEEPS or JUMPS,
 * advances past the instruction. */
static effect next_instruction(instruction *i) {
    i->short_words = i->repeated = i->wide = False;
    for (UInt n = 0; n < PREFIXES && is_prefix(*i->at); n++)
        note_prefix(i, *i->at++);
    if (*i->at == SHORT_VECTOR || *i->at == LONG_VECTOR)
        return of_vector(i);
    if (*i->at >> 4 == 4)
        i->wide = *i->at++ & REX_WIDE;
    if (*i->at == 0x0f) {
        i->at++;
        return of_second_table(i);
    }
    return of_first_table(i);
}

/* ---- code ---- */

/* Returns whether `code` lies in memory that is mapped from a file, executable and not writable. */
static Bool is_fixed(Addr code) {
    const NSegment *segment = VG_(am_find_nsegment)(code);
    return segment && segment->kind == SkFileC && segment->hasX && !segment->hasW;
}

/* Returns whether the page of `block` contains `code` and the longest instruction that can begin
 * there. The whole page was mapped when the block was translated, and Valgrind discards the
 * translation of the block when the page is unmapped. */
static Bool is_on_page_of(Addr block, const UChar *code) {
    Addr page = block & ~(Addr)(PAGE - 1);
    return (Addr)code >= page && (Addr)code - page <= PAGE - LONGEST;
}

Bool ahead_flags_are_replaced(Addr code, Addr block) {
    instruction i = {.at = (const UChar *)code};
    if (!is_fixed(block))
        return False;
    for (UInt n = 0; n < INSTRUCTIONS && is_on_page_of(block, i.at); n++) {
        effect its = next_instruction(&i);
        if (its == REPLACES || its == UNKNOWN)
            return its == REPLACES;
        if (its == JUMPS)
            i.at += i.distance;
    }
    return False;
}
