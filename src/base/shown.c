/* Names as a person reads them: whatever they hold, they neither move a terminal's cursor nor end a line. */
#include "base/shown.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Characters that are there to be obeyed, not to be seen, above ASCII: Unicode's control characters, line ends, and
 * marks and overrides of the direction of writing. */
static const struct {
    uint32_t first, last;
} hidden[] = {{0x80, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e},
              {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

static bool is_hidden(uint32_t character)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (character >= hidden[i].first && character <= hidden[i].last) {
            return true;
        }
    }
    return false;
}

/* The length of the character above ASCII that `text` begins with, and which it is; 0 if that is not UTF-8. */
static size_t decode(const uint8_t *text, size_t count, uint32_t *character)
{
    const size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0 || length > count) {
        return 0;
    }
    uint32_t value = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (text[i] & 0x3f);
    }
    *character = value;
    return value < lowest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)
               ? 0
               : length;
}

size_t shown_take(const char *text, size_t count, char shown[SHOWN_BYTES])
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t character = bytes[0];
    const size_t length = bytes[0] < 0x80 ? 1 : decode(bytes, count, &character);
    struct text put;
    text_begin(&put, shown, SHOWN_BYTES);
    if (length == 0 || bytes[0] < ' ' || bytes[0] == 0x7f) {
        text_put_string(&put, "\\x");
        text_put_hex(&put, bytes[0], 2);
        return 1;
    }
    if (length > 1 && is_hidden(character)) {
        text_put_string(&put, "\\u");
        text_put_hex(&put, character, 4);
        return length;
    }
    for (size_t i = 0; i < length; i++) {
        text_put_char(&put, text[i]);
    }
    return length;
}
