"""Writes random programs whose interest is their control flow, as assembly text.

A program calls random functions, which call each other, loop, branch, and jump through registers
and tables, with all 31 registers as data.  After each call from its main part it writes all
registers and its memory.  Only three things are not random: one register, the base, holds the
address of the data; a fuel count there bounds the calls; loops count down.  Return addresses and
the counts of loops around calls are kept on a stack in the data.

Everything is at fixed addresses, so that registers may hold addresses and still compare.  Faults
are meant: the handler hashes the whole context and goes on behind the instruction."""

import collections
import random

TEXT_BASE = 0x100000
DATA_BASE = 0x40000000
SIGNAL_STACK_BYTES = 16384
STACK_BYTES = 65536
UNMAPPED_PAGES = 0x10  # from address 0 on, of which none is mapped
PAGE = 4096
PHASES = 10
FUNCTIONS = 8

# Offsets from the base.
BUFFER, BUFFER_BYTES = 0, 256
FUEL, STACK, HASH, ESCAPE, RECORD = 256, 264, 272, 280, 288
OUTPUT_BYTES = RECORD + 32 * 8

RA, SP, GP, TP, T0, A0, A7 = 1, 2, 3, 4, 5, 10, 17
# Drawn more often: what calls, the translator's own register, those that it borrows.
FAVOURITES = (RA, SP, GP, TP, TP, T0, 10, 11, 12, 15)

BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
REGISTER_OPS = ("add sub xor or and sll srl sra slt sltu addw subw sllw srlw sraw mul mulh mulhu "
                "mulhsu mulw div divu rem remu divw remw").split()
IMMEDIATE_OPS = ("addi", "addi", "addiw", "xori", "ori", "andi", "slti", "sltiu")
SHIFTS = {"slli": 64, "srli": 64, "srai": 64, "slliw": 32, "srliw": 32, "sraiw": 32}
LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "lwu": 4, "ld": 8}
STORES = {"sb": 1, "sh": 2, "sw": 4, "sd": 8}
ATOMICS = ("amoadd", "amoswap", "amoxor", "amoor", "amoand", "amomin", "amomaxu")
LOOPS = ("down", "middle", "top", "up", "stack", "register", "around")
CALLS = ("jal", "joined", "apart", "register", "table")
FAULTS = ("load", "store", "read-only", "ebreak", "illegal", "jump")
CSRS = ("fflags", "frm", "fcsr")

SIGALRM, SIGNALS = 14, (4, 5, 7, 11)  # SIGILL, SIGTRAP, SIGBUS, SIGSEGV
SA_SIGINFO, SA_RESTART, SA_ONSTACK = 4, 0x10000000, 0x08000000
TIMER_MICROSECONDS = 40  # at the most: one alarm in each call from the main part


class Function:
    """What its callers must know."""

    def __init__(self, program, index):
        rng = program.stream(f"f{index}")
        self.name = f"f{index}"
        self.link = program.draw(rng, {0, program.base})
        self.skips = rng.random() < 0.2  # it returns behind the instruction after the call


