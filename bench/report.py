#!/usr/bin/env python3
"""A run as Markdown: the machine, one table per program, what was judged. All of it comes from the JSON of that one run.

    bench/report.py docs/bench/RUN.json     writes RUN.md beside it once more
"""

import json
import pathlib
import sys

from verdicts import COUNT, MISMEASURED, MISSED, REACHED, UNDECIDED, Verdict


def markdown(report):
    run = report["run"]
    parts = [f"# Run {run['id']}", run_text(run) + "\n" + machine_text(report["machine"]), LEGEND]
    verdicts = [Verdict(**verdict) for verdict in report["verdicts"]]
    if verdicts:
        parts.append(summary(verdicts))
    for program in dict.fromkeys(record["program"] for record in report["records"]):
        parts.append(table(program, [r for r in report["records"] if r["program"] == program]))
    if verdicts:
        parts.append(verdicts_table("Results and times", [v for v in verdicts if v.about != COUNT]))
        parts.append(verdicts_table("Kernels and bytes", [v for v in verdicts if v.about == COUNT]))
    return "\n\n".join(parts) + "\n"


LEGEND = """Times are medians in ms of the turns in which the processors were all ours at their full rate, all workers in turn:
into reused outputs, then after the slash into fresh memory. `~` marks a line with fewer than three such turns: it is
disturbed, and nothing is decided by it. A factor is the peer's time over Ingot's, the smaller one of reused and fresh.
`limit` is the time of moving the least bytes at the rate of the run's fastest stream, or of the operations at the
highest rate of products that the run proves (bench/limits.py), whichever is longer. `!` marks a time below 0.95 of it,
which is an error of measurement. `simd` is written by hand with intrinsics (layer and product: the best call of OpenBLAS
or oneDNN for a plain product of the same size), `plain` are threaded C++ loops, `copy` moves the same bytes, `torch` is
PyTorch as it is called, `inductor` the same through torch.compile, `loaded` is Ingot given the program as JAX exports it. Compile times are those of fresh processes. `*` marks
results that were not compared, since many calls leave no digit of them."""


def run_text(run):
    disturbed, lines = run["disturbed"], run["lines"]
    what = "one quick run, each line once, without peers that compile for seconds: a look, no measurement" if run["quick"] else "one run"
    return (f"- {what}: {lines} lines in {run['minutes']:.0f} minutes, {disturbed} of them disturbed, on commit"
            f" {run['commit']}, with {', '.join(run['peers'])}; its records are {run['id']}.json, and nothing is from any"
            " other")


def machine_text(machine):
    products = ", ".join(f"{kind} {rate / 1e6:.0f} GFLOP/s" for kind, rate in sorted(machine["products"].items()))
    streams = ", ".join(f"{s['reads']}:{s['writes']} {s['bytes'] / s['ms_min'] / 1e6:.3g} GB/s" for s in machine["streams"])
    lines = [f"- {machine['cpu']} ({machine['cpu_family']}), {machine['cores']} cores, {machine['memory_gib']} GiB",
             f"- {'; '.join(machine['caches'])}", f"- {', '.join(machine['isa'])}",
             f"- {machine['system']}, {machine['compiler']}, LLVM {machine['llvm']}",
             f"- matrix products reach {products}; reads to writes of memory {streams}; load at the start"
             f" {machine['load_at_start']}"]
    return "\n".join(lines)


def table(program, records):
    peers = list(dict.fromkeys(name for record in records for name in record["peers"]))
    with_ingot = any(r["ms"] is not None or r["error"] for r in records)
    head = ["variant"] + (["Ingot", "x limit", "kernels", "MB", "compile"] if with_ingot else []) + ["limit"]
    for name in peers:
        head.append(name)
        if name == "jax":
            head.append("jax compile")
    rows = [list(row(record, peers, with_ingot)) for record in records]
    versions = sorted({p["version"] for r in records for p in r["peers"].values() if "version" in p})
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows]
    title = f"## {program}" + (f" ({', '.join(versions)})" if versions else "")
    return title + "\n" + "\n".join(lines)


def row(record, peers, with_ingot):
    yield record["variant"] + ("" if record["compared"] else " *") + (" ~" if record["disturbed"] else "")
    if with_ingot:
        yield f"**{record['error'][:80]}**" if record["error"] else times(record)
        yield of_limit(record)
        yield number(record["kernels"])
        yield f"{record['bytes'] / 1e6:.3g}" if record["bytes"] is not None else ""
        yield number(record["compile_ms"]) + (" ~" if record["compile_disturbed"] else "")
    yield number(record["limit_ms"])
    for name in peers:
        figures = record["peers"].get(name)
        yield peer_cell(record, figures) if figures else ""
        if name == "jax":
            yield number(figures.get("compile_ms")) if figures else ""


def of_limit(record):
    if not record["ms"] or not record["limit_ms"]:
        return ""
    return f"{record['ms'] / record['limit_ms']:.2f}" + ("" if record["possible"] else " !")


def peer_cell(record, figures):
    if "ms" not in figures:
        return f"failed: {figures['error'][:60]}"
    cell = times(figures)
    if record["ms"]:
        ratios = [figures[mode] / record[mode] for mode in ("ms", "ms_fresh") if figures.get(mode) and record.get(mode)]
        cell += f" ({min(ratios):.3g} x)"
    if figures.get("kernels") is not None:  # Ingot itself, by way of JAX
        same = figures["hashes"] == record["hashes"]
        cell += ", the same kernels" if same else f", {figures['kernels']} kernels, {figures['bytes'] / 1e6:.3g} MB"
    return cell


def times(figures):
    return f"{number(figures['ms'])} / {number(figures['ms_fresh'])}" if figures["ms"] is not None else ""


def number(value):
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def summary(verdicts):
    """What a reader should know before any figure."""
    behind = [v for v in verdicts if v.what.endswith("behind no peer") and v.state == MISSED]
    impossible = [v for v in verdicts if v.what.endswith("a time that is possible")]
    failed = [v for v in verdicts if v.what.endswith("runs and is right")]
    undecided = sum(v.state == UNDECIDED for v in verdicts)
    lines = [f"- {len(behind)} lines behind a peer" + listed(behind),
             f"- {len(failed)} failures" + listed(failed),
             f"- {len(impossible)} errors of measurement" + listed(impossible),
             f"- {undecided} verdicts undecided, since their lines were disturbed"]
    return "## In short\n" + "\n".join(lines)


def listed(verdicts):
    return ": " + "; ".join(f"{v.what.partition(':')[0]} ({v.figures[:80]})" for v in verdicts) if verdicts else ""


def verdicts_table(title, verdicts):
    counts = ", ".join(f"{sum(v.state == state for v in verdicts)} {word}"
                       for state, word in ((REACHED, "reached"), (MISSED, "missed"), (UNDECIDED, "undecided"),
                                           (MISMEASURED, "errors of measurement")))
    lines = [f"## {title}: {counts}", "| what | | measured |", "| --- | --- | --- |"]
    lines += [f"| {v.what} | {v.state if v.state == REACHED else f'**{v.state}**'} | {v.figures} |" for v in verdicts]
    return "\n".join(lines)


def save(report, folder):
    """The table and its records, together: one is never without the other."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / report["run"]["id"]
    stem.with_name(stem.name + ".json").write_text(json.dumps(report, indent=1) + "\n")
    stem.with_name(stem.name + ".md").write_text(markdown(report))
    return stem


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.with_suffix(".md").write_text(markdown(json.loads(path.read_text())))
