"""Turns of two contenders: their order, what is disturbed, what is printed."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import interleave


class FakePace:
    """Every n-th turn stays disturbed."""

    def __init__(self, disturbed_every=0):
        self.every, self.turns, self.repeated = disturbed_every, 0, 0

    def begin(self):
        pass

    def steady(self, measure):
        self.turns += 1
        return measure(), not (self.every and self.turns % self.every == 0)


class FakeWorker:
    def __init__(self, name, times, log):
        self.name, self.times, self.log = name, list(times), log

    def run(self, count, mode):
        self.log.append(self.name)
        return [self.times[len(self.log) % len(self.times)]] * count


class Interleave(unittest.TestCase):
    def test_contenders_take_turns_in_an_order_that_changes(self):
        log = []
        workers = [FakeWorker("a", [1.0], log), FakeWorker("b", [2.0], log)]
        turns, _ = interleave.interleave(workers, FakePace(), 4, 1, "reused")
        self.assertEqual("".join(log[2:]), "abbaabba")
        self.assertEqual(turns, [(True, [1.0, 2.0])] * 4)

    def test_ratios_are_taken_within_turns(self):
        turns = [(True, [1.0 * n, 2.0 * n]) for n in (1, 5, 9)]  # the host slows both down
        self.assertIn("ratio 2.000 (2.000 to 2.000)", interleave.table(["a", "b"], turns, 0))

    def test_disturbed_turns_are_counted_and_left_out(self):
        turns = [(True, [1.0, 2.0])] * 3 + [(False, [9.0, 1.0])] * 5
        text = interleave.table(["a", "b"], turns, 7)
        self.assertIn("8 turns, 5 disturbed, 7 taken again", text)
        self.assertIn("median 1 ", text)
        self.assertNotIn("nothing is decided", text)

    def test_too_few_quiet_turns_decide_nothing(self):
        turns = [(True, [1.0, 2.0])] * 2 + [(False, [9.0, 1.0])] * 5
        text = interleave.table(["a", "b"], turns, 0)
        self.assertIn("nothing is decided", text)
        self.assertIn("median 9 ", text)

    def test_a_command_that_fails_is_told(self):
        with self.assertRaisesRegex(interleave.WorkerError, "status 3: no such thing"):
            interleave.CommandWorker("c", ["sh", "-c", "echo no such thing >&2; exit 3"]).run(1, "reused")


if __name__ == "__main__":
    unittest.main()
