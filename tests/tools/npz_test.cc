// .npz files: own round trips, files as NumPy writes them, and damaged ones. numpy_test.py exchanges files
// with NumPy itself.

#include "io/npz.h"

#include <zlib.h>

#include "ingot/error.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/zip.h"
#include "tests/tools/invoke.h"
#include "tools/arguments.h"

namespace ingot::tools {
namespace {

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// What np.save writes of ml_dtypes.float8_e5m2, and np.load refuses.
TEST(Npy, FloatsOfAByteThatNumpyWritesAreRead) {
  std::string bytes = io::write_npy(Tensor(DType::kU8, {2}));
  const size_t code = bytes.find("|u1");
  bytes.replace(code, 3, "<f1");
  bytes.replace(bytes.size() - 2, 2, "\x3c\xc0");
  const Tensor tensor = io::read_npy(bytes, "x");
  EXPECT_EQ(tensor.dtype(), DType::kF8E5M2);
  EXPECT_EQ(tensor.get_double(0), 1);
  EXPECT_EQ(tensor.get_double(1), -2);
}

TEST(Npy, EveryDTypeAndManyShapesComeBack) {
  for (DType dtype : kAllDTypes) {
    if (is_small_float(dtype) || is_small_integer(dtype)) {
      const std::string error = error_of([&] { io::write_npy(Tensor(dtype, {2})); });
      EXPECT_TRUE(error.starts_with("a .npy file has no name for elements of type " +
                                    std::string(name_of(dtype)) + "; save "))
          << error;
      continue;
    }
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{0, 3}, Shape{3, 4}, Shape{2, 3, 5}}) {
      const Tensor tensor = random_tensor(dtype, shape, 1);
      const std::string bytes = io::write_npy(tensor);
      EXPECT_EQ((bytes.size() - tensor.bytes()) % 64, 0u);
      EXPECT_EQ(io::read_npy(bytes, "x"), tensor) << name_of(dtype) << to_string(shape);
    }
  }
}

// A file as NumPy would write it, with any header.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(dictionary.size() >> (8 * i) & 255);
  }
  return bytes + dictionary + data;
}

