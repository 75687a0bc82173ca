"""What the programs must reach, judged from the records of a run. A floor that was not measured is left out."""


def judge(records):
    """[(what, reached, figures)] for all floors whose lines were measured."""
    lines = {(r["program"], r["variant"]): r for r in records if r["error"] is None and r["ms"] is not None}
    verdicts = [(f"{r['program']} {r['variant']} runs and is right", False, r["error"])
                for r in records if r["error"] is not None]
    for rule in (product_floors, reduce_floors, orders_floors, conv_floors, transpose_floors, tdma_floors, tdma_lengths,
                 perm_floors, inner_floors, inner_gradient_floors, attention_floors, gradient_floors, layer_floors,
                 layout_floors, chain_floors, small_floors):
        verdicts += rule(lines)
    return verdicts


def speedup(record, peer):
    """How often faster than the peer: the smaller one of reused against reused and fresh against fresh."""
    figures = record["peers"].get(peer, {})
    ratios = [figures[mode] / record[mode] for mode in ("ms", "ms_fresh") if figures.get(mode) and record.get(mode)]
    return min(ratios) if ratios else None


def at_least(what, value, floor):
    return [] if value is None else [(f"{what}: at least {floor} x", value >= floor, f"{value:.2f} x")]


def at_most(what, value, ceiling, unit=" x"):
    return [] if value is None else [(f"{what}: at most {ceiling}{unit}", value <= ceiling, f"{value:.3g}{unit}")]


def product_floors(lines):
    products = {variant: record for (program, variant), record in lines.items() if program == "product"}
    verdicts = []
    for variant, record in products.items():
        verdicts.append((f"product {variant}: one kernel", record["kernels"] == 1, f"{record['kernels']}"))
        if variant.startswith("bxayc") or "simd" not in record["peers"]:
            verdicts += at_most(f"product {variant}, of the limit", record["ms"] / record["limit_ms"], 1.3)
        else:
            verdicts += at_most(f"product {variant}, of the best library's call", inverse(speedup(record, "simd")), 1.05)
        if variant.endswith(("+gelu", "+sum")) and (bare := products.get(variant.partition("+")[0])):
            verdicts += at_most(f"product {variant}, of the same without the epilogue", record["ms"] / bare["ms"], 1.02)
    orders = [record for variant, record in products.items() if variant.startswith(("ok,bck", "bck,ok"))]
    if len(orders) == 2:
        times = sorted(record["ms"] for record in orders)
        verdicts.append(("product: both orders are one kernel", orders[0]["hashes"] == orders[1]["hashes"],
                         str([record["hashes"] for record in orders])))
        verdicts += at_most("product: the slower order against the other", times[1] / times[0], 1.02)
    return verdicts


def conv_floors(lines):
    verdicts = []
    for (program, variant), record in lines.items():
        if program != "conv":
            continue
        verdicts.append((f"conv {variant}: one kernel", record["kernels"] == 1, f"{record['kernels']}"))
        verdicts += at_least(f"conv {variant}, over JAX", speedup(record, "jax"), 1.3)
        if variant.startswith("depthwise"):
            verdicts += at_most(f"conv {variant}, of the limit", record["ms"] / record["limit_ms"], 2)
    return verdicts


def orders_floors(lines):
    times = {variant: record["ms"] for (program, variant), record in lines.items() if program == "orders"}
    if len(times) < 2:
        return []
    slowest, fastest = max(times, key=times.get), min(times, key=times.get)
    return at_most(f"orders: the slowest of {len(times)} ({slowest}) against the fastest ({fastest})",
                   times[slowest] / times[fastest], 1.15)


def layout_floors(lines):
    verdicts = []
    for variant, floor in (("convs-nchw", 1.3), ("convs-calls", 1.3), ("rnn-grad", 1.3), ("rnn-columns", 1.3),
                           ("gru", 1.3), ("mlp-grad", 1.0)):
        if record := lines.get(("layout", variant)):
            verdicts += at_least(f"layout {variant}, over JAX", speedup(record, "jax"), floor)
    return verdicts


