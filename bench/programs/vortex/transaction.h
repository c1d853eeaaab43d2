/* Transactions: what they did to parts can be undone until they are committed. */
#ifndef VORTEX_TRANSACTION_H
#define VORTEX_TRANSACTION_H

#include "database.h"

enum { JOURNAL_ENTRIES = 64 };

enum journal_kind { JOURNAL_CREATED, JOURNAL_KIND_CHANGED };

struct journal_entry {
    enum journal_kind kind;
    uint32_t part;
    uint32_t before;
};

struct transaction {
    struct database *database;
    bool open;
    unsigned used;
    struct journal_entry entries[JOURNAL_ENTRIES];
};

enum status transaction_begin(struct transaction *transaction, struct database *database);
enum status transaction_create_part(struct transaction *transaction, struct part *part,
                                    uint32_t drawing);
enum status transaction_change_kind(struct transaction *transaction, uint32_t part, uint32_t kind);
enum status transaction_commit(struct transaction *transaction);
enum status transaction_abort(struct transaction *transaction);

#endif
