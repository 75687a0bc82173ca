"""What the programs must reach, judged from the records of a run. A floor that was not measured is left out."""

from verdicts import against, compiled, counted, line_verdicts, of_limit, of_other, one_kernel, over, speedup, timed


def judge(records):
    """Verdicts on all that was measured, of every line first, then of the floors."""
    verdicts = [verdict for record in records for verdict in line_verdicts(record)]
    lines = {(r["program"], r["variant"]): r for r in records if not r["error"] and r["ms"] is not None}
    for rule in (product_floors, reduce_floors, orders_floors, conv_floors, transpose_floors, tdma_floors, tdma_lengths,
                 perm_floors, inner_floors, inner_gradient_floors, attention_floors, gradient_floors, layer_floors,
                 layout_floors, loops_floors, fft_floors, operations_floors, chain_floors, small_floors, loaded_floors):
        verdicts += rule(lines)
    return verdicts


def variants_of(lines, program):
    return {variant: record for (name, variant), record in lines.items() if name == program}


def product_floors(lines):
    products = variants_of(lines, "product")
    verdicts = []
    for variant, record in products.items():
        name = f"product {variant}"
        verdicts += one_kernel(record)
        if variant.startswith("bxayc") or "simd" not in record["peers"]:
            verdicts += of_limit(record, 1.3)
        else:
            verdicts += against(record, "simd", 1.05, f"{name}, of the best library's call")
        if variant.endswith(("+gelu", "+sum")) and (bare := products.get(variant.partition("+")[0])):
            verdicts += of_other(f"{name}, of the same without the epilogue", record, bare, 1.02)
    orders = [record for variant, record in products.items() if variant.startswith(("ok,bck", "bck,ok"))]
    if len(orders) == 2:
        fast, slow = sorted(orders, key=lambda record: record["ms"])
        verdicts += counted("product: both orders are one kernel", fast["hashes"] == slow["hashes"],
                            [record["hashes"] for record in orders])
        verdicts += of_other("product: the slower order against the other", slow, fast, 1.02)
    return verdicts


def conv_floors(lines):
    verdicts = []
    for variant, record in variants_of(lines, "conv").items():
        verdicts += one_kernel(record)
        verdicts += over(record, "jax", 1.3 if variant.endswith("-y") else 1.5)
        if variant.startswith("depthwise"):
            verdicts += of_limit(record, 2)
    return verdicts


def orders_floors(lines):
    orders = variants_of(lines, "orders")
    if len(orders) < 2:
        return []
    by_time = sorted(orders, key=lambda variant: orders[variant]["ms"])
    fastest, slowest = by_time[0], by_time[-1]
    ratio = orders[slowest]["ms"] / orders[fastest]["ms"]
    # Each of them could be the slowest or the fastest one, so that all of them must have been measured well.
    return timed(f"orders: the slowest of {len(orders)} ({slowest}) against the fastest ({fastest}): at most 1.15 x",
                 ratio <= 1.15, f"{ratio:.3g} x", *orders.values())


def layout_floors(lines):
    verdicts = []
    for variant, floor in (("convs-nchw", 1.3), ("convs-calls", 1.3), ("rnn-grad", 1.3), ("rnn-columns", 1.3),
                           ("gru", 1.3), ("mlp-grad", 1.0)):
        if record := lines.get(("layout", variant)):
            verdicts += over(record, "jax", floor)
    return verdicts


def transpose_floors(lines):
    verdicts = []
    for variant in ("1,0@4096x4096+1", "2,0,3,1@64x128x96x32"):
        if record := lines.get(("transpose", variant)):
            verdicts += one_kernel(record)
            verdicts += of_limit(record, 1.6)
            if variant.endswith("+1"):
                verdicts += over(record, "jax", 20)
    return verdicts


def reduce_floors(lines):
    verdicts = []
    for variant, record in variants_of(lines, "reduce").items():
        verdicts += one_kernel(record)
        verdicts += of_limit(record, 1.3 if variant.startswith("sum_") else 2)  # into a reused output
        if floor := {"softmax": 4.5, "layer_norm": 4.5, "cumsum": 10}.get(variant):
            verdicts += over(record, "jax", floor)
    return verdicts


