/* Gets memory in every possible way, and fills each allocation with a known number of stores.
 * Comments name the places for tests/recorder/events/check.py. The argument, if any, is a
 * library, which is loaded and unloaded, or "fork". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long global[50];

static void fill(volatile long *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        words[i] = (long)i; /* filled here */
}

static void plain_allocations(void) {
    void *aligned = NULL;
    long *a = malloc(800);                /* site: malloc */
    long *b = calloc(10, 80);             /* site: calloc */
    long *c = aligned_alloc(64, 640);     /* site: aligned_alloc */
    long *d = memalign(128, 1000);        /* site: memalign */
    if (posix_memalign(&aligned, 64, 96)) /* site: posix_memalign */
        abort();
    fill(a, 100);
    fill(b, 90);
    fill(c, 80);
    fill(d, 70);
    fill(aligned, 12);
    fill(global, 50);
    free(a);
    free(b);
    free(c);
    free(d);
    free(aligned);
}

/* Frees an allocation and makes another one of the same size, which gets the same address. */
static void reused_place(void) {
    long *first = malloc(480); /* site: first owner */
    uintptr_t place = (uintptr_t)first;
    fill(first, 40);
    free(first);
    long *second = malloc(480); /* site: second owner */
    fill(second, 30);
    puts(place == (uintptr_t)second ? "the same place" : "another place");
    free(second);
}

/* realloc() extends memory in place or moves it. Here another allocation after it makes it move. */
__attribute__((noinline)) static void growing(void) {
    long *small = malloc(160); /* site: before realloc */
    fill(small, 20);
    void *behind = malloc(16);                  /* site: behind */
    long *large = realloc(small, 160 * 1024);   /* site: realloc */
    large = reallocarray(large, 160 * 1024, 2); /* site: reallocarray */
    fill(large, 333);
    free(behind);
    free(large);
}

static void large_allocations(void) {
    long *block = malloc(4 << 20); /* site: large malloc */
    long *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0); /* site: mmap */
    fill(block, 1000);
    fill(map, 2000);
    munmap(map, 1 << 20);
    free(block);
}

__attribute__((noinline)) static void *use_stack(void *unused) {
    volatile long local[200];
    fill(local, 200);
    (void)unused;
    long *heap = malloc(240); /* site: of a thread */
    fill(heap, 25);
    free(heap);
    return NULL;
}

static void use_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        puts(dlerror());
        exit(1);
    }
    void (*work)(void) = (void (*)(void))dlsym(library, "library_work");
    work();
    dlclose(library);
}

static void use_in_child(void) {
    long *block = malloc(880); /* site: of both processes */
    fill(block, 10);
    if (fork() == 0) {
        fill(block, 100);
        _exit(0);
    }
    wait(NULL);
    free(block);
}

int main(int argc, char **argv) {
    pthread_t thread;
    setvbuf(stdout, NULL, _IONBF, 0); /* puts() must not allocate a buffer */
    plain_allocations();
    reused_place();
    growing();
    large_allocations();
    use_stack(NULL);
    pthread_create(&thread, NULL, use_stack, NULL);
    pthread_join(thread, NULL);
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
        use_in_child();
    else if (argc > 1)
        use_library(argv[1]);
    return 0;
}
