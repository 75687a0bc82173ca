#!/usr/bin/env python3
"""Where two runs of examples/train.cc with different instructions part, and whether a kink of relu is there.

    train_kinks.py TRAIN A B [STEPS]      TRAIN is the program, A and B are values of INGOT_TARGET, such as avx2 sse4

Parameters of runs of 1 .. STEPS steps (20) are compared; for the first step after which the first layer's are more than
1e-6 apart, prints the least distances from 0, in f64, of what that step gives to the first relu. Sums in f32 of some ten
terms are off by about 1e-7, so below that their order decides whether the place has a slope.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))

import jax_digits as digits  # noqa: E402
import numpy as np  # noqa: E402
from jax import random  # noqa: E402

BATCH = 128


def parameters(train, target, steps):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([train, str(steps), folder], env=os.environ | {"INGOT_TARGET": target}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return dict(np.load(f"{folder}/digits.npz"))


def main():
    train, first, second = sys.argv[1:4]
    before = None
    for step in range(1, int(sys.argv[4] if len(sys.argv) > 4 else 20) + 1):
        a, b = parameters(train, first, step), parameters(train, second, step)
        apart = max(np.abs(a[name] - b[name]).max() for name in ("net.first.w", "net.first.b"))
        print(f"step {step}: the first layer is {apart:.1e} apart")
        if apart > 1e-6:
            break
        before = a
    else:
        return
    if before is None:
        return
    images, _ = digits.draw(digits.glyphs(), random.fold_in(random.key(7), step - 1), BATCH)
    x = np.pad(np.asarray(images, np.float64)[..., 0], ((0, 0), (1, 1), (1, 1)))
    w, bias = before["net.first.w"].astype(np.float64), before["net.first.b"].astype(np.float64)
    y = bias + sum(x[:, i : i + 12, j : j + 12, None] * w[i, j, 0] for i in range(3) for j in range(3))
    print("least distances from the kink:", *(f"{d:.1e}" for d in np.sort(np.abs(y), axis=None)[:4]))


if __name__ == "__main__":
    main()
