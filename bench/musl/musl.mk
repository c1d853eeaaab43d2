# Builds the programs of the study linked with musl, a small static C library, in
# $(BUILD)/bench/VARIANT/programs: for `make bench-musl`, which needs the network once.
#
# Included from the top Makefile behind bench/programs/programs.mk.

# gcc copies the test of a loop in front of it.  Without the first of these options it does not, and without the
# second it does not move blocks, which would copy it again: the loop is entered by a jump to its test, which
# gcc's front end puts at the end.  No option of gcc 12 has the test at the top.
flags_musl :=
flags_musl-uninverted := -fno-tree-ch -fno-reorder-blocks
MUSL_VARIANTS := musl musl-uninverted

.PHONY: musl-programs
musl-programs: $(foreach variant,$(MUSL_VARIANTS),$(BUILD)/bench/$(variant)/programs/results.list \
	$(STUDY_PROGRAMS:%=$(BUILD)/bench/$(variant)/programs/%))

# $(1): the variant.  They share the source, so that one is built after the other.
define musl_library
$(BUILD)/bench/$(1)/library/lib/libc.a: bench/musl/build-library bench/real/sources.py $(2)
	$$(say) MUSL $$(@D)
	$$(Q)bench/musl/build-library --sources $(BUILD)/bench/musl-source --cross $$(RISCV_PREFIX) \
		--flags="-O2 $$(flags_$(1))" $(BUILD)/bench/$(1)/library
	@touch $$@

$(BUILD)/bench/$(1)/programs/results.list: bench/programs/results.list
	@mkdir -p $$(@D)
	@cp $$< $$@
endef
$(eval $(call musl_library,musl,))
$(eval $(call musl_library,musl-uninverted,$(BUILD)/bench/musl/library/lib/libc.a))

# $(1): the variant, $(2): the program.
define musl_program
$(BUILD)/bench/$(1)/programs/$(2): $$(program_parts_$(2)) $(BUILD)/bench/$(1)/library/lib/libc.a
	@mkdir -p $$(@D)
	$$(say) RISCV $$@
	$$(Q)$$(RISCV_CC) $$(BENCH_CFLAGS) $$(flags_$(1)) $$(STUDY_INCLUDES) -nostdinc \
		-isystem $(BUILD)/bench/$(1)/library/include \
		-isystem $$$$($$(RISCV_CC) -print-file-name=include) -static -nostdlib -o $$@ \
		$$(addprefix $(BUILD)/bench/$(1)/library/lib/,crt1.o crti.o) $$(filter %.c,$$^) \
		-L$(BUILD)/bench/$(1)/library/lib -lc -lgcc $(BUILD)/bench/$(1)/library/lib/crtn.o
endef
$(foreach variant,$(MUSL_VARIANTS),$(foreach name,$(STUDY_PROGRAMS), \
	$(eval $(call musl_program,$(variant),$(name)))))
