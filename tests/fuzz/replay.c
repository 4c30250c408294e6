/* Runs a fuzz target over files and folders of files: the corpus in the ordinary test run.
 *
 * usage: replay_TARGET PATH...
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long inputs;

static bool replay_file(const char *path) {
    FILE *in = fopen(path, "rb");
    struct stat st;
    if (!in || fstat(fileno(in), &st) != 0) {
        perror(path);
        return false;
    }
    /* The buffer has exactly the size of the input, so that a sanitizer detects a read past its end. */
    size_t n = (size_t)st.st_size;
    uint8_t *data = malloc(n ? n : 1);
    bool good = data && fread(data, 1, n, in) == n;
    fclose(in);
    if (good)
        LLVMFuzzerTestOneInput(data, n);
    else
        perror(path);
    free(data);
    inputs++;
    return good;
}

static bool replay(const char *path) {
    DIR *dir = opendir(path);
    if (!dir)
        return replay_file(path);
    bool good = true;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            good = replay(file) && good;
    }
    closedir(dir);
    return good;
}

int main(int argc, char **argv) {
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = replay(argv[i]) && good;
    printf("%lu inputs\n", inputs);
    return good && inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
