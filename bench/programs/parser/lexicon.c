/* Makes the dictionary's text: the grammar by hand, and thousands of invented words in its classes. */
#include "parser.h"

static const char *const grammar[] = {
    "% The grammar: what each kind of word links to, nearest first on either side.\n",
    "LENGTH 4 G AN DT EA EE K N YS TA;\n",
    "LENGTH 8 D A E ND NM;\n",
    "LENGTH 12 AJl AJr TO I PP;\n",
    "<clause>: {@CO-} & (Wd- or Cs- or Ce-);\n",
    "<subject-s>: <clause> & Ss+;\n",
    "<subject-p>: <clause> & Sp+;\n",
    "<use-s>: <subject-s> or Os- or OXs- or Js- or SIs- or SJl+ or SJr-;\n",
    "<use-p>: <subject-p> or Op- or OXp- or Jp- or SIp- or SJl+ or SJr-;\n",
    "<relative-s>: {R+ & Bs+ & {[Xc+]}};\n",
    "<relative-p>: {R+ & Bp+ & {[Xc+]}};\n",
    "<noun-s>: {@AN-} & {@A-} & ((Ds- & {@M+} & <relative-s> & (<use-s>)) or (Ds- & YS+))\n"
    "  or [AN+];\n",
    "<noun-p>: {@AN-} & {@A-} & {NM-} & {Dm-} & (({@M+} & <relative-p> & (<use-p>)) or [YS+]);\n",
    "<noun-u>: {@AN-} & {@A-} & {Du-} & {@M+} & <relative-s> & (<use-s>) or [AN+];\n",
    "<noun-that>: {@A-} & Ds- & {@M+ or TH+} & (<use-s>);\n",
    "<noun-to>: {@A-} & Ds- & {@M+ or TO+} & (<use-s>);\n",
    "<name>: {G-} & {[@A-]} & ((({Mp+} & {Xc+ & R+ & Bs+ & {Xc+}}) & (<use-s>)) or YS+) or G+;\n",
    "<title>: G+;\n",
    "<time-noun>: {@A-} & {DT-} & (MVt- or [{Xc+} & CO+]) or {@A-} & Ds- & (<use-s>);\n",
    "<adjective>: {EA-} & (A+ or (Pa- & {@MV+}) or AJl+ or AJr- or [[Ma- & @MV+]]);\n",
    "<adjective-to>: {EA-} & (A+ or (Pa- & {TO+ or TH+} & {@MV+}));\n",
    "<adverb>: {EE-} & (MVa- or E+ or ({Xc+} & CO+));\n",
    "<adverb-late>: {EE-} & MVa-;\n",
    "<adverb-degree>: EA+ or EE+;\n",
    "<preposition>: J+ & (Mp- or MVp- or [{Xc+} & CO+] or [[Pp-]]);\n",
    "<conjunction>: Cs+ & ({Xc-} & MVs- or ({Xc+} & CO+));\n",
    "<verb-t>: (O+ or B-) & {@MV+};\n",
    "<verb-i>: {@MV+};\n",
    "<verb-ti>: {O+ or B-} & {@MV+};\n",
    "<verb-d>: ((O+ & {OX+}) or ([B-] & {O+})) & {@MV+};\n",
    "<verb-c>: (TH+ or Ce+ or {[O+ or B-]}) & {@MV+};\n",
    "<verb-to>: (TO+ or {[O+ or B-]}) & {@MV+};\n",
    "<verb-k>: ((K+ & {O+ or B-}) or (O+ & {K+})) & {@MV+};\n",
    "<verb-m>: ((O+ & TO+) or (O+ & {[TA+]})) & {@MV+};\n",
    "<verb-link>: (Pa+ or (TO+ & {MVp+})) & {@MV+};\n",
    "<finite-s>: {@E-} & (Ss- or (RS- & Bs-));\n",
    "<finite-p>: {@E-} & (Sp- or (RS- & Bp-) or I-);\n",
    "<finite-d>: {@E-} & (S- or (RS- & B-));\n",
    "<participle>: {@E-} & PP-;\n",
    "<gerund>: {@E-} & (Pg- or Mg- or [J-]);\n",
    "<passive>: {@E-} & (Pv- or Mv-) & {@MV+};\n",
    "<ask-s>: Ss- or (RS- & Bs-) or ((Wq- or Qx-) & SIs+);\n",
    "<ask-p>: Sp- or (RS- & Bp-) or ((Wq- or Qx-) & SIp+);\n",
    "<ask>: S- or (RS- & B-) or ((Wq- or Qx-) & SI+);\n",
    "<be>: (Pa+ or Pg+ or Pv+ or O+ or B- or Pp+ or [TO+]) & {@MV+};\n",
    "LEFT-WALL: (Wd+ or Wq+ or Wh+) & {Xp+};\n",
    ". ! ?: Xp-;\n",
    ",: Xc-;\n",
    "'s.p: YS- & D+;\n",
    "the his her.d my your their our: D+;\n",
    "a an each every one.d: Ds+ or DT+;\n",
    "no.d any some.d: D+;\n",
    "this.d that.d: Ds+ or Du+ or DT+ or <subject-s> or Os- or Js-;\n",
    "these those many few several all.d both.d: Dm+ or [<use-p>];\n",
    "much little.d: Du+ or [Os-];\n",
    "two three four five six seven ten twenty: NM+ or [Op- or Jp-];\n",
    "NUMBER: NM+ or [Op- or Jp-] or [[AN+]];\n",
    "he she it.s: <subject-s> or SIs-;\n",
    "I we they you.s: <subject-p> or SIp-;\n",
    "him her.o them me us you.o it.o: O- or J-;\n",
    "someone everyone nobody something: <use-s>;\n",
    "who: R- & RS+ or (R- & Ce+) or (Wh- & Ss+) or (Wh- & Qx+ & B+);\n",
    "which.r: R- & (RS+ or Ce+);\n",
    "what: Wh- & (Ss+ or (Qx+ & B+)) or ([R-] & Ce+);\n",
    "when.q where.q why how.q: Wh- & Qx+;\n",
    "that.r: R- & (RS+ or Ce+);\n",
    "that.c: TH- & Ce+;\n",
    "to.i: TO- & {@E-} & I+;\n",
    "and.n or.n: SJl- & SJr+ & (<use-p>);\n",
    "and.j but.j or.j: AJl- & AJr+ & (A+ or (Pa- & {@MV+}));\n",
    "and.c but.c so.c: {Xc-} & MVs- & Cs+;\n",
    "not: N- or [E+];\n",
    "is: {N+} & (<ask-s>) & <be>;\n",
    "are: {N+} & (<ask-p>) & <be>;\n",
    "was: {N+} & (<ask-s>) & <be>;\n",
    "were: {N+} & (<ask-p>) & <be>;\n",
    "be: {@E-} & I- & <be>;\n",
    "been: {@E-} & PP- & <be>;\n",
    "being: Pg- & (Pa+ or Pv+ or O+);\n",
    "has.x: {N+} & (<ask-s>) & (PP+ or (([O+ or B-]) & {@MV+}) or TO+);\n",
    "have.x: {N+} & (<ask-p> or I-) & (PP+ or (([O+ or B-]) & {@MV+}) or TO+);\n",
    "had.x: {N+} & (<ask>) & (PP+ or (([O+ or B-]) & {@MV+}) or TO+);\n",
    "does: {N+} & (<ask-s>) & I+;\n",
    "do: {N+} & (<ask-p>) & I+;\n",
    "did: {N+} & (<ask>) & I+;\n",
    "will can.x may must.x could would should might: {N+} & (<ask>) & I+;\n",
    "up down.k out off away: K- or MVa-;\n",
    "very too.e rather: <adverb-degree>;\n",
    "almost quite: EA+ or EE+ or [E+];\n",
    "UNKNOWN-WORD.n: <noun-s>;\n",
    "UNKNOWN-WORD.v: <finite-p> & (<verb-ti>);\n",
    "UNKNOWN-WORD.a: <adjective>;\n",
    "UNKNOWN-ENDING-S.n: <noun-p>;\n",
    "UNKNOWN-ENDING-S.v: <finite-s> & (<verb-ti>);\n",
    "UNKNOWN-ENDING-ED.v: <finite-d> & (<verb-ti>);\n",
    "UNKNOWN-ENDING-ED.p: <passive> or [<participle> & (<verb-ti>)];\n",
    "UNKNOWN-ENDING-ING: <gerund> & (<verb-ti>);\n",
    "UNKNOWN-ENDING-LY: <adverb>;\n",
    "CAPITAL-WORD: <name>;\n",
};

