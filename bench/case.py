"""A line of the benchmark, ready to be handed to workers."""

import dataclasses

import numpy as np
from ml_dtypes import bfloat16

JAX_IN_DOUBLE = "jax in double"  # the reference of what NumPy has no words for
OWN_OF_JAX = "jax"  # what JAX returns, a list of arrays: how a function of several results is judged


@dataclasses.dataclass
class Case:
    """One variant, ready to be handed to workers."""

    program: str
    variant: str
    inputs: list  # NumPy arrays, the arguments in order
    output_bytes: int
    flops: int  # as the limit column counts them; 0 where memory alone bounds the program
    peers: list  # names of the peers that run it, see run.py
    reference: object  # () -> expected array, or JAX_IN_DOUBLE, or OWN_OF_JAX
    tolerance: float = 0.0  # largest allowed |result - reference| / max |reference|; 0: equal, inf: not compared
    operations: str = "f32"  # the element type at whose rate of products `flops` are counted
    is_product: bool = False  # of matrices and bound by its operations: a peer's rate counts as one of the machine
    yardsticks: tuple = ("copy",)  # peers that compute something else or less, to compare with but not to be behind of
    slow_to_compile: tuple = ()  # peers that take seconds for it; a quick look does without them
    from_jax: bool = False  # Ingot runs it as JAX exports it

    @property
    def bytes(self):
        return sum(array.nbytes for array in self.inputs) + self.output_bytes

    @property
    def writes(self):
        """1, or 0 where what is written is not worth mentioning beside what is read."""
        return 0 if self.output_bytes * 100 < self.bytes else 1

    @property
    def reads(self):
        """For each write; 0 where what is read is not worth mentioning."""
        if not self.writes:
            return 1
        read = self.bytes - self.output_bytes
        return 0 if read * 100 < self.bytes else min(4, max(1, round(read / self.output_bytes)))


def as_numbers(array):
    """What np.load gives for bfloat16 is two raw bytes per element."""
    return array.view(bfloat16) if array.dtype == np.dtype("V2") else array