def transpose_floors(lines):
    verdicts = []
    for variant in ("1,0@4096x4096+1", "2,0,3,1@64x128x96x32"):
        if record := lines.get(("transpose", variant)):
            verdicts.append((f"transpose {variant}: one kernel", record["kernels"] == 1, f"{record['kernels']}"))
            verdicts += at_most(f"transpose {variant}, of the limit", record["ms"] / record["limit_ms"], 1.6)
            if variant.endswith("+1"):
                verdicts += at_least(f"transpose {variant}, over JAX", speedup(record, "jax"), 20)
    return verdicts


def reduce_floors(lines):
    verdicts = []
    for (program, variant), record in lines.items():
        if program != "reduce":
            continue
        name = f"reduce {variant}"
        verdicts.append((f"{name}: one kernel", record["kernels"] == 1, f"{record['kernels']}"))
        if record["limit_ms"]:  # into a reused output
            verdicts += at_most(f"{name}, of the limit", record["ms"] / record["limit_ms"],
                                1.3 if variant.startswith("sum_") else 2)
        over_jax = {"softmax": 4.5, "layer_norm": 4.5, "cumsum": 10}.get(variant)
        if over_jax:
            verdicts += at_least(f"{name}, over JAX", speedup(record, "jax"), over_jax)
    return verdicts


def tdma_floors(lines):
    verdicts = []
    for dtype, jax_floor in (("f32", 14), ("f64", 12)):
        forms = {form: lines.get(("tdma", f"{dtype}-{form}-100")) for form in ("axis1", "reporter")}
        for form, record in forms.items():
            if not record:
                continue
            name = f"tdma {dtype} {form}"
            verdicts.append((f"{name}: one kernel", record["kernels"] == 1, f"{record['kernels']}"))
            verdicts.append((f"{name}: bytes are inputs + output", record["bytes"] == record["least_bytes"],
                             f"{record['bytes']} of {record['least_bytes']}"))
            verdicts += at_least(f"{name}, over JAX", speedup(record, "jax"), jax_floor)
            if dtype == "f32":
                verdicts += at_least(f"{name}, over Numba", speedup(record, "numba"), 6)
            verdicts += at_most(f"{name}, of hand-written SIMD", inverse(speedup(record, "simd")), 1.2)
        if all(forms.values()):
            same = forms["axis1"]["hashes"] == forms["reporter"]["hashes"]
            verdicts.append((f"tdma {dtype}: both forms are one kernel", same, str(forms["reporter"]["hashes"])))
    return verdicts


def inverse(value):
    return None if value is None else 1 / value


def tdma_lengths(lines):
    verdicts = []
    for (program, variant), record in lines.items():
        if program == "tdma" and not variant.endswith("-100"):
            reference = lines.get(("tdma", variant.rsplit("-", 1)[0] + "-100"))
            if reference:
                ratio = (record["ms"] / record["least_bytes"]) / (reference["ms"] / reference["least_bytes"])
                verdicts += at_most(f"tdma {variant}, per byte of length 100", ratio, 2)
    return verdicts


def perm_floors(lines):
    verdicts = []
    for columns in ("shift3", "abc", "rotl"):
        for batch in ("single", "batch"):
            ways = [lines.get(("perm", f"{way}-{columns}-{batch}")) for way in ("gather", "take", "slices")]
            ways = [record for record in ways if record]
            if not ways:
                continue
            name = f"perm {columns} {batch}"
            counts = [record["kernels"] for record in ways]
            verdicts.append((f"{name}: one kernel each way", counts == [1] * len(ways), str(counts)))
            verdicts.append((f"{name}: all ways are one kernel", len({str(r["hashes"]) for r in ways}) == 1,
                             str([r["hashes"] for r in ways])))
            if batch == "batch" and columns != "shift3":
                for record in ways:
                    verdicts += permuted_batch(record)
    return verdicts


