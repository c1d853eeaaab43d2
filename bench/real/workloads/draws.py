"""Owns the draws that generated workloads are made of: the same in every version of Python."""

MASK = (1 << 64) - 1


class Draws:
    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & MASK

    def below(self, limit):
        """A number from 0 to limit - 1."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return ((self.state >> 33) * limit) >> 31

    def choice(self, values):
        return values[self.below(len(values))]
