/* When two connectors match: capitals must be the same, small letters where both have one. */
#include "parser.h"

static int is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

unsigned connector_hash(const char *name)
{
    unsigned hash = 0;
    while (is_capital(*name)) {
        hash = hash * 31 + (unsigned)(*name++ - 'A') + 1;
    }
    return hash;
}

int connector_names_match(const char *left, const char *right)
{
    while (is_capital(*left) || is_capital(*right)) {
        if (*left != *right) {
            return 0;
        }
        left++;
        right++;
    }
    while (*left != '\0' && *right != '\0') {
        if (*left != '*' && *right != '*' && *left != *right) {
            return 0;
        }
        left++;
        right++;
    }
    return 1;
}

int connector_matches(const struct connector *left, const struct connector *right, int distance)
{
    if (left->hash != right->hash || distance > left->length_limit ||
        distance > right->length_limit) {
        return 0;
    }
    return connector_names_match(left->name, right->name);
}
