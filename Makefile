# Builds Strata.  `make help` lists the targets.

BUILD ?= build
CC ?= gcc
RISCV_PREFIX ?= riscv64-linux-gnu-
RISCV_CC ?= $(RISCV_PREFIX)gcc
RISCV_CXX ?= $(RISCV_PREFIX)g++
PREFIX ?= /usr/local
docdir ?= $(PREFIX)/share/doc/strata

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wundef -Wvla -Wimplicit-fallthrough
ifdef CI
WARNINGS += -Werror
endif
OPTIMIZE ?= -O2 -g
SANITIZE ?=
PACKAGES := libdw libelf jansson

# What pages draw with; without it everything is built but pages: src/report/page.c.
CHART_JS ?= /usr/share/javascript/chart.js/chart.min.js
CHART_JS_LICENCE ?= /usr/share/doc/libjs-chart.js/copyright
PAGE_LIBRARY := $(if $(wildcard $(CHART_JS)),$(wildcard $(CHART_JS_LICENCE)))
PAGE_FLAGS := $(if $(PAGE_LIBRARY),-DLIBRARY='"$(CHART_JS)"' -DLICENCE='"$(CHART_JS_LICENCE)"')

CPPFLAGS += -Isrc -D_GNU_SOURCE=
CFLAGS += -std=gnu11 $(OPTIMIZE) $(WARNINGS) $(SANITIZE)
LDLIBS += $(shell pkg-config --libs $(PACKAGES) 2>/dev/null || echo -ldw -lelf -ljansson) -lm

