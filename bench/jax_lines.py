"""All functions of JAX that are lines of the benchmark."""

import jax_functions  # noqa: F401
import jax_library  # noqa: F401
import jax_npbench  # noqa: F401
import jax_npbench_grids  # noqa: F401
from jax_cases import FUNCTIONS, IN_DOUBLE
from jax_operations import BY_NUMPY, OPERATIONS

__all__ = ["BY_NUMPY", "FUNCTIONS", "IN_DOUBLE", "OPERATIONS"]
