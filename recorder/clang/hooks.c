/* The hooks that clang calls before every load and store. A hook writes a record of one word.
 *
 * This file is compiled twice: into the runtime, and by reusedist-cc with -flto, so that linking
 * inlines the hooks into the program. If there is no room for the record, an inlined hook calls
 * recorder_record() from the program's code, and a hook that is not inlined ends with a tail call
 * of recorder_record(). In both cases the return address of recorder_record() identifies the load
 * or store.
 */
#include "hooks.h"

static __thread cursor words __attribute__((tls_model("local-exec")));

cursor recorder_cursor(void) {
    return words;
}

void recorder_place(cursor to) {
    words = to;
}

static inline __attribute__((always_inline)) void record(const void *address, uint64_t low) {
    uint64_t word = (uint64_t)address << RDI_RECORD_SHIFT | low;
    uint64_t *to = words.next;
    if (__builtin_expect(to == words.end, 0)) {
        recorder_record(word);
        return;
    }
    *to = word;
    /* The atomic store makes the compiler advance the cursor here, right after the store of the
     * record, because a signal may end the program at any instruction. */
    __atomic_store_n(&words.next, to + 1, __ATOMIC_RELEASE);
}

/* An attribute that makes loaded libraries use the hooks of the program. */
#define HOOK __attribute__((visibility("default")))
#ifdef __clang__
#define INLINED __attribute__((always_inline))
#else
#define INLINED
#endif
/* The types must be equal to the types in clang's own declarations of the hooks; otherwise the hooks
 * are not inlined. */
#define HOOKS(bytes, type)                                                                         \
    HOOK void __sanitizer_cov_load##bytes(const type *address);                                    \
    HOOK void __sanitizer_cov_store##bytes(const type *address);                                   \
    INLINED void __sanitizer_cov_load##bytes(const type *address) {                                \
        record(address, RDI_RECORD_LOW(bytes, RDI_RECORD_LOAD));                                   \
    }                                                                                              \
    INLINED void __sanitizer_cov_store##bytes(const type *address) {                               \
        record(address, RDI_RECORD_LOW(bytes, RDI_RECORD_STORE));                                  \
    }
HOOKS(1, uint8_t)
HOOKS(2, uint16_t)
HOOKS(4, uint32_t)
HOOKS(8, uint64_t)
HOOKS(16, __int128)
