/* Text that grows as it is printed. */
#include "text.h"
#include "program.h"

void text_print_list(struct text *text, const char *format, va_list arguments)
{
    if (text->space - text->used < TEXT_PIECE_BYTES) {
        text->space = text->space * 2 + 4096;
        text->bytes = realloc(text->bytes, text->space);
        program_check(text->bytes != NULL, "memory for the text");
    }
    int written = vsnprintf(text->bytes + text->used, text->space - text->used, format, arguments);
    program_check(written >= 0 && written < TEXT_PIECE_BYTES, "a piece of text fits");
    text->used += (size_t)written;
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(text, format, arguments);
    va_end(arguments);
}
