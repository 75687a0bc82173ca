"""How a run is judged, on made-up records: limits, what is undecided, what was not measured right, peers that fail."""

import json
import pathlib
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import floors
import report
import workers
from limits import set_limits
from verdicts import COUNT, MISMEASURED, MISSED, REACHED, UNDECIDED

MEASURES = {"products": {"f32": 2e8}, "streams": [{"reads": 1, "writes": 1, "bytes": 1 << 28, "ms_min": 10.0}]}


def stream(megabytes, ms, reads=1, writes=1):
    return {"reads": reads, "writes": writes, "bytes": int(megabytes * 1e6), "ms": ms * 1.1, "ms_min": ms}


def peer(ms, **more):
    return {"ms": ms, "ms_min": ms, "ms_fresh": ms, "ms_fresh_min": ms} | more


def record(program, variant, ms, peers=None, **more):
    return {"program": program, "variant": variant, "ms": ms, "ms_min": ms, "ms_fresh": ms, "kernels": 1,
            "hashes": ["a"], "bytes": 8, "least_bytes": 8, "flops": 0, "operations": "f32", "is_product": False,
            "compile_ms": 10.0, "compile_disturbed": False, "compared": True, "max_difference": 0.0, "error": None,
            "peers": peers or {}, "yardsticks": ["copy"], "stream": None, "disturbed": False,
            "turns": {"rounds": 9, "disturbed": 0, "enough": True, "repeated": 0}} | more


def judged(*records, measures=MEASURES):
    """{what: verdict} of a run of these records."""
    set_limits(records, measures)
    return {verdict.what: verdict for verdict in floors.judge(records)}


class Limits(unittest.TestCase):
    def test_bytes_go_at_the_rate_of_the_fastest_stream_of_the_run(self):
        disturbed = record("reduce", "softmax", 4.0, stream=stream(100, 5.0), disturbed=True)
        quiet = record("reduce", "rms_norm", 2.0, stream=stream(100, 2.0))
        judged(disturbed, quiet)
        self.assertAlmostEqual(disturbed["limit_ms"], 2.0)  # not the 5 ms that were measured beside it
        self.assertEqual(disturbed["limit_by"], "bytes")

    def test_a_probe_of_the_machine_is_a_stream_of_the_run(self):
        line = record("reduce", "softmax", 4.0, stream=stream(100, 5.0))
        judged(line)
        self.assertAlmostEqual(line["limit_ms"], 1e8 / ((1 << 28) / 10.0))

    def test_what_caches_hold_proves_nothing_for_what_they_do_not(self):
        small, large = record("call", "8", 1.0, stream=stream(1, 0.001)), record("reduce", "softmax", 4.0, stream=stream(100, 3.0))
        judged(small, large, measures={"products": {}, "streams": []})
        self.assertAlmostEqual(large["limit_ms"], 3.0)
        self.assertAlmostEqual(small["limit_ms"], 0.001)

    def test_reading_proves_nothing_for_writing(self):
        reads, writes = stream(100, 1.0, reads=1, writes=0), stream(100, 3.0)
        reader, writer = record("reduce", "sum_0", 4.0, stream=reads), record("reduce", "softmax", 4.0, stream=writes)
        judged(reader, writer, measures={"products": {}, "streams": []})
        self.assertAlmostEqual(writer["limit_ms"], 3.0)
        self.assertAlmostEqual(reader["limit_ms"], 1.0)

    def test_operations_go_at_the_highest_rate_of_products_of_any_peer(self):
        slow = record("product", "a", 10.0, {"jax": peer(10.0)}, flops=10 * 10**8, is_product=True)
        fast = record("product", "b", 5.0, {"simd": peer(4.0), "jax": peer(9.0)}, flops=10 * 10**8, is_product=True)
        judged(slow, fast)
        self.assertAlmostEqual(slow["limit_ms"], 4.0)  # 2.5e8 a ms, where the probe had reached 2e8

    def test_into_fresh_memory_counts_too(self):
        line = record("product", "a", 5.0, {"jax": peer(10.0) | {"ms_fresh_min": 4.0}}, flops=10 * 10**8, is_product=True)
        judged(line)
        self.assertAlmostEqual(line["limit_ms"], 4.0)

    def test_a_quiet_product_of_ingot_is_possible(self):
        line = record("product", "a", 2.0, {"jax": peer(10.0)}, flops=10 * 10**8, is_product=True)
        verdicts = judged(line)
        self.assertAlmostEqual(line["limit_ms"], 2.0)
        self.assertNotIn("product a: a time that is possible", verdicts)

    def test_neither_a_disturbed_product_of_ingot_nor_what_is_no_product_sets_the_rate(self):
        line = record("product", "a", 2.0, {"jax": peer(10.0)}, flops=10 * 10**8, is_product=True, disturbed=True)
        chain = record("chain", "sine-100", 2.0, {"jax": peer(1.0)}, flops=10 * 10**8)
        judged(line, chain)
        self.assertAlmostEqual(line["limit_ms"], 5.0)

    def test_each_element_type_has_its_own_rate(self):
        bf16 = record("product", "x:bf16", 3.0, {"simd": peer(2.5)}, flops=10 * 10**8, is_product=True, operations="bf16")
        f32 = record("product", "x", 5.0, {"simd": peer(5.0)}, flops=10 * 10**8, is_product=True)
        judged(bf16, f32)
        self.assertAlmostEqual(bf16["limit_ms"], 2.5)
        self.assertAlmostEqual(f32["limit_ms"], 5.0)

    def test_the_longer_limit_counts(self):
        line = record("conv", "3x3-nhwc-y", 9.0, flops=10**9, stream=stream(10, 1.0))
        judged(line)
        self.assertEqual((line["limit_ms"], line["limit_by"]), (5.0, "operations"))


