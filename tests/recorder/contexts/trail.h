/* The oracle of calling contexts: the program notes which of its functions are active, and prints the
 * references and misses that each walk must have in its calling context. check.py compares them with the profile.
 *
 * A walk stores into one byte of each of n blocks. The small cache has fewer blocks than n, so all references
 * miss there. In the large cache, only references to blocks that no earlier walk has used miss.
 */
#ifndef TRAIL_H
#define TRAIL_H

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 64, WALKS = 256, AREA = 256, BLOCK = 64, AREAS = 32 };

typedef struct trail {
    const char *name[DEEPEST];
    int n;
} trail;

static __thread trail now;

static struct {
    char path[512];
    int blocks, first; /* number of blocks, and number of blocks that no earlier walk has used */
} done[WALKS];
static int n_done;

static char area[AREAS][AREA * BLOCK] __attribute__((aligned(BLOCK)));
static int walked[AREAS]; /* number of blocks of each area that earlier walks have used */

/* enter() and leave() note that a function begins and ends. A function that ends with a tail call is left
 * before the call, so that it is not active in the called function. */
static inline void enter(const char *name) {
    now.name[now.n++] = name;
}

static inline void leave(void) {
    now.n--;
}

static __attribute__((noinline)) void walk(int a, int blocks) {
    volatile char *p = area[a];
    for (volatile char *end = p + blocks * BLOCK; p != end; p += BLOCK)
        *p = 1; /* the store */
}

/* Notes the references and misses of the next walk, with the path of the active functions. */
static void expect(int a, int blocks) {
    char *path = done[n_done].path;
    for (int i = 0; i < now.n && strlen(path) < sizeof done->path - 80; i++) {
        strcat(path, now.name[i]);
        strcat(path, "/");
    }
    done[n_done].blocks = blocks;
    done[n_done++].first = blocks > walked[a] ? blocks - walked[a] : 0;
    walked[a] = walked[a] > blocks ? walked[a] : blocks;
}

/* WALK is a macro, so that walk() is called directly from the function that uses it. */
#define WALK(a, blocks)                                                                            \
    do {                                                                                           \
        expect(a, blocks);                                                                         \
        walk(a, blocks);                                                                           \
    } while (0)

/* Prints the path, the references, and the misses in the small and in the large cache of every walk. */
static void print_walks(void) {
    for (int i = 0; i < n_done; i++)
        printf("%s %d %d %d\n", done[i].path, done[i].blocks, done[i].blocks, done[i].first);
}

#endif