class FlowProgram:
    """One program; `dropped` are the paths of statements to leave out."""

    def __init__(self, seed, dropped=()):
        self.seed = seed
        self.dropped = frozenset(dropped)
        self.text, self.tables = [], []
        self.paths = []  # of all statements, in order
        self.counts = collections.Counter()
        self.labels = 0
        rng = self.stream("program")
        self.base = rng.choice([r for r in range(3, 32) if not A0 <= r <= A7])
        self.timer = rng.random() < 0.25
        self.handled = self.draw(rng, {0, self.base})  # what the handler changes
        self.functions = [Function(self, index) for index in range(FUNCTIONS)]
        self.write()

    def stream(self, name):
        """Random numbers of its own for each part: what is dropped changes no other part."""
        return random.Random(f"{self.seed}:{name}")

    def source(self):
        return "\n".join(self.text + [".data", *self.tables]) + "\n"

    # Parts

    def put(self, *lines):
        self.text.extend(lines)

    def count(self, what):
        self.counts[what] += 1

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def draw(self, rng, without=frozenset()):
        while True:
            register = rng.choice(FAVOURITES) if rng.random() < 0.4 else rng.randrange(32)
            if register not in without:
                return register

    def target(self, rng, held):
        return self.draw(rng, held | {0})

    def push(self, held, registers):
        """`held`: what must not change."""
        if registers:
            rng = self.stream(f"push{len(self.text)}")
            at = self.target(rng, held | set(registers))
            self.put(f"ld x{at}, {STACK}(x{self.base})")
            for index, register in enumerate(registers):
                self.put(f"sd x{register}, {8 * index}(x{at})")
            self.put(f"addi x{at}, x{at}, {8 * len(registers)}", f"sd x{at}, {STACK}(x{self.base})")

    def pop(self, held, registers):
        if registers:
            rng = self.stream(f"pop{len(self.text)}")
            at = self.target(rng, held | set(registers))
            self.put(f"ld x{at}, {STACK}(x{self.base})",
                     f"addi x{at}, x{at}, {-8 * len(registers)}",
                     f"sd x{at}, {STACK}(x{self.base})")
            for index, register in enumerate(registers):
                self.put(f"ld x{register}, {8 * index}(x{at})")

    def address(self, rng, register, label, held, split=False):
        """auipc and addi: next to each other, which translators join, or apart."""
        here = self.label()
        self.put(f"{here}: auipc x{register}, %pcrel_hi({label})")
        if split:
            self.put(self.plain(rng, held | {0, register}))
        self.put(f"addi x{register}, x{register}, %pcrel_lo({here})")

    def branch(self, rng, label):
        op = rng.choice(BRANCHES)
        one, other = self.draw(rng), self.draw(rng)
        if rng.random() < 0.4:  # compressed if the first is one of x8 to x15
            other = 0
            if rng.random() < 0.6:
                op, one = rng.choice(BRANCHES[:2]), rng.randrange(8, 16)
        elif rng.random() < 0.1:
            other = one
        self.count(op)
        self.put(f"{op} x{one}, x{other}, {label}")

    def indirect(self, rng, link, register):
        """An offset and the jump, through a register that must hold the target less the offset."""
        offset = self.offset(rng)
        self.count("jalr same register" if link == register else
                   "jalr other offset" if offset else "jalr")
        return offset, f"jalr x{link}, {offset}(x{register})"

    @staticmethod
    def offset(rng):
        """Odd ones too: jalr clears bit 0 of the sum."""
        return 0 if rng.random() < 0.5 else rng.choice((1, 2, 4, 8, -4, -1, 2046, -2048, 2047,
                                                        rng.randrange(-2048, 2048)))

    def plain(self, rng, held):
        """One instruction that goes on behind itself and cannot fault."""
        rd = 0 if rng.random() < 0.03 else self.target(rng, held)
        rs1, rs2 = self.draw(rng), self.draw(rng)
        kind = rng.random()
        self.count("tp" if TP in (rd, rs1, rs2) else "no tp")
        if kind < 0.35:
            return f"{rng.choice(REGISTER_OPS)} x{rd}, x{rs1}, x{rs2}"
        if kind < 0.45:
            return f"{rng.choice(('add', 'sub', 'xor', 'and', 'or'))} x{rd}, x{rd}, x{rs2}"
        if kind < 0.6:
            return f"{rng.choice(IMMEDIATE_OPS)} x{rd}, x{rs1}, {rng.randrange(-2048, 2048)}"
        if kind < 0.7:
            return f"addi x{rd}, x{rd}, {rng.randrange(-32, 32)}"
        if kind < 0.8:
            op = rng.choice(list(SHIFTS))
            return f"{op} x{rd}, x{rs1}, {rng.randrange(SHIFTS[op])}"
        if kind < 0.84:
            return f"lui x{rd}, {rng.randrange(1 << 20)}"
        if kind < 0.88:
            self.count("auipc")
            return f"auipc x{rd}, {rng.randrange(1 << 20)}"
        if kind < 0.9:
            return f"mv x{rd}, x{rs1}"
        if kind < 0.95:
            op = rng.choice(list(LOADS))
            return f"{op} x{rd}, {self.place(rng, LOADS[op])}(x{self.base})"
        op = rng.choice(list(STORES))
        return f"{op} x{rs2}, {self.place(rng, STORES[op])}(x{self.base})"

    @staticmethod
    def place(rng, size):
        return BUFFER + rng.randrange(BUFFER_BYTES // size) * size

    # Statements.  Each takes its own random numbers, its path, the registers that it must not
    # write, how much deeper it may go, and the labels of the loop around it.

    def straight(self, rng, path, held, depth, loop):
        self.put(*(self.plain(rng, held) for _ in range(rng.randrange(1, 8))))

    def long(self, rng, path, held, depth, loop):
        """More than one fragment may have."""
        self.put(*(self.plain(rng, held) for _ in range(rng.randrange(120, 300))))

    def memory(self, rng, path, held, depth, loop):
        pointer = self.target(rng, held)
        rd, rs2 = self.target(rng, held | {pointer}), self.draw(rng)
        self.put(f"addi x{pointer}, x{self.base}, {self.place(rng, 8)}")
        if rng.random() < 0.5:
            self.put(f"{rng.choice(ATOMICS)}.{rng.choice('wd')} x{rd}, x{rs2}, (x{pointer})")
            return
        self.reservation(rng, pointer, held)

    def reservation(self, rng, pointer, held):
        """Some instructions between lr and sc, all of which can be done again; branches only forwards, to one
        of them or out."""
        again, end = self.label(), self.label()
        loaded = self.target(rng, held | {pointer})
        stored = self.target(rng, held | {pointer, loaded})
        failed = rng.choice((loaded, stored))
        inside = []  # where branches go that are still to come
        self.count("lr, sc")
        self.put(f"{again}: lr.d x{loaded}, (x{pointer})", f"addi x{stored}, x{loaded}, 1")
        for _ in range(rng.choice((0, 0, 2, 5, 9))):
            if inside and rng.random() < 0.6:
                self.put(f"{inside.pop()}:")
            if rng.random() < 0.4:
                inside.append(self.label())
                where = rng.choice((end, inside[-1], inside[-1]))
                self.count("lr, sc: way out" if where == end else "lr, sc: branch inside")
                self.put(rng.choice((f"beqz x{loaded}, {where}", f"bgtu x{stored}, x{loaded}, {where}",
                                     f"bltz x{stored}, {where}",
                                     f"j {inside[-1]}", f"bne x{self.draw(rng)}, x0, {where}")))
            else:
                self.put(rng.choice((f"slli x{stored}, x{stored}, {rng.randrange(1, 9)}",
                                     f"xor x{stored}, x{stored}, x{loaded}",
                                     f"addi x{stored}, x{stored}, {rng.randrange(-32, 32)}")))
        self.put(*(f"{label}:" for label in inside), f"sc.d x{failed}, x{stored}, (x{pointer})",
                 f"bnez x{failed}, {again}", f"{end}:")

    def frame(self, rng, path, held, depth, loop):
        """As compilers write it that keep all in memory: values are stored and loaded again, with sizes that overlap,
        through the base and two pointers that may lead to the same bytes, one of them from memory; some turns."""
        if rng.random() < 0.8:
            held = held | {GP, TP}  # what writes them is no instruction to passes, and ends what they know
        counter = self.target(rng, held | {self.handled})
        inner = held | {counter}
        frame = self.target(rng, inner | {self.handled})
        other = self.target(rng, inner | {frame, self.handled})
        inner = inner | {frame, other}
        first = rng.randrange(0, BUFFER_BYTES - 64, 8)
        apart = rng.choice((0, 0, 8, 4, 16, -8, 24)) if first >= 8 else 0
        bases = [(frame, 0)] * 5 + [(other, 0)] * 2 + [(self.base, BUFFER + first)] * 2
        head = self.label()
        self.put(f"li x{counter}, {rng.choice((1, 7, 9, 14))}", f"{head}:",
                 f"addi x{frame}, x{self.base}, {BUFFER + first}")
        if rng.random() < 0.5:
            self.put(f"addi x{other}, x{frame}, {apart}", f"sd x{other}, {RECORD}(x{self.base})",
                     f"ld x{other}, {RECORD}(x{self.base})")
        else:
            self.put(f"addi x{other}, x{frame}, {apart}")
        self.frame_accesses(rng, inner, bases, rng.randrange(4, 20))
        if rng.random() < 0.6:
            end = self.label()
            self.branch(rng, end)
            self.frame_accesses(rng, inner, bases, rng.randrange(1, 6))
            self.put(f"{end}:")
            self.frame_accesses(rng, inner, bases, rng.randrange(1, 6))
        self.put(f"addi x{counter}, x{counter}, -1", f"bnez x{counter}, {head}")

    def frame_accesses(self, rng, held, bases, count):
        """Mostly to what was accessed before, or to a part of it."""
        places = []
        for _ in range(count):
            kind = rng.random()
            if kind > 0.8:
                self.known(rng, held)
                continue
            if places and rng.random() < 0.7:
                base, start, size = rng.choice(places)
                if rng.random() < 0.3:
                    part = rng.choice([n for n in (1, 2, 4, 8) if n <= size])
                    start, size = start + rng.randrange(0, size, part), part
            else:
                base, start = rng.choice(bases)
                size = rng.choice((1, 2, 4, 8, 8, 8))
                start += rng.randrange(0, 24, 8) + (rng.randrange(0, 8, size) if rng.random() < 0.3 else 0)
                places.append((base, start, size))
            names = LOADS if kind < 0.5 else STORES
            name = rng.choice([name for name in names if names[name] == size])
            register = self.target(rng, held) if names is LOADS else self.draw(rng, held & {GP, TP})
            self.put(f"{name} x{register}, {start}(x{base})")

    def known(self, rng, held):
        """Copies, constants, and what is computed from them."""
        rd, rs1, rs2 = (self.target(rng, held) for _ in range(3))
        shift = rng.choice(list(SHIFTS))
        self.put(*rng.choice((
            (f"mv x{rd}, x{self.draw(rng, held & {GP, TP})}",), (f"sext.w x{rd}, x{rd}",), (f"andi x{rd}, x{rd}, 255",),
            (f"addi x{rd}, x{rd}, {rng.randrange(-32, 32)}",),
            (f"li x{rs1}, {self.value(rng)}", f"li x{rs2}, {self.value(rng)}",
             f"{rng.choice(REGISTER_OPS)} x{rd}, x{rs1}, x{rs2}"),
            (f"li x{rs1}, {rng.randrange(-(1 << 31), 1 << 31)}", f"{shift} x{rd}, x{rs1}, {rng.randrange(SHIFTS[shift])}"),
            (f"li x{rs1}, {rng.randrange(-3000, 3000)}",
             f"{rng.choice(IMMEDIATE_OPS)} x{rd}, x{rs1}, {rng.randrange(-2048, 2048)}"),
            (self.plain(rng, held),))))

    def floats(self, rng, path, held, depth, loop):
        rd, rs1 = self.target(rng, held), self.draw(rng)
        self.put(f"fmv.d.x f{rng.randrange(32)}, x{rs1}", f"fcvt.d.l f1, x{rs1}",
                 "fadd.d f2, f1, f1", f"fcvt.l.d x{rd}, f2, rtz", f"fmv.x.d x{rd}, f1",
                 f"csrrw x{rd}, {rng.choice(CSRS)}, x{rs1}", "csrwi frm, 0",
                 f"csrr x{rd}, fflags", f"fsd f2, {self.place(rng, 8)}(x{self.base})")

    def conditional(self, rng, path, held, depth, loop):
        other, end = self.label(), self.label()
        self.branch(rng, other)
        self.body(path + ".1", rng.randrange(1, 3), held, depth, loop)
        if rng.random() < 0.5:
            self.put(f"j {end}", f"{other}:")
            self.body(path + ".2", rng.randrange(1, 3), held, depth, loop)
            self.put(f"{end}:")
        else:
            self.put(f"{other}:")

    def chain(self, rng, path, held, depth, loop):
        """Branches close together, forwards and over each other."""
        labels = [self.label() for _ in range(rng.randrange(3, 8))]
        for index, label in enumerate(labels):
            self.branch(rng, rng.choice(labels[index:]))
            self.put(self.plain(rng, held), f"{label}:")

    def backwards(self, rng, path, held, depth, loop):
        """Blocks in another order than they run in."""
        first, second, third = self.label(), self.label(), self.label()
        self.put(f"j {second}", f"{first}:", self.plain(rng, held), f"j {third}", f"{second}:",
                 self.plain(rng, held))
        self.branch(rng, first)
        self.put(self.plain(rng, held), f"{third}:")

    def leave(self, rng, path, held, depth, loop):
        if loop:
            self.branch(rng, rng.choice(loop))

    def counted(self, rng, path, held, depth, loop):
        """A loop, its count in a register, or on the stack if none shall be held."""
        head, latch, end = self.label(), self.label(), self.label()
        hot = rng.random() < 0.15
        turns = rng.randrange(100, 140) if hot else rng.randrange(1, 4)
        form = rng.choice(LOOPS)
        self.count(f"loop {form}")
        counter = self.target(rng, held | {self.handled})
        inner = held | {counter}
        labels = (latch, end)

        def body(kept):
            if hot:
                self.put(*(self.plain(rng, kept) for _ in range(rng.randrange(1, 5))))
                self.branch(rng, rng.choice(labels))
                self.put(self.plain(rng, kept))
            else:
                self.body(path, rng.randrange(1, 4), kept, depth - 1, labels)

        if form == "stack":
            self.put(f"li x{counter}, {turns}")
            self.push(held, [counter])
            self.put(f"{head}:")
            body(held)
            self.put(f"{latch}:")
            at = self.target(rng, held)
            now = self.target(rng, held | {at})
            self.put(f"ld x{at}, {STACK}(x{self.base})", f"ld x{now}, -8(x{at})",
                     f"addi x{now}, x{now}, -1", f"sd x{now}, -8(x{at})",
                     f"blt x0, x{now}, {head}", f"{end}:")
            self.pop(held, [self.target(rng, held)])
            return
        if form == "up":
            limit = self.target(rng, inner | {self.handled})
            self.put(f"li x{counter}, 0", f"li x{limit}, {turns}", f"{head}:")
            body(inner | {limit})
            self.put(f"{latch}: addi x{counter}, x{counter}, 1",
                     f"bltu x{counter}, x{limit}, {head}", f"{end}:")
            return
        self.put(f"li x{counter}, {turns}")
        if form == "down":
            self.put(f"{head}:")
            body(inner)
            self.put(f"{latch}: addi x{counter}, x{counter}, -1", f"bnez x{counter}, {head}")
        elif form == "middle":
            self.put(f"j {latch}", f"{head}:")
            body(inner)
            self.put(f"{latch}: addi x{counter}, x{counter}, -1", f"bge x{counter}, x0, {head}")
        elif form == "top":
            self.put(f"{head}: beqz x{counter}, {end}", f"addi x{counter}, x{counter}, -1")
            body(inner)
            self.put(f"{latch}: j {head}")
        elif form == "around":
            self.put(f"{head}:")
            body(inner)
            self.put(f"{latch}: addi x{counter}, x{counter}, -1", f"beqz x{counter}, {end}",
                     f"j {head}")
        else:
            register = self.target(rng, inner)
            self.put(f"{head}:")
            body(inner)
            self.put(f"{latch}: addi x{counter}, x{counter}, -1", f"beqz x{counter}, {end}")
            self.address(rng, register, head, inner, rng.random() < 0.5)
            self.put(f"jalr x{rng.choice((0, 0, register))}, 0(x{register})")
        self.put(f"{end}:")

    def spend(self, rng, held, otherwise):
        fuel = self.target(rng, held)
        self.put(f"ld x{fuel}, {FUEL}(x{self.base})", f"addi x{fuel}, x{fuel}, -1",
                 f"sd x{fuel}, {FUEL}(x{self.base})", f"bltz x{fuel}, {otherwise}")

    def call(self, rng, path, held, depth, loop):
        end = self.label()
        kept = sorted(held - {self.base})
        self.spend(rng, held, end)
        self.push(held, kept)
        self.call_function(rng, rng.choice(self.functions))
        self.pop({self.base}, kept)
        self.put(f"{end}:")

    def call_function(self, rng, function):
        link, name = function.link, function.name
        register = link if rng.random() < 0.3 else self.target(rng, {self.base})
        way = rng.choice(CALLS)
        self.count(f"call {way}")
        if way == "jal":
            self.put(f"jal x{link}, {name}")
        elif way == "joined":
            here = self.label()
            self.put(f"{here}: auipc x{register}, %pcrel_hi({name})",
                     f"jalr x{link}, %pcrel_lo({here})(x{register})")
        elif way == "apart":
            here = self.label()
            self.put(f"{here}: auipc x{register}, %pcrel_hi({name})",
                     self.plain(rng, {0, self.base, register}),
                     f"jalr x{link}, %pcrel_lo({here})(x{register})")
        elif way == "register":
            self.address(rng, register, name, {self.base}, rng.random() < 0.3)
            offset, jump = self.indirect(rng, link, register)
            self.adjust(register, offset)
            self.put(jump)
        else:
            same = [f for f in self.functions if (f.link, f.skips) == (link, function.skips)]
            offset, jump = self.indirect(rng, link, register)
            self.choose(rng, {self.base}, register, [f.name for f in same], offset)
            self.put(jump)
        if function.skips:
            self.put(".option push", ".option norvc", "ebreak", ".option pop")

    def adjust(self, register, offset):
        """So that `offset` from the register is where it points now, or odd right behind that."""
        if offset == -2048:
            self.put(f"addi x{register}, x{register}, 1024", f"addi x{register}, x{register}, 1024")
        elif offset != 0:
            self.put(f"addi x{register}, x{register}, {-offset}")
            if offset % 2:
                self.put(f"addi x{register}, x{register}, 1")

    def choose(self, rng, held, register, labels, offset):
        """Loads one of a power of two of `labels`, less the offset, by some register's value."""
        while len(labels) & (len(labels) - 1):
            labels = labels + [labels[0]]
        table = f"T{len(self.tables)}"
        self.tables.append(f"{table}: .dword " + ", ".join(
            f"{label} + {(offset % 2) - offset}" for label in labels))
        index = self.target(rng, held | {register})
        self.put(f"andi x{index}, x{self.draw(rng)}, {len(labels) - 1}",
                 f"slli x{index}, x{index}, 3")
        self.put(f"la x{register}, {table}", f"add x{register}, x{register}, x{index}",
                 f"ld x{register}, 0(x{register})")

    def switch(self, rng, path, held, depth, loop):
        labels, end = [self.label() for _ in range(rng.choice((2, 4, 8)))], self.label()
        register = self.target(rng, held)
        link = rng.choice((0, 0, register, self.target(rng, held)))
        offset, jump = self.indirect(rng, link, register)
        self.choose(rng, held, register, labels, offset)
        self.put(jump)
        for index, label in enumerate(labels):
            self.put(f"{label}:")
            self.body(f"{path}.{index}", 1, held, depth - 2, loop)
            if rng.random() < 0.7:
                self.put(f"j {end}")
        self.put(f"{end}:")

    def jump(self, rng, path, held, depth, loop):
        """Over something that is no code."""
        end, register = self.label(), self.target(rng, held)
        if rng.random() < 0.4:
            self.put(f"j {end}")
        else:
            here = self.label()
            self.put(f"{here}: auipc x{register}, %pcrel_hi({end})",
                     f"jalr x{rng.choice((0, register, self.target(rng, held)))}, "
                     f"%pcrel_lo({here})(x{register})")
        self.put(".half 0" if rng.random() < 0.5 else f".word {rng.randrange(1 << 32)}", f"{end}:")

    def middle(self, rng, path, held, depth, loop):
        """A branch to between auipc and what belongs to it."""
        here, between = self.label(), self.label()
        register = self.target(rng, held)
        if rng.random() < 0.5:
            self.put(f"la x{register}, {here}")
            self.branch(rng, between)
            self.put(".option norvc", f"{here}: auipc x{register}, 0",
                     f"{between}: jalr x0, 12(x{register})", ".word 0")
        else:
            self.branch(rng, between)
            self.put(f"{here}: auipc x{register}, %pcrel_hi(main)", f"{between}:",
                     f"addi x{register}, x{register}, %pcrel_lo({here})")

    def page(self, rng, path, held, depth, loop):
        """Instructions at and over the end of a page."""
        start = self.label()
        self.put(f"j {start}", f".balign {PAGE}",
                 f".skip {PAGE - 2 * rng.randrange(1, 12)}", f"{start}:")
        self.put(*(self.plain(rng, held) for _ in range(4)))

    def fault(self, rng, path, held, depth, loop):
        held = held | {self.handled}
        register, rd = self.target(rng, held), self.target(rng, held)
        kind = rng.choice(FAULTS)
        self.count(f"fault {kind}")
        where = rng.randrange(1, UNMAPPED_PAGES)
        if kind == "load":
            self.put(f"lui x{register}, {where}", self.plain(rng, held | {register}),
                     f"{rng.choice(list(LOADS))} x{rd}, {8 * rng.randrange(-200, 200)}"
                     f"(x{register})")
        elif kind == "store":
            self.put(f"lui x{register}, {where}",
                     f"{rng.choice(list(STORES))} x{self.draw(rng)}, 8(x{register})")
        elif kind == "read-only":
            self.put(f"la x{register}, main", f"sd x{self.draw(rng)}, 0(x{register})")
        elif kind == "ebreak":
            self.put("ebreak")
        elif kind == "illegal":
            self.put(".word 0xffffffff" if rng.random() < 0.5 else ".half 0")
        else:
            end = self.label()
            self.address(rng, self.handled, end, held)
            self.put(f"lui x{register}, {where}",
                     f"jalr x{rng.choice((0, register, rd))}, {rng.choice((0, 6))}(x{register})",
                     f"{end}:")

    def system(self, rng, path, held, depth, loop):
        if not {A0, A7} & held:
            self.put("li a7, 124", "ecall")  # sched_yield

    def flush(self, rng, path, held, depth, loop):
        self.put("fence.i")

    def throw(self, rng, path, held, depth, loop):
        """Leaves all functions at once, as longjmp does; seldom."""
        end, register = self.label(), self.target(rng, held)
        self.put(f"andi x{register}, x{self.draw(rng)}, 63", f"bnez x{register}, {end}",
                 f"ld x{register}, {ESCAPE}(x{self.base})", f"jr x{register}", f"{end}:")

    STATEMENTS = {straight: 20, long: 1, memory: 5, frame: 9, floats: 2, conditional: 14, chain: 5,
                  backwards: 3, leave: 4, counted: 12, call: 12, switch: 6, jump: 4, middle: 3,
                  page: 1, fault: 4, system: 1, flush: 0.5, throw: 2}
    COMPOUND = {conditional, counted, switch}

    def body(self, path, count, held, depth, loop):
        for index in range(count):
            self.statement(f"{path}.{index}", held, max(depth, 0), loop)

    def statement(self, path, held, depth, loop):
        rng = self.stream(path)
        kinds = [k for k in self.STATEMENTS if depth > 0 or k not in self.COMPOUND]
        kind = rng.choices(kinds, [self.STATEMENTS[k] for k in kinds])[0]
        self.paths.append(path)
        if path in self.dropped:
            return
        self.count(kind.__name__)
        self.put(f"# {path} {kind.__name__}")
        compressed = rng.random() < 0.7
        self.put(f".option {'rvc' if compressed else 'norvc'}")
        kind(self, rng, path, held, depth - 1 if kind in self.COMPOUND else depth, loop)

    # The whole

    def function(self, function):
        rng = self.stream(function.name + " frame")
        self.put(f"{function.name}:")
        self.push({self.base, function.link}, [function.link])
        self.body(function.name, rng.randrange(5, 10), {self.base}, 2, ())
        others = [f for f in self.functions if f.skips == function.skips]
        if rng.random() < 0.3:
            end, tail = self.label(), rng.choice(others)
            self.count("tail call")
            self.spend(rng, {self.base}, end)
            self.pop({self.base}, [tail.link])
            if rng.random() < 0.5:
                self.put(f"j {tail.name}")
            else:
                register = self.target(rng, {self.base, tail.link})
                self.address(rng, register, tail.name, {self.base, tail.link}, True)
                self.put(f"jr x{register}")
            self.put(f"{end}:")
        register = function.link if rng.random() < 0.5 else self.target(rng, {self.base})
        self.pop({self.base}, [register])
        link = rng.choice((0, 0, 0, register, self.target(rng, {self.base})))
        if function.skips:
            self.put(f"addi x{register}, x{register}, 4")
        offset, jump = self.indirect(rng, link, register)
        self.adjust(register, offset)
        self.put(jump)

    def handler(self):
        """In: what the kernel passes.  Hashes everything, and goes on behind the instruction;
        after a jump to nowhere, at the address in the register that it changes."""
        changed = f"{176 + 8 * self.handled}(a2)"
        self.put("handler:", f"li t0, {DATA_BASE}", f"ld t1, {HASH}(t0)", "li t2, 31",
                 "add t1, t1, a0", "mul t1, t1, t2", "lw t3, 8(a1)", "add t1, t1, t3",
                 "mul t1, t1, t2", "ld t3, 16(a1)", "add t1, t1, t3", "addi t4, a2, 176",
                 "addi t5, t4, 256",
                 "1: mul t1, t1, t2", "ld t3, 0(t4)", "add t1, t1, t3", "addi t4, t4, 8",
                 "bne t4, t5, 1b", f"sd t1, {HASH}(t0)", "ld t3, 176(a2)",
                 f"li t4, {UNMAPPED_PAGES * PAGE}", "bgeu t3, t4, 2f", f"ld t3, {changed}",
                 "j 3f",
                 "2: lhu t4, 0(t3)", "andi t4, t4, 3", "sltiu t4, t4, 3", "slli t4, t4, 1",
                 "addi t3, t3, 4", "sub t3, t3, t4",
                 "3: sd t3, 176(a2)", f"sd t1, {changed}", "ret",
                 "timer_handler:", "la t0, ticks", "ld t1, 0(t0)", "addi t1, t1, 1",
                 "sd t1, 0(t0)", "ret")

    def start(self):
        self.put("_start:", "la a0, signal_stack", "li a1, 0", "li a7, 132", "ecall")
        for number in SIGNALS:
            self.put(f"li a0, {number}", "la a1, action", "li a2, 0", "li a3, 8", "li a7, 134",
                     "ecall")
        if self.timer:
            self.put(f"li a0, {SIGALRM}", "la a1, timer_action", "li a2, 0", "li a3, 8",
                     "li a7, 134", "ecall")

    def phase(self, index):
        rng = self.stream(f"phase{index}")
        function = rng.choice(self.functions)
        base, end = self.base, f"phase{index}_end"
        if self.timer:
            microseconds = rng.randrange(1, TIMER_MICROSECONDS)
            self.put("la a1, timer", f"li a0, {microseconds}", "sd a0, 24(a1)", "li a0, 0",
                     "li a2, 0", "li a7, 103", "ecall")
        self.put(f"li x{base}, {DATA_BASE}", f"li a0, {rng.randrange(5, 60)}",
                 f"sd a0, {FUEL}(x{base})", "la a0, stack", f"sd a0, {STACK}(x{base})",
                 f"la a0, {end}", f"sd a0, {ESCAPE}(x{base})", f"la x{base}, inputs{index}")
        self.put(*(f"ld x{r}, {8 * r}(x{base})" for r in range(1, 32) if r != base))
        self.put(f"li x{base}, {DATA_BASE}")
        self.call_function(rng, function)
        self.put(f"{end}:")
        self.put(*(f"sd x{r}, {RECORD + 8 * r}(x{base})" for r in range(1, 32)))
        self.put("li a0, 1", f"mv a1, x{base}", f"li a2, {OUTPUT_BYTES}", "li a7, 64", "ecall",
                 "beq a0, a2, 1f", "li a0, 1", "li a7, 93", "ecall", "1:")
        values = [self.value(rng) for _ in range(32)]
        self.tables.append(f"inputs{index}: .dword " + ", ".join(map(str, values)))

    @staticmethod
    def value(rng):
        return rng.choice((rng.randrange(1 << 64), rng.randrange(1 << 12), rng.randrange(4),
                           (1 << 64) - rng.randrange(1, 1 << 12), 1 << rng.randrange(64),
                           TEXT_BASE + rng.randrange(1 << 12), DATA_BASE + rng.randrange(256)))

    def data(self):
        flags = SA_SIGINFO | SA_ONSTACK
        everything = (1 << 64) - 1
        rng = self.stream("buffer")
        self.tables[:0] = [
            ".quad " + ", ".join(str(self.value(rng)) for _ in range(BUFFER_BYTES // 8)),
            f".skip {OUTPUT_BYTES - BUFFER_BYTES}", "ticks: .quad 0",
            f"signal_stack: .dword signal_memory, 0, {SIGNAL_STACK_BYTES}",
            f"action: .dword handler, {flags}, {everything}, {everything}",
            f"timer_action: .dword timer_handler, {flags | SA_RESTART}, {everything}, {everything}",
            "timer: .dword 0, 0, 0, 0"]
        self.tables += [f"stack: .skip {STACK_BYTES}", ".balign 16",
                        f"signal_memory: .skip {SIGNAL_STACK_BYTES}"]

    def last(self):
        """The last instructions of the last page: nothing is mapped behind them."""
        self.put("j last", f".balign {PAGE}", f".skip {PAGE - 12}", ".option norvc",
                 "last: li a0, 0", "li a7, 93", "ecall")

    def write(self):
        self.put(".option norelax", ".globl _start", ".text")
        self.handler()
        for function in self.functions[:FUNCTIONS // 2]:
            self.function(function)
        self.put(".option rvc", "main:")
        self.start()
        for index in range(PHASES):
            self.phase(index)
        self.put("j ending")
        for function in self.functions[FUNCTIONS // 2:]:
            self.function(function)
        self.put("ending:")
        self.last()
        self.data()


def all_kinds():
    """What a set of programs should have in it."""
    return ([kind.__name__ for kind in FlowProgram.STATEMENTS] + list(BRANCHES) +
            [f"loop {form}" for form in LOOPS] + [f"call {way}" for way in CALLS] +
            [f"fault {kind}" for kind in FAULTS] +
            ["auipc", "jalr", "jalr other offset", "jalr same register", "lr, sc", "tail call",
             "tp"])
