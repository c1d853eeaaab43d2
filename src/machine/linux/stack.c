/* Writes a program's first stack: strings at the top, below them the vectors that point to them. */
#include "machine/linux/stack.h"

#include <elf.h>
#include <string.h>

enum {
    STACK_ALIGNMENT = 16, /* RISC-V calling convention */
    OWN_ENTRIES = 3,      /* AT_RANDOM, AT_EXECFN, AT_NULL */
};

/* glibc takes its stack protector and pointer guard from these, so they are
 * fixed: the same run every time. */
static const uint8_t random_bytes[16] = {0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15,
                                         0xf3, 0x9c, 0xc0, 0x60, 0x5c, 0xed, 0xc8, 0x34};

struct writer {
    struct memory *memory;
    guest_addr pointer;
};

static guest_addr put_bytes(struct writer *writer, const void *bytes, uint64_t count)
{
    writer->pointer -= count;
    memcpy(memory_host(writer->memory, writer->pointer), bytes, count);
    return writer->pointer;
}

static void put_word(struct writer *writer, guest_addr address, uint64_t word)
{
    memcpy(memory_host(writer->memory, address), &word, sizeof word);
}

static uint64_t count_strings(char *const *strings, uint64_t *bytes)
{
    uint64_t count = 0;

    while (strings[count] != NULL) {
        *bytes += strlen(strings[count]) + 1;
        count++;
    }
    return count;
}

/* The strings stand in order, the first one lowest. */
static guest_addr put_strings(struct writer *writer, char *const *strings, uint64_t bytes)
{
    writer->pointer -= bytes;
    guest_addr at = writer->pointer;
    for (uint64_t i = 0; strings[i] != NULL; i++) {
        uint64_t length = strlen(strings[i]) + 1;
        memcpy(memory_host(writer->memory, at), strings[i], length);
        at += length;
    }
    return writer->pointer;
}

/* Pointers to `count` strings that stand one after the other, then a null. */
static guest_addr put_pointers(struct writer *writer, guest_addr at, guest_addr string,
                               char *const *strings, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        put_word(writer, at, string);
        at += 8;
        string += strlen(strings[i]) + 1;
    }
    put_word(writer, at, 0);
    return at + 8;
}

static guest_addr put_entry(struct writer *writer, guest_addr at, uint64_t type, uint64_t value)
{
    put_word(writer, at, type);
    put_word(writer, at + 8, value);
    return at + sizeof(struct auxiliary_entry);
}

bool stack_write(struct memory *memory, guest_addr top, uint64_t bytes,
                 const struct stack_request *request, struct stack_parts *parts)
{
    uint64_t argument_bytes = 0;
    uint64_t environment_bytes = 0;
    uint64_t argument_count = count_strings(request->arguments, &argument_bytes);
    uint64_t environment_count = count_strings(request->environment, &environment_bytes);
    uint64_t name_bytes = strlen(request->file_name) + 1;
    uint64_t vector_bytes =
        8 * (argument_count + environment_count + 3) +
        sizeof(struct auxiliary_entry) * ((uint64_t)request->auxiliary_count + OWN_ENTRIES);
    uint64_t fixed_bytes = sizeof random_bytes + 8 + (uint64_t)2 * STACK_ALIGNMENT;

    if (argument_bytes + environment_bytes + name_bytes + vector_bytes + fixed_bytes >
        bytes / 4 * 3) {
        return false;
    }

    struct writer writer = {memory, top};
    static const uint64_t end_marker = 0;
    put_bytes(&writer, &end_marker, sizeof end_marker);
    guest_addr name = put_bytes(&writer, request->file_name, name_bytes);
    parts->environment_end = name;
    parts->environment = put_strings(&writer, request->environment, environment_bytes);
    parts->arguments_end = parts->environment;
    parts->arguments = put_strings(&writer, request->arguments, argument_bytes);
    writer.pointer &= ~(guest_addr)(STACK_ALIGNMENT - 1);
    guest_addr random = put_bytes(&writer, random_bytes, sizeof random_bytes);

    parts->pointer = (writer.pointer - vector_bytes) & ~(guest_addr)(STACK_ALIGNMENT - 1);
    guest_addr at = parts->pointer;
    put_word(&writer, at, argument_count);
    at = put_pointers(&writer, at + 8, parts->arguments, request->arguments, argument_count);
    at = put_pointers(&writer, at, parts->environment, request->environment, environment_count);
    parts->auxiliary = at;
    for (unsigned i = 0; i < request->auxiliary_count; i++) {
        at = put_entry(&writer, at, request->auxiliary[i].type, request->auxiliary[i].value);
    }
    at = put_entry(&writer, at, AT_RANDOM, random);
    at = put_entry(&writer, at, AT_EXECFN, name);
    parts->auxiliary_end = put_entry(&writer, at, AT_NULL, 0);
    return true;
}
