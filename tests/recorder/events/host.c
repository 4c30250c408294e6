/* Loads a library and calls its function walk(). usage: host LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

int main(int n, char **arguments) {
    void *library = n > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    int (*walk)(void);
    if (!library) {
        fprintf(stderr, "%s\n", n > 1 ? dlerror() : "no library is given");
        return 3;
    }
    *(void **)&walk = dlsym(library, "walk");
    return walk();
}
