/* Which files a command reads and writes: none may be both. */
#include "cli/own_files.h"

#include "base/check.h"
#include "base/result_file.h"
#include "base/say.h"

static void add(struct own_files *files, const char *role, const char *path, bool written)
{
    if (path != NULL) {
        ASSERT(files->count < OWN_FILES_MAX);
        files->files[files->count++] = (struct own_file){role, path, written};
    }
}

void own_files_read(struct own_files *files, const char *role, const char *path)
{
    add(files, role, path, false);
}

void own_files_write(struct own_files *files, const char *role, const char *path)
{
    add(files, role, path, true);
}

static bool is_apart(const struct own_file *written, const struct own_file *other)
{
    if (!result_file_same(written->path, other->path)) {
        return true;
    }
    say(stderr, "strata: %s %s is the same file as %s %s, which it would overwrite: name another\n",
        written->role, written->path, other->role, other->path);
    return false;
}

bool own_files_check(const struct own_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        for (size_t j = 0; files->files[i].written && j < files->count; j++) {
            const bool earlier = files->files[j].written && j < i;
            if (i != j && !earlier && !is_apart(&files->files[i], &files->files[j])) {
                return false;
            }
        }
    }
    return true;
}
