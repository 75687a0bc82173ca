"""Results are compared in all of their elements."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import numpy as np

from difference import difference


class Differences(unittest.TestCase):
    def test_one_wrong_element_is_found_wherever_it_is(self):
        expected = np.random.default_rng(1).standard_normal((5, 100))
        for tolerance in (0.0, 1e-6):
            difference(expected.copy(), expected, tolerance)
            for place in np.ndindex(expected.shape):
                result = expected.copy()
                result[place] += 1
                with self.assertRaises(ValueError):
                    difference(result, expected, tolerance)

    def test_a_reference_of_a_part_is_refused(self):
        for part in ((2, 4), (1, 4)):  # one row would be broadcast
            with self.assertRaisesRegex(ValueError, r"result has shape \(64, 4\), not"):
                difference(np.ones((64, 4)), np.ones(part), 1e-6)

    def test_what_is_no_number_is_wrong(self):
        for result, expected in (([1.0, np.nan], [1.0, 2.0]), ([1.0, 2.0], [1.0, np.nan]), ([1.0, np.inf], [1.0, 2.0])):
            with self.assertRaises(ValueError):
                difference(np.array(result), np.array(expected), 1e-6)
        self.assertEqual(difference(np.array([1.0, np.nan]), np.array([1.0, np.nan]), 1e-6), 0)

    def test_an_infinite_element_hides_no_other(self):
        expected = np.array([1.0, np.inf, -np.inf, np.nan])
        self.assertEqual(difference(expected.copy(), expected, 1e-6), 0)
        for place, wrong in ((0, 2.0), (1, -np.inf), (2, 0.0), (3, 1.0)):
            result = expected.copy()
            result[place] = wrong
            with self.assertRaises(ValueError):
                difference(result, expected, 1e-6)

    def test_parts_are_all_of_it(self):
        expected = np.zeros((3, 70_000), np.float32)
        for place in ((0, 0), (0, 65_536), (2, 69_999)):
            result = expected.copy()
            result[place] = 1e-3
            with self.assertRaises(ValueError):
                difference(result, expected, 1e-6)

    def test_of_truth_values_and_unsigned_numbers_every_one_counts(self):
        for dtype in (bool, np.uint32):
            expected = np.array([0, 1, 1], dtype)
            self.assertEqual(difference(expected, expected, 1e-6), 0)
            with self.assertRaises(ValueError):
                difference(expected[::-1].copy(), expected, 1e-6)
        self.assertEqual(difference(np.zeros(0), np.zeros(0), 1e-6), 0)

    def test_the_largest_difference_is_told_relative_to_the_largest_value(self):
        self.assertAlmostEqual(difference(np.array([1.0, 2.1]), np.array([1.0, 2.0]), 0.1), 0.05)
        self.assertIsNone(difference(np.array([1.0]), np.array([2.0]), np.inf))


if __name__ == "__main__":
    unittest.main()
