/* A program with recursive functions. It prints how many bytes of the stack each function needs per
 * nested call. With an argument, it parses an expression with this number of parentheses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left, *right;
    int value;
};

static char *deepest, *top;

static void mark(void) {
    char here, *volatile at = &here;
    if (!deepest || at < deepest)
        deepest = at;
}

__attribute__((noinline)) static long sum(struct node *n) {
    if (!n) {
        mark();
        return 0;
    }
    return n->value + sum(n->left) + sum(n->right);
}

__attribute__((noinline)) static void sort(int *a, int low, int high) {
    if (low >= high) {
        mark();
        return;
    }
    int pivot = a[high], at = low;
    for (int i = low; i < high; i++)
        if (a[i] < pivot) {
            int other = a[at];
            a[at++] = a[i];
            a[i] = other;
        }
    a[high] = a[at];
    a[at] = pivot;
    sort(a, low, at - 1);
    sort(a, at + 1, high);
}

__attribute__((noinline)) static int flood(char *grid, int width, int height, int x, int y) {
    if (x < 0 || y < 0 || x >= width || y >= height || grid[y * width + x]) {
        mark();
        return 0;
    }
    grid[y * width + x] = 1;
    return 1 + flood(grid, width, height, x + 1, y) + flood(grid, width, height, x - 1, y) +
           flood(grid, width, height, x, y + 1) + flood(grid, width, height, x, y - 1);
}

__attribute__((noinline)) static double parse(const char **text) {
    double value = 1;
    if (**text == '(') {
        ++*text;
        value = parse(text);
        ++*text;
    } else {
        mark();
        ++*text;
    }
    while (**text == '+') {
        ++*text;
        value += parse(text);
    }
    return value;
}

__attribute__((noinline)) static int scratch(int n, const int *in) {
    int buffer[16];
    if (n == 0) {
        mark();
        return in[0];
    }
    for (int i = 0; i < 16; i++)
        buffer[i] = in[i & 3] + i;
    return scratch(n - 1, buffer) + buffer[n & 15];
}

static void begin(void) {
    char here, *volatile at = &here;
    top = at;
    deepest = NULL;
}

static void show(const char *name, int levels) {
    printf("%s %ld\n", name, (long)(top - deepest) / levels);
}

static double parse_parentheses(int n) {
    char *text = malloc(2 * (size_t)n + 2);
    const char *at = text;
    memset(text, '(', (size_t)n);
    text[n] = '1';
    memset(text + n + 1, ')', (size_t)n);
    text[2 * n + 1] = '\0';
    double value = parse(&at);
    free(text);
    return value;
}

int main(int argc, char **argv) {
    enum { LEVELS = 2000 };
    static struct node nodes[LEVELS];
    static int numbers[LEVELS];
    static char grid[LEVELS];
    if (argc > 1)
        return parse_parentheses(atoi(argv[1])) != 1;
    for (int i = 0; i < LEVELS; i++) {
        nodes[i] = (struct node){i ? &nodes[i - 1] : NULL, NULL, i};
        numbers[i] = i;
    }
    volatile long result = 0;
    begin();
    result += sum(&nodes[LEVELS - 1]);
    show("sum", LEVELS);
    begin();
    sort(numbers, 0, LEVELS - 1);
    show("sort", LEVELS);
    begin();
    result += flood(grid, LEVELS, 1, 0, 0);
    show("flood", LEVELS);
    begin();
    result += (long)parse_parentheses(LEVELS);
    show("parse", LEVELS);
    begin();
    result += scratch(LEVELS, numbers);
    show("scratch", LEVELS);
}
