// Arrays and trees in files: .npy, .npz and .safetensors.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/testing.h"
#include "ingot/io.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::line;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    folder_ = std::filesystem::temp_directory_path() / ("ingot_files_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string bytes(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> extra;
  int depth = 2;  // static: not in the file
};

Model model() {
  return {{{testing::counting({2, 3}), testing::counting({3})}, {testing::counting({3, 1}), Array(0.5f)}},
          {{"steps", Array(7)}, {"mask", Array::from<bool>({true, false})}}};
}

Array some(DType dtype) {
  const Array x = Array::from<double>({0, 1, 2.5, 3, 100, 7}).reshape({2, 3});
  return dtype == DType::kPred ? x > 1 : x.astype(dtype);
}

std::string raw(const Array& x) {
  std::string text(static_cast<size_t>(x.bytes()), '\0');
  x.to_host(text.data());
  return text;
}

// Whether the format has a name for the type.
bool has_name(DType dtype, const std::string& ending) {
  const bool small = is_small_float(dtype) || is_small_integer(dtype);
  if (ending != ".safetensors") return !small;
  return dtype != DType::kC128 &&
         (!small || dtype == DType::kF8E4M3FN || dtype == DType::kF8E5M2 || dtype == DType::kF8E8M0FNU);
}

TEST_F(FilesTest, EveryDTypeComesBack) {
  for (const DType dtype : kAllDTypes) {
    const Array x = some(dtype);
    for (const std::string ending : {".npy", ".npz", ".safetensors"}) {
      if (!has_name(dtype, ending)) {
        EXPECT_NE(error_of([&] { io::save(file("x" + ending), x); }).find("no name"), std::string::npos)
            << x.type_string() << ending;
        continue;
      }
      const std::string path = file("x" + ending);
      io::save(path, x);
      const Array y = io::load(path);
      EXPECT_EQ(y.type_string(), x.type_string());
      EXPECT_EQ(raw(y), raw(x)) << x.type_string() << ending;
      EXPECT_EQ(raw(io::load_into(path, Array::abstract(dtype, {2, 3}))), raw(x));
    }
  }
  io::save(file("none.npy"), Array::zeros({0, 3}));
  EXPECT_EQ(io::load(file("none.npy")).type_string(), "f32[0,3]");
  EXPECT_EQ(error_of([&] { io::save(file("x.safetensors"), some(DType::kC128)); }),
            line(__LINE__ - 1) + file("x.safetensors") +
                ": arr_0 is c128, for which safetensors has no name; save a .npz file");
}

TEST_F(FilesTest, TreesByTheirPaths) {
  for (const std::string name : {"model.npz", "model.safetensors"}) {
    io::save(file(name), model());
    const Model empty = tree::map(model(), [](const Array& x) { return Array::zeros(x.shape(), x.dtype()); });
    const Model back = io::load_into(file(name), empty);
    EXPECT_EQ(back.layers[0].w.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(back.layers[1].b.item<float>(), 0.5f);
    EXPECT_EQ(back.extra.at("steps").item<int>(), 7);
    EXPECT_EQ(back.extra.at("mask").to_vector<bool>(), (std::vector<bool>{true, false}));
    const io::NamedArrays all = io::load_all(file(name));
    EXPECT_EQ(all.size(), 6u);
    EXPECT_EQ(all.at("layers[0].b").to_vector<float>(), (std::vector<float>{0, 1, 2}));
    EXPECT_TRUE(all.contains("extra[\"steps\"]"));
    io::save(file("again_" + name), all);
    EXPECT_EQ(io::load_into(file("again_" + name), empty).extra.at("steps").item<int>(), 7);
    EXPECT_EQ(bytes("again_" + name).size(), bytes(name).size());
  }
}

TEST_F(FilesTest, OtherNamesShapesAndDTypesAreErrors) {
  const std::string path = file("m.npz");
  io::save(path, Layer{testing::counting({2, 3}), testing::counting({3})});
  const Array two = testing::counting({2});
  const Layer other{testing::counting({2, 3}), two};
  EXPECT_EQ(error_of([&] { io::load_into(path, other); }),
            line(__LINE__ - 1) + path + ": b is f32[3] in it, but should be f32[2]");
  EXPECT_EQ(error_of([&] { io::load_into(path, std::pair(two, two)); }),
            line(__LINE__ - 1) + path + ": there is no array [0] in it; it has w, b");
  struct One {
    Array w;
  };
  const One one{testing::counting({2, 3})};
  EXPECT_EQ(error_of([&] { io::load_into(path, one); }),
            line(__LINE__ - 1) + path + ": it has b, too, for which the tree has no place");
  EXPECT_EQ(error_of([&] { io::load(path); }),
            line(__LINE__ - 1) + path + ": there are 2 arrays in it; ingot::io::load_all gives all of them");
  EXPECT_EQ(error_of([&] { io::save(file("m.npy"), std::pair(two, two)); }),
            line(__LINE__ - 1) + file("m.npy") +
                ": a .npy file has one array, not 2; save a .npz or .safetensors file");
  EXPECT_EQ(error_of([&] { io::save(file("m.txt"), two); }),
            line(__LINE__ - 1) + file("m.txt") + ": a file of arrays ends with .npy, .npz or .safetensors");
  EXPECT_NE(error_of([&] { io::load(file("none.npz")); }).find("none.npz: No such file or directory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              jit([&](Array x) {
                io::save(file("t.npy"), x);
                return x;
              })(two);
            }).find("a f32[2] without a value cannot be saved"),
            std::string::npos);
}

