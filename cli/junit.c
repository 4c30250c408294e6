/* Writes verdicts as JUnit XML. See junit.h. */
#include "junit.h"

#include "output_file.h"

#include <stdlib.h>

static size_t count(const verdict *verdicts, size_t n, verdict_kind kind) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += verdicts[i].kind == kind;
    return found;
}

/* Writes an attribute. Characters that XML forbids are escaped as in messages, and characters that
 * have a meaning in XML are escaped as XML entities. */
static void put_attribute(FILE *out, const char *name, const char *text) {
    char *clean = escaped_copy(text);
    fprintf(out, " %s=\"", name);
    for (const char *c = clean ? clean : "out of memory"; *c; c++) {
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else
            fputc(*c, out);
    }
    fputc('"', out);
    free(clean);
}

static void put_case(FILE *out, const verdict *v) {
    fputs("    <testcase", out);
    put_attribute(out, "classname", v->name);
    put_attribute(out, "name", v->rule);
    fputs(" time=\"0\">\n", out);
    if (v->kind == VERDICT_PASSED) {
        fputs("      <properties>\n        <property name=\"measured\"", out);
        put_attribute(out, "value", v->why);
        fputs("/>\n      </properties>\n", out);
    } else {
        fputs(v->kind == VERDICT_FAILED ? "      <failure" : "      <error", out);
        put_attribute(out, "message", v->why);
        fputs(" type=\"rule\"/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void put_totals(FILE *out, const char *element, const verdict *verdicts, size_t n) {
    fprintf(out, "<%s name=\"reusedist compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
            element, n, count(verdicts, n, VERDICT_FAILED), count(verdicts, n, VERDICT_UNKNOWN));
    fputs(" time=\"0\">\n", out);
}

int junit_write(rd_ctx *ctx, const char *path, const verdict *verdicts, size_t n) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return fail("out of memory");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    put_totals(out, "testsuites", verdicts, n);
    fputs("  ", out);
    put_totals(out, "testsuite", verdicts, n);
    for (size_t i = 0; i < n; i++)
        put_case(out, &verdicts[i]);
    fputs("  </testsuite>\n</testsuites>\n", out);
    bool whole = !ferror(out);
    int exit_status = fclose(out) == 0 && whole ? output_text(ctx, path, text, size)
                                                : fail("%s: out of memory", path);
    free(text);
    return exit_status;
}
