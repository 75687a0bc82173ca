// The container of MLIR bytecode: its sections, and the tables by which they refer to each other.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stablehlo/bytecode/bytes.h"

namespace ingot::stablehlo {

struct Container {
  // Where versions of the container differ.
  static constexpr uint64_t kDialectVersions = 1, kIsolatedSections = 2, kUseListOrders = 3,
                            kElidedLocations = 4, kNativeProperties = 5, kNewest = 6;
  static constexpr size_t kIrSection = 4;

  struct OperationName {
    std::string name;         // with its dialect: vhlo.add_v1
    bool registered = false;  // its properties are in a form of its own
  };
  struct Entry {  // of an attribute or a type
    Bytes bytes;
    size_t dialect = 0;
    bool encoded = false;  // in the dialect's own form; otherwise text
  };

  Container(std::string_view bytes, const std::string& file);

  std::string_view string(Bytes& bytes, std::string_view what) const {
    return strings[bytes.index(strings.size(), what)];
  }
  // A section in `bytes`, its number in `id`.
  Bytes section(Bytes& bytes, size_t& id) const;

  uint64_t version = 0;
  std::vector<std::string_view> strings;
  std::vector<std::string> dialects;
  std::vector<OperationName> operations;
  std::vector<Entry> attributes, types;
  std::vector<Bytes> properties;
  Bytes ir;

 private:
  void read_strings(Bytes bytes);
  void read_dialects(Bytes bytes);
  void read_entries(Bytes offsets, Bytes bytes);
  void read_properties(Bytes bytes);
};

}  // namespace ingot::stablehlo