class Times(unittest.TestCase):
    def test_below_the_limit_is_an_error_of_measurement(self):
        line = record("reduce", "softmax", 1.8, {"jax": peer(20.0)}, stream=stream(100, 2.0))
        verdicts = judged(line)
        for what in ("reduce softmax, of the limit: at most 2 x", "reduce softmax, over JAX: at least 4.5 x",
                     "reduce softmax: a time that is possible", "reduce softmax: behind no peer"):
            self.assertEqual(verdicts[what].state, MISMEASURED, what)

    def test_within_the_noise_of_the_limit_is_reached(self):
        verdicts = judged(record("reduce", "softmax", 1.91, {"jax": peer(20.0)}, stream=stream(100, 2.0)))
        self.assertEqual(verdicts["reduce softmax, of the limit: at most 2 x"].state, REACHED)
        self.assertNotIn("reduce softmax: a time that is possible", verdicts)

    def test_a_disturbed_line_is_undecided(self):
        for jax in (1.0, 100.0):
            line = record("reduce", "softmax", 3.0, {"jax": peer(jax)}, stream=stream(100, 2.0), disturbed=True)
            verdicts = judged(line)
            self.assertEqual(verdicts["reduce softmax, over JAX: at least 4.5 x"].state, UNDECIDED)
            self.assertEqual(verdicts["reduce softmax, of the limit: at most 2 x"].state, UNDECIDED)
            self.assertEqual(verdicts["reduce softmax: behind no peer"].state, UNDECIDED)

    def test_what_compares_lines_needs_both(self):
        for disturbed in (True, False):
            value = record("gradient", "mixture_value", 10.0, disturbed=disturbed)
            mixture = record("gradient", "mixture", 20.0, disturbed=not disturbed)
            self.assertEqual(judged(value, mixture)["gradient mixture, of its value's time: at most 3 x"].state, UNDECIDED)

    def test_compile_times_have_turns_of_their_own(self):
        quiet = record("small", "affine", 1.0, disturbed=True)
        self.assertEqual(judged(quiet)["small kernel, compile time: at most 15 ms"].state, REACHED)
        disturbed = record("small", "affine", 1.0, compile_disturbed=True)
        self.assertEqual(judged(disturbed)["small kernel, compile time: at most 15 ms"].state, UNDECIDED)

    def test_gradients_of_convolutions_have_a_floor_of_their_own(self):
        verdicts = judged(*(record("conv", f"3x3-nhwc-{what}", 10.0, {"jax": peer(14.0)}) for what in ("y", "dx", "dw")))
        self.assertEqual(verdicts["conv 3x3-nhwc-y, over JAX: at least 1.3 x"].state, REACHED)
        self.assertEqual(verdicts["conv 3x3-nhwc-dx, over JAX: at least 1.5 x"].state, MISSED)
        self.assertEqual(verdicts["conv 3x3-nhwc-dw, over JAX: at least 1.5 x"].state, MISSED)


