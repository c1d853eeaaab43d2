/* A journal of how to undo each step, played backwards when a transaction is aborted. */
#include "transaction.h"

enum status transaction_begin(struct transaction *transaction, struct database *database)
{
    if (transaction->open) {
        return STATUS_IN_USE;
    }
    transaction->database = database;
    transaction->open = true;
    transaction->used = 0;
    return STATUS_OK;
}

static enum status note(struct transaction *transaction, enum journal_kind kind, uint32_t part,
                        uint32_t before)
{
    if (!transaction->open) {
        return STATUS_BAD_ARGUMENT;
    }
    if (transaction->used == JOURNAL_ENTRIES) {
        return STATUS_FULL;
    }
    transaction->entries[transaction->used++] = (struct journal_entry){kind, part, before};
    return STATUS_OK;
}

enum status transaction_create_part(struct transaction *transaction, struct part *part,
                                    uint32_t drawing)
{
    TRY(part_create(transaction->database, part, drawing));
    return note(transaction, JOURNAL_CREATED, part->id, 0);
}

enum status transaction_change_kind(struct transaction *transaction, uint32_t id, uint32_t kind)
{
    struct part part;
    handle at;
    TRY(part_find(transaction->database, id, &at, &part));
    TRY(part_change_kind(transaction->database, id, kind));
    return note(transaction, JOURNAL_KIND_CHANGED, id, part.kind);
}

static enum status undo(struct transaction *transaction, const struct journal_entry *entry)
{
    switch (entry->kind) {
    case JOURNAL_CREATED:
        return part_delete(transaction->database, entry->part);
    case JOURNAL_KIND_CHANGED:
        return part_change_kind(transaction->database, entry->part, entry->before);
    }
    return STATUS_DAMAGED;
}

enum status transaction_commit(struct transaction *transaction)
{
    if (!transaction->open) {
        return STATUS_BAD_ARGUMENT;
    }
    transaction->open = false;
    return STATUS_OK;
}

enum status transaction_abort(struct transaction *transaction)
{
    if (!transaction->open) {
        return STATUS_BAD_ARGUMENT;
    }
    while (transaction->used > 0) {
        TRY(undo(transaction, &transaction->entries[--transaction->used]));
    }
    transaction->open = false;
    return STATUS_OK;
}
