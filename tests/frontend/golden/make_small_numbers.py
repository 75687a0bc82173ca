# Writes small_numbers.txt: what ml_dtypes says of floats of a byte or less. Of each format the bits of its 256
# codes as f32, and a hash of the codes that become of all f16, of 100000 f32 of random bits, and of as many f64
# of moderate sizes.
import ml_dtypes
import numpy as np

FORMATS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
           "float8_e5m2fnuz", "float8_e3m4", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn",
           "float4_e2m1fn"]
INTEGERS = ["int4", "uint4", "int2", "uint2"]
N = 100000


def words(n):  # splitmix64
    x = (np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def fnv(codes):
    h = 0xCBF29CE484222325
    for c in codes.tobytes():
        h = (h ^ c) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


w = words(N)
halves = np.arange(65536, dtype=np.uint16).view(np.float16)
singles = (w >> np.uint64(32)).astype(np.uint32).view(np.float32)
# 2^-20 to 2^20 with 53 random bits.
doubles = ((np.uint64(1023 - 20) + w % np.uint64(40)) << np.uint64(52) | w >> np.uint64(12)).view(np.float64)
doubles = np.where(w & np.uint64(64), doubles, -doubles)
with np.errstate(all="ignore"):
    for name in FORMATS:
        t = getattr(ml_dtypes, name)
        values = np.arange(256, dtype=np.uint8).view(t).astype(np.float32).view(np.uint32)
        print(name.replace("float", "f").replace("_", ""), *["%x" % v for v in values],
              *["%x" % fnv(x.astype(t).view(np.uint8)) for x in (halves, singles, doubles)])
    for name in INTEGERS:
        t = getattr(ml_dtypes, name)
        values = np.arange(256, dtype=np.uint8).view(t).astype(np.int64)
        integers = w.view(np.int64)
        print(name.replace("uint", "u").replace("int", "s"), *[str(v) for v in values],
              "%x" % fnv(integers.astype(t).view(np.uint8)))
