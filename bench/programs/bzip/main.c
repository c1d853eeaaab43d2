/* bzip: compresses and decompresses generated data by block sorting, in blocks of two sizes. */
#include "compress.h"
#include "corpus.h"
#include "decompress.h"

/* A text that comes again and again is what the fallback of the sorting is for. */
enum { KIND_REPEATED = CORPUS_KINDS, KINDS, LEVELS_MAX = 2, REPEATS = 100 };

struct workload {
    size_t bytes[KINDS];
    unsigned levels;
    unsigned level[LEVELS_MAX];
};

static const struct workload workloads[SIZES] = {
    {{5200, 600, 400, 200, 1600, 800}, 1, {1, 0}},
    {{40000, 40000, 30000, 12000, 40000, 20000}, 1, {1, 0}},
    {{910000, 400000, 250000, 60000, 500000, 120000}, 2, {2, 9}}};

struct session {
    struct corpus *corpus;
    struct crc crc;
    uint8_t *input;
    uint8_t *stream;
    size_t stream_capacity;
    struct decompress_output output;
    uint64_t digest;
};

/* A stream that another compressor made: writer and reader here could agree on an error. */
static void check_foreign_stream(struct session *session)
{
    static const char text[] = "a rose is a rose is a rose, and a hose is no rose; "
                               "a rose is a rose is a rose, and a hose is no rose; "
                               "a rose is a rose is a rose, and a hose is no rose; the end of it.";
    static const uint8_t stream[] = {
        0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xae, 0xf1, 0xc1, 0xc9, 0x00,
        0x00, 0x1b, 0x99, 0x80, 0x40, 0x05, 0x00, 0x08, 0x27, 0x61, 0x9c, 0x00, 0x20, 0x00, 0x48,
        0x45, 0x28, 0xf5, 0x36, 0x93, 0x00, 0x6d, 0x4d, 0x40, 0xd0, 0x0f, 0x99, 0x36, 0x32, 0xd5,
        0x30, 0x85, 0xe5, 0xb4, 0xa1, 0xa6, 0xac, 0xf2, 0x1f, 0xdc, 0x42, 0x9b, 0x0d, 0x61, 0x5f,
        0x6f, 0x4c, 0x46, 0x49, 0x66, 0x08, 0xf2, 0x24, 0x84, 0x34, 0x8f, 0x09, 0x48, 0x10, 0xfe,
        0x2e, 0xe4, 0x8a, 0x70, 0xa1, 0x21, 0x5d, 0xe3, 0x83, 0x92};
    program_check(decompress(&session->crc, stream, sizeof stream, &session->output) ==
                      DECOMPRESS_OK,
                  "a foreign stream is read");
    program_check(session->output.size == sizeof text - 1 &&
                      memcmp(session->output.bytes, text, sizeof text - 1) == 0,
                  "a foreign stream's text");
}

static int compare_rotations(const struct sort *sort, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < sort->size; i++) {
        int difference = sort->bytes[(a + i) % sort->size] - sort->bytes[(b + i) % sort->size];
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

/* Every rotation once, and none before a lesser one. */
static void check_order(const struct sort *sort, const char *what)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sort->size; i++) {
        sum += sort->order[i];
        program_check(i == 0 || compare_rotations(sort, sort->order[i - 1], sort->order[i]) <= 0,
                      what);
    }
    program_check(sum == (uint64_t)sort->size * (sort->size - 1) / 2, what);
}

static void check_sorts(struct session *session)
{
    enum { SIZE = 600 };
    struct sort *sort = sort_create(SIZE);
    sort->size = SIZE;
    corpus_fill(session->corpus, CORPUS_TEXT, sort->bytes, SIZE);
    memcpy(sort->bytes + SIZE, sort->bytes, SORT_OVERSHOOT);
    program_check(sort_quick(sort), "a text is sorted by buckets");
    check_order(sort, "buckets sort");
    sort_fallback(sort);
    check_order(sort, "the fallback sorts");
    sort_destroy(sort);
}

static void check_damage(struct session *session, size_t size)
{
    for (size_t at = 20; at < size; at += size / 2) {
        session->stream[at] ^= 0x10;
        program_check(decompress(&session->crc, session->stream, size, &session->output) !=
                          DECOMPRESS_OK,
                      "a damaged stream is refused");
        session->stream[at] ^= 0x10;
    }
    program_check(decompress(&session->crc, session->stream, size / 2, &session->output) !=
                      DECOMPRESS_OK,
                  "half a stream is refused");
}

static size_t round_trip(struct session *session, size_t size, unsigned level)
{
    struct compress_counts counts;
    size_t used = compress(&session->crc, session->input, size, level, session->stream,
                           session->stream_capacity, &counts);
    program_check(used != 0, "the stream fits its bound");
    program_check(decompress(&session->crc, session->stream, used, &session->output) ==
                      DECOMPRESS_OK,
                  "the stream is read");
    program_check(session->output.size == size &&
                      memcmp(session->output.bytes, session->input, size) == 0,
                  "decompression gives the input");
    printf("  level %u: %zu bytes in %" PRIu32 " blocks, sorted %" PRIu32 " by buckets, %" PRIu32
           " by doubling, %" PRIu32 " of them given up by the former\n",
           level, used, counts.blocks, counts.sorts.quick, counts.sorts.fallback,
           counts.sorts.given_up);
    session->digest = program_mix(session->digest, used);
    for (size_t i = 0; i < used; i++) {
        session->digest = program_mix(session->digest, session->stream[i]);
    }
    return used;
}

static void make_input(struct session *session, unsigned kind, size_t size)
{
    if (kind < CORPUS_KINDS) {
        corpus_fill(session->corpus, (enum corpus_kind)kind, session->input, size);
        return;
    }
    size_t period = size / REPEATS;
    corpus_fill(session->corpus, CORPUS_SOURCE, session->input, period);
    for (size_t i = period; i < size; i++) {
        session->input[i] = session->input[i - period];
    }
}

static void run_kind(struct session *session, const struct workload *workload, unsigned kind)
{
    size_t size = workload->bytes[kind], used = 0;
    make_input(session, kind, size);
    printf("%s: %zu bytes\n", kind < CORPUS_KINDS ? corpus_names[kind] : "repeated", size);
    for (unsigned i = 0; i < workload->levels; i++) {
        used = round_trip(session, size, workload->level[i]);
        program_check(kind == CORPUS_RANDOM || used < size, "what can be compressed is");
    }
    if (kind == CORPUS_TEXT) {
        check_damage(session, used);
    }
}

static size_t largest_input(const struct workload *workload)
{
    size_t largest = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        largest = workload->bytes[kind] > largest ? workload->bytes[kind] : largest;
    }
    return largest;
}

int main(int argc, char **argv)
{
    enum program_size size = program_read_size(argc, argv);
    const struct workload *workload = &workloads[size];
    size_t largest = largest_input(workload);
    struct session *session = program_allocate(1, sizeof *session);
    session->corpus = corpus_create(256);
    crc_init(&session->crc);
    session->input = program_allocate(largest, 1);
    session->stream_capacity = largest + largest / 100 + 600;
    session->stream = program_allocate(session->stream_capacity, 1);
    session->output.capacity = largest;
    session->output.bytes = program_allocate(largest, 1);
    check_foreign_stream(session);
    check_sorts(session);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        run_kind(session, workload, kind);
    }
    program_report("bzip", size, session->digest);
    free(session->corpus);
    free(session->input);
    free(session->stream);
    free(session->output.bytes);
    free(session);
    return 0;
}
