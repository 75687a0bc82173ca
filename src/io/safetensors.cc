#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/array_size.h"
#include "ingot/error.h"
#include "io/files.h"
#include "io/names.h"

namespace ingot::io {
namespace {

using Json = nlohmann::json;

constexpr std::pair<DType, const char*> kCodes[] = {
    {DType::kPred, "BOOL"},        {DType::kS8, "I8"},
    {DType::kS16, "I16"},          {DType::kS32, "I32"},
    {DType::kS64, "I64"},          {DType::kU8, "U8"},
    {DType::kU16, "U16"},          {DType::kU32, "U32"},
    {DType::kU64, "U64"},          {DType::kF16, "F16"},
    {DType::kBF16, "BF16"},        {DType::kF32, "F32"},
    {DType::kF64, "F64"},          {DType::kC64, "C64"},
    {DType::kF8E4M3FN, "F8_E4M3"}, {DType::kF8E5M2, "F8_E5M2"},
    {DType::kF8E8M0FNU, "F8_E8M0"}};

constexpr const char* kMetadata = "__metadata__";
constexpr uint64_t kMostSafetensorsHeader = 100'000'000;  // as the library has it

class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::string& path) : path_(path), bytes_(read_file(path)) {}

  NamedTensors run() {
    const Json header = parse_header();
    NamedTensors tensors;
    std::vector<std::pair<uint64_t, uint64_t>> pieces;
    for (const auto& [name, entry] : header.items()) {
      if (name != kMetadata) tensors.emplace_back(name, tensor(name, entry, pieces));
    }
    // The elements are the whole rest of the file: nothing lies twice there, and nothing between.
    std::sort(pieces.begin(), pieces.end());
    uint64_t at = 0;
    for (const auto& [begin, end] : pieces) {
      if (begin < at)
        fail("damaged header: two arrays have bytes " + std::to_string(begin) + " to " +
             std::to_string(std::min(at, end)));
      if (begin > at)
        fail("damaged header: no array has bytes " + std::to_string(at) + " to " + std::to_string(begin));
      at = end;
    }
    if (at != data_.size()) {
      fail("damaged: arrays have " + std::to_string(at) + " bytes, but the file holds " +
           std::to_string(data_.size()));
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }

  Json parse_header() {
    uint64_t length = 0;
    if (bytes_.size() < 8) fail("not a .safetensors file (too short)");
    std::memcpy(&length, bytes_.data(), 8);
    if (length > kMostSafetensorsHeader || length > bytes_.size() - 8) {
      fail("not a .safetensors file, or cut off: its header has " + std::to_string(length) +
           " bytes, of which the file holds " + std::to_string(bytes_.size() - 8));
    }
    data_ = std::string_view(bytes_).substr(8 + length);
    std::set<std::string> keys;
    const auto once = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (depth == 1 && event == Json::parse_event_t::key && !keys.insert(parsed.get<std::string>()).second)
        fail("damaged header: '" + parsed.get<std::string>() + "' stands there twice");
      return true;
    };
    try {
      Json header = Json::parse(bytes_.data() + 8, bytes_.data() + 8 + length, once);
      if (!header.is_object()) fail("damaged header: it is no JSON object");
      return header;
    } catch (const Json::exception& error) {
      fail(std::string("damaged header: ") + error.what());
    }
  }

  Tensor tensor(const std::string& name, const Json& entry,
                std::vector<std::pair<uint64_t, uint64_t>>& pieces) const {
    try {
      const auto code = entry.at("dtype").get<std::string>();
      const auto* found = std::find_if(std::begin(kCodes), std::end(kCodes),
                                       [&](const auto& one) { return code == one.second; });
      if (found == std::end(kCodes)) fail(name + ": there is no element type for '" + code + "'");
      Shape shape;
      for (const Json& extent : entry.at("shape")) {
        if (!extent.is_number_unsigned()) fail(name + ": damaged: an extent is " + extent.dump());
        shape.push_back(extent.get<int64_t>());
      }
      check_rank(path_, name, shape.size());
      const Json& offsets = entry.at("data_offsets");
      if (offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
        fail(name + ": damaged: data_offsets is " + offsets.dump());
      return elements(name, found->first, std::move(shape), offsets[0].get<uint64_t>(),
                      offsets[1].get<uint64_t>(), pieces);
    } catch (const Json::exception& error) {
      fail(name + ": damaged: " + error.what());
    }
  }

  Tensor elements(const std::string& name, DType dtype, Shape shape, uint64_t begin, uint64_t end,
                  std::vector<std::pair<uint64_t, uint64_t>>& pieces) const {
    const std::string type = std::string(name_of(dtype)) + to_string(shape);
    int64_t count = 0;
    try {
      count = element_count(dtype, shape);
    } catch (const Error& error) {
      fail(name + ": " + error.what());
    }
    const uint64_t wanted = static_cast<uint64_t>(count) * byte_size(dtype);
    if (begin > end || end > data_.size()) {
      fail(name + ": cut off: its elements are bytes " + std::to_string(begin) + " to " +
           std::to_string(end) + ", of which the file holds " + std::to_string(data_.size()));
    }
    if (end - begin != wanted) {
      fail(name + ": damaged: a " + type + " takes " + std::to_string(wanted) + " bytes, not " +
           std::to_string(end - begin));
    }
    if (wanted > 0) pieces.emplace_back(begin, end);
    Tensor tensor(dtype, std::move(shape));
    std::memcpy(tensor.raw(), data_.data() + begin, wanted);
    if (dtype == DType::kPred) {
      for (uint64_t i = 0; i < wanted; ++i) tensor.raw()[i] = std::byte(tensor.raw()[i] != std::byte(0));
    }
    return tensor;
  }

  const std::string& path_;
  std::string bytes_;
  std::string_view data_;
};

std::string code_of(const std::string& path, const std::string& name, DType dtype) {
  for (const auto& [own, code] : kCodes) {
    if (own == dtype) return code;
  }
  throw Error(path + ": " + name + " is " + std::string(name_of(dtype)) +
              ", for which safetensors has no name; " +
              (dtype == DType::kC128 ? "save a .npz file" : as_wider(dtype)));
}

}  // namespace

bool has_safetensors_name(DType dtype) {
  return std::any_of(std::begin(kCodes), std::end(kCodes),
                     [&](const auto& one) { return one.first == dtype; });
}

NamedTensors read_safetensors(const std::string& path) {
  return SafetensorsReader(path).run();
}

void write_safetensors(const std::string& path, const NamedTensors& tensors) {
  // In the order of the library: wide elements first, so that all are aligned, then names.
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& entry : tensors) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const size_t of_a = byte_size(a->second.dtype()), of_b = byte_size(b->second.dtype());
    return of_a != of_b ? of_a > of_b : a->first < b->first;
  });
  for (const auto& [name, tensor] : tensors) {
    if (name == kMetadata)
      throw Error(path + ": an array cannot be called " + kMetadata +
                  ", which a .safetensors file has for itself; another name would do");
    check_name(path, name);
    check_rank(path, name, tensor.shape().size());
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  uint64_t at = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    header[name] = {{"dtype", code_of(path, name, tensor.dtype())},
                    {"shape", tensor.shape()},
                    {"data_offsets", {at, at + tensor.bytes()}}};
    at += tensor.bytes();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  write_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(&length), 8);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    for (const auto* entry : order) {
      out.write(reinterpret_cast<const char*>(entry->second.raw()),
                static_cast<std::streamsize>(entry->second.bytes()));
    }
  });
}

}  // namespace ingot::io
