# Builds the programs of the study: $(BUILD)/bench/programs/NAME for RISC-V, and
# $(BUILD)/bench-native/programs/NAME for here, each from all files of bench/programs/NAME and the
# modules that it shares with others, bench/programs/MODULE.c.
#
# Included from the top Makefile behind bench/kernels/kernels.mk, whose flags hold here, too.
STUDY_PROGRAMS := $(sort $(patsubst bench/programs/%/,%,$(wildcard bench/programs/*/)))

STUDY_INCLUDES := -Ibench -Ibench/programs

modules_bzip := codec corpus
modules_gcc := text
modules_gzip := codec corpus
modules_twolf := text words
modules_vpr := text words

# Those that know software prefetching are built with it, too, as NAME-prefetch.
PREFETCH_PROGRAMS := $(sort $(patsubst bench/programs/%/,%,$(dir \
	$(shell grep -l '"prefetch\.h"' bench/programs/*/*.c))))

STUDY_BINARIES := $(STUDY_PROGRAMS) $(PREFETCH_PROGRAMS:%=%-prefetch)

.PHONY: programs programs-native
programs: $(STUDY_BINARIES:%=$(BUILD)/bench/programs/%) $(BUILD)/bench/programs/results.list
programs-native: $(STUDY_BINARIES:%=$(BUILD)/bench-native/programs/%)

# `strata study` looks for it beside the programs.
$(BUILD)/bench/programs/results.list: bench/programs/results.list
	@mkdir -p $(@D)
	@cp $< $@

# $(1) is built from the folder $(2), with the flags $(3) besides.
define study_program
program_parts_$(1) := $$(wildcard bench/programs/$(2)/*) $$(modules_$(2):%=bench/programs/%.c) \
	$$(wildcard bench/*.h bench/programs/*.h)

$(BUILD)/bench/programs/$(1): $$(program_parts_$(1))
	@mkdir -p $$(@D)
	$$(say) RISCV $$@
	$$(Q)$$(RISCV_CC) $$(BENCH_CFLAGS) $(3) $$(STUDY_INCLUDES) -static -o $$@ $$(filter %.c,$$^) -lm

$(BUILD)/bench-native/programs/$(1): $$(program_parts_$(1))
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $$(BENCH_CFLAGS) $(3) $$(BENCH_NATIVE_FLAGS) $$(STUDY_INCLUDES) -o $$@ $$(filter %.c,$$^) -lm
endef
$(foreach name,$(STUDY_PROGRAMS),$(eval $(call study_program,$(name),$(name))))
$(foreach name,$(PREFETCH_PROGRAMS),$(eval $(call study_program,$(name)-prefetch,$(name),-DSOFTWARE_PREFETCH)))
