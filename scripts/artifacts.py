#!/usr/bin/env python3
"""StableHLO in text and as a portable artifact: both are to be the same module, and `ingot check` is to say the same of both.

    scripts/artifacts.py MODULES [--versions 0.9.0,1.17.0] [--check] [--ingot-folder build/bin] [--keep DIR]

MODULES is a folder of *.mlir. Each is made an artifact by JAX's own serialiser, for each version of StableHLO; what JAX
reads out of that artifact again, as text, has to be the module that Ingot reads from the artifact, locations and all.
--check also runs `ingot check` on the modules and on the artifacts (the last version), as written and lifted, compiled
and interpreted: the same cases have to pass. Needs a Python with JAX, and the targets ingot_compare_modules and ingot_command.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

MODES = [[], ["--lift-inputs"], ["--interpret"], ["--lift-inputs", "--interpret"]]


def write_artifact(module, version, folder):
    """The artifact and what JAX makes of it."""
    with jax_mlir.make_ir_context() as context:
        parsed = ir.Module.parse(module.read_text())
        # Operations of other dialects stay what they are, as in the programs that jax.export writes.
        artifact = stablehlo.serialize_portable_artifact(parsed, version, True)
        again = stablehlo.deserialize_portable_artifact(context, artifact)
        text = again.operation.get_asm(enable_debug_info=True, large_elements_limit=None)
    (folder / f"{module.stem}.mlirbc").write_bytes(artifact)
    (folder / f"{module.stem}.mlir").write_text(text)


def check(ingot, files, options):
    result = subprocess.run([ingot, "check", "--json", *options, *map(str, files)], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1) or not result.stdout:
        sys.exit(f"ingot check {' '.join(options)}: {result.stderr}")
    return {pathlib.Path(one["file"]).stem: one["status"] for one in json.loads(result.stdout)["cases"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("modules", type=pathlib.Path)
    parser.add_argument("--versions", default="0.9.0,0.11.0,0.13.0,0.14.0,1.0.0,1.7.0,1.13.0," + stablehlo.get_current_version())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ingot-folder", type=pathlib.Path, default=root / "build/bin")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    modules = sorted(options.modules.glob("*.mlir"))
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for version in options.versions.split(","):
            folder = (options.keep or pathlib.Path(temporary)) / version
            folder.mkdir(parents=True, exist_ok=True)
            refused = 0
            for module in modules:
                try:
                    write_artifact(module, version, folder)
                except Exception as error:  # it needs a later version
                    refused += 1
                    print(f"{module.stem}: JAX has no artifact of version {version}: {str(error).splitlines()[0]}")
            texts = sorted(folder.glob("*.mlir"))
            pairs = [str(name) for text in texts for name in (text, text.with_suffix(".mlirbc"))]
            result = subprocess.run([options.ingot_folder / "ingot_compare_modules", "--locations", *pairs],
                                    capture_output=True, text=True, check=False)
            wrong += result.returncode != 0
            print(result.stdout if result.returncode else f"version {version}: {result.stdout.strip()}, {refused} that JAX refuses",
                  flush=True)
        for mode in MODES if options.check else []:
            texts = check(options.ingot_folder / "ingot", modules, mode)
            artifacts = check(options.ingot_folder / "ingot", sorted(folder.glob("*.mlirbc")), mode)
            differ = sorted(name for name in texts if artifacts.get(name) != texts[name])
            wrong += bool(differ)
            passed = [sum(status == "passed" for status in cases.values()) for cases in (texts, artifacts)]
            print(f"ingot check {' '.join(mode)}: {passed[0]} texts and {passed[1]} artifacts pass; "
                  f"{len(differ)} differ {' '.join(differ)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