TEST_F(FilesTest, DamageIsNoticed) {
  for (const std::string name : {"m.npy", "m.npz", "m.safetensors"}) {
    io::save(file(name), testing::counting({40}));
    const std::string whole = bytes(name);
    for (size_t length = 0; length < whole.size(); length += 1 + length / 16) {
      write("cut_" + name, whole.substr(0, length));
      const std::string error = error_of([&] { io::load(file("cut_" + name)); });
      EXPECT_NE(error.find(name), std::string::npos) << length;
    }
    write("long_" + name, whole + "xx");
    if (name != "m.npz") {
      EXPECT_NE(error_of([&] { io::load(file("long_" + name)); }), "");
    }
  }
}

std::string safetensors(const std::string& header, size_t data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(data, '\1');
}

TEST_F(FilesTest, SafetensorsHeaders) {
  const auto error = [&](const std::string& header, size_t data) {
    write("x.safetensors", safetensors(header, data));
    return error_of([&] { io::load_all(file("x.safetensors")); });
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const std::string good =
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  write("good.safetensors", safetensors(good, 2));
  EXPECT_EQ(io::load(file("good.safetensors")).to_vector<uint8_t>(), (std::vector<uint8_t>{1, 1}));
  says(error(good, 3), "arrays have 2 bytes, but the file holds 3");
  says(error(good, 1), "a: cut off: its elements are bytes 0 to 2, of which the file holds 1");
  says(error("[]", 0), "it is no JSON object");
  says(error("{", 0), "damaged header");
  says(error(R"({"a":{"dtype":"F8","shape":[2],"data_offsets":[0,2]}})", 2),
       "there is no element type for 'F8'");
  says(error(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})", 2),
       "a: damaged: a u8[3] takes 3 bytes, not 2");
  says(error(R"({"a":{"dtype":"U8","shape":[-3],"data_offsets":[0,2]}})", 2), "an extent is -3");
  says(error(R"({"a":{"dtype":"U8","shape":[2]}})", 2), "data_offsets");
  says(error(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2), "no array has bytes 0 to 1");
  says(
      error(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[3],"data_offsets":[2,5]}})",
          5),
      "two arrays have bytes 2 to 4");
  std::string ones = "1";
  for (int i = 1; i < 65; ++i) ones += ",1";
  says(error(R"({"a":{"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]}})", 1),
       "a has 65 dimensions, but arrays in files have at most 64");
  ones.resize(ones.size() - 2);
  write("good.safetensors",
        safetensors(R"({"a":{"dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,1]}})", 1));
  EXPECT_EQ(io::load(file("good.safetensors")).rank(), 64);
  says(
      error(
          R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
          2),
      "'a' stands there twice");
  says(error(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,2]}})", 2), "elements");
}

// What could not be read again is not written.
TEST_F(FilesTest, MoreDimensionsThanAFormatHas) {
  const Array x = Array::ones(Shape(65, 1));
  for (const char* name : {"deep.npy", "deep.npz", "deep.safetensors"})
    EXPECT_NE(error_of([&] {
                io::save(file(name), io::NamedArrays{{"a", x}});
              }).find("at most 64"),
              std::string::npos);
}

// A name that could not be read again is not written.
TEST_F(FilesTest, NamesThatAFormatCannotHold) {
  const Array x = Array::from<float>({1, 2});
  EXPECT_NE(error_of([&] {
              io::save(file("m.safetensors"), io::NamedArrays{{"__metadata__", x}});
            }).find("__metadata__"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              io::save(file("n.npz"), io::NamedArrays{{std::string(70000, 'a'), x}});
            }).find("70004 bytes"),
            std::string::npos);
  for (const std::string& name : {file("u.npz"), file("u.safetensors")}) {
    EXPECT_NE(error_of([&] {
                io::save(name, io::NamedArrays{{"a\xff", x}});
              }).find("no UTF-8"),
              std::string::npos)
        << name;
    EXPECT_FALSE(std::filesystem::exists(name));
  }
  // NumPy takes a name for UTF-8 where its entry says so.
  io::save(file("umlaut.npz"), io::NamedArrays{{"\xc3\xa4", x}});
  EXPECT_EQ(bytes("umlaut.npz")[7], '\x08');
  EXPECT_EQ(io::load_all(file("umlaut.npz")).at("\xc3\xa4").to_vector<float>(), x.to_vector<float>());
  io::save(file("plain.npz"), io::NamedArrays{{"a", x}, {"b", x}});
  EXPECT_EQ(bytes("plain.npz")[7], '\0');
  // Two entries of one name.
  std::string twice = bytes("plain.npz");
  for (size_t at = twice.find("b.npy"); at != std::string::npos; at = twice.find("b.npy")) twice[at] = 'a';
  write("twice.npz", twice);
  EXPECT_NE(error_of([&] { io::load_all(file("twice.npz")); }).find("'a' stands there twice"),
            std::string::npos);
}

// What no format has a name for is told what would do.
TEST_F(FilesTest, AdviceForNarrowElementsHelps) {
  for (const DType dtype : {DType::kS4, DType::kU2, DType::kF8E4M3, DType::kF4E2M1FN}) {
    for (const char* name : {"x.npy", "x.npz", "x.safetensors"}) {
      const std::string told = error_of([&] { io::save(file(name), io::NamedArrays{{"a", some(dtype)}}); });
      EXPECT_NE(told.find("(astype)"), std::string::npos) << told;
    }
  }
}

TEST_F(FilesTest, WhatCannotBeWrittenLeavesTheOldFile) {
  io::save(file("x.npy"), Array(1.f));
  EXPECT_NE(error_of([&] { io::save(file("no/x.npy"), Array(1.f)); }).find("No such file or directory"),
            std::string::npos);
  io::save(file("x.npy"), Array(2.f));
  EXPECT_EQ(io::load(file("x.npy")).item<float>(), 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // nothing stays beside it
}

}  // namespace
}  // namespace ingot
