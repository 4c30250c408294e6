/* Turns object ids in text into 64-bit numbers.
 *
 * A text that is a number becomes this number. Any other text (a name) becomes a 64-bit hash of its
 * bytes, which depends only on the text and the seed. Two ids with the same number would silently
 * become one object, so the table remembers every name with its hash and, with base=auto, the
 * numbers that occur in the same trace. It fails if two names have the same hash, or if a name's
 * hash is one of these numbers.
 *
 * A trace with names needs O(distinct ids) memory. A trace with only numbers needs memory for fewer
 * than RDI_ID_NUMBERS_MAX ids: if the first RDI_ID_NUMBERS_MAX ids are all numbers, the table
 * forgets them and remembers no more, and a later name is an error.
 */
#ifndef RDI_ID_TABLE_H
#define RDI_ID_TABLE_H

#include "base/common.h"

#define RDI_ID_NUMBERS_MAX 65536

/* The values of base=, in the order of the choices. */
enum { RDI_ID_AUTO, RDI_ID_DEC, RDI_ID_HEX, RDI_ID_STRING };

typedef struct rdi_id_slot {
    uint64_t id;
    uint64_t name; /* EMPTY, NUMBER, or FIRST_NAME plus the position of the name in `names`; see
                      id_table.c */
} rdi_id_slot;

/* Ids that a table has not remembered and checked yet, in their order. */
typedef struct rdi_id_log {
    rd_ctx *ctx;
    struct rdi_id_noted *ids; /* see id_table.c */
    size_t n, room;
    char *text; /* the bytes of the names, without gaps */
    size_t used, text_room;
} rdi_id_log;

/* A table of ids. It must be zeroed first, and the core sets its options before
 * rdi_id_table_init(). */
typedef struct rdi_id_table {
    uint32_t base; /* options base= and seed= */
    uint64_t seed;
    bool wide; /* true: take numbers that do not fit in 64 bits as names, instead of refusing
                  them */
    rd_ctx *ctx;
    rdi_id_slot *slots; /* open addressing, linear probing, at most half full */
    size_t used, room;  /* number of slots in use and allocated; room is 0 or a power of two */
    char *names;        /* the length (4 bytes) and the bytes of each name, without gaps */
    size_t names_used, names_room;
    uint64_t numbers_read; /* number of ids before the first name, at most RDI_ID_NUMBERS_MAX */
    bool has_names;
    rdi_id_log *log; /* receives the ids instead of this table; NULL: this table remembers them */
} rdi_id_table;

void rdi_id_table_init(rdi_id_table *t, rd_ctx *ctx);
void rdi_id_table_fini(rdi_id_table *t);

/* Sets *out to the number for an id of n > 0 bytes. The byte after the text must be readable, and
 * it must not be a hexadecimal digit. Messages do not name the line; the caller adds the line
 * number. */
RD_CHECKED rd_status rdi_id_read(rdi_id_table *t, const char *text, size_t n, uint64_t *out);

/* Turns a bytewise copy of a table into an empty table with the same options. */
void rdi_id_table_separate(rdi_id_table *copy);

/* Remembers and checks the ids of a log, as if the table had read them. After a failure, reading
 * the same ids from the first one on fails at the same id. */
RD_CHECKED rd_status rdi_id_table_enter(rdi_id_table *t, const rdi_id_log *log);
void rdi_id_log_free(rdi_id_log *log);

/* Returns whether decimal numbers without leading zeros are now taken as ids without the table:
 * such an id is neither stored nor compared with the hashes of names. */
static inline bool rdi_id_table_has_all_numbers(const rdi_id_table *t) {
    return t->base == RDI_ID_DEC ||
           (t->base == RDI_ID_AUTO && t->numbers_read >= RDI_ID_NUMBERS_MAX);
}

/* Returns the hash of a name of n bytes. */
uint64_t rdi_id_hash(uint64_t seed, const char *text, size_t n);

/* The rows of the option table of a format whose state has the rdi_id_table `table`. */
#define RDI_ID_OPTS(state, table)                                                                  \
    {.name = "base",                                                                               \
     .type = RD_OPT_CHOICE,                                                                        \
     .offset = offsetof(state, table.base),                                                        \
     .def = "auto",                                                                                \
     .choices = "auto|dec|hex|string",                                                             \
     .help = "notation of the ids"},                                                               \
    {                                                                                              \
        .name = "seed", .type = RD_OPT_U64, .offset = offsetof(state, table.seed), .def = "0",     \
        .help = "seed of the hash of ids that are names"                                           \
    }

#define RDI_ID_CARD                                                                                \
    "base=auto: decimal numbers without leading zeros and hexadecimal numbers with 0x are taken\n" \
    "as numbers. Any other id is a name and becomes the 64-bit hash of its bytes. Two ids with\n"  \
    "the same hash are an error; seed=N chooses another hash. If the first 65,536 ids are all\n"   \
    "numbers, a later name is an error. base=dec and base=hex accept numbers only (hex with or\n"  \
    "without 0x); base=string takes every id as a name."

#endif