TEST(Npy, ReadsFortranOrderAndVersion2) {
  const std::string data("\1\2\3\4\5\6", 6);
  const Tensor expected = Tensor::of<int8_t>({2, 3}, {1, 3, 5, 2, 4, 6});
  const std::string header = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n";
  EXPECT_EQ(io::read_npy(npy(header, data), "x"), expected);
  EXPECT_EQ(io::read_npy(npy(header, data, 2), "x"), expected);
  EXPECT_EQ(io::read_npy(npy("{'shape': (6,), 'fortran_order': False, 'descr': '|u1'}", data), "x"),
            Tensor::of<uint8_t>({6}, {1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ReadsBigEndian) {
  const auto file = [](const std::string& descr, const std::string& data, const std::string& shape) {
    return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}", data);
  };
  EXPECT_EQ(io::read_npy(file(">f4", std::string("\x3f\x80\0\0\xc0\0\0\0", 8), "(2,)"), "x"),
            Tensor::of<float>({2}, {1, -2}));
  EXPECT_EQ(io::read_npy(file(">i2", std::string("\0\1\1\0", 4), "(2,)"), "x"),
            Tensor::of<int16_t>({2}, {1, 256}));
  EXPECT_EQ(io::read_npy(file(">c8", std::string("\x3f\x80\0\0\xc0\0\0\0", 8), "()"), "x"),
            Tensor::of<std::complex<float>>({}, {{1, -2}}));
}

// As NumPy names them; bf16 as np.save does with ml_dtypes.
TEST(Npy, NarrowFloatsAndComplexNumbersAreWrittenAndRead) {
  const std::pair<DType, const char*> names[] = {
      {DType::kF16, "'<f2'"}, {DType::kBF16, "'<V2'"}, {DType::kC64, "'<c8'"}, {DType::kC128, "'<c16'"}};
  for (const auto& [dtype, name] : names) {
    Tensor tensor(dtype, {3});
    for (int64_t i = 0; i < 3; ++i) tensor.set_complex(i, {1.5 - static_cast<double>(i), 0.25});
    const std::string bytes = io::write_npy(tensor);
    expect_contains(bytes, name);
    EXPECT_EQ(io::read_npy(bytes, "x"), tensor) << name;
  }
}

TEST(Npy, SaysWhatItCannotRead) {
  auto error = [](const std::string& bytes) { return error_of([&] { io::read_npy(bytes, "f.npz: arg0"); }); };
  auto with = [&](const std::string& descr, const std::string& shape) {
    return error(
        npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }", "12345678"));
  };
  EXPECT_EQ(error("PK"), "f.npz: arg0: not a .npy file (it does not start with NumPy's magic bytes)");
  EXPECT_EQ(error(npy("", "", 9)), "f.npz: arg0: version 9 of .npy is not known; there are 1, 2 and 3");
  expect_contains(error(npy("{}", "")), "damaged .npy header: the key 'descr' is missing (byte 2 of {})");
  expect_contains(with("'<U4'", "(1,)"), "there is no element type for NumPy's '<U4'");
  expect_contains(with("[('a', '<f4')]", "(2,)"), "arrays of records are not supported");
  EXPECT_EQ(with("'<f4'", "(3,)"), "f.npz: arg0: the array f32[3] is cut off: the file holds 8 bytes of it");
  expect_contains(with("'<f4'", "(4294967296, 16)"), "is cut off");
  expect_contains(with("'<f4'", "(4294967296, 4294967296)"), "more elements than an array may have");
  expect_contains(with("'<f4'", "(99999999999999999999,)"), "damaged");
  expect_contains(with("'<f4'", "(-1,)"), "damaged");
  expect_contains(with("'<f4'", std::string("(1, \0)", 6)), "damaged .npy header: there is a NUL in it");
  expect_contains(with("'<f4'", "(1,)" + std::string(1, '\0')), "damaged .npy header: there is a NUL in it");
}

TEST(Npy, AHeaderHasEachKeyOnceAndNothingElse) {
  auto error = [](const std::string& dictionary, const std::string& data = "12345678") {
    return error_of([&] { io::read_npy(npy(dictionary, data), "a"); });
  };
  const std::string descr = "'descr': '<f4'", order = "'fortran_order': False", shape = "'shape': (2,)";
  EXPECT_EQ(error("{" + descr + ", " + order + ", " + shape + "}  \n"), "no error");
  EXPECT_EQ(error("{\"shape\":(2 , ),\"descr\":\"f4\",\"fortran_order\":True}"), "no error");
  const auto damaged = [&](const std::string& dictionary, const std::string& what) {
    expect_contains(error(dictionary), "a: damaged .npy header: " + what);
  };
  damaged("{" + descr + ", " + descr + ", " + order + ", " + shape + "}",
          "the key 'descr' stands there twice (byte 17 of {'descr': '<f4', 'descr'");
  damaged("{" + descr + ", " + order + ", " + order + ", " + shape + "}", "the key 'fortran_order' stands");
  damaged("{" + descr + ", " + order + ", " + shape + ", " + shape + "}",
          "the key 'shape' stands there twice");
  damaged("{" + descr + ", " + order + "}", "the key 'shape' is missing");
  damaged("{" + descr + ", " + order + ", " + shape + ", 'x': 1}", "there is no key 'x'; they are 'descr'");
  damaged("{" + descr + ", " + order + ", " + shape + "} x", "something stands behind the dictionary");
  damaged("{" + descr + ", " + order + ", " + shape + "}{}", "something stands behind the dictionary");
  damaged("{" + descr + ", " + order + ", " + shape, "',' or '}' must stand behind the value of 'shape'");
  damaged("{" + descr + ' ' + order + ", " + shape + "}",
          "',' or '}' must stand behind the value of 'descr'");
  damaged("  " + descr, "the header is a dictionary");
  damaged("{'descr': '<f4", "a quote is not closed");
  damaged("{'descr': <f4", "the element type, as in '<f4', must stand here, in quotes");
  damaged("{'fortran_order': Trueth, ", "',' or '}' must stand");
  damaged("{'fortran_order': 0, ", "'fortran_order' must be True or False");
  const auto of_shape = [&](const std::string& text, const std::string& what) {
    damaged("{" + descr + ", " + order + ", 'shape': " + text + "}", what);
  };
  of_shape("(2)", "'shape' is a number and no tuple");
  of_shape("2", "'shape' must be a tuple");
  of_shape("(2,-1)", "an extent is negative");
  of_shape("(2,,)", "an extent must stand here");
  of_shape("(,)", "an extent must stand here");
  of_shape("(1 2)", "',' must stand between extents");
  of_shape("(2.0,)", "',' must stand between extents");
  of_shape("(2e9,)", "',' must stand between extents");
  of_shape("(99999999999999999999,)", "an extent is beyond 64 bits");
  of_shape("(9223372036854775808,)", "an extent is beyond 64 bits");
  of_shape("(03,)", "an extent begins with 0");
  damaged("{'descr': '<f\\\\4'", "a backslash stands in quotes");
  damaged("{'descr': '<abcdefghijklmnopqrs'", "the element type has 20 letters");
  const std::string swapped = "{'descr': '>i1', " + order + ", 'shape': (8,)}";
  EXPECT_EQ(error(swapped), "no error");  // one byte has no order
  std::string later = npy(swapped, "12345678");
  later[7] = 1;
  EXPECT_EQ(error_of([&] { io::read_npy(later, "a"); }),
            "a: version 1.1 of .npy is not known; there are 1, 2 and 3");
  const std::string python2 = "{" + descr + ", " + order + ", 'shape': (2L,)}";
  EXPECT_EQ(error(python2), "no error");
  expect_contains(error_of([&] { io::read_npy(npy(python2, "12345678", 3), "a"); }), "an extent ends in L");
  expect_contains(error("{" + descr + ", " + order + ", 'shape': (9223372036854775807,)}"),
                  "the shape [9223372036854775807] has more elements than an "
                  "array may have, 281474976710656 (2^48)");
  of_shape("(2,", "an extent must stand here");
  std::string ones = "(";
  for (int i = 0; i < 65; ++i) ones += "1,";
  of_shape(ones + ")", "there are more than 64 dimensions");
  expect_contains(error("{'descr': '|O'"), "arrays of Python objects ('|O') are not supported");
  expect_contains(error("{'descr': {'names': "), "arrays of records are not supported");
  expect_contains(error("{'descr': ''"), "there is no element type for NumPy's ''");
  expect_contains(error("{" + descr + ", " + order + ", " + shape + "}", "123456789"),
                  "a: behind the array f32[2] there are 1 more bytes");
  expect_contains(error_of([] {
                    std::string file = npy("{}", "", 2);
                    file[11] = '\x7f';
                    io::read_npy(file, "a");
                  }),
                  "a: the .npy header is cut off: it has 2130706434 bytes, of which the file holds 2");
  expect_contains(error_of([] { io::read_npy(npy(std::string(2 << 20, ' '), "", 3), "a"); }),
                  "a: the .npy header has 2097152 bytes, but may have 1048576 at most");
  for (size_t length = 0; length < 12; ++length) {
    const std::string start = std::string("\x93NUMPY\2\0\5\0\0\0", 12).substr(0, length);
    EXPECT_NE(error_of([&] { io::read_npy(start, "a"); }), "no error") << length;
  }
}

TEST(Npz, WritesWhatItReads) {
  TemporaryFolder folder;
  const io::NamedTensors tensors = {{"out0", random_tensor(DType::kF32, {100, 3}, 1)},
                                    {"out1", Tensor::of<bool>({}, {true})},
                                    {"out2", random_tensor(DType::kS64, {0}, 2)}};
  io::write_npz(folder.file("a.npz"), tensors);
  EXPECT_EQ(io::read_npz(folder.file("a.npz")), tensors);
  io::write_npz(folder.file("b.npz"), tensors);
  EXPECT_EQ(file_text(folder.file("a.npz")), file_text(folder.file("b.npz")));
  io::write_npz(folder.file("none.npz"), {});
  EXPECT_TRUE(io::read_npz(folder.file("none.npz")).empty());
}

// NumPy has no name for floats of a byte: their bits are u8 in a .npz file, and a .safetensors file holds
// them.
TEST(Npz, FloatsOfAByteComeAsTheirBitsOrAsSafetensors) {
  TemporaryFolder folder;
  const std::string program =
      "func @main(%x: f8e4m3fn[2]) -> (f8e4m3fn[2]) {\n  %y = neg(%x) : f8e4m3fn[2]\n  return %y\n}";
  io::write_npz(folder.file("bits.npz"), {{"arg0", Tensor::of<uint8_t>({2}, {0x38, 0x40})}});
  const Outcome first =
      invoke({"run", "-", "--args", folder.file("bits.npz"), "--out", folder.file("y.safetensors")}, program);
  EXPECT_EQ(first.code, 0) << first.err;
  expect_contains(first.out, "[-1. -2.]");
  const io::NamedTensors written = io::read_safetensors(folder.file("y.safetensors"));
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].second.dtype(), DType::kF8E4M3FN);
  io::write_safetensors(folder.file("x.safetensors"), {{"arg0", written[0].second}});
  const Outcome second = invoke({"run", "-", "--args", folder.file("x.safetensors")}, program);
  EXPECT_EQ(second.code, 0) << second.err;
  expect_contains(second.out, "[1. 2.]");
}

