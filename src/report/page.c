/* Writes a page: puts style, library, script and data into the frame that is web/page.html. */
#include "report/page.h"

#include "base/check.h"
#include "report/listing.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* In page_files.S. */
extern const char page_html[], page_style[], page_script[], page_library[], page_licence[];
extern const uint64_t page_html_bytes, page_style_bytes, page_script_bytes, page_library_bytes,
    page_licence_bytes;

/* What @@name@@ in the frame stands for. */
static const struct part {
    const char *name, *start;
    const uint64_t *bytes;
} parts[] = {
    {"style", page_style, &page_style_bytes},
    {"library", page_library, &page_library_bytes},
    {"licence", page_licence, &page_licence_bytes},
    {"script", page_script, &page_script_bytes},
};
#define PARTS (sizeof parts / sizeof parts[0])

/* Of a run's loops and loads, so many get a listing. */
#define LISTED_MAX 50
#define LOADS_LISTED_MAX 20

#define MARK "@@"
#define MARK_BYTES (sizeof MARK - 1)

const char *page_missing(void)
{
    return page_library_bytes == 0
               ? "this build cannot write pages: Chart.js was not installed when it was built; "
                 "install libjs-chart.js (tools/install-deps build) and run make again"
               : NULL;
}

/* Within a script element nothing may look like its end, nor like a comment's beginning. */
static int put_json(const char *bytes, size_t count, void *to)
{
    FILE *file = to;
    for (size_t i = 0; i < count; i++) {
        const bool put = bytes[i] == '<' ? fputs("\\u003c", file) >= 0
                                         : fputc((unsigned char)bytes[i], file) != EOF;
        if (!put) {
            return -1;
        }
    }
    return 0;
}

static bool put_part(FILE *file, const char *name, size_t length, const json_t *document)
{
    if (length == strlen("document") && memcmp(name, "document", length) == 0) {
        return json_dump_callback(document, put_json, file, JSON_COMPACT) == 0;
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0) {
            return fwrite(parts[i].start, 1, *parts[i].bytes, file) == *parts[i].bytes;
        }
    }
    ASSERT(!"the frame names a part that there is not");
    return false;
}

int page_write(FILE *file, const json_t *document)
{
    ASSERT(page_missing() == NULL);
    const char *const last = page_html + page_html_bytes;
    for (const char *at = page_html;;) {
        const char *mark = memmem(at, (size_t)(last - at), MARK, MARK_BYTES);
        const char *stop = mark != NULL ? mark : last;
        if (fwrite(at, 1, (size_t)(stop - at), file) != (size_t)(stop - at)) {
            return -1;
        }
        if (mark == NULL) {
            return 0;
        }
        const char *name = mark + MARK_BYTES;
        const char *end = memmem(name, (size_t)(last - name), MARK, MARK_BYTES);
        ASSERT(end != NULL);
        if (!put_part(file, name, (size_t)(end - name), document)) {
            return -1;
        }
        at = end + MARK_BYTES;
    }
}

json_t *page_of_runs(json_t *const *runs, char *const *names, size_t count,
                     const struct source_rules *rules)
{
    json_t *stats = json_array(), *files = json_array(), *listings = json_array();
    ASSERT(stats != NULL && files != NULL && listings != NULL);
    for (size_t i = 0; i < count; i++) {
        json_t *name = json_string(names[i]);
        json_t *listing = listing_make(runs[i], rules, LISTED_MAX, LOADS_LISTED_MAX);
        ASSERT(json_array_append(stats, runs[i]) == 0);
        ASSERT(json_array_append_new(files, name != NULL ? name : json_string("?")) == 0);
        ASSERT(json_array_append_new(listings, listing) == 0);
    }
    json_t *document = json_pack("{s:s, s:o, s:o, s:o}", "schema", "strata.report/1", "files",
                                 files, "runs", stats, "listings", listings);
    ASSERT(document != NULL);
    return document;
}