static const char *const frames[] = {"t", "i", "ti", "d", "c", "to", "k", "m", "link"};

enum { FRAMES = sizeof frames / sizeof frames[0] };

/* Each verb has a word in each of these. */
static const struct verb_form {
    const char *name;
    const char *ending;
    const char *subscript;
    const char *left;
} verb_forms[] = {
    {"base", "", ".v", "<finite-p>"},      {"s", "s", ".v", "<finite-s>"},
    {"past", "ed", ".v-d", "<finite-d>"},  {"participle", "ed", ".v-p", "<participle>"},
    {"gerund", "ing", ".v-g", "<gerund>"},
};

enum { VERB_FORMS = sizeof verb_forms / sizeof verb_forms[0] };

static const struct plain_class {
    const char *name;
    const char *macro;
    const char *subscript;
    const char *ending;
    int share; /* of a thousand stems */
    int capital;
} plain_classes[] = {
    {"noun-s", "<noun-s>", ".n", "", 300, 0},
    {"noun-u", "<noun-u>", ".n-u", "", 50, 0},
    {"noun-that", "<noun-that>", ".n-t", "ion", 20, 0},
    {"noun-to", "<noun-to>", ".n-o", "ment", 15, 0},
    {"name", "<name>", "", "", 120, 1},
    {"title", "<title>", ".t", "", 5, 1},
    {"time", "<time-noun>", ".i", "", 12, 0},
    {"adjective", "<adjective>", ".a", "ic", 150, 0},
    {"adjective-to", "<adjective-to>", ".a-o", "able", 15, 0},
    {"adverb", "<adverb>", ".e", "ly", 60, 0},
    {"adverb-late", "<adverb-late>", ".e", "ward", 10, 0},
    {"preposition", "<preposition>", ".r", "", 14, 0},
    {"conjunction", "<conjunction>", ".c", "", 8, 0},
};

