"""Random bodies for scaffold.S: code that ends, with every kind of instruction that the translator rewrites."""

import random

AREA_WORDS = 32
SP, TP, OUTER, INNER, AREA = 2, 4, 25, 26, 27
RESERVED = {0, SP, OUTER, INNER, AREA}
FREE = [n for n in range(32) if n not in RESERVED]
LINKS = [1, 5, 10, 11, 12, TP, 31]
LEAVES = 6
REGISTERS = ["add", "sub", "xor", "or", "and", "sll", "srl", "sra", "slt", "sltu", "mul", "addw",
             "subw"]
# What becomes something simpler where an operand is known.
STRENGTHS = ["mul", "mulw", "mulh", "mulhu", "mulhsu", "div", "divu", "divw", "divuw", "rem", "remu", "remw", "remuw",
             "sllw", "srlw", "sraw", *REGISTERS]
IMMEDIATES = ["addi", "xori", "andi", "ori", "addiw", "slti"]
LOADS = {"ld": 8, "lw": 4, "lwu": 4, "lhu": 2, "lbu": 1, "lb": 1}
STORES = {"sd": 8, "sw": 4, "sh": 2, "sb": 1}
BRANCHES = ["beq", "bne", "blt", "bge", "bltu", "bgeu"]


def has_sync(seed):
    """Whether its code says that code has changed, after which all of it is translated anew."""
    return seed % 4 == 0