class Peers(unittest.TestCase):
    def test_a_peer_that_failed_fails_the_line(self):
        verdicts = judged(record("attention", "plain", 3.0, {"jax": {"error": "out of memory"}}))
        failed = verdicts["attention plain: peer jax runs and is right"]
        self.assertEqual((failed.state, failed.figures), (MISSED, "out of memory"))
        self.assertEqual(verdicts["attention plain, over JAX: at least 2 x"].state, MISSED)

    def test_a_failure_is_no_matter_of_disturbance(self):
        verdicts = judged(record("attention", "plain", 3.0, {"jax": {"error": "wrong"}}, disturbed=True))
        self.assertEqual(verdicts["attention plain, over JAX: at least 2 x"].state, MISSED)

    def test_a_failure_of_ingot_fails_the_line(self):
        verdicts = judged(record("attention", "plain", None, {"jax": peer(1.0)}, error="off by 1"))
        self.assertEqual(verdicts["attention plain runs and is right"].state, MISSED)
        self.assertEqual(len(verdicts), 1)

    def test_a_line_behind_any_peer_is_behind(self):
        verdicts = judged(record("layout", "convs-nchw", 10.0, {"jax": peer(20.0), "torch": peer(9.0)}))
        self.assertEqual(verdicts["layout convs-nchw, over JAX: at least 1.3 x"].state, REACHED)
        behind = verdicts["layout convs-nchw: behind no peer"]
        self.assertEqual((behind.state, behind.figures), (MISSED, "0.9 x torch"))

    def test_fresh_memory_counts_too(self):
        line = record("layout", "gru", 10.0, {"jax": peer(20.0) | {"ms_fresh": 8.0}})
        self.assertEqual(judged(line)["layout gru: behind no peer"].state, MISSED)

    def test_level_is_not_behind(self):
        verdicts = judged(record("layout", "gru", 10.4, {"torch": peer(10.0)}))
        self.assertEqual(verdicts["layout gru: behind no peer"].state, REACHED)

    def test_what_computes_less_is_no_peer_to_be_behind_of(self):
        verdicts = judged(record("perm", "take-abc-batch", 10.0, {"copy": peer(1.0), "jax": peer(500.0)}))
        self.assertEqual(verdicts["perm take-abc-batch: behind no peer"].figures, "50 x jax")


class Counts(unittest.TestCase):
    def test_kernels_are_judged_on_any_machine_and_told_apart(self):
        line = record("attention", "plain", 3.0), record("reduce", "softmax", 1.0, kernels=2, disturbed=True)
        verdicts = judged(*line)
        count = verdicts["reduce softmax: one kernel"]
        self.assertEqual((count.state, count.about, count.figures), (MISSED, COUNT, "2"))

    def test_the_table_counts_them_apart_from_times(self):
        records = [record("reduce", "softmax", 1.0, {"jax": peer(2.0)}, stream=stream(100, 1.0))]
        text = report.markdown(whole(records))
        times, counts = text.split("## Kernels and bytes")
        self.assertNotIn("one kernel", times)
        self.assertIn("1 reached, 0 missed", counts.splitlines()[0])
        self.assertIn("## Results and times: 2 reached, 1 missed, 0 undecided, 0 errors of measurement", times)


def whole(records):
    measures = MEASURES | {"products": set_limits(records, MEASURES)}
    machine = {"cpu": "a", "cpu_family": "b", "cores": 2, "memory_gib": 4, "caches": [], "isa": [], "system": "c",
               "compiler": "d", "llvm": "e", "load_at_start": 0.0}
    run = {"id": "2026-01-01-0000-a", "commit": "0123456789", "quick": False, "only": "", "peers": ["jax"],
           "lines": len(records), "disturbed": 0, "minutes": 1.0}
    return {"run": run, "machine": machine | measures, "records": records,
            "verdicts": [vars(verdict) for verdict in floors.judge(records)]}


