/* Fuzzes the ELF reader: it stays in bounds, and what it accepts keeps the promises of image.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "elf/image.h"
#include "fuzz.h"

static bool within(uint64_t start, uint64_t bytes, uint64_t limit)
{
    uint64_t end;

    return !__builtin_add_overflow(start, bytes, &end) && end <= limit;
}

static const struct elf_segment *segment_at(const struct elf_image *image, uint64_t address)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (address >= segment->address && address < segment->address + segment->memory_bytes) {
            return segment;
        }
    }
    return NULL;
}

static void check_segments(const struct elf_image *image, uint64_t file_bytes)
{
    uint64_t end = 0;

    ASSERT(image->segment_count >= 1 && image->segment_count <= ELF_MAX_SEGMENTS);
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        ASSERT(segment->memory_bytes > 0);
        ASSERT(segment->file_bytes <= segment->memory_bytes);
        ASSERT(within(segment->address, segment->memory_bytes, ELF_ADDRESS_LIMIT));
        ASSERT(segment->address >= end);
        ASSERT(segment->permissions <= (ELF_READ | ELF_WRITE | ELF_EXECUTE));
        if (segment->file_bytes > 0) {
            ASSERT(within(segment->file_offset, segment->file_bytes, file_bytes));
            ASSERT(segment->address % ELF_PAGE_BYTES == segment->file_offset % ELF_PAGE_BYTES);
        }
        end = segment->address + segment->memory_bytes;
    }
    ASSERT(image->low == image->segments[0].address);
    ASSERT(image->high == end);
}

static void check_image(const struct elf_image *image, enum elf_status status, uint16_t machine,
                        uint64_t file_bytes)
{
    ASSERT(image->machine == machine);
    ASSERT(image->phdr_size == ELF_PHDR_BYTES);
    ASSERT(image->phdr_count >= image->segment_count);
    check_segments(image, file_bytes);
    if (image->has_interpreter) {
        ASSERT(image->interpreter_bytes >= 2);
        ASSERT(image->interpreter_bytes <= ELF_MAX_INTERPRETER_BYTES);
        ASSERT(within(image->interpreter_offset, image->interpreter_bytes, file_bytes));
    }
    if (image->phdr_address != 0) {
        const struct elf_segment *segment = segment_at(image, image->phdr_address);
        ASSERT(segment != NULL);
        ASSERT(within(image->phdr_address - segment->address,
                      (uint64_t)image->phdr_count * image->phdr_size, segment->file_bytes));
    }
    const struct elf_segment *first = segment_at(image, image->entry);
    bool header = first != NULL && first->file_bytes > 0 &&
                  image->entry - first->address + first->file_offset == 0;
    bool startable = first != NULL && !header && (first->permissions & ELF_EXECUTE) != 0 &&
                     (machine != ELF_MACHINE_RISCV || image->entry % 2 == 0);
    ASSERT(startable == (status == ELF_OK));
    ASSERT(status != ELF_NO_ENTRY || (image->position_independent && image->entry == 0));
}

/* Through a heap copy of just the available bytes, so that a sanitizer sees a byte too many. */
static void check_read(const uint8_t *data, size_t available, uint64_t file_bytes, uint16_t machine)
{
    uint8_t *copy = malloc(available > 0 ? available : 1);
    struct elf_image image;

    ASSERT(copy != NULL);
    if (available > 0) {
        memcpy(copy, data, available);
    }
    enum elf_status status = elf_read(&image, copy, available, file_bytes, machine);
    free(copy);
    ASSERT(status < ELF_STATUS_COUNT);
    ASSERT(elf_status_message(status)[0] != '\0');
    if (status == ELF_OK || status == ELF_NO_ENTRY || status == ELF_BAD_ENTRY) {
        check_image(&image, status, machine, file_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t unread_bytes[] = {0, 1, 1 << 20, UINT64_C(1) << 62};

    for (size_t i = 0; i < sizeof unread_bytes / sizeof unread_bytes[0]; i++) {
        check_read(data, size, size + unread_bytes[i], ELF_MACHINE_RISCV);
    }
    check_read(data, size, size, ELF_MACHINE_X86_64);
    check_read(data, size / 2, size, ELF_MACHINE_RISCV);
    return 0;
}