class Body:
    """The text of one body; its labels are numbers that count on."""

    def __init__(self, seed, units):
        self.random = random.Random(seed)
        self.syncs = has_sync(seed)
        self.lines = []
        self.label = 0
        self.avoid = set()
        self.links = [self.random.choice(LINKS) for _ in range(LEAVES)]
        for _ in range(units):
            self.unit(2)
        self.emit("j body_end")
        for number, link in enumerate(self.links):
            self.leaf(number, link)

    def emit(self, line):
        self.lines.append("    " + line)

    def register(self):
        """One of those that may change; tp often."""
        while True:
            chosen = TP if self.random.random() < 0.2 else self.random.choice(FREE)
            if chosen not in self.avoid:
                return chosen

    def operand(self):
        return self.random.choice([0, TP, AREA, SP] + FREE)

    def new_label(self):
        self.label += 1
        return f"l{self.label}"

    def place(self, label):
        self.lines.append(label + ":")

    def offset(self, size):
        return self.random.randrange(0, AREA_WORDS * 8, size)

    def unit(self, depth):
        kinds = [(8, self.alu), (6, self.memory), (3, self.memory_through_tp), (3, self.address),
                 (2, self.jump), (3, self.branch), (3, self.call), (3, self.indirect_call),
                 (2, self.computed_jump), (2, self.floating), (2, self.atomic), (1, self.system),
                 (1, self.stack), (1 if self.syncs else 0, self.sync), (2 if depth else 0, self.loop),
                 (2 if depth else 0, self.busy)]
        chosen = self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]
        if chosen in (self.loop, self.busy):
            chosen(depth - 1)
        else:
            chosen()

    def alu(self):
        r = self.random
        rd = self.register()
        if r.random() < 0.5:
            rs1 = rd if r.random() < 0.5 else self.operand()
            self.emit(f"{r.choice(REGISTERS)} x{rd}, x{rs1}, x{self.operand()}")
        elif r.random() < 0.3:
            self.emit(f"lui x{rd}, {r.randrange(1 << 20)}")
        elif r.random() < 0.3:
            self.emit(f"{r.choice(['slli', 'srli', 'srai'])} x{rd}, x{rd}, {r.randrange(1, 64)}")
        else:
            rs1 = rd if r.random() < 0.5 else self.operand()
            self.emit(f"{r.choice(IMMEDIATES)} x{rd}, x{rs1}, {r.randrange(-32, 32)}")

    def access(self, base):
        if self.random.random() < 0.5:
            name = self.random.choice(list(LOADS))
            self.emit(f"{name} x{self.register()}, {self.offset(LOADS[name])}(x{base})")
        else:
            name = self.random.choice(list(STORES))
            self.emit(f"{name} x{self.operand()}, {self.offset(STORES[name])}(x{base})")

    def memory(self):
        self.access(AREA)

    def memory_through_tp(self):
        if TP in self.avoid:
            return
        self.emit(f"mv tp, x{AREA}")
        self.access(TP)

    def address(self):
        if self.random.random() < 0.5:
            self.emit(f"lla x{self.register()}, area + {self.random.randrange(4096)}")
        else:
            self.emit(f"auipc x{self.register()}, {self.random.randrange(1 << 20)}")

    def skip(self, how):
        label = self.new_label()
        self.emit(how + label)
        for _ in range(self.random.randrange(3)):
            self.alu()
        self.place(label)

    def jump(self):
        self.skip("j ")

    def branch(self):
        self.skip(f"{self.random.choice(BRANCHES)} x{self.operand()}, x{self.operand()}, ")

    def usable_leaf(self):
        number = self.random.randrange(LEAVES)
        return number if self.links[number] not in self.avoid else None

    def call(self):
        number = self.usable_leaf()
        if number is None:
            return
        link = self.links[number]
        if link == 1 and self.random.random() < 0.5:
            self.emit(f"call leaf{number}")
        else:
            self.emit(f"jal x{link}, leaf{number}")

    def indirect_call(self):
        number = self.usable_leaf()
        if number is None:
            return
        through = self.register()
        shift = self.random.choice([0, 0, 16, -32])
        self.emit(f"lla x{through}, leaf{number} - {shift}")
        self.emit(f"jalr x{self.links[number]}, {shift}(x{through})")

    def computed_jump(self):
        through = self.register()
        label = self.new_label()
        self.emit(f"lla x{through}, {label}")
        self.emit(f"jr x{through}")
        self.alu()
        self.place(label)

    def floating(self):
        r = self.random
        self.emit(r.choice([
            f"fadd.d f{r.randrange(32)}, f{r.randrange(32)}, f{r.randrange(32)}",
            f"fmul.d f{r.randrange(32)}, f{r.randrange(32)}, f{r.randrange(32)}",
            f"fdiv.d f{r.randrange(32)}, f{r.randrange(32)}, f{r.randrange(32)}",
            f"fld f{r.randrange(32)}, {self.offset(8)}(x{AREA})",
            f"fsd f{r.randrange(32)}, {self.offset(8)}(x{AREA})",
            f"fmv.x.d x{self.register()}, f{r.randrange(32)}",
            f"fcvt.d.l f{r.randrange(32)}, x{self.operand()}",
            f"csrrwi x{self.register()}, frm, {r.randrange(5)}",
            f"frflags x{self.register()}"]))

    def atomic(self):
        old = self.register()
        if self.random.random() < 0.5:
            self.emit(f"amoadd.d x{old}, x{self.operand()}, (x{AREA})")
            return
        self.sequence(old)

    def sequence(self, old):
        """From lr to sc, and back; another time through it does the same."""
        r = self.random
        value, done = self.register(), self.register()
        base = r.choice([AREA, TP])
        written = {old, value, done}
        if len(written) < 3 or written & {base}:
            return
        if base == TP:
            self.emit(f"mv tp, x{AREA}")
        sources = [n for n in [0, TP, AREA, SP, old, value] + FREE if n != done]
        start, out = self.new_label(), self.new_label()
        self.place(start)
        self.place(f"sequence{start}") # run looks for the two
        self.emit(f"lr.d x{old}, (x{base})")
        self.emit(f"mv x{value}, x{old}")
        for _ in range(r.randrange(5)):
            kind = r.randrange(5)
            if kind == 0:
                self.emit(f"{r.choice(BRANCHES)} x{r.choice(sources)}, x{r.choice(sources)}, {out}")
            elif kind == 1:
                self.emit(f"auipc x{value}, {r.randrange(1 << 20)}")
            else:
                label = self.new_label()
                self.emit(f"{r.choice(BRANCHES)} x{r.choice(sources)}, x{r.choice(sources)}, {label}")
                if kind == 2:
                    other = self.new_label()
                    self.emit(f"addi x{value}, x{value}, 5")
                    self.emit(f"j {other}")
                    self.place(label)
                    label = other
                self.emit(f"{r.choice(REGISTERS)} x{value}, x{r.choice(sources)}, x{r.choice(sources)}")
                self.place(label)
        self.emit(f"sc.d x{done}, x{value}, (x{base})")
        self.place(f"sequence_end{start}")
        self.emit(f"bnez x{done}, {start}")
        self.place(out)

    def system(self):
        if self.avoid & {10, 17}:
            return
        self.emit("li a7, 57") # close
        self.emit("li a0, -1")
        self.emit("ecall")

    def stack(self):
        self.emit("addi sp, sp, -64")
        self.emit(f"sd x{self.operand()}, 8(sp)")
        self.alu()
        self.emit("addi sp, sp, 64")

    def sync(self):
        self.emit("fence.i")

    def loop(self, depth):
        counter = OUTER if depth else INNER
        label = self.new_label()
        self.emit(f"li x{counter}, {self.random.randrange(2, 7)}")
        self.place(label)
        for _ in range(self.random.randrange(1, 5)):
            self.unit(depth)
        self.emit(f"addi x{counter}, x{counter}, -1")
        self.emit(f"bnez x{counter}, {label}")

    def busy(self, depth):
        """A loop of many turns, in which passes over traces find much to do."""
        counter = OUTER if depth else INNER
        label = self.new_label()
        kept, self.avoid = self.avoid, set(self.avoid)
        same = [self.register() for _ in range(3)] # in each turn
        pointer = self.random.choice([n for n in FREE if n not in (*same, *kept, TP)])
        self.avoid |= {*same, pointer}
        self.emit(f"li x{counter}, {self.random.randrange(7, 13)}")
        self.place(label)
        for _ in range(self.random.randrange(3, 6)):
            self.random.choice([lambda: self.frame(pointer), lambda: self.frame(pointer), self.swap, self.constants,
                                lambda: self.invariants(same), self.strength, self.branch, self.call, self.alu,
                                self.stack_frame, self.copies])()
        self.emit(f"addi x{counter}, x{counter}, -1")
        self.emit(f"bnez x{counter}, {label}")
        self.avoid = kept

    def frame(self, pointer):
        """Stores and loads of sizes that overlap, through two pointers."""
        r = self.random
        slots = [8 * r.randrange(AREA_WORDS // 2) for _ in range(2)]
        self.emit(f"addi x{pointer}, x{AREA}, {r.choice([0, 8, 12, 64])}") # functions change it
        for _ in range(r.randrange(3, 8)):
            names, register = (LOADS, self.register) if r.random() < 0.5 else (STORES, self.operand)
            name = "ld" if r.random() < 0.3 and names is LOADS else r.choice(list(names))
            size = names[name]
            offset = r.choice(slots) + (r.randrange(0, 8, size) if r.random() < 0.4 else 0)
            self.emit(f"{name} x{register()}, {offset}(x{r.choice([AREA, AREA, pointer])})")
            if r.random() < 0.3:
                self.alu()

    def stack_frame(self):
        """As a function keeps its registers."""
        saved = [self.register() for _ in range(2)]
        self.emit("addi sp, sp, -48")
        for i, register in enumerate(saved):
            self.emit(f"sd x{register}, {8 * i}(sp)")
        for _ in range(self.random.randrange(1, 4)):
            self.alu()
        for i, register in enumerate(saved):
            self.emit(f"ld x{register}, {8 * i}(sp)")
        self.emit("addi sp, sp, 48")

    def swap(self):
        chosen = list(dict.fromkeys(self.register() for _ in range(5)))
        for to, source in zip(chosen, chosen[1:] + chosen[:1]): # all but the first are rotated
            self.emit(f"mv x{to}, x{source if source != chosen[0] else chosen[min(1, len(chosen) - 1)]}")
        if len(chosen) > 2:
            self.emit(f"mv x{chosen[-1]}, x{chosen[0]}")

    def copies(self):
        """Two registers hold the same, so that one of them may be overwritten; by a constant, perhaps."""
        one, copy, near, source = (self.register() for _ in range(4))
        self.emit(f"ld x{one}, {self.offset(8)}(x{AREA})")
        self.emit(f"mv x{copy}, x{one}")
        self.emit(f"add x{self.register()}, x{copy}, tp") # here each is in its own register
        self.emit(f"addi x{near}, x{source}, 8")
        self.emit(f"li x{source}, {self.random.randrange(5000, 1 << 31)}")
        self.emit(f"bne x{source}, x{self.operand()}, 1f")
        self.place("1")

    def constants(self):
        one, other = self.register(), self.register()
        self.emit(f"li x{one}, {self.random.randrange(-1 << 31, 1 << 31)}")
        self.emit(f"addi x{other}, x{one}, {self.random.randrange(-64, 64)}")
        self.emit(f"{self.random.choice(REGISTERS)} x{self.register()}, x{other}, x{one}")
        self.emit(f"{self.random.choice(BRANCHES)} x{other}, x{one}, 1f")
        self.alu()
        self.place("1")

    def strength(self):
        """A constant operand, and the same register twice."""
        r = self.random
        constant, result = self.register(), self.register()
        for _ in range(r.randrange(1, 4)):
            value = r.choice([0, 1, -1, 1 << r.randrange(64), r.randrange(-2048, 2048), r.randrange(-1 << 31, 1 << 31)])
            self.emit(f"li x{constant}, {value}")
            operands = [f"x{constant}", f"x{self.operand()}"]
            r.shuffle(operands)
            self.emit(f"{r.choice(STRENGTHS)} x{result}, {', '.join(operands)}")
            if r.random() < 0.3:
                same = self.operand()
                self.emit(f"{r.choice(STRENGTHS)} x{self.register()}, x{same}, x{same}")
            if r.random() < 0.3:
                self.emit(f"sltu x{result}, x{self.operand()}, x{result}")
                self.emit(f"andi x{self.register()}, x{result}, 255")
            if r.random() < 0.5:
                self.extend()
            self.memory()

    def extend(self):
        """What is narrow already is extended, or kept and loaded again."""
        r = self.random
        one, other = self.register(), self.register()
        for register in (one, other):
            self.emit(f"{r.choice(['lw', 'lw', 'lbu', 'ld'])} x{register}, {self.offset(8)}(x{AREA})")
        self.emit(f"{r.choice(['and', 'or', 'xor', 'srl', 'slt'])} x{one}, x{one}, x{other}")
        if r.random() < 0.5:
            self.emit(f"{r.choice(['xori', 'ori', 'andi'])} x{one}, x{one}, {r.choice([-1, 1, 255, 256, -256])}")
        if r.random() < 0.3:
            self.emit(f"{r.choice(['srai', 'srli'])} x{one}, x{one}, {r.choice([1, 31, 32, 33, 55, 56])}")
        kept = self.offset(8)
        store, load = r.choice([("sb", "lbu"), ("sb", "lb"), ("sh", "lhu"), ("sh", "lh"), ("sw", "lw"), ("sw", "lwu")])
        self.emit(f"{store} x{one}, {kept}(x{AREA})")
        self.emit(f"{load} x{self.register()}, {kept}(x{AREA})")
        self.emit(f"{r.choice(['sext.w', 'zext.b'])} x{self.register()}, x{one}")

    def invariants(self, same):
        for _ in range(2):
            self.emit(f"{self.random.choice(REGISTERS)} x{self.register()}, x{self.random.choice(same)}, "
                      f"x{self.random.choice(same)}")

    def leaf(self, number, link):
        self.place(f"leaf{number}")
        self.avoid = {link}
        for _ in range(self.random.randrange(1, 4)):
            self.random.choice([self.alu, self.memory, self.address, self.branch])()
        self.avoid = set()
        self.emit(f"jr x{link}")


def make_body(seed, units):
    """The assembly source with the body and what it starts with."""
    body = Body(seed, units)
    values = random.Random(~seed)
    words = [values.choice([values.getrandbits(64), values.getrandbits(8), 0]) for _ in range(32)]
    initial = [f"{word:#x}" for word in words]
    initial[AREA] = "area"
    floats = [f"{values.getrandbits(62):#x}" for _ in range(32)]
    area = [f"{values.getrandbits(64):#x}" for _ in range(AREA_WORDS)]
    return "\n".join(
        ["    .option norelax", "    .text", "    .globl body, body_limit", "body:"]
        + body.lines + ["body_limit:", "    .data", "    .balign 8"]
        + [f"    .globl {name}\n{name}: .dword " + ", ".join(numbers) for name, numbers in
           (("initial", initial), ("initial_floats", floats), ("initial_area", area))]
        + ['    .section .note.GNU-stack, "", @progbits', ""])