class Tables(unittest.TestCase):
    def test_a_table_names_its_run_and_comes_with_its_records(self):
        with tempfile.TemporaryDirectory() as folder:
            stem = report.save(whole([record("call", "8", 0.0005)]), pathlib.Path(folder))
            self.assertEqual(sorted(p.name for p in pathlib.Path(folder).iterdir()),
                             ["2026-01-01-0000-a.json", "2026-01-01-0000-a.md"])
            text = pathlib.Path(f"{stem}.md").read_text()
            self.assertIn("# Run 2026-01-01-0000-a", text)
            self.assertIn("on commit 0123456789", text)
            self.assertEqual(text, report.markdown(json.loads(pathlib.Path(f"{stem}.json").read_text())))

    def test_errors_of_measurement_and_lines_behind_come_first(self):
        records = [record("reduce", "softmax", 1.0, stream=stream(100, 2.0)),
                   record("layout", "gru", 3.0, {"torch": peer(1.0)})]
        short = report.markdown(whole(records)).split("## In short")[1].split("##")[0]
        self.assertIn("1 errors of measurement: reduce softmax", short)
        self.assertIn("1 lines behind a peer: layout gru (0.333 x torch)", short)

    def test_saved_tables_are_what_their_records_give(self):
        folder = pathlib.Path(__file__).resolve().parent.parent / "docs" / "bench"
        for path in sorted(folder.glob("*.md")):
            records = path.with_suffix(".json")
            self.assertTrue(records.exists(), f"{path.name} has no records: a table is one run with its JSON")
            self.assertEqual(path.read_text(), report.markdown(json.loads(records.read_text())), path.name)


class FakeWorker:
    """Answers `run` with the same time; the pace is full, or not, as told."""

    def __init__(self, name, ms=1.0):
        self.name, self.ms, self.runs = name, ms, 0

    def ask(self, line):
        return {}

    def run(self, count, mode):
        self.runs += 1
        return [self.ms] * count

    def close(self):
        pass


class Probe(FakeWorker):
    """The worker that tells the pace: slow where `slow(n)` for its n-th probe."""

    def __init__(self, slow):
        super().__init__("simd")
        self.slow = slow

    def run(self, count, mode):
        self.runs += 1
        return [2.0 if count < 200 and self.slow(self.runs) else 1.0] * count


class Turns(unittest.TestCase):
    def setUp(self):
        self.slept = 0.0
        self.real = workers.time
        workers.time = types.SimpleNamespace(monotonic=lambda: self.slept, sleep=self.sleep)

    def tearDown(self):
        workers.time = self.real

    def sleep(self, seconds):
        self.slept += seconds

    def test_a_host_that_is_never_quiet_ends(self):
        pace = workers.Pace(line_s=5, run_s=12, worker=Probe(lambda n: True))
        for _ in range(100):
            pace.begin()
            _, turns = workers.alternate([FakeWorker("ingot"), FakeWorker("jax")], pace)
            self.assertFalse(turns["enough"])
            self.assertEqual(turns["disturbed"], 9 * 2 * 2)
        settled = 100 * 9 * 2 * 2 * workers.SETTLE_S  # each turn waits for the threads of the one before
        self.assertLess(self.slept, 13 + settled)

    def test_patience_of_a_line_ends_too(self):
        pace = workers.Pace(line_s=1, run_s=1000, worker=Probe(lambda n: True))
        pace.steady(lambda: None)
        self.assertLess(self.slept, 1.3)
        self.assertGreater(pace.repeated, 5)

    def test_a_disturbed_turn_is_measured_again(self):
        pace = workers.Pace(worker=Probe(lambda n: n == 2))
        result, quiet = pace.steady(lambda: "measured")
        self.assertEqual((result, quiet, pace.repeated), ("measured", True, 1))

    def test_enough_quiet_turns_are_what_counts(self):
        turns = [([9.0], False)] * 6 + [([1.0], True)] * 3
        found = workers.figures({"reused": turns, "fresh": turns}, 9)
        self.assertEqual(found["ms"], 1.0)
        self.assertEqual(workers.quiet_turns(turns[:-1], 9), [])

    def test_one_disturbed_worker_disturbs_the_line(self):
        pace = workers.Pace(line_s=0, worker=Probe(lambda n: False))
        noisy = FakeWorker("jax")
        real = pace.steady
        pace.steady = lambda measure: (real(measure)[0], False) if self.is_noisy(measure, noisy) else real(measure)
        _, turns = workers.alternate([FakeWorker("ingot"), noisy], pace)
        self.assertFalse(turns["enough"])

    @staticmethod
    def is_noisy(measure, noisy):
        before = noisy.runs
        measure()
        return noisy.runs > before

    def test_a_quick_look_takes_one_round(self):
        worker = FakeWorker("ingot")
        measured, turns = workers.alternate([worker], workers.Pace(worker=Probe(lambda n: False)), rounds=1)
        self.assertEqual((turns["rounds"], turns["enough"], worker.runs), (1, True, 3))
        self.assertEqual(measured["ingot"]["ms"], 1.0)


if __name__ == "__main__":
    unittest.main()
