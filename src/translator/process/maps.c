/* The program's mappings as /proc/self/maps shows them: without Strata's own, and with its heap. */
#include "translator/fragment/protect.h"
#include "translator/process/own.h"
#include "translator/process/self.h"

#include <asm/unistd.h>

#define PAGE_BYTES UINT64_C(4096)
#define NAME_COLUMN 73
/* A path, and what stands before it. */
#define LINE_BYTES 4352
#define RANGE_DIGITS 8

/* The kernel's list, line by line. */
struct lines {
    int64_t fd;
    size_t at, length;
    char buffer[4096];
    char line[LINE_BYTES]; /* with a zero instead of its end */
};

static bool read_more(struct lines *lines)
{
    const int64_t got = host_call(__NR_read, lines->fd, lines->buffer, sizeof lines->buffer);

    lines->at = 0;
    lines->length = host_is_error(got) ? 0 : (size_t)got;
    return lines->length > 0;
}

static bool read_line(struct lines *lines)
{
    size_t length = 0;

    for (;;) {
        if (lines->at == lines->length && !read_more(lines)) {
            lines->line[length] = '\0';
            return length > 0;
        }
        const char c = lines->buffer[lines->at++];
        if (c == '\n') {
            lines->line[length] = '\0';
            return true;
        }
        if (length < sizeof lines->line - 1) {
            lines->line[length++] = c;
        }
    }
}

static const char *read_hexadecimal(const char *at, uint64_t *value)
{
    for (*value = 0;; at++) {
        if (*at >= '0' && *at <= '9') {
            *value = *value << 4 | (uint64_t)(*at - '0');
        } else if (*at >= 'a' && *at <= 'f') {
            *value = *value << 4 | (uint64_t)(*at - 'a' + 10);
        } else {
            return at;
        }
    }
}

/* What follows the range, or NULL if the line does not begin with one. */
static const char *read_range(const char *line, struct code_range *range)
{
    const char *at = read_hexadecimal(line, &range->start);

    if (at == line || *at != '-') {
        return NULL;
    }
    at = read_hexadecimal(at + 1, &range->end);
    return *at == ' ' ? at : NULL;
}

static size_t put_address(struct output *output, uint64_t value)
{
    char digits[17];
    char *at = digits + sizeof digits;

    *--at = '\0';
    do {
        *--at = "0123456789abcdef"[value % 16];
        value /= 16;
    } while (value != 0 || at > digits + sizeof digits - 1 - RANGE_DIGITS);
    output_string(output, at);
    return (size_t)(digits + sizeof digits - 1 - at);
}

/* However long it is; returns how long. */
static size_t put_text(struct output *output, const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        length++;
    }
    output_bytes(output, text, length);
    return length;
}

/* Permissions, offset, device and inode; a name would follow. */
static bool has_name(const char *rest)
{
    unsigned words = 0;

    for (; *rest != '\0'; rest++) {
        words += rest[0] == ' ' && rest[1] != ' ' && rest[1] != '\0';
    }
    return words > 4;
}

/* Permissions and all that follows.  What Strata has protected may be written to, as far as the program knows. */
static size_t put_rest(const struct translator *translator, struct output *output, guest_addr start,
                       const char *rest)
{
    static const char writable[] = " rw";

    if (rest[1] == 'r' && rest[2] == '-' && protect_owns(translator, start)) {
        output_string(output, writable);
        return sizeof writable - 1 + put_text(output, rest + sizeof writable - 1);
    }
    return put_text(output, rest);
}

/* A mapping, or what is left of one, all of it heap or nothing. */
static void put_piece(const struct translator *translator, struct output *output,
                      struct code_range piece, const char *rest, bool heap)
{
    size_t length = put_address(output, piece.start);

    output_string(output, "-");
    length += 1 + put_address(output, piece.end);
    length += put_rest(translator, output, piece.start, rest);
    if (heap) {
        output_pad(output, length, NAME_COLUMN);
        output_string(output, "[heap]");
    }
    output_string(output, "\n");
}

static guest_addr heap_end(const struct translator *translator)
{
    return (translator->brk_end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* Cuts it where the heap begins and ends. */
static void put_mapping(const struct translator *translator, struct output *output,
                        struct code_range range, const char *rest)
{
    const guest_addr cuts[] = {translator->brk_start, heap_end(translator)};
    const bool anonymous = !has_name(rest);

    for (unsigned i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        if (anonymous && cuts[i] > range.start && cuts[i] < range.end) {
            put_piece(translator, output, (struct code_range){range.start, cuts[i]}, rest, i == 1);
            range.start = cuts[i];
        }
    }
    put_piece(translator, output, range, rest,
              anonymous && range.start >= cuts[0] && range.end <= cuts[1]);
}

/* Whether anything of it is the program's. */
static bool put_others(struct translator *translator, struct output *output,
                       struct code_range range, const char *rest)
{
    struct code_range own;
    bool any = false;

    while (range.start < range.end && own_find(translator, range.start, range.end, &own)) {
        if (own.start > range.start) {
            put_mapping(translator, output, (struct code_range){range.start, own.start}, rest);
            any = true;
        }
        range.start = own.end;
    }
    if (range.start < range.end) {
        put_mapping(translator, output, range, rest);
        any = true;
    }
    return any;
}

/* In smaps, lines about the mapping follow. */
void maps_put(struct translator *translator, int64_t from, struct output *output)
{
    struct lines lines = {.fd = from, .at = 0, .length = 0};
    struct code_range range;
    bool shown = false;

    while (read_line(&lines)) {
        const char *rest = read_range(lines.line, &range);
        if (rest != NULL) {
            shown = put_others(translator, output, range, rest);
        } else if (shown) {
            put_text(output, lines.line);
            output_string(output, "\n");
        }
    }
}
