# The tests: built and run by `make check`; tests/suites.py is the list of suites, tests/check runs them.

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ASAN := $(BUILD)/asan

UNIT_NAMES := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
UNIT_TESTS := $(UNIT_NAMES:%=$(BUILD)/unit/%)

.PHONY: check check-quick check-slow check-mutants check-sanitized unit-tests sanitized fuzz fuzz-bounded
.PHONY: diff-programs

# Several suites run these programs: built here, none builds them while another does the same.
diff-programs:
	$(say) RISCV tests/diff
	@BUILD=$(BUILD) TEST_JOBS=1 tests/diff/run --build

unit-tests: $(UNIT_TESTS) $(BUILD)/unit/disasm_words

$(BUILD)/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(LIBRARY)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS) -o $@ $< $(LIBRARY) $(LDLIBS) -lcmocka

# It has two files of the translator's in it, which are for no other test.
$(BUILD)/unit/test_simplify: src/translator/rv64/simplify.c src/translator/rv64/fold.c

# The core of the translator for the host, against the headers of the toy instead of rv64/; and the toy.
TOY_SOURCES := $(wildcard src/translator/passes/*.c src/translator/fragment/*.c src/translator/detect/*.c tests/toy/*.c) src/base/number.c src/base/text.c
TOY_OBJECTS := $(TOY_SOURCES:%.c=$(BUILD)/toy/%.o)
TOY_TESTS := $(wildcard tests/unit/test_fragment_*.c)

$(TOY_TESTS:tests/unit/%.c=$(BUILD)/unit/%): $(BUILD)/unit/%: $(BUILD)/toy/tests/unit/%.o $(TOY_OBJECTS)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -pthread -o $@ $^ -lcmocka

$(BUILD)/toy/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) -Itests/toy -Itests/unit $(CFLAGS) -pthread -MMD -MP -c -o $@ $<

-include $(TOY_OBJECTS:.o=.d) $(TOY_TESTS:%.c=$(BUILD)/toy/%.d)

$(BUILD)/unit/disasm_words: tests/isa/disasm_words.c $(LIBRARY)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(LIBRARY) $(LDLIBS)

$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/driver.c $(LIBRARY)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< tests/fuzz/driver.c $(LIBRARY) $(LDLIBS)

fuzz-bounded: $(BUILD)/fuzz/fuzz_elf $(BUILD)/fuzz/fuzz_decode $(BUILD)/fuzz/fuzz_experiment \
	$(BUILD)/fuzz/fuzz_slices

# As it is built where the plotting library is not installed.
$(BUILD)/bare/page_files.o: src/report/page_files.S $(wildcard web/*)
	@mkdir -p $(@D)
	$(say) EMBED $@
	$(Q)$(CC) -c -o $@ $<

$(BUILD)/bare/strata: $(filter-out %/page_files.o,$(OBJECTS)) $(BUILD)/bare/page_files.o
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The same programs again, under the address and undefined-behaviour sanitizers.
sanitized:
	$(MAKE) --no-print-directory BUILD=$(ASAN) OPTIMIZE="-O1 -g" SANITIZE="$(SANITIZERS)" \
		$(ASAN)/strata $(ASAN)/bare/strata unit-tests fuzz-bounded

make_here = $(MAKE) --no-print-directory -j$(shell nproc)
TESTED := all programs-native unit-tests $(BUILD)/bare/strata

check: deps
	@$(make_here) diff-programs $(TESTED) sanitized
	@tests/check --build $(BUILD)

check-quick: deps
	@$(make_here) $(TESTED)
	@tests/check --build $(BUILD) --quick

check-slow: deps
	@tools/install-deps real
	@$(make_here) diff-programs $(TESTED) sanitized
	@tests/check --build $(BUILD) --slow

# One suite, or all whose ids begin with the word; `tests/check --list` names them.
check-sanitized: deps
	@$(make_here) $(TESTED) sanitized
	@tests/check --build $(BUILD) --only sanitized

check-sanitized-%: deps
	@tests/check --list --only sanitized-$* >/dev/null
	@$(make_here) $(TESTED) sanitized
	@tests/check --build $(BUILD) --only sanitized-$*

check-%: deps
	@tests/check --list --only $* >/dev/null
	@$(make_here) $(TESTED)
	@tests/check --build $(BUILD) --only $*

# Each bug that is planted must be noticed: tests/mutants/run says how.
check-mutants: deps
	@$(MAKE) --no-print-directory -j2 all unit-tests
	@tests/mutants/run $(MUTANTS_FLAGS)

# libFuzzer finds its own way; the bounded run in `check` needs no clang.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

fuzz:
	@tools/install-deps build guest test dev
	@mkdir -p $(BUILD)/fuzz/corpus
	tests/bad/make_elf --all $(BUILD)/fuzz/corpus
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -o $(BUILD)/fuzz/libfuzzer_elf tests/fuzz/fuzz_elf.c \
		src/elf/image.c src/base/check.c
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -o $(BUILD)/fuzz/libfuzzer_decode tests/fuzz/fuzz_decode.c \
		src/isa/rv64/*.c src/base/text.c src/base/check.c
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -o $(BUILD)/fuzz/libfuzzer_experiment \
		tests/fuzz/fuzz_experiment.c $(addprefix src/study/,experiment.c experiment_check.c \
		expression.c lists.c pool.c script.c) src/base/check.c src/base/number.c -ljansson -lm
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -o $(BUILD)/fuzz/libfuzzer_slices tests/fuzz/fuzz_slices.c \
		src/slice/section.c src/slice/slice.c src/isa/rv64/*.c src/base/text.c src/base/check.c
	@mkdir -p $(BUILD)/fuzz/slices
	tests/fuzz/make_slices $(BUILD)/fuzz/slices
	$(BUILD)/fuzz/libfuzzer_elf -max_total_time=$(FUZZ_SECONDS) $(BUILD)/fuzz/corpus
	$(BUILD)/fuzz/libfuzzer_decode -max_total_time=$(FUZZ_SECONDS)
	$(BUILD)/fuzz/libfuzzer_slices -max_total_time=$(FUZZ_SECONDS) $(BUILD)/fuzz/slices
	$(BUILD)/fuzz/libfuzzer_experiment -max_total_time=$(FUZZ_SECONDS) -only_ascii=1 experiments