SOURCES := $(wildcard src/base/*.c src/isa/rv64/*.c src/elf/*.c src/slice/*.c src/machine/*.c src/machine/*/*.c \
                      src/symbols/*.c src/report/*.c src/study/*.c src/cli/*.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/report/page_files.o
LIBRARY := $(filter-out $(BUILD)/obj/cli/main.o,$(OBJECTS))

HAVE_CROSS := $(shell command -v $(RISCV_CC) 2>/dev/null)

.PHONY: all demo check check-quick check-slow bench bench-real bench-musl fuzz format lint install uninstall clean help
.PHONY: deps guests FORCE
.DELETE_ON_ERROR:
.SECONDARY:

COMPLETIONS := $(BUILD)/completion/strata.bash $(BUILD)/completion/_strata

all: $(BUILD)/strata $(COMPLETIONS) guests

help:
	@sed -n 's/^## //p' Makefile

## all         build/strata and, with the RISC-V cross compiler, the programs that it runs
## demo        install what is missing, build, and show the translator and its counters at work
## check       install what is missing, build, run the tests
## check-quick those tests for which a minute is enough
## check-slow  all tests, some for hours
## check-ID    one suite of tests: tests/check --list
## check-mutants  plants bugs of tests/mutants/table in a copy of the tree, and says which of them no test
##             notices; MUTANTS_FLAGS="--only PATTERN" for some
## bench       speed beside qemu-riscv64 as ratios, also with the pipeline; what contexts and helper threads
##             bring; what each part of the translator costs, what traces and passes bring, which loops each
##             placement of counters finds, and what code costs that programs make, as there is more of it;
##             LADDER_FLAGS=--quick for smaller programs, HELPERS_FLAGS="--size small" for larger ones,
##             OPTIMIZER_FLAGS="--only cycles" for the optimizer's figures in cycles
## bench-musl  the same for the study's programs linked with musl, a small C library, and compiled so that
##             loops are not inverted; MUSL_FLAGS="--size small" for larger ones: docs/study.md
## bench-real  install what is missing, build, and run real programs from Debian's sources plain and
##             translated; REAL_FLAGS=--only=lua for some: docs/real-programs.md
## fuzz        the ELF reader, the decoders, slices and experiment files, with clang's fuzzer
## format      clang-format over the tree        lint   rooms of src/, clang-tidy, shellcheck, mandoc
## install     to PREFIX, /usr/local by default  clean  remove build/

# One short line per step; V=1 shows the commands.
ifdef V
say = @:
Q :=
else
say = @printf '  %-8s %s\n'
Q := @
endif

$(BUILD)/strata: $(OBJECTS)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The command writes them from its own tables of options.
$(BUILD)/completion/strata.bash: $(BUILD)/strata
	@mkdir -p $(@D)
	$(Q)$< completion bash >$@

$(BUILD)/completion/_strata: $(BUILD)/strata
	@mkdir -p $(@D)
	$(Q)$< completion zsh >$@

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(FILE_CFLAGS) -MMD -MP -c -o $@ $<

# The library may come or go without being newer than what was built: its flags are compared.
$(BUILD)/page_flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$(subst ",,$(PAGE_FLAGS))" | cmp -s - $@ || printf '%s\n' "$(subst ",,$(PAGE_FLAGS))" >$@

$(BUILD)/obj/report/page_files.o: src/report/page_files.S $(wildcard web/*) $(BUILD)/page_flags \
	$(if $(PAGE_LIBRARY),$(CHART_JS) $(CHART_JS_LICENCE))
	@mkdir -p $(@D)
	$(say) EMBED $@
	$(Q)$(CC) $(PAGE_FLAGS) -c -o $@ $<

# The host's FPU must be used as written: in the rounding mode that is set, with
# all its flags; and square roots inline, not through errno.
# Merging equal code would join the handlers' jumps again.
$(BUILD)/obj/machine/engine/run.o: FILE_CFLAGS := -frounding-math -ftrapping-math -fno-math-errno \
	-fno-gcse -fno-crossjumping

-include $(OBJECTS:.o=.d)

ifneq ($(HAVE_CROSS),)
include bench/kernels/kernels.mk
include bench/programs/programs.mk
include bench/musl/musl.mk
include bench/spr/spr.mk
include bench/long_loop/long_loop.mk

guests: $(BUILD)/strata-rv64 $(BENCH_PROGRAMS) $(BUILD)/demo programs spr long-loops

# The translator: a freestanding program that relocates itself.  It must not use
# the program's gp, which the linker leaves alone where code may stand anywhere; nor
# floating-point registers; and a loop that copies must not become a call of itself.
# Its instructions count, not their order: what is not scheduled needs fewer
# registers, and calls are relaxed to one instruction.  It is compiled as one
# (-flto), which makes building a fragment a sixth cheaper; all but memcpy.c, since
# its functions are called only after the compiler has looked who calls them.  The
# other options of TRANSLATOR_LTO are those of a dozen that were tried that save
# instructions where fragments are built, a sixteenth together: most loops there run once.
TRANSLATOR_SOURCES := $(wildcard src/base/number.c src/base/text.c src/base/shown.c src/isa/rv64/*.c src/elf/image.c src/translator/*.c \
                                 $(addprefix src/translator/,host/*.c passes/*.c fragment/*.c detect/*.c process/*.c tell/*.c rv64/*.c rv64/*.S))
TRANSLATOR_OBJECTS := $(patsubst src/%,$(BUILD)/rv64/%.o,$(TRANSLATOR_SOURCES))
TRANSLATOR_CFLAGS := -std=gnu11 $(OPTIMIZE) $(WARNINGS) -march=rv64imac_zicsr_zifencei -mabi=lp64 \
	-ffreestanding -fno-stack-protector -fno-schedule-insns -fno-tree-loop-distribute-patterns -fPIE \
	-fvisibility=hidden -ffunction-sections -fdata-sections
TRANSLATOR_LTO := -flto -flto-partition=one -finline-limit=200 -O3 -mtune=size -fira-region=one -fno-code-hoisting -fno-move-loop-invariants
TRANSLATOR_LDFLAGS := -nostdlib -static-pie \
	-Wl,--no-dynamic-linker,--gc-sections,-z,noexecstack,-z,text

$(BUILD)/strata-rv64: $(TRANSLATOR_OBJECTS)
	$(say) LINK $@
	$(Q)$(RISCV_CC) $(TRANSLATOR_CFLAGS) $(TRANSLATOR_LTO) $(TRANSLATOR_LDFLAGS) -o $@ $^

$(BUILD)/rv64/translator/host/memcpy.c.o: TRANSLATOR_LTO :=
# What passes copy is copied where it is wanted, not by a call.
$(BUILD)/rv64/translator/passes/%.o $(BUILD)/rv64/translator/rv64/open.c.o $(BUILD)/rv64/translator/rv64/items.c.o: TRANSLATOR_LTO += -mtune=rocket
$(BUILD)/rv64/%.o: src/%
	@mkdir -p $(@D)
	$(say) RISCV $<
	$(Q)$(RISCV_CC) -Isrc -Isrc/translator/rv64/facts $(TRANSLATOR_CFLAGS) $(TRANSLATOR_LTO) -MMD -MP -c -o $@ $<

-include $(TRANSLATOR_OBJECTS:.o=.d)

bench: $(BUILD)/strata $(BUILD)/strata-rv64 $(BENCH_PROGRAMS) programs
	bench/run --build $(BUILD) $(BENCH_FLAGS)
	bench/cycles --build $(BUILD) $(CYCLES_FLAGS)
	bench/smt --build $(BUILD) $(SMT_FLAGS)
	bench/helpers --build $(BUILD) --size test $(HELPERS_FLAGS)
	bench/sampling --build $(BUILD) --quick $(SAMPLING_FLAGS)
	bench/ladder --build $(BUILD) $(LADDER_FLAGS)
	bench/ladder --build $(BUILD) --O0 $(LADDER_FLAGS)
	bench/traces --build $(BUILD) $(TRACES_FLAGS)
	bench/optimizer --build $(BUILD) --only instructions $(OPTIMIZER_FLAGS)
	bench/placements --build $(BUILD)
	bench/scaling --build $(BUILD) --quick $(SCALING_FLAGS)
	BUILD=$(BUILD) bench/profile

$(BUILD)/demo: demo/wordcount.c src/isa/rv64/xstrata_asm.h
	@mkdir -p $(@D)
	$(say) RISCV $@
	$(Q)$(RISCV_CC) -std=gnu11 -O2 -g -static -Isrc -Wall -Wextra -o $@ $<
else
guests:
	@echo "strata: $(RISCV_CC) is not installed: leaving out the RISC-V programs (demo, bench, tests)."
	@echo "strata: tools/install-deps installs it on Debian."
endif

include tests/tests.mk

deps:
	@tools/install-deps build guest test

demo:
	@tools/install-deps build guest
	@$(MAKE) --no-print-directory -j2 $(BUILD)/strata $(BUILD)/strata-rv64 $(BUILD)/demo programs
	@demo/show $(BUILD)

bench-real:
	@tools/install-deps build guest test real
	@$(MAKE) --no-print-directory -j2 $(BUILD)/strata $(BUILD)/strata-rv64
	@bench/real/run --build $(BUILD) $(REAL_FLAGS)

bench-musl:
	@tools/install-deps build guest real
	@$(MAKE) --no-print-directory -j2 $(BUILD)/strata $(BUILD)/strata-rv64 programs musl-programs
	@bench/musl/run --build $(BUILD) $(MUSL_FLAGS)

clean:
	rm -rf $(BUILD)

# Headers of assembly are no C.
FORMATTED = $(shell git ls-files '*.c' '*.h' ':!tests/asm' ':!src/isa/rv64/xstrata_asm.h')

format:
	@tools/install-deps dev
	clang-format -i $(FORMATTED)

lint:
	tools/rooms
	@tools/install-deps dev
	clang-format --dry-run --Werror $(FORMATTED)
	# One file at a time: what clang-tidy 14 learns of va_list in one, it believes in the next.
	printf '%s\n' $(SOURCES) | xargs -P 2 -I {} clang-tidy --quiet {} -- $(CPPFLAGS) -std=gnu11
	shellcheck tools/install-deps .ci/run tests/fuzz/bounded tests/diff/repeatable
	mandoc -Tlint -W warning man/*.1

# What the documents link to goes with them, in the same folders; manual pages name the documents as docs/NAME.
DOCUMENTS = README.md CHANGELOG.md CONTRIBUTING.md LICENSE demo/wordcount.c \
	$(shell find docs -type f ! -name '.*')
BASH_COMPLETION := share/bash-completion/completions/strata
ZSH_COMPLETION := share/zsh/site-functions/_strata

install: $(BUILD)/strata $(COMPLETIONS)
	install -D -m 755 $(BUILD)/strata $(DESTDIR)$(PREFIX)/bin/strata
	if [ -e $(BUILD)/strata-rv64 ]; then install -m 755 $(BUILD)/strata-rv64 $(DESTDIR)$(PREFIX)/bin/; fi
	for folder in experiments configs; do install -d $(DESTDIR)$(PREFIX)/share/strata/$$folder; \
		install -m 644 $$folder/* $(DESTDIR)$(PREFIX)/share/strata/$$folder/; done
	if [ -d $(BUILD)/bench/programs ]; then install -d $(DESTDIR)$(PREFIX)/share/strata/programs; \
		cp $(BUILD)/bench/programs/* $(DESTDIR)$(PREFIX)/share/strata/programs/; fi
	install -d $(DESTDIR)$(PREFIX)/include/strata
	install -m 644 src/machine/engine/unit.h src/machine/state/statistics.h include/strata/* $(DESTDIR)$(PREFIX)/include/strata/
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	for page in man/*.1; do sed 's|Pa docs/|Pa $(docdir)/docs/|; s|Pa include/|Pa $(PREFIX)/include/|' $$page >$(DESTDIR)$(PREFIX)/share/man/man1/$$(basename $$page); done
	for file in $(DOCUMENTS); do install -D -m 644 $$file $(DESTDIR)$(docdir)/$$file; done
	install -D -m 644 $(BUILD)/completion/strata.bash $(DESTDIR)$(PREFIX)/$(BASH_COMPLETION)
	install -D -m 644 $(BUILD)/completion/_strata $(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION)

uninstall:
	rm -rf $(DESTDIR)$(docdir)
	rm -f $(DESTDIR)$(PREFIX)/$(BASH_COMPLETION) $(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION)
	rm -f $(DESTDIR)$(PREFIX)/bin/strata $(DESTDIR)$(PREFIX)/bin/strata-rv64
	rm -rf $(DESTDIR)$(PREFIX)/share/strata
	rm -rf $(DESTDIR)$(PREFIX)/include/strata
	for page in man/*.1; do rm -f $(DESTDIR)$(PREFIX)/share/man/man1/$$(basename $$page); done
