/* Memory pools, the set of strings, and growing text. */
#include "parser.h"

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 8 };

struct pool_block {
    struct pool_block *next;
    size_t bytes;
    char data[];
};

static struct pool_block *block_create(size_t bytes)
{
    struct pool_block *block = program_allocate(1, sizeof *block + bytes);
    block->bytes = bytes;
    return block;
}

/* Keeps one block, so that a pool that is cleared for each sentence does not go to the heap. */
void pool_clear(struct pool *pool)
{
    if (pool->block == NULL) {
        return;
    }
    while (pool->block->next != NULL) {
        struct pool_block *next = pool->block->next;
        free(pool->block);
        pool->block = next;
    }
    pool->next = pool->block->data;
    pool->left = pool->block->bytes;
}

void pool_destroy(struct pool *pool)
{
    while (pool->block != NULL) {
        struct pool_block *next = pool->block->next;
        free(pool->block);
        pool->block = next;
    }
    memset(pool, 0, sizeof *pool);
}

/* Zeroed memory. */
void *pool_take(struct pool *pool, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > pool->left) {
        size_t wanted = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct pool_block *block = block_create(wanted);
        block->next = pool->block;
        pool->block = block;
        pool->next = block->data;
        pool->left = wanted;
    }
    void *memory = pool->next;
    pool->next += bytes;
    pool->left -= bytes;
    return memset(memory, 0, bytes);
}

static size_t hash_text(const char *text)
{
    size_t hash = 5381;
    for (; *text != '\0'; text++) {
        hash = hash * 33 + (unsigned char)*text;
    }
    return hash;
}

void string_set_create(struct string_set *set)
{
    memset(set, 0, sizeof *set);
    set->slots = 211;
    set->slot = program_allocate(set->slots, sizeof *set->slot);
}

void string_set_destroy(struct string_set *set)
{
    pool_destroy(&set->pool);
    free(set->slot);
}

static size_t find_slot(const struct string_set *set, const char *text)
{
    size_t hash = hash_text(text);
    size_t step = 1 + hash % (set->slots - 2);
    size_t at = hash % set->slots;
    while (set->slot[at] != NULL && strcmp(set->slot[at], text) != 0) {
        at += step;
        if (at >= set->slots) {
            at -= set->slots;
        }
    }
    return at;
}

static int is_prime(size_t number)
{
    for (size_t divisor = 3; divisor * divisor <= number; divisor += 2) {
        if (number % divisor == 0) {
            return 0;
        }
    }
    return 1;
}

static size_t next_prime(size_t start)
{
    size_t number = start | 1;
    while (!is_prime(number)) {
        number += 2;
    }
    return number;
}

static void string_set_grow(struct string_set *set)
{
    struct string_set old = *set;
    set->slots = next_prime(2 * old.slots);
    set->slot = program_allocate(set->slots, sizeof *set->slot);
    for (size_t i = 0; i < old.slots; i++) {
        if (old.slot[i] != NULL) {
            set->slot[find_slot(set, old.slot[i])] = old.slot[i];
        }
    }
    free(old.slot);
}

const char *string_set_find(const struct string_set *set, const char *text)
{
    return set->slot[find_slot(set, text)];
}

const char *string_set_add(struct string_set *set, const char *text)
{
    size_t at = find_slot(set, text);
    if (set->slot[at] != NULL) {
        return set->slot[at];
    }
    size_t bytes = strlen(text) + 1;
    char *copy = pool_take(&set->pool, bytes);
    memcpy(copy, text, bytes);
    set->slot[at] = copy;
    set->count++;
    if (4 * set->count > 3 * set->slots) {
        string_set_grow(set);
    }
    return copy;
}

static void text_reserve(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->room) {
        return;
    }
    size_t room = text->room == 0 ? 4096 : text->room;
    while (room < text->length + more + 1) {
        room *= 2;
    }
    char *data = program_allocate(room, 1);
    if (text->data != NULL) {
        memcpy(data, text->data, text->length);
    }
    free(text->data);
    text->data = data;
    text->room = room;
}

void text_append(struct text *text, const char *more)
{
    size_t length = strlen(more);
    text_reserve(text, length);
    memcpy(text->data + text->length, more, length + 1);
    text->length += length;
}

void text_append_char(struct text *text, char c)
{
    text_reserve(text, 1);
    text->data[text->length++] = c;
    text->data[text->length] = '\0';
}

void text_append_number(struct text *text, long number)
{
    char digits[24];
    int at = (int)sizeof digits;
    unsigned long rest = number < 0 ? (unsigned long)-number : (unsigned long)number;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0) {
        digits[--at] = '-';
    }
    text_append(text, digits + at);
}

void text_destroy(struct text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

uint64_t text_digest(const struct text *text)
{
    uint64_t digest = text->length;
    for (size_t i = 0; i < text->length; i++) {
        digest = (digest ^ (unsigned char)text->data[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}
