/* bzip: compresses and decompresses generated data by block sorting, in blocks of two sizes. */
#include "codec.h"
#include "compress.h"
#include "corpus.h"
#include "decompress.h"
#include "study.h"

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

enum { DAMAGE_FIRST = 20, DAMAGES = 2 };

struct session {
    struct corpus *corpus;
    struct codec_trial trial;
    struct crc crc;
    struct compress_counts counts; /* of the last stream that was written */
    uint64_t digest;
};

static size_t stream_bound(size_t size)
{
    return size + size / 100 + 600;
}

static size_t write_stream(void *state, const uint8_t *input, size_t size, unsigned level,
                           uint8_t *stream, size_t capacity)
{
    struct session *session = state;
    return compress(&session->crc, input, size, level, stream, capacity, &session->counts);
}

static bool read_stream(void *state, const uint8_t *stream, size_t size,
                        struct codec_output *output)
{
    const struct session *session = state;
    return decompress(&session->crc, stream, size, output) == DECOMPRESS_OK;
}

static const struct codec codec = {stream_bound, write_stream, read_stream};

static void check_foreign_stream(struct session *session)
{
    static const uint8_t stream[] = {
        0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xae, 0xf1, 0xc1, 0xc9, 0x00,
        0x00, 0x1b, 0x99, 0x80, 0x40, 0x05, 0x00, 0x08, 0x27, 0x61, 0x9c, 0x00, 0x20, 0x00, 0x48,
        0x45, 0x28, 0xf5, 0x36, 0x93, 0x00, 0x6d, 0x4d, 0x40, 0xd0, 0x0f, 0x99, 0x36, 0x32, 0xd5,
        0x30, 0x85, 0xe5, 0xb4, 0xa1, 0xa6, 0xac, 0xf2, 0x1f, 0xdc, 0x42, 0x9b, 0x0d, 0x61, 0x5f,
        0x6f, 0x4c, 0x46, 0x49, 0x66, 0x08, 0xf2, 0x24, 0x84, 0x34, 0x8f, 0x09, 0x48, 0x10, 0xfe,
        0x2e, 0xe4, 0x8a, 0x70, 0xa1, 0x21, 0x5d, 0xe3, 0x83, 0x92};
    codec_check_foreign(&session->trial, stream, sizeof stream);
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

static size_t round_trip(struct session *session, size_t size, unsigned level)
{
    size_t used = codec_round_trip(&session->trial, size, level);
    const struct sort_counts *sorts = &session->counts.sorts;
    printf("  level %u: %zu bytes in %" PRIu32 " blocks, sorted %" PRIu32 " by buckets, %" PRIu32
           " by doubling, %" PRIu32 " of them given up by the former\n",
           level, used, session->counts.blocks, sorts->quick, sorts->fallback, sorts->given_up);
    session->digest = program_mix(session->digest, used);
    for (size_t i = 0; i < used; i++) {
        session->digest = program_mix(session->digest, session->trial.packed[i]);
    }
    return used;
}

static void make_input(struct session *session, unsigned kind, size_t size)
{
    if (kind < CORPUS_KINDS) {
        corpus_fill(session->corpus, (enum corpus_kind)kind, session->trial.input, size);
        return;
    }
    uint8_t *input = session->trial.input;
    size_t period = size / REPEATS;
    corpus_fill(session->corpus, CORPUS_SOURCE, input, period);
    for (size_t i = period; i < size; i++) {
        input[i] = input[i - period];
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
        codec_check_damage(&session->trial, used, DAMAGE_FIRST, DAMAGES);
    }
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct workload *workload = &workloads[size];
    struct session session = {.trial = {.codec = &codec, .state = &session}};
    crc_init(&session.crc);
    session.corpus = corpus_create(256);
    codec_begin(&session.trial, workload->bytes, KINDS);
    check_foreign_stream(&session);
    check_sorts(&session);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        run_kind(&session, workload, kind);
    }
    study_report("bzip", size, session.digest);
    free(session.corpus);
    codec_end(&session.trial);
    return 0;
}
