/* HTTP/1.1 as far as a key-value server needs it: requests with a body of known length. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "store.h"

#define HEAD_BYTES 4096

/* One connection's input and output.  Answers to requests that arrived together leave together. */
struct connection {
    int fd;
    char in[HEAD_BYTES + VALUE_BYTES];
    size_t in_start, in_end;
    char out[HEAD_BYTES + VALUE_BYTES];
    size_t out_bytes;
};

struct request {
    char method[16];
    char key[KEY_BYTES];
    bool keep_alive;
    const char *body; /* in the connection's buffer, until the next request is read */
    size_t body_bytes;
};

/* 200 and the request, 0 if the connection has ended, or the status of what is wrong with it. */
int http_read(struct connection *connection, struct request *request);
/* False if the connection is broken. */
bool http_answer(struct connection *connection, int status, const char *body, size_t bytes,
                 bool keep_alive);
bool http_flush(struct connection *connection);

#endif
