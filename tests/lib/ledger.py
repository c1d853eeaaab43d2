"""Owns what the numbers of slices have to do with each other, as docs/stats.md says it."""

SLICES_MAX = 255


def sums(one, fetches):
    """(what must hold, whether it does) of one slice."""
    runs = one["started"] + one["chained"]
    asked = one["started"] + one["no_context"]
    yield "lines = timely + late + evicted + unused", \
        one["lines"] == one["timely"] + one["late"] + one["evicted"] + one["unused"]
    yield "unused is not negative", 0 <= one["unused"] <= one["lines"]
    yield "loads = redundant + lines", one["loads"] == one["redundant"] + one["lines"] if fetches \
        else one["redundant"] == one["lines"] == 0
    yield "loads are instructions", one["loads"] <= one["instructions"]
    yield "triggers start slices, or find no context", asked <= one["triggers"]
    yield "each trigger of a basic slice does", \
        one["kind"] == "chaining" or one["removed"] or asked == one["triggers"]
    yield "only chains are chained, wait and are overtaken", \
        one["kind"] == "chaining" or one["chained"] == one["throttled"] == one["overtaken"] == 0
    yield "where a chain is overtaken another one is started", one["overtaken"] <= asked
    yield "a chain begins with a trigger", one["started"] > 0 or runs == 0
    yield "a slice is stopped once", one["guarded"] + one["faulted"] <= runs
    yield "a slice is cut short once", one["cut_short"] <= runs
    yield "a slice waits for the program once", one["throttled"] <= runs
    yield "a slice has instructions, or is stopped", runs - one["faulted"] <= one["instructions"]


def table_sums(tables, slices):
    """Of the tables with which the processor makes slices."""
    dlit, rib, sit = (tables[name] for name in ("dlit", "rib", "sit"))
    yield "loads that enter are locked, or dropped", max(dlit["locked"], dlit["dropped"]) <= dlit["entered"]
    yield "a recording has one end", rib["overflows"] + rib["slices"] + rib["refused"] <= rib["recordings"]
    yield "slices that run were made", sit["optimized"] <= sit["installed"] <= rib["slices"]
    if len(slices) < SLICES_MAX:
        yield "each slice that runs is listed, after those of the program", sit["installed"] <= len(slices)
        yield "slices are removed for a reason", \
            sum(one["removed"] for one in slices) == sit["optimized"] + sit["given_up"] + sit["destroyed"]


def wrong(statistics, fetches=True):
    """What does not hold of a run's statistics; None if all does.  `fetches`: loads of slices ask a first-level cache."""
    slices, pipeline = statistics.get("slices", []), statistics["pipeline"] or {}
    for one in slices:
        for name, holds in sums(one, fetches):
            if not holds:
                return f"{name}: {one}"
    executed = sum(one["instructions"] for one in slices)
    retired = pipeline.get("helpers", {"instructions": 0})["instructions"]
    if retired > executed:
        return f"slices executed {executed} instructions, and {retired} retired"
    for name, holds in table_sums(pipeline["dsp"], slices) if "dsp" in pipeline else ():
        if not holds:
            return f"{name}: {pipeline['dsp']}"
    return None
