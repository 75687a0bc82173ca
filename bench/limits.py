"""How fast a program could possibly be, from all that one run has measured of the machine.

A limit that was measured beside its line would be as disturbed as the line, and would then flatter it. So a line's
bytes are taken at the rate of the fastest stream of the whole run that proves it, and its operations at the highest
rate of matrix products that any peer reached, or Ingot where nothing disturbed it: a machine may have instructions for
them that no peer uses. What comes out clearly faster than that was not measured right.
"""

POSSIBLE = 0.95  # of the limit: medians of quiet turns differ by up to 5 %; what is below that is no success
SMALLER = 0.8  # of a line's bytes: a stream of so many or more stays in no nearer a cache than the line does


def set_limits(records, measures):
    """Sets `limit_ms` and `limit_by` of all records, and `possible`, which is False where a time is below the limit."""
    streams = [r["stream"] for r in records if r["stream"]] + measures["streams"]
    products = product_rates(records, measures["products"])
    for record in records:
        limits = {}
        if record["stream"] and (rate := fastest_stream(record["stream"], streams)):
            limits["bytes"] = record["stream"]["bytes"] / rate
        if record["flops"] and record["operations"] in products:
            limits["operations"] = record["flops"] / products[record["operations"]]
        record["limit_by"] = max(limits, key=limits.get) if limits else None
        record["limit_ms"] = limits.get(record["limit_by"])
        record["possible"] = not (limits and record["ms"] and record["ms"] < POSSIBLE * record["limit_ms"])
    return products


def fastest_stream(line, streams):
    """Bytes per ms. A stream proves a rate for a line of fewer bytes, which caches can only help, and for one that
    writes a smaller share of them, since a write is a read as well where a cache is written."""
    rates = [s["bytes"] / s["ms_min"] for s in streams
             if s["bytes"] >= SMALLER * line["bytes"] and share_written(s) >= share_written(line)]
    return max(rates, default=None)


def share_written(stream):
    return stream["writes"] / (stream["reads"] + stream["writes"])


def product_rates(records, measured):
    """{element type: operations per ms}: what was reached in products of matrices, into reused memory or fresh."""
    rates = dict(measured)
    for record in records:
        if not record["is_product"]:
            continue
        all_figures = list(record["peers"].values()) + ([] if record["disturbed"] else [record])
        times = [figures[which] for figures in all_figures for which in ("ms_min", "ms_fresh_min") if figures.get(which)]
        if times:
            kind = record["operations"]
            rates[kind] = max(rates.get(kind, 0), record["flops"] / min(times))
    return rates