def tdma_floors(lines):
    verdicts = []
    for dtype, jax_floor in (("f32", 14), ("f64", 12)):
        forms = {form: lines.get(("tdma", f"{dtype}-{form}-100")) for form in ("axis1", "reporter")}
        for form, record in forms.items():
            if not record:
                continue
            name = f"tdma {dtype} {form}"
            verdicts += one_kernel(record, name)
            verdicts += counted(f"{name}: bytes are inputs + output", record["bytes"] == record["least_bytes"],
                                f"{record['bytes']} of {record['least_bytes']}")
            verdicts += over(record, "jax", jax_floor, name)
            if dtype == "f32":
                verdicts += over(record, "numba", 6, name)
            verdicts += against(record, "simd", 1.2, f"{name}, of hand-written SIMD")
        if all(forms.values()):
            verdicts += counted(f"tdma {dtype}: both forms are one kernel",
                                forms["axis1"]["hashes"] == forms["reporter"]["hashes"], forms["reporter"]["hashes"])
    return verdicts


def tdma_lengths(lines):
    verdicts = []
    for variant, record in variants_of(lines, "tdma").items():
        reference = lines.get(("tdma", variant.rsplit("-", 1)[0] + "-100"))
        if reference and not variant.endswith("-100"):
            ratio = (record["ms"] / record["least_bytes"]) / (reference["ms"] / reference["least_bytes"])
            verdicts += timed(f"tdma {variant}, per byte of length 100: at most 2 x", ratio <= 2, f"{ratio:.3g} x",
                              record, reference)
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
            verdicts += counted(f"{name}: one kernel each way", counts == [1] * len(ways), counts)
            verdicts += counted(f"{name}: all ways are one kernel", len({str(r["hashes"]) for r in ways}) == 1,
                                [r["hashes"] for r in ways])
            if batch == "batch" and columns != "shift3":
                for record in ways:
                    verdicts += permuted_batch(record)
    return verdicts


def permuted_batch(record):
    over_jax, of_copy = speedup(record, "jax"), speedup(record, "copy")
    if over_jax is None or of_copy is None:
        return []  # a peer that failed is told by itself
    return timed(f"perm {record['variant']}: at least 25 x JAX or at most 3 x a copy", over_jax >= 25 or 1 / of_copy <= 3,
                 f"{over_jax:.1f} x JAX, {1 / of_copy:.2f} x a copy", record)


def inner_floors(lines):
    one, hundred = lines.get(("inner", "1")), lines.get(("inner", "100"))
    if not one or not hundred:
        return []
    distinct = [len({launched.partition("*")[0] for launched in record["hashes"]}) for record in (one, hundred)]
    ratio = hundred["compile_ms"] / one["compile_ms"]
    return compiled("inner, compile time of 100 calls against 1: at most 2 x", ratio <= 2, f"{ratio:.3g} x", one,
                    hundred) + counted("inner: kernels compiled do not grow with calls", distinct[1] <= distinct[0],
                                       distinct)


def inner_gradient_floors(lines):
    verdicts = []
    for calls, seconds in ((1, 0.2), (4, 0.4), (10, 0.4), (50, 0.4), (100, 0.4)):
        if record := lines.get(("inner", f"grad-{calls}")):
            verdicts += compiles_within(record, f"inner under grad, {calls} calls", seconds * 1e3)
    return verdicts


def compiles_within(record, name, most_ms):
    return compiled(f"{name}, compile time: at most {most_ms:g} ms", record["compile_ms"] <= most_ms,
                    f"{record['compile_ms']:.3g} ms", record)


def attention_floors(lines):
    verdicts = []
    for variant in ("plain", "causal"):
        if record := lines.get(("attention", variant)):
            verdicts += over(record, "jax", 2)
    return verdicts


def gradient_floors(lines):
    floors = {"cross_entropy": 1.5, "layer_norm": 1.5, "attention": 2, "attention-checkpoint": 2, "take": 1.5, "mixture": 2,
              "tdma": 6, "mlp_hvp": 1.3, "mlp_hessian": 1.3, "mlp_samples": 1.3}
    verdicts = []
    for variant, floor in floors.items():
        if record := lines.get(("gradient", variant)):
            verdicts += over(record, "jax", floor)
    value, mixture = lines.get(("gradient", "mixture_value")), lines.get(("gradient", "mixture"))
    if value and mixture:
        verdicts += of_other("gradient mixture, of its value's time", mixture, value, 3)
    return verdicts


def layer_floors(lines):
    record = lines.get(("layer", "f32"))
    if not record:
        return []
    return against(record, "simd", 1.1, "layer, of the best library's call for the product alone") + one_kernel(
        record, "layer, no separate pass over the output")


