/* Linkages: their link names and costs, their order, the proof that one is right, and its diagram. */
#include "parser.h"

#include <ctype.h>

/* The name must be the start of the link's, and not of a longer row of capitals. */
int link_has_name(const struct link *link, const char *name)
{
    size_t length = strlen(name);
    return strncmp(link->name, name, length) == 0 && !isupper((unsigned char)link->name[length]);
}

/* What both connectors say; where only one has a letter, that letter. */
static void name_link(struct link *link)
{
    const char *from = link->from->name;
    const char *to = link->to->name;
    size_t length = 0;
    while ((*from != '\0' || *to != '\0') && length + 1 < sizeof link->name) {
        char c = *from == '\0' || *from == '*' ? *to : *from;
        link->name[length++] = c == '\0' ? '*' : c;
        from += *from != '\0';
        to += *to != '\0';
    }
    link->name[length] = '\0';
}

static int compare_links(const void *left, const void *right)
{
    const struct link *a = left;
    const struct link *b = right;
    if (a->left != b->left) {
        return a->left - b->left;
    }
    return a->right - b->right;
}

void linkage_finish(struct parser *parser, struct linkage *linkage)
{
    qsort(linkage->link, (size_t)linkage->links, sizeof *linkage->link, compare_links);
    for (int i = 0; i < linkage->links; i++) {
        struct link *link = &linkage->link[i];
        name_link(link);
        linkage->length_cost += link->right - link->left - 1;
    }
    for (int w = 0; w < parser->words; w++) {
        if (linkage->chosen[w] == NULL) {
            linkage->unused++;
        } else {
            linkage->disjunct_cost += linkage->chosen[w]->cost;
        }
    }
    linkage->violations = rules_violations(parser, linkage);
}

/* Those without violations first, then the cheap ones. */
int linkage_compare(const void *left, const void *right)
{
    const struct linkage *a = left;
    const struct linkage *b = right;
    if ((a->violations != 0) != (b->violations != 0)) {
        return a->violations != 0 ? 1 : -1;
    }
    if (a->unused != b->unused) {
        return a->unused - b->unused;
    }
    if (a->disjunct_cost != b->disjunct_cost) {
        return a->disjunct_cost - b->disjunct_cost;
    }
    if (a->length_cost != b->length_cost) {
        return a->length_cost - b->length_cost;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static void check_planar(const struct linkage *linkage)
{
    for (int i = 0; i < linkage->links; i++) {
        const struct link *a = &linkage->link[i];
        for (int j = i + 1; j < linkage->links; j++) {
            const struct link *b = &linkage->link[j];
            program_check(a->left != b->left || a->right != b->right, "two words linked twice");
            program_check(!(a->left < b->left && b->left < a->right && a->right < b->right),
                          "links cross");
        }
    }
}

static void check_connected(const struct parser *parser, const struct linkage *linkage)
{
    char reached[MAX_WORDS] = {1};
    int grown = 1;
    while (grown) {
        grown = 0;
        for (int i = 0; i < linkage->links; i++) {
            const struct link *link = &linkage->link[i];
            if (reached[link->left] != reached[link->right]) {
                reached[link->left] = reached[link->right] = 1;
                grown = 1;
            }
        }
    }
    for (int w = 0; w < parser->words; w++) {
        program_check(reached[w] == (linkage->chosen[w] != NULL), "a piece is not connected");
    }
}

/* Walks the connectors of one side from the farthest to the nearest, and their links with them. */
static void check_side(const struct linkage *linkage, int word, int right)
{
    const struct connector *c = right ? linkage->chosen[word]->right : linkage->chosen[word]->left;
    int used = 0;
    int count = linkage->links;
    /* Links are sorted by both ends: to the right the farthest is the last, to the left the first. */
    for (int i = 0; i < count; i++) {
        const struct link *link = &linkage->link[right ? count - 1 - i : i];
        if ((right ? link->left : link->right) != word) {
            continue;
        }
        const struct connector *own = right ? link->from : link->to;
        if (own != c && used) {
            c = c->next;
            used = 0;
        }
        program_check(own == c && (!used || c->multi), "a link without its connector");
        program_check(connector_matches(link->from, link->to, link->right - link->left),
                      "connectors do not match");
        used = 1;
    }
    program_check(used ? c->next == NULL : c == NULL, "a connector without a link");
}

void linkage_check(const struct parser *parser, const struct linkage *linkage)
{
    check_planar(linkage);
    check_connected(parser, linkage);
    for (int w = 0; w < parser->words; w++) {
        if (linkage->chosen[w] != NULL) {
            check_side(linkage, w, 0);
            check_side(linkage, w, 1);
        }
    }
}

enum { MAX_ROWS = 24, MAX_COLUMNS = 1200 };

struct picture {
    char row[MAX_ROWS][MAX_COLUMNS];
    int rows;
    int center[MAX_WORDS];
    int width;
};

static void lay_out_words(const struct parser *parser, struct picture *picture)
{
    int column = 0;
    for (int w = 0; w < parser->words; w++) {
        int length = (int)strlen(parser->word[w].text);
        picture->center[w] = column + length / 2;
        column += length + 1;
    }
    picture->width = column < MAX_COLUMNS ? column : MAX_COLUMNS - 1;
    for (int r = 0; r < MAX_ROWS; r++) {
        memset(picture->row[r], ' ', (size_t)picture->width);
        picture->row[r][picture->width] = '\0';
    }
}

static int is_free(const struct picture *picture, int row, int from, int to)
{
    for (int column = from + 1; column < to; column++) {
        if (picture->row[row][column] != ' ') {
            return 0;
        }
    }
    return 1;
}

static void draw_link(struct picture *picture, const struct link *link)
{
    int from = picture->center[link->left];
    int to = picture->center[link->right];
    int row = 0;
    while (row < MAX_ROWS - 1 && !is_free(picture, row, from, to)) {
        row++;
    }
    for (int column = from + 1; column < to; column++) {
        picture->row[row][column] = '-';
    }
    int length = (int)strlen(link->name);
    int start = from + (to - from - length) / 2;
    for (int i = 0; i < length && start > from; i++) {
        if (start + i < to) {
            picture->row[row][start + i] = link->name[i];
        }
    }
    picture->row[row][from] = '+';
    picture->row[row][to] = '+';
    for (int below = 0; below < row; below++) {
        for (int end = 0; end < 2; end++) {
            char *place = &picture->row[below][end == 0 ? from : to];
            *place = *place == ' ' ? '|' : *place;
        }
    }
    if (row + 1 > picture->rows) {
        picture->rows = row + 1;
    }
}

void linkage_draw(const struct parser *parser, const struct linkage *linkage, struct text *text)
{
    struct picture *picture = program_allocate(1, sizeof *picture);
    lay_out_words(parser, picture);
    for (int distance = 1; distance < parser->words; distance++) {
        for (int i = 0; i < linkage->links; i++) {
            if (linkage->link[i].right - linkage->link[i].left == distance) {
                draw_link(picture, &linkage->link[i]);
            }
        }
    }
    for (int row = picture->rows - 1; row >= 0; row--) {
        int end = picture->width;
        while (end > 0 && picture->row[row][end - 1] == ' ') {
            end--;
        }
        picture->row[row][end] = '\0';
        text_append(text, picture->row[row]);
        text_append_char(text, '\n');
    }
    for (int w = 0; w < parser->words; w++) {
        text_append(text, parser->word[w].text);
        text_append_char(text, ' ');
    }
    text_append_char(text, '\n');
    free(picture);
}