void append(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 255) : '\0';
}

// An archive with one deflated entry, sizes after its data in the local header's stead, as streaming writers
// do.
std::string deflated_archive(const std::string& contents) {
  std::string packed(contents.size() + 100, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
  stream.avail_in = static_cast<uInt>(contents.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const uint64_t checksum =
      crc32(0, reinterpret_cast<const Bytef*>(contents.data()), static_cast<uInt>(contents.size()));

  std::string archive;
  append(archive, 0x04034b50, 4);
  for (uint64_t field : {20, 8, 8, 0, 0}) append(archive, field, 2);
  for (int i = 0; i < 3; ++i) append(archive, 0, 4);
  append(archive, 5, 2);
  append(archive, 0, 2);
  archive += "a.npy" + packed;
  const size_t directory = archive.size();
  append(archive, 0x02014b50, 4);
  for (uint64_t field : {20, 20, 8, 8, 0, 0}) append(archive, field, 2);
  append(archive, checksum, 4);
  append(archive, packed.size(), 4);
  append(archive, contents.size(), 4);
  append(archive, 5, 2);
  append(archive, 0, 14);
  append(archive, 0, 2);
  archive += "a.npy";
  const size_t size = archive.size() - directory;
  append(archive, 0x06054b50, 4);
  for (uint64_t field : {0, 0, 1, 1}) append(archive, field, 2);
  append(archive, size, 4);
  append(archive, directory, 4);
  append(archive, 0, 2);
  return archive;
}

class Archive : public ::testing::Test {
 protected:
  std::string read_error(const std::string& bytes) {
    std::ofstream(folder.file("x.npz"), std::ios::binary) << bytes;
    return error_of([&] { io::read_npz(folder.file("x.npz")); });
  }
  TemporaryFolder folder;
};

TEST_F(Archive, InflatesEntries) {
  const Tensor tensor = random_tensor(DType::kS32, {1000}, 3);
  std::ofstream(folder.file("x.npz"), std::ios::binary) << deflated_archive(io::write_npy(tensor));
  EXPECT_EQ(io::read_npz(folder.file("x.npz")), (io::NamedTensors{{"a", tensor}}));
}

TEST_F(Archive, NoDamageGoesUnnoticedOrCrashes) {
  expect_contains(read_error(""), "not a .npz file");
  expect_contains(read_error(std::string(100, 'x')), "not a .npz file");
  for (bool deflate : {false, true}) {
    std::string archive;
    const Tensor tensor = random_tensor(DType::kU8, {40}, 4);
    if (deflate) {
      archive = deflated_archive(io::write_npy(tensor));
    } else {
      io::write_npz(folder.file("good.npz"), {{"a", tensor}});
      archive = file_text(folder.file("good.npz"));
    }
    for (size_t length = 0; length < archive.size(); ++length) {
      EXPECT_NE(read_error(archive.substr(0, length)), "no error") << length;
    }
    int unharmed = 0;
    for (size_t at = 0; at < archive.size(); ++at) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(~damaged[at]);
      std::ofstream(folder.file("x.npz"), std::ios::binary) << damaged;
      io::NamedTensors read;  // some bytes do not matter; no other exception, no crash
      const std::string error = error_of([&] { read = io::read_npz(folder.file("x.npz")); });
      if (error != "no error") continue;
      ++unharmed;
      EXPECT_EQ(read, (io::NamedTensors{{"a", tensor}})) << at;
    }
    EXPECT_GT(unharmed, 0);
  }
}

TEST_F(Archive, SaysWhichFileIsMissing) {
  expect_contains(error_of([&] { io::read_npz(folder.file("none.npz")); }),
                  "none.npz: No such file or directory");
  expect_contains(error_of([&] { io::write_npz(folder.file("none/x.npz"), {}); }), "none/x.npz");
}

}  // namespace
}  // namespace ingot::tools
