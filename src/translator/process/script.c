/* Reads the first line of a script as Linux does. */
#include "translator/process/execve.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *skip_blanks(char *at)
{
    while (is_blank(*at)) {
        at++;
    }
    return at;
}

static char *find_blank(char *at)
{
    while (*at != '\0' && !is_blank(*at)) {
        at++;
    }
    return at;
}

/* Cuts the line off at its end, or where no more of it is read; false if that may be within
 * the interpreter's name. */
static bool end_line(char *line)
{
    for (size_t i = 2; i < SCRIPT_BYTES; i++) {
        if (line[i] == '\n' || line[i] == '\0') {
            while (i > 2 && is_blank(line[i - 1])) {
                i--;
            }
            line[i] = '\0';
            return true;
        }
    }
    line[SCRIPT_BYTES - 1] = '\0';
    return *find_blank(skip_blanks(line + 2)) != '\0';
}

bool script_read(struct script *script, const uint8_t *bytes, size_t count)
{
    if (count < 2 || bytes[0] != '#' || bytes[1] != '!') {
        return false;
    }
    __builtin_memset(script->line, 0, sizeof script->line);
    __builtin_memcpy(script->line, bytes, count < SCRIPT_BYTES ? count : SCRIPT_BYTES);
    if (!end_line(script->line)) {
        return false;
    }
    char *name = skip_blanks(script->line + 2);
    char *end = find_blank(name);
    script->interpreter = name;
    script->argument = NULL;
    if (*end != '\0') {
        *end = '\0';
        script->argument = skip_blanks(end + 1);
    }
    return *name != '\0';
}
