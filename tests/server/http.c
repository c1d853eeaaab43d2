/* Reads requests from a connection, however they are cut into packets, and writes answers. */
#include "http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool http_flush(struct connection *connection)
{
    size_t done = 0;

    while (done < connection->out_bytes) {
        const ssize_t written =
            write(connection->fd, connection->out + done, connection->out_bytes - done);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    connection->out_bytes = 0;
    return true;
}

/* More input behind what there is; false at the end.  Whoever waits for answers gets them first. */
static bool read_more(struct connection *connection)
{
    if (connection->in_start != 0) {
        connection->in_end -= connection->in_start;
        memmove(connection->in, connection->in + connection->in_start, connection->in_end);
        connection->in_start = 0;
    }
    if (!http_flush(connection)) {
        return false;
    }
    ssize_t got;
    do {
        got = read(connection->fd, connection->in + connection->in_end,
                   sizeof connection->in - connection->in_end);
    } while (got < 0 && errno == EINTR);
    connection->in_end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The length of a head with its empty line, 0 if it is not complete. */
static size_t find_head(const struct connection *connection)
{
    const char *start = connection->in + connection->in_start;
    const char *end = memmem(start, connection->in_end - connection->in_start, "\r\n\r\n", 4);

    return end != NULL ? (size_t)(end - start) + 4 : 0;
}

static int parse_first_line(char *line, struct request *request)
{
    char *path = strchr(line, ' ');
    char *version = path != NULL ? strchr(path + 1, ' ') : NULL;

    if (version == NULL || path[1] != '/' || strncmp(version + 1, "HTTP/1.", 7) != 0) {
        return 400;
    }
    *path = *version = '\0';
    if (strlen(line) >= sizeof request->method) {
        return 501;
    }
    if (strlen(path + 2) >= sizeof request->key) {
        return 414;
    }
    strcpy(request->method, line);
    strcpy(request->key, path + 2);
    request->keep_alive = strcmp(version + 1, "HTTP/1.1") == 0;
    return 200;
}

static int parse_field(char *line, struct request *request)
{
    char *value = strchr(line, ':');

    if (value == NULL) {
        return 400;
    }
    *value++ = '\0';
    value += strspn(value, " \t");
    if (strcasecmp(line, "Content-Length") == 0) {
        char *end;
        request->body_bytes = strtoul(value, &end, 10);
        if (end == value || *end != '\0') {
            return 400;
        }
        return request->body_bytes > VALUE_BYTES ? 413 : 200;
    }
    if (strcasecmp(line, "Transfer-Encoding") == 0) {
        return 501;
    }
    if (strcasecmp(line, "Connection") == 0) {
        request->keep_alive = strcasecmp(value, "close") != 0;
    }
    return 200;
}

/* `head` ends with an empty line. */
static int parse_head(char *head, struct request *request)
{
    int status = 0;

    for (char *end; (end = strstr(head, "\r\n")) != head; head = end + 2) {
        *end = '\0';
        status = status == 0 ? parse_first_line(head, request) : parse_field(head, request);
        if (status != 200) {
            return status;
        }
    }
    return status == 0 ? 400 : status;
}

int http_read(struct connection *connection, struct request *request)
{
    char head[HEAD_BYTES + 1];
    size_t bytes;

    memset(request, 0, sizeof *request);
    while ((bytes = find_head(connection)) == 0) {
        if (connection->in_end - connection->in_start > HEAD_BYTES) {
            return 431;
        }
        if (!read_more(connection)) {
            return 0;
        }
    }
    if (bytes > HEAD_BYTES) {
        return 431;
    }
    memcpy(head, connection->in + connection->in_start, bytes);
    head[bytes] = '\0';
    if (strlen(head) != bytes) {
        return 400;
    }
    connection->in_start += bytes;
    const int status = parse_head(head, request);
    if (status != 200) {
        return status;
    }
    while (connection->in_end - connection->in_start < request->body_bytes) {
        if (!read_more(connection)) {
            return 0;
        }
    }
    request->body = connection->in + connection->in_start;
    connection->in_start += request->body_bytes;
    return 200;
}

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {400, "Bad Request"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i].status == status) {
            return reasons[i].text;
        }
    }
    return "Unknown";
}

bool http_answer(struct connection *connection, int status, const char *body, size_t bytes,
                 bool keep_alive)
{
    if (sizeof connection->out - connection->out_bytes < HEAD_BYTES / 2 + bytes &&
        !http_flush(connection)) {
        return false;
    }
    char *out = connection->out + connection->out_bytes;
    const int head =
        snprintf(out, HEAD_BYTES / 2, "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\n%s\r\n", status,
                 reason(status), bytes, keep_alive ? "" : "Connection: close\r\n");
    memcpy(out + head, body, bytes);
    connection->out_bytes += (size_t)head + bytes;
    return true;
}
