/* The table of identifiers: one entry for each spelling, keywords first. */
#include "token.h"

static uint32_t names_hash(const char *text, int length)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

static void names_grow(struct arena *arena, struct name_table *table)
{
    uint32_t count = table->bucket_count * 2;
    struct name **buckets = arena_array(arena, (int)count, sizeof(struct name *));
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (struct name *name = table->buckets[i], *next; name != NULL; name = next) {
            next = name->next;
            name->next = buckets[name->hash & (count - 1)];
            buckets[name->hash & (count - 1)] = name;
        }
    }
    table->buckets = buckets;
    table->bucket_count = count;
}

struct name *names_intern(struct arena *arena, struct name_table *table, const char *text,
                          int length)
{
    uint32_t hash = names_hash(text, length);
    for (struct name *name = table->buckets[hash & (table->bucket_count - 1)]; name != NULL;
         name = name->next) {
        if (name->hash == hash && name->length == length &&
            memcmp(name->text, text, (size_t)length) == 0) {
            return name;
        }
    }
    if ((uint32_t)table->count >= table->bucket_count) {
        names_grow(arena, table);
    }
    struct name *name = arena_take(arena, sizeof *name);
    name->text = arena_copy_text(arena, text, length);
    name->length = length;
    name->hash = hash;
    name->kind = TOKEN_NAME;
    name->next = table->buckets[hash & (table->bucket_count - 1)];
    table->buckets[hash & (table->bucket_count - 1)] = name;
    table->count++;
    return name;
}

void names_start(struct arena *arena, struct name_table *table)
{
    static const struct {
        const char *text;
        enum token_kind kind;
    } keywords[] = {
#define PUNCTUATOR(name, text)
#define KEYWORD(name, text) {text, TOKEN_##name},
#include "token.def"
#undef PUNCTUATOR
#undef KEYWORD
    };
    table->bucket_count = 64;
    table->count = 0;
    table->buckets = arena_array(arena, (int)table->bucket_count, sizeof(struct name *));
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        names_intern(arena, table, keywords[i].text, (int)strlen(keywords[i].text))->kind =
            keywords[i].kind;
    }
}
