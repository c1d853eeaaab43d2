/* Cuts input into blocks, shortens their long runs, and writes each sorted and coded. */
#include "compress.h"
#include "program.h"
#include "tables.h"

struct compressor {
    const struct crc *crc;
    struct bit_writer writer;
    struct sort *sort; /* its bytes are the block being filled */
    uint32_t block_limit;
    uint32_t block_crc;
    uint32_t stream_crc;
    int run_byte; /* -1: none yet */
    unsigned run_length;
    struct front front;
    struct tables tables;
    struct compress_counts *counts;
};

static void begin_block(struct compressor *compressor)
{
    compressor->sort->size = 0;
    compressor->block_crc = CRC_START;
}

static void put(struct compressor *compressor, unsigned byte)
{
    compressor->sort->bytes[compressor->sort->size++] = (uint8_t)byte;
}

static void put_run(struct compressor *compressor)
{
    unsigned byte = (unsigned)compressor->run_byte, length = compressor->run_length;
    for (unsigned i = 0; i < length; i++) {
        compressor->block_crc = crc_add(compressor->crc, compressor->block_crc, (uint8_t)byte);
    }
    for (unsigned i = 0; i < length && i < RUN_MIN; i++) {
        put(compressor, byte);
    }
    if (length >= RUN_MIN) {
        put(compressor, length - RUN_MIN);
    }
}

static uint32_t find_origin(const struct sort *sort)
{
    uint32_t origin = 0;
    while (sort->order[origin] != 0) {
        origin++;
    }
    return origin;
}

static void write_block(struct compressor *compressor)
{
    struct sort *sort = compressor->sort;
    if (sort->size == 0) {
        return;
    }
    uint32_t crc = crc_end(compressor->block_crc);
    compressor->stream_crc = crc_combine(compressor->stream_crc, crc);
    sort_block(sort, &compressor->counts->sorts);
    front_encode(&compressor->front, sort);
    tables_fit(&compressor->tables, &compressor->front);
    bits_write_long(&compressor->writer, BLOCK_MAGIC, 48);
    bits_write(&compressor->writer, crc, 32);
    bits_write(&compressor->writer, 0, 1);
    bits_write(&compressor->writer, find_origin(sort), 24);
    tables_write(&compressor->tables, &compressor->front, &compressor->writer);
    compressor->counts->blocks++;
    begin_block(compressor);
}

static void add_byte(struct compressor *compressor, uint8_t byte)
{
    if (byte == compressor->run_byte && compressor->run_length < RUN_MAX) {
        compressor->run_length++;
        return;
    }
    put_run(compressor);
    compressor->run_byte = byte;
    compressor->run_length = 1;
    if (compressor->sort->size >= compressor->block_limit) {
        write_block(compressor);
    }
}

size_t compress(const struct crc *crc, const uint8_t *input, size_t size, unsigned level,
                uint8_t *stream, size_t capacity, struct compress_counts *counts)
{
    struct compressor *compressor = program_allocate(1, sizeof *compressor);
    uint32_t block = format_block_limit(level, size);
    memset(counts, 0, sizeof *counts);
    compressor->crc = crc;
    compressor->counts = counts;
    compressor->writer = (struct bit_writer){.bytes = stream, .capacity = capacity};
    compressor->sort = sort_create(block);
    compressor->front.symbols = program_allocate(block + 1, sizeof *compressor->front.symbols);
    compressor->block_limit = block - BLOCK_RESERVE;
    compressor->run_byte = -1;
    bits_write(&compressor->writer, 'B', 8);
    bits_write(&compressor->writer, 'Z', 8);
    bits_write(&compressor->writer, 'h', 8);
    bits_write(&compressor->writer, '0' + level, 8);
    begin_block(compressor);
    for (size_t i = 0; i < size; i++) {
        add_byte(compressor, input[i]);
    }
    put_run(compressor);
    write_block(compressor);
    bits_write_long(&compressor->writer, END_MAGIC, 48);
    bits_write(&compressor->writer, compressor->stream_crc, 32);
    bits_write_align(&compressor->writer);
    size_t used = compressor->writer.full ? 0 : compressor->writer.used;
    free(compressor->front.symbols);
    sort_destroy(compressor->sort);
    free(compressor);
    return used;
}