enum { PLAIN_CLASSES = sizeof plain_classes / sizeof plain_classes[0] };

static struct word_class *add_class(struct lexicon *lexicon, const char *name, const char *macro)
{
    program_check(lexicon->classes < CLASSES, "too many word classes");
    struct word_class *made = &lexicon->word_class[lexicon->classes++];
    made->name = name;
    made->macro = macro;
    return made;
}

static const char *join(struct pool *pool, const char *first, const char *second, const char *third)
{
    size_t a = strlen(first);
    size_t b = strlen(second);
    size_t c = strlen(third);
    char *joined = pool_take(pool, a + b + c + 1);
    memcpy(joined, first, a);
    memcpy(joined + a, second, b);
    memcpy(joined + a + b, third, c);
    return joined;
}

static void add_word(struct word_class *word_class, const char *word)
{
    if (word_class->count == word_class->room) {
        int room = word_class->room == 0 ? 16 : 2 * word_class->room;
        const char **grown = program_allocate((size_t)room, sizeof *grown);
        for (int i = 0; i < word_class->count; i++) {
            grown[i] = word_class->word[i];
        }
        free(word_class->word);
        word_class->word = grown;
        word_class->room = room;
    }
    word_class->word[word_class->count++] = word;
}

/* No stem ends in s, so that a plural or a third person is never another stem. */
static void make_stem(uint64_t *random, char *stem)
{
    static const char *const onsets[] = {"b",  "br", "c", "cl", "d",  "dr", "f",  "fl", "g",
                                         "gr", "h",  "j", "k",  "l",  "m",  "n",  "p",  "pl",
                                         "pr", "r",  "s", "sk", "st", "t",  "tr", "v",  "w"};
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "ai", "ea", "oo", "ou"};
    static const char *const codas[] = {"b", "ck", "d", "ft", "g",  "ll", "m", "mp",
                                        "n", "nd", "p", "rk", "rn", "sh", "t", "x"};
    int syllables = 1 + (int)program_random_below(random, 3);
    stem[0] = '\0';
    for (int i = 0; i < syllables; i++) {
        strcat(stem, onsets[program_random_below(random, sizeof onsets / sizeof onsets[0])]);
        strcat(stem, vowels[program_random_below(random, sizeof vowels / sizeof vowels[0])]);
    }
    strcat(stem, codas[program_random_below(random, sizeof codas / sizeof codas[0])]);
}

static int draw_frame(uint64_t *random)
{
    static const int weight[FRAMES] = {30, 16, 20, 5, 8, 7, 5, 3, 3};
    int total = 0;
    for (int i = 0; i < FRAMES; i++) {
        total += weight[i];
    }
    int drawn = (int)program_random_below(random, (uint32_t)total);
    int frame = 0;
    while (drawn >= weight[frame]) {
        drawn -= weight[frame++];
    }
    return frame;
}

static void add_classes(struct lexicon *lexicon)
{
    for (int i = 0; i < PLAIN_CLASSES; i++) {
        add_class(lexicon, plain_classes[i].name, plain_classes[i].macro);
    }
    add_class(lexicon, "noun-p", "<noun-p>");
    add_class(lexicon, "passive", "<passive>");
    for (int frame = 0; frame < FRAMES; frame++) {
        const char *right = join(&lexicon->pool, " & (<verb-", frames[frame], ">)");
        for (int form = 0; form < VERB_FORMS; form++) {
            const char *name = join(&lexicon->pool, frames[frame], "-", verb_forms[form].name);
            add_class(lexicon, name, join(&lexicon->pool, verb_forms[form].left, right, ""));
        }
    }
}

