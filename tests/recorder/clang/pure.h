/* Declarations that the files of the program in reader.c share. */
#define ENTRIES 64

typedef struct large {
    long entry[ENTRIES];
} large;

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((pure)) long look(const long *entries, int n);
__attribute__((const)) long add(long a, long b);
long look_at(large copy, int n);
void use(large *entries);
#ifdef __cplusplus
}
#endif
