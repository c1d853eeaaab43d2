/* Reads the study's text files line by line, and says in one line what is wrong with one. */
#include "study/script.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Far more than any experiment needs; a wrong file is noticed before it fills the memory. */
#define SCRIPT_BYTES_MAX (1u << 20)

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool script_wrong(struct script *script, const char *format, ...)
{
    if (script->problem[0] != '\0') {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = script->line > 0
                     ? snprintf(script->problem, sizeof script->problem, "%s:%u: ", script->path,
                                script->line)
                     : snprintf(script->problem, sizeof script->problem, "%s: ", script->path);
    if (length >= 0 && length < (int)sizeof script->problem) {
        vsnprintf(script->problem + length, sizeof script->problem - (size_t)length, format,
                  arguments);
    }
    va_end(arguments);
    return false;
}

bool script_begin(struct script *script, struct pool *pool, const char *path, const char *text,
                  size_t bytes)
{
    *script = (struct script){.pool = pool, .path = path};
    if (bytes > SCRIPT_BYTES_MAX) {
        return script_wrong(script, "is larger than %u bytes", SCRIPT_BYTES_MAX);
    }
    script->text = pool_copy(pool, text, bytes);
    script->end = script->text + bytes;
    return true;
}

bool script_open(struct script *script, struct pool *pool, const char *path)
{
    *script = (struct script){.pool = pool, .path = path};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return script_wrong(script, "%s", strerror(errno));
    }
    char *text = malloc(SCRIPT_BYTES_MAX + 1);
    const size_t bytes = text != NULL ? fread(text, 1, SCRIPT_BYTES_MAX + 1, file) : 0;
    const int error = errno;
    bool read = text != NULL && !ferror(file);
    fclose(file);
    if (read) {
        read = script_begin(script, pool, path, text, bytes);
    } else {
        script_wrong(script, "%s", strerror(error));
    }
    free(text);
    return read;
}

/* Ends the line before its comment.  A `#` inside quotes or a word is none. */
static void cut_comment(char *line)
{
    bool quoted = false;
    for (char *at = line; *at != '\0'; at++) {
        if (*at == '"') {
            quoted = !quoted;
        } else if (*at == '#' && !quoted && (at == line || is_space(at[-1]))) {
            *at = '\0';
            return;
        }
    }
}

static void skip_space(struct script *script)
{
    while (is_space(*script->next)) {
        script->next++;
    }
}

/* What is not UTF-8 could not be written into the results. */
static bool is_text(const char *line, size_t length)
{
    json_t *string = json_stringn(line, length);
    const bool valid = string != NULL && memchr(line, '\0', length) == NULL;
    json_decref(string);
    return valid;
}

bool script_next_line(struct script *script)
{
    while (script->problem[0] == '\0' && script->text < script->end) {
        char *line = script->text;
        char *newline = memchr(line, '\n', (size_t)(script->end - line));
        char *end = newline != NULL ? newline : script->end;
        script->line++;
        script->text = newline != NULL ? newline + 1 : script->end;
        if (!is_text(line, (size_t)(end - line))) {
            return script_wrong(script, "is not UTF-8 text");
        }
        *end = '\0'; /* there is a byte behind the last line, too */
        cut_comment(line);
        script->next = line;
        skip_space(script);
        if (*script->next != '\0') {
            return true;
        }
    }
    return false;
}

const char *script_take_quoted(struct script *script)
{
    skip_space(script);
    if (*script->next != '"') {
        return NULL;
    }
    char *start = script->next + 1;
    char *quote = strchr(start, '"');
    if (quote == NULL) {
        script_wrong(script, "a quote is not closed");
        return NULL;
    }
    script->next = quote + 1;
    return pool_copy(script->pool, start, (size_t)(quote - start));
}

const char *script_take_word(struct script *script)
{
    skip_space(script);
    if (*script->next == '"') {
        return script_take_quoted(script);
    }
    char *start = script->next;
    while (*script->next != '\0' && !is_space(*script->next)) {
        script->next++;
    }
    return script->next == start ? NULL
                                 : pool_copy(script->pool, start, (size_t)(script->next - start));
}

const char *script_take_raw(struct script *script)
{
    skip_space(script);
    char *start = script->next;
    char *end = start + strcspn(start, "\"");
    script->next = end;
    while (end > start && is_space(end[-1])) {
        end--;
    }
    return end == start ? NULL : pool_copy(script->pool, start, (size_t)(end - start));
}

bool script_line_is_over(const struct script *script)
{
    const char *next = script->next;
    while (is_space(*next)) {
        next++;
    }
    return *next == '\0';
}
