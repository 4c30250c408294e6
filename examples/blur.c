/* Blurs a picture. Usage: blur RADIUS IN.pgm OUT.pgm [rows]
 *
 * The program is a box filter in two passes, along the rows and along the columns. The second pass exists
 * in a naive form and, with "rows", in the form derived in docs/guide.md. Both forms write the same picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    int width, height;
    float *pixel; /* row by row */
} picture;

static int clamp(int at, int size) {
    return at < 0 ? 0 : at < size ? at : size - 1;
}

static void blur_rows(const picture *from, picture *to, int radius) {
    int width = from->width;
    for (int y = 0; y < from->height; y++) {
        const float *in = from->pixel + (size_t)y * width;
        float *out = to->pixel + (size_t)y * width, sum = 0;
        for (int x = -radius; x < radius; x++)
            sum += in[clamp(x, width)];
        for (int x = 0; x < width; x++) {
            sum += in[clamp(x + radius, width)];
            out[x] = sum / (float)(2 * radius + 1);
            sum -= in[clamp(x - radius, width)];
        }
    }
}

/* Blurs along the columns, one column after the other. */
static void blur_columns(const picture *from, picture *to, int radius) {
    int width = from->width, height = from->height;
    for (int x = 0; x < width; x++) {
        const float *in = from->pixel + x;
        float *out = to->pixel + x, sum = 0;
        for (int y = -radius; y < radius; y++)
            sum += in[(size_t)clamp(y, height) * width];
        for (int y = 0; y < height; y++) {
            sum += in[(size_t)clamp(y + radius, height) * width];
            out[(size_t)y * width] = sum / (float)(2 * radius + 1);
            sum -= in[(size_t)clamp(y - radius, height) * width];
        }
    }
}

static void add_row(const picture *from, int y, float sign, float *sums) {
    const float *in = from->pixel + (size_t)clamp(y, from->height) * from->width;
    for (int x = 0; x < from->width; x++)
        sums[x] += sign * in[x];
}

/* Blurs all columns at once, row by row, with one sum per column. */
static void blur_columns_by_rows(const picture *from, picture *to, int radius, float *sums) {
    int width = from->width, height = from->height;
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int y = -radius; y < radius; y++)
        add_row(from, y, 1, sums);
    for (int y = 0; y < height; y++) {
        float *out = to->pixel + (size_t)y * width;
        add_row(from, y + radius, 1, sums);
        for (int x = 0; x < width; x++)
            out[x] = sums[x] / (float)(2 * radius + 1);
        add_row(from, y - radius, -1, sums);
    }
}

static int picture_new(int width, int height, picture *out) {
    *out = (picture){width, height, malloc((size_t)width * height * sizeof(float))};
    return out->pixel != NULL;
}

/* Reads the header, then one byte per pixel. */
static int picture_read(const char *path, picture *out, unsigned char **bytes) {
    int width, height, most;
    FILE *file = fopen(path, "rb");
    int good = file && fscanf(file, "P5 %d %d %d", &width, &height, &most) == 3 && most == 255 &&
               fgetc(file) != EOF && width > 0 && height > 0 && width <= 1 << 16 &&
               height <= 1 << 16 && picture_new(width, height, out);
    size_t n = good ? (size_t)width * height : 0;
    good = good && (*bytes = malloc(n)) != NULL && fread(*bytes, 1, n, file) == n;
    for (size_t i = 0; good && i < n; i++)
        out->pixel[i] = (*bytes)[i];
    if (file)
        fclose(file);
    return good;
}

static int picture_write(const char *path, const picture *p, unsigned char *bytes) {
    size_t n = (size_t)p->width * p->height;
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(p->pixel[i] + 0.5f);
    int good =
        fprintf(file, "P5 %d %d 255\n", p->width, p->height) > 0 && fwrite(bytes, 1, n, file) == n;
    return fclose(file) == 0 && good;
}

int main(int argc, char **argv) {
    int by_rows = argc == 5 && strcmp(argv[4], "rows") == 0;
    if (argc != 4 + by_rows || atoi(argv[1]) < 1) {
        fputs("usage: blur RADIUS IN.pgm OUT.pgm [rows]\n", stderr);
        return 2;
    }
    picture in = {0}, rows = {0};
    unsigned char *bytes = NULL;
    float *sums = NULL;
    int radius = atoi(argv[1]);
    int good = picture_read(argv[2], &in, &bytes) && picture_new(in.width, in.height, &rows) &&
               (sums = malloc((size_t)in.width * sizeof *sums)) != NULL;
    if (good) {
        blur_rows(&in, &rows, radius);
        if (by_rows)
            blur_columns_by_rows(&rows, &in, radius, sums);
        else
            blur_columns(&rows, &in, radius);
        good = picture_write(argv[3], &in, bytes);
    }
    if (!good)
        fprintf(stderr, "blur: cannot read %s (8-bit PGM), or cannot write %s\n", argv[2], argv[3]);
    free(in.pixel);
    free(rows.pixel);
    free(bytes);
    free(sums);
    return !good;
}