static void add_verb(struct lexicon *lexicon, const char *stem, uint64_t *random)
{
    int frame = draw_frame(random);
    struct word_class *first = &lexicon->word_class[PLAIN_CLASSES + 2 + frame * VERB_FORMS];
    for (int form = 0; form < VERB_FORMS; form++) {
        add_word(first + form,
                 join(&lexicon->pool, stem, verb_forms[form].ending, verb_forms[form].subscript));
    }
    if (frame != 1 && frame != FRAMES - 1) {
        add_word(&lexicon->word_class[PLAIN_CLASSES + 1], join(&lexicon->pool, stem, "ed", ".v-y"));
    }
}

static void add_plain(struct lexicon *lexicon, int which, char *stem)
{
    const struct plain_class *plain = &plain_classes[which];
    if (plain->capital) {
        stem[0] = (char)(stem[0] - 'a' + 'A');
    }
    add_word(&lexicon->word_class[which],
             join(&lexicon->pool, stem, plain->ending, plain->subscript));
    if (which == 0) {
        add_word(&lexicon->word_class[PLAIN_CLASSES], join(&lexicon->pool, stem, "s", ".n"));
    }
}

static void add_stem(struct lexicon *lexicon, char *stem, uint64_t *random)
{
    int drawn = (int)program_random_below(random, 1000);
    for (int i = 0; i < PLAIN_CLASSES; i++) {
        drawn -= plain_classes[i].share;
        if (drawn < 0) {
            add_plain(lexicon, i, stem);
            if (i == 0 && program_random_below(random, 5) == 0) {
                add_verb(lexicon, stem, random);
            }
            return;
        }
    }
    add_verb(lexicon, stem, random);
}

/* The small classes must not be empty, however few stems there are. */
static void add_one_of_each(struct lexicon *lexicon, struct string_set *seen, uint64_t *random)
{
    char stem[MAX_TOKEN];
    for (int i = 0; i < PLAIN_CLASSES + 4 * FRAMES; i++) {
        do {
            make_stem(random, stem);
        } while (string_set_find(seen, stem) != NULL);
        string_set_add(seen, stem);
        if (i < PLAIN_CLASSES) {
            add_plain(lexicon, i, stem);
        } else {
            add_verb(lexicon, stem, random);
        }
    }
}

void lexicon_create(struct lexicon *lexicon, int stems, uint64_t *random)
{
    struct string_set seen;
    char stem[MAX_TOKEN];
    memset(lexicon, 0, sizeof *lexicon);
    string_set_create(&seen);
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        const char *at = grammar[i];
        size_t length = strcspn(at, " :.");
        if (length < sizeof stem) {
            memcpy(stem, at, length);
            stem[length] = '\0';
            string_set_add(&seen, stem);
        }
    }
    add_classes(lexicon);
    add_one_of_each(lexicon, &seen, random);
    for (int made = 0; made < stems;) {
        make_stem(random, stem);
        if (string_set_find(&seen, stem) == NULL) {
            string_set_add(&seen, stem);
            add_stem(lexicon, stem, random);
            made++;
        }
    }
    string_set_destroy(&seen);
}

void lexicon_destroy(struct lexicon *lexicon)
{
    for (int i = 0; i < lexicon->classes; i++) {
        free(lexicon->word_class[i].word);
    }
    pool_destroy(&lexicon->pool);
}

static void write_class(const struct word_class *word_class, struct text *text)
{
    size_t column = 0;
    for (int i = 0; i < word_class->count; i++) {
        size_t length = strlen(word_class->word[i]);
        if (column + length > 90) {
            text_append_char(text, '\n');
            column = 0;
        }
        text_append(text, word_class->word[i]);
        text_append_char(text, ' ');
        column += length + 1;
    }
    text_append(text, ": ");
    text_append(text, word_class->macro);
    text_append(text, ";\n\n");
}

void lexicon_write(const struct lexicon *lexicon, struct text *text)
{
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        text_append(text, grammar[i]);
    }
    for (int i = 0; i < lexicon->classes; i++) {
        if (lexicon->word_class[i].count > 0) {
            text_append(text, "% ");
            text_append(text, lexicon->word_class[i].name);
            text_append_char(text, '\n');
            write_class(&lexicon->word_class[i], text);
        }
    }
}

const struct word_class *lexicon_find(const struct lexicon *lexicon, const char *name)
{
    for (int i = 0; i < lexicon->classes; i++) {
        if (strcmp(lexicon->word_class[i].name, name) == 0) {
            return &lexicon->word_class[i];
        }
    }
    fprintf(stderr, "no word class %s\n", name);
    exit(4);
}
