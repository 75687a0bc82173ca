"""Names the machine of a measurement."""

import os
import pathlib
import platform
import subprocess

TOLD_ISA = ("avx2", "fma", "avx512f", "avx512dq", "avx512vl", "avx512_bf16", "amx_tile", "asimd", "sve")


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def cpu_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("flags", "Features")):
            return set(line.split(":", 1)[1].split())
    return set()


def cpu_family():
    """Family and model number, which say more than the name that a hypervisor shows."""
    wanted = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("cpu family", "model"):
            wanted.setdefault(key.strip(), value.strip())
    return ", ".join(f"{key} {value}" for key, value in wanted.items())


def caches():
    """Level, kind and size of each cache that core 0 uses, and how many cores share it."""
    found = []
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        read = lambda name: (index / name).read_text().strip()
        kind = {"Data": "d", "Instruction": "i"}.get(read("type"), "")
        found.append(f"L{read('level')}{kind} {read('size')} for cores {read('shared_cpu_list')}")
    return found


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def describe():
    return {
        "cpu": cpu_model(),
        "cpu_family": cpu_family(),
        "cores": os.cpu_count(),
        "caches": caches(),
        "isa": [name for name in TOLD_ISA if name in cpu_flags()],
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "compiler": first_line("c++", "--version"),
        "llvm": first_line("/usr/lib/llvm-22/bin/llvm-config", "--version"),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def slug():
    """The cpu as part of a file name."""
    name = cpu_model().split("@")[0].replace("(R)", "").replace("(TM)", "")
    words = [word for word in name.lower().split() if word not in ("cpu", "processor")]
    return "-".join("".join(c for c in word if c.isalnum()) for word in words) or "unknown"
