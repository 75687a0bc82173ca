// After the MLIR project's description of the format (docs/BytecodeFormat).
#include "stablehlo/bytecode/container.h"

#include <iterator>
#include <optional>
#include <tuple>

#include "stablehlo/bytecode/bytecode.h"

namespace ingot::stablehlo {
namespace {

constexpr std::string_view kMagic = "ML\xefR";
constexpr std::string_view kSections[] = {"strings",          "dialects",         "attributes and types",
                                          "their offsets",    "operations",       "resources",
                                          "resource offsets", "dialect versions", "properties"};
enum SectionId : size_t {
  kStringsId,
  kDialectsId,
  kEntriesId,
  kOffsetsId,
  kIrId,
  kResourcesId,
  kResourceOffsetsId,
  kVersionsId,
  kPropertiesId
};
static_assert(kIrId == Container::kIrSection);

}  // namespace

bool looks_like_bytecode(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

Container::Container(std::string_view all, const std::string& file) {
  Bytes bytes(all, 0, &file);
  if (!looks_like_bytecode(all)) bytes.fail("expected the four bytes with which MLIR bytecode begins");
  bytes.take(kMagic.size(), "the beginning");
  const Bytes at = bytes;
  version = bytes.varint("the version of the format");
  if (version > kNewest) {
    at.fail("this is version " + std::to_string(version) + " of MLIR bytecode; versions 0 to " +
            std::to_string(kNewest) + " are read");
  }
  bytes.text_to_nul("the name of the producer");
  std::array<std::optional<Bytes>, std::size(kSections)> sections;
  while (!bytes.empty()) {
    const Bytes before = bytes;
    size_t id = 0;
    const Bytes found = section(bytes, id);
    if (sections[id]) before.fail("there are two sections of " + std::string(kSections[id]));
    sections[id] = found;
  }
  for (size_t needed : {kStringsId, kDialectsId, kEntriesId, kOffsetsId, kIrId}) {
    if (!sections[needed]) bytes.fail("there is no section of " + std::string(kSections[needed]));
  }
  read_strings(*sections[kStringsId]);
  read_dialects(*sections[kDialectsId]);
  read_entries(*sections[kOffsetsId], *sections[kEntriesId]);
  if (sections[kPropertiesId]) read_properties(*sections[kPropertiesId]);
  ir = *sections[kIrId];
}

Bytes Container::section(Bytes& bytes, size_t& id) const {
  const Bytes before = bytes;
  const uint8_t first = bytes.byte("a section");
  id = before.checked_index(first & 0x7f, std::size(kSections), "section");
  const uint64_t size = bytes.varint("the size of a section");
  if (first & 0x80) {
    const Bytes at = bytes;
    const uint64_t alignment = bytes.varint("the alignment of a section");
    constexpr uint64_t kMost = 1 << 16;
    if (alignment == 0 || alignment > kMost || (alignment & (alignment - 1)) != 0) {
      at.fail("the alignment of a section is a power of two up to 65536, not " + std::to_string(alignment));
    }
    while (bytes.offset() % alignment != 0) bytes.byte("the padding of a section");
  }
  return bytes.take(size, "the section of " + std::string(kSections[id]));
}

// Sizes from the last one to the first, then the strings, each with a zero at its end.
void Container::read_strings(Bytes bytes) {
  const size_t count = bytes.count("the number of strings");
  std::vector<uint64_t> sizes(count);
  for (size_t i = count; i-- > 0;) {
    const Bytes at = bytes;
    sizes[i] = bytes.varint("the size of a string");
    if (sizes[i] == 0 || sizes[i] > at.left()) {
      at.fail("the size of a string is " + std::to_string(sizes[i]) + ", but " + std::to_string(at.left()) +
              " bytes are left");
    }
  }
  strings.reserve(count);
  for (uint64_t size : sizes) {
    const std::string_view text = bytes.take(size, "a string").rest();
    strings.push_back(text.substr(0, text.size() - 1));
  }
  bytes.expect_end("the strings");
}

void Container::read_dialects(Bytes bytes) {
  const size_t count = bytes.count("the number of dialects");
  dialects.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (version < kDialectVersions) {
      dialects.emplace_back(string(bytes, "string"));
      continue;
    }
    const Bytes at = bytes;
    const auto [name, versioned] = bytes.flagged("the name of a dialect");
    dialects.emplace_back(strings[at.checked_index(name, strings.size(), "string")]);
    size_t id = kVersionsId;
    if (versioned) section(bytes, id);
    if (id != kVersionsId) at.fail("expected the version of a dialect, found a section of another kind");
  }
  if (version >= kElidedLocations) operations.reserve(bytes.count("the number of operations"));
  while (!bytes.empty()) {
    const size_t dialect = bytes.index(dialects.size(), "dialect");
    const size_t in_group = bytes.count("the number of operations of a dialect");
    for (size_t i = 0; i < in_group; ++i) {
      const Bytes at = bytes;
      OperationName operation;
      uint64_t name = 0;
      if (version < kNativeProperties) {
        name = bytes.varint("the name of an operation");
      } else {
        std::tie(name, operation.registered) = bytes.flagged("the name of an operation");
      }
      const std::string_view own = strings[at.checked_index(name, strings.size(), "string")];
      // Names are copied, so they have a bound: many operations may well share a string.
      constexpr size_t kLongest = 100;
      if (own.size() + dialects[dialect].size() > kLongest) at.fail("the name of an operation is too long");
      operation.name = dialects[dialect] + (own.empty() ? "" : ".") + std::string(own);
      operations.push_back(std::move(operation));
    }
  }
}

void Container::read_entries(Bytes offsets, Bytes bytes) {
  const size_t attribute_count = offsets.count("the number of attributes");
  const size_t type_count = offsets.count("the number of types");
  const auto read = [&](std::vector<Entry>& entries, size_t count, std::string_view what) {
    entries.reserve(count);
    while (entries.size() < count) {
      const Bytes at = offsets;
      const size_t dialect = offsets.index(dialects.size(), "dialect");
      const size_t in_group = offsets.count("the number of entries of a dialect");
      if (in_group > count - entries.size()) {
        at.fail("there are more " + std::string(what) + "s than the " + std::to_string(count) + " announced");
      }
      for (size_t i = 0; i < in_group; ++i) {
        const auto [size, encoded] = offsets.flagged("the size of an entry");
        entries.push_back({bytes.take(size, what), dialect, encoded});
      }
    }
  };
  read(attributes, attribute_count, "attribute");
  read(types, type_count, "type");
  offsets.expect_end("the offsets of attributes and types");
}

void Container::read_properties(Bytes bytes) {
  const size_t count = bytes.count("the number of properties");
  properties.reserve(count);
  for (size_t i = 0; i < count; ++i) properties.push_back(bytes.blob("the properties"));
  bytes.expect_end("the properties");
}

}  // namespace ingot::stablehlo