def loops_floors(lines):
    """Over JAX; of the limit, where products are what a program spends its time on."""
    verdicts = []
    for variant, floor in (("wave", 1.8), ("heat-1024", 4), ("heat-4096", 4), ("leaves", 30), ("leaves-grad", 60),
                           ("viterbi", 15), ("kalman", 15), ("kalman-grad", 15)):
        if record := lines.get(("loops", variant)):
            verdicts += over(record, "jax", floor)
    for variant, ceiling in (("transformer-grad", 1.2), ("residual-grad", 1.3), ("griffin-scan", 1.25),
                             ("griffin-associative", 1.25)):
        if record := lines.get(("loops", variant)):
            verdicts += of_limit(record, ceiling)
    if record := lines.get(("loops", "leaves-grad")):
        verdicts += compiles_within(record, "loops leaves-grad", 150)
    kept, again = lines.get(("loops", "checkpoints-none")), lines.get(("loops", "checkpoints"))
    if kept and again:
        verdicts += of_other("loops checkpoints, of the time without", again, kept, 1.5)
    return verdicts


def fft_floors(lines):
    verdicts = []
    for variant, record in variants_of(lines, "fft").items():
        verdicts += over(record, "jax", 1) + against(record, "fftw", 1.5, f"fft {variant}, of FFTW's time")
    return verdicts


OVER_JAX = {"sort-5m": 20, "argsort-1m": 6, "sort-rows": 6, "sort-pairs-1m": 4, "normal-10m": 4, "add-noise": 4, "dropout": 4,
            "cholesky-1000": 1.2, "solve-1000": 1.2, "cholesky-10000x4": 8, "solve-10000x4": 8, "cholesky-1000x16": 8,
            "solve-1000x16": 8, "scatter-add-1": 2, "scatter-add-1000": 2, "scatter-add-1m": 2, "embedding-grad": 2,
            "nearest-neighbours": 2, "gaussian-process-grad": 1.5, "sum-of-rolls": 2, "bitonic-sort-64": 1,
            "strided-convolution-grad": 1}
COMPILED_WITHIN_S = {"concatenate-4000": 0.5, "operations-2000": 1, "bitonic-sort-64": 0.5, "strided-convolution-grad": 0.2}


def operations_floors(lines):
    verdicts = []
    for variant, record in variants_of(lines, "operations").items():
        if floor := OVER_JAX.get(variant):
            verdicts += over(record, "jax", floor)
        if variant in ("normal-10m", "add-noise", "dropout"):
            verdicts += one_kernel(record)
        if seconds := COMPILED_WITHIN_S.get(variant):
            verdicts += compiles_within(record, f"operations {variant}", seconds * 1e3)
    return verdicts


def chain_floors(lines):
    verdicts = []
    for kind in ("sine", "maxadd"):
        short, long = lines.get(("chain", f"{kind}-100")), lines.get(("chain", f"{kind}-1000"))
        if long:
            verdicts += compiles_within(long, f"chain {kind}-1000", 200)
        if short and long:  # ten times the work in clearly less than twelve times the time
            ratio = long["compile_ms"] / short["compile_ms"]
            verdicts += compiled(f"chain {kind}, compile time of 1000 against 100: at most 12 x", ratio <= 12,
                                 f"{ratio:.3g} x", short, long)
    if record := lines.get(("chain", "sine-100")):
        verdicts += over(record, "jax", 5)
    return verdicts


def small_floors(lines):
    verdicts = []
    if record := lines.get(("call", "8")):
        verdicts += timed("call on 8 floats: at most 1 us", record["ms"] <= 1e-3, f"{record['ms'] * 1e3:.3g} us", record)
    if record := lines.get(("small", "affine")):
        verdicts += compiles_within(record, "small kernel", 15)
    return verdicts


def loaded_floors(lines):
    """What comes by way of JAX is as good as what is written for Ingot."""
    verdicts = []
    for record in lines.values():
        if loaded := record["peers"].get("loaded"):
            verdicts += against(record, "loaded", 1.05, f"{record['program']} {record['variant']}: by way of JAX")
            if "kernels" in loaded:
                verdicts += counted(f"{record['program']} {record['variant']}: by way of JAX as many kernels",
                                    loaded["kernels"] <= record["kernels"], f"{loaded['kernels']}, {record['kernels']}")
    return verdicts
