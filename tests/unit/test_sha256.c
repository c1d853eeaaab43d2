/* Tests SHA-256 with known answers: published ones, and lengths around a block's end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

static char path[] = "/tmp/test_sha256.XXXXXX";

static int create(void **unused)
{
    const int file = mkstemp(path);
    (void)unused;
    return file >= 0 ? close(file) : -1;
}

static int destroy(void **unused)
{
    (void)unused;
    return unlink(path);
}

static void assert_digest(const char *piece, unsigned repeated, const char *expected)
{
    char text[SHA256_TEXT_BYTES];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (unsigned i = 0; i < repeated; i++) {
        fputs(piece, file);
    }
    assert_int_equal(fclose(file), 0);
    assert_true(sha256_file(path, text));
    assert_string_equal(text, expected);

    const size_t bytes = strlen(piece);
    char *whole = malloc(bytes * repeated + 1);
    assert_non_null(whole);
    for (unsigned i = 0; i < repeated; i++) {
        memcpy(whole + i * bytes, piece, bytes);
    }
    sha256_bytes(whole, bytes * repeated, text);
    assert_string_equal(text, expected);
    free(whole);
}

static void published_examples(void **unused)
{
    (void)unused;
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* 55 bytes leave room for the length, 56 do not; 64 are a whole block. */
static void lengths_around_a_block(void **unused)
{
    (void)unused;
    assert_digest("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_digest("a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    assert_digest("a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    assert_digest("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    assert_digest("a", 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
    assert_digest("a", 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    assert_digest("a", 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
    assert_digest("a", 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

static void files_that_cannot_be_read(void **unused)
{
    char text[SHA256_TEXT_BYTES];
    (void)unused;
    assert_false(sha256_file("/nonexistent/file", text));
    assert_false(sha256_file("/", text));
    assert_false(sha256_file("/dev/zero", text)); /* it has no end */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(sha256_file(path, text)); /* nobody writes to it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(lengths_around_a_block),
        cmocka_unit_test(files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
