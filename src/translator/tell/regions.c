/* Writes what became of the regions of --region into the statistics. */
#include "translator/detect/regions.h"
#include "translator/tell/regions.h"

/* As a string of JSON. */
static void put_text(struct output *output, const char *text, unsigned length)
{
    output_string(output, "\"");
    for (unsigned i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < ' ') {
            output_string(output, "\\u00");
            output_bytes(output, &"0123456789abcdef"[c >> 4], 1);
            output_bytes(output, &"0123456789abcdef"[c & 15], 1);
        } else {
            output_bytes(output, "\\", c == '"' || c == '\\');
            output_bytes(output, &text[i], 1);
        }
    }
    output_string(output, "\"");
}

static void put_number(struct output *output, const char *key, uint64_t value)
{
    output_string(output, ",\n  \"");
    output_string(output, key);
    output_string(output, "\": ");
    output_unsigned(output, value);
}

static void put_word(struct translator *translator, struct output *output, unsigned number)
{
    const struct region_word *word = &translator->options.regions->words[number];

    output_string(output, number == 0 ? "\n   {\"region\": " : ",\n   {\"region\": ");
    put_text(output, word->text, word->length);
    if (!word->times) {
        output_string(output, word->mapped ? ", \"mapped\": true" : ", \"mapped\": false");
        output_string(output, ", \"heads\": ");
        output_unsigned(output, regions_count_heads(translator, number));
    }
    output_string(output, "}");
}

void regions_put(struct translator *translator, struct output *output)
{
    const struct regions *regions = translator->options.regions;

    if (regions == NULL) {
        return;
    }
    regions_look(translator);
    output_string(output, " \"regions\": {\n  \"chosen\": [");
    for (unsigned i = 0; i < regions->word_count; i++) {
        put_word(translator, output, i);
    }
    output_string(output, "\n  ]");
    put_number(output, "heads_outside", regions->heads_outside);
    put_number(output, "finds_outside", regions->finds_outside);
    put_number(output, "too_early", regions->too_early);
    put_number(output, "too_late", regions->too_late);
    output_string(output, "\n },\n");
}
