"""A run as Markdown: the machine, one table per program, the floors."""


def markdown(report):
    parts = [f"# Measured on {report['date']}", machine_text(report["machine"]), LEGEND]
    for program in dict.fromkeys(record["program"] for record in report["records"]):
        parts.append(table(program, [r for r in report["records"] if r["program"] == program]))
    if report["floors"]:
        parts.append(floors_table(report["floors"]))
    return "\n\n".join(parts)


LEGEND = """Times are medians in ms, all workers in turn: into reused outputs, then after the slash into fresh memory.
A factor is the peer's time over Ingot's, the smaller one of reused and fresh. `limit` is the time of moving the
least bytes at the bandwidth measured beside it, or of the operations at the measured peak of matrix products,
whichever is longer. `simd` is written by hand with intrinsics (layer and product: the best call of OpenBLAS or oneDNN for a plain product of the same size),
`plain` are threaded C++ loops, `copy` moves the same bytes. Compile times are those of fresh processes. What was
timed while the processors were not all ours at their full rate was timed again; `~` marks lines where that went on
for too long."""


def machine_text(machine):
    lines = [f"- {machine['cpu']} ({machine['cpu_family']}), {machine['cores']} cores, {machine['memory_gib']} GiB",
             f"- {'; '.join(machine['caches'])}", f"- {', '.join(machine['isa'])}",
             f"- {machine['system']}, {machine['compiler']}, LLVM {machine['llvm']}",
             f"- matrix products reach {machine['gemm_gflops']} GFLOP/s; load at the start {machine['load_at_start']}"]
    return "\n".join(lines)


def table(program, records):
    peers = list(dict.fromkeys(name for record in records for name in record["peers"]))
    with_ingot = any(r["ms"] is not None or r["error"] for r in records)
    head = ["variant"] + (["Ingot", "x limit", "kernels", "MB", "compile"] if with_ingot else []) + ["limit"]
    for name in peers:
        head.append(name)
        if name == "jax":
            head.append("jax compile")
    rows = [[cell for cell in row(record, peers, with_ingot)] for record in records]
    versions = sorted({p["version"] for r in records for p in r["peers"].values() if "version" in p})
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows]
    title = f"## {program}" + (f" ({', '.join(versions)})" if versions else "")
    return title + "\n" + "\n".join(lines)


def row(record, peers, with_ingot):
    yield record["variant"]
    if with_ingot:
        yield times(record)
        yield f"{record['ms'] / record['limit_ms']:.2f}" if record["ms"] and record["limit_ms"] else ""
        yield number(record["kernels"])
        yield f"{record['bytes'] / 1e6:.3g}" if record["bytes"] is not None else ""
        yield number(record["compile_ms"])
    yield number(record["limit_ms"])
    for name in peers:
        figures = record["peers"].get(name)
        yield peer_cell(record, figures) if figures else ""
        if name == "jax":
            yield number(figures.get("compile_ms")) if figures else ""


def peer_cell(record, figures):
    if "ms" not in figures:
        return f"failed: {figures['error'][:60]}"
    cell = times(figures)
    if record["ms"]:
        ratios = [figures[mode] / record[mode] for mode in ("ms", "ms_fresh") if figures.get(mode) and record.get(mode)]
        cell += f" ({min(ratios):.3g} x)"
    return cell


def times(figures):
    if figures.get("error"):
        return f"**{figures['error'][:80]}**"
    mark = " ~" if figures.get("disturbed") else ""
    return f"{number(figures['ms'])} / {number(figures['ms_fresh'])}{mark}"


def number(value):
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def floors_table(verdicts):
    reached = sum(ok for _, ok, _ in verdicts)
    lines = [f"## Floors: {reached} of {len(verdicts)} reached", "| floor | | measured |", "| --- | --- | --- |"]
    lines += [f"| {what} | {'reached' if ok else '**missed**'} | {figures} |" for what, ok, figures in verdicts]
    return "\n".join(lines)
