"""Programs of JAX as files of StableHLO, the way a user hands them over: what `loaded` runs, and the functions of
jax_functions.py."""

import pathlib
import tempfile

FOLDER = tempfile.TemporaryDirectory(prefix="modules-")


def path_of(case):
    """The file, written once; all arguments stay, in order."""
    path = pathlib.Path(FOLDER.name) / f"{case.program}-{case.variant}.mlir".replace("/", "_").replace(" ", "_")
    if not path.exists():
        import jax
        from peers import jax_peer
        with jax.enable_x64(jax_peer.in_x64(case.program)):
            function = jax_peer.PROGRAMS[case.program](case.variant)
            lowered = jax.jit(function, keep_unused=True).lower(*case.inputs)
        path.write_text(lowered.as_text(debug_info=True), encoding="utf-8")
    return path
