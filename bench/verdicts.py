"""A verdict on something that a program must reach, and when there is none.

A time is judged only where it can be: a line that was disturbed is undecided, and a time below what the machine can do
is an error of measurement. Neither is reached or missed. Counts of kernels and bytes are facts of the compiled program;
they are judged on any machine, and say nothing about speed.
"""

import dataclasses

REACHED, MISSED, UNDECIDED, MISMEASURED = "reached", "missed", "undecided", "error of measurement"
TIME, COUNT, RESULT = "time", "count", "result"  # what is judged

LEVEL = 1.05  # times: medians of quiet turns differ by up to 5 %, so that a line within that is level with a peer


@dataclasses.dataclass(frozen=True)
class Verdict:
    what: str
    state: str
    figures: str
    about: str = TIME


def name_of(record):
    return f"{record['program']} {record['variant']}"


def speedup(record, peer):
    """How often faster than the peer: the smaller one of reused against reused and fresh against fresh."""
    figures = record["peers"].get(peer, {})
    ratios = [figures[mode] / record[mode] for mode in ("ms", "ms_fresh") if figures.get(mode) and record.get(mode)]
    return min(ratios) if ratios else None


def timed(what, holds, figures, *records):
    """A verdict on times of these lines."""
    impossible = [r for r in records if not r["possible"]]
    if impossible:
        below = ", ".join(f"{name_of(r)} is below its limit" for r in impossible)
        return [Verdict(what, MISMEASURED, f"{figures}; {below}")]
    if any(r["disturbed"] for r in records):
        return [Verdict(what, UNDECIDED, f"{figures}; disturbed")]
    return [Verdict(what, REACHED if holds else MISSED, figures)]


def compiled(what, holds, figures, *records):
    """A verdict on compile times, which have turns of their own."""
    if any(r["compile_disturbed"] for r in records):
        return [Verdict(what, UNDECIDED, f"{figures}; disturbed")]
    return [Verdict(what, REACHED if holds else MISSED, figures)]


def counted(what, holds, figures):
    return [Verdict(what, REACHED if holds else MISSED, str(figures), COUNT)]


def one_kernel(record, what=None):
    return counted(f"{what or name_of(record)}: one kernel", record["kernels"] == 1, record["kernels"])


def over(record, peer, floor, what=None):
    """At least so many times as fast as the peer; nothing where the run was without it."""
    what = f"{what or name_of(record)}, over {TITLES.get(peer, peer)}: at least {floor} x"
    if failure := record["peers"].get(peer, {}).get("error"):
        return [Verdict(what, MISSED, f"{peer} failed: {failure}")]
    value = speedup(record, peer)
    return [] if value is None else timed(what, value >= floor, f"{value:.2f} x", record)


def against(record, peer, ceiling, what):
    """At most so many times the peer's time."""
    what = f"{what}: at most {ceiling} x"
    if failure := record["peers"].get(peer, {}).get("error"):
        return [Verdict(what, MISSED, f"{peer} failed: {failure}")]
    value = speedup(record, peer)
    return [] if value is None else timed(what, 1 / value <= ceiling, f"{1 / value:.3g} x", record)


def of_limit(record, ceiling, what=None):
    if not record["limit_ms"]:
        return []
    value = record["ms"] / record["limit_ms"]
    return timed(f"{what or name_of(record)}, of the limit: at most {ceiling} x", value <= ceiling, f"{value:.3g} x",
                 record)


def of_other(what, record, other, ceiling):
    """At most so many times the other line's time."""
    value = record["ms"] / other["ms"]
    return timed(f"{what}: at most {ceiling} x", value <= ceiling, f"{value:.3g} x", record, other)


TITLES = {"loaded": "itself by way of JAX", "jax": "JAX", "numba": "Numba", "fftw": "FFTW", "torch": "PyTorch", "inductor": "PyTorch's Inductor"}


def line_verdicts(record):
    """What every line must do, whatever it computes: run and be right, all its peers too; take a time that is possible;
    be behind no peer."""
    line = name_of(record)
    if record["error"]:
        return [Verdict(f"{line} runs and is right", MISSED, record["error"], RESULT)]
    verdicts = [Verdict(f"{line}: peer {peer} runs and is right", MISSED, figures["error"], RESULT)
                for peer, figures in record["peers"].items() if "error" in figures]
    if record["ms"] is None:
        return verdicts
    if not record["possible"]:
        verdicts.append(Verdict(f"{line}: a time that is possible", MISMEASURED,
                                f"{record['ms']:.3g} ms, limit {record['limit_ms']:.3g} ms by {record['limit_by']}"))
    speedups = {peer: speedup(record, peer) for peer in record["peers"] if peer not in record["yardsticks"]}
    speedups = {peer: value for peer, value in speedups.items() if value is not None}
    if speedups:
        best = min(speedups, key=speedups.get)
        verdicts += timed(f"{line}: behind no peer", speedups[best] * LEVEL >= 1, f"{speedups[best]:.3g} x {best}",
                          record)
    return verdicts