def permuted_batch(record):
    over_jax, over_copy = speedup(record, "jax"), inverse(speedup(record, "copy"))
    if over_jax is None or over_copy is None:
        return []
    return [(f"perm {record['variant']}: at least 25 x JAX or at most 3 x a copy", over_jax >= 25 or over_copy <= 3,
             f"{over_jax:.1f} x JAX, {over_copy:.2f} x a copy")]


def inner_floors(lines):
    one, hundred = lines.get(("inner", "1")), lines.get(("inner", "100"))
    if not one or not hundred:
        return []
    distinct = [len(set(record["hashes"])) for record in (one, hundred)]
    return at_most("inner, compile time of 100 calls against 1", hundred["compile_ms"] / one["compile_ms"], 2) + [
        ("inner: kernels compiled do not grow with calls", distinct[1] <= distinct[0], f"{distinct[0]}, {distinct[1]}")]


def inner_gradient_floors(lines):
    verdicts = []
    for calls, seconds in ((1, 0.2), (4, 0.4), (10, 0.4), (50, 0.4), (100, 0.4)):
        if record := lines.get(("inner", f"grad-{calls}")):
            verdicts += at_most(f"inner under grad, {calls} calls, compile time", record["compile_ms"] / 1e3, seconds, " s")
    return verdicts


def attention_floors(lines):
    verdicts = []
    for variant in ("plain", "causal"):
        if record := lines.get(("attention", variant)):
            verdicts += at_least(f"attention {variant}, over JAX", speedup(record, "jax"), 2)
    return verdicts


def gradient_floors(lines):
    floors = {"cross_entropy": 1.5, "layer_norm": 1.5, "attention": 2, "attention-checkpoint": 2, "take": 1.5, "mixture": 2,
              "tdma": 6, "mlp_hvp": 1.3, "mlp_hessian": 1.3, "mlp_samples": 1.3}
    verdicts = []
    for variant, floor in floors.items():
        if record := lines.get(("gradient", variant)):
            verdicts += at_least(f"gradient {variant}, over JAX", speedup(record, "jax"), floor)
    value, mixture = lines.get(("gradient", "mixture_value")), lines.get(("gradient", "mixture"))
    if value and mixture:
        verdicts += at_most("gradient mixture, of its value's time", mixture["ms"] / value["ms"], 3)
    return verdicts


def layer_floors(lines):
    record = lines.get(("layer", "f32"))
    if not record:
        return []
    return at_most("layer, of the best BLAS call for the product alone", inverse(speedup(record, "simd")), 1.1) + [
        ("layer: no separate pass over the output", record["kernels"] == 1, f"{record['kernels']} kernel(s)")]


def chain_floors(lines):
    verdicts = []
    for kind in ("sine", "maxadd"):
        short, long = lines.get(("chain", f"{kind}-100")), lines.get(("chain", f"{kind}-1000"))
        if long:
            verdicts += at_most(f"chain {kind}-1000, compile time", long["compile_ms"], 200, " ms")
        if short and long:  # ten times the work in clearly less than twelve times the time
            verdicts += at_most(f"chain {kind}, compile time of 1000 against 100",
                                long["compile_ms"] / short["compile_ms"], 12)
    if ("chain", "sine-100") in lines:
        verdicts += at_least("chain sine-100, over JAX", speedup(lines["chain", "sine-100"], "jax"), 5)
    return verdicts


def small_floors(lines):
    verdicts = []
    if ("call", "8") in lines:
        verdicts += at_most("call on 8 floats", lines["call", "8"]["ms"] * 1e3, 1, " us")
    if ("small", "affine") in lines:
        verdicts += at_most("small kernel, compile time", lines["small", "affine"]["compile_ms"], 15, " ms")
    return verdicts
