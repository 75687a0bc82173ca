// Locations: attributes, which are read as such where one is expected.
#include <algorithm>

#include "stablehlo/bytecode/reader.h"

namespace ingot::stablehlo {

const Location* BytecodeReader::location(Bytes& bytes) {
  return location_at(bytes.index(locations_.size(), "attribute"));
}

const Location* BytecodeReader::location_at(size_t index) {
  return entry(locations_, index, "location",
               [&](Entry& read) {
                 read.location = read_location(*read.place);
                 cost_.parts = 0;  // they are pointed to, and visited once
               })
      .location;
}

// One that is known, for where a part cannot be left out.
const Location* BytecodeReader::known_location(Bytes& bytes) {
  const Location* known = location(bytes);
  return known ? known : module_->add(Location());
}

const Location* BytecodeReader::read_location(const Container::Entry& place) {
  Bytes bytes = place.bytes;
  if (!place.encoded || container_.dialects[place.dialect] != "builtin") return nullptr;  // another dialect's
  const Bytes at = bytes;
  const uint64_t code = bytes.varint("the code of a location");
  Location read;
  const auto number = [&](std::string_view what) {
    return static_cast<int>(std::min<uint64_t>(bytes.varint(what), INT32_MAX));
  };
  switch (code) {
    case 10:
      read.kind = Location::Kind::kCallSite;
      read.parts.push_back(known_location(bytes));
      read.parts.push_back(known_location(bytes));
      break;
    case 11:
      read.kind = Location::Kind::kFile;
      read.name = text_attribute(bytes);
      read.line = number("a line");
      read.column = number("a column");
      break;
    case 12:
    case 13: {
      read.kind = Location::Kind::kFused;
      const size_t count = bytes.count("the number of fused locations");
      for (size_t i = 0; i < count; ++i) read.parts.push_back(known_location(bytes));
      if (code == 13) attribute(bytes);
      break;
    }
    case 14: {
      read.kind = Location::Kind::kName;
      read.name = text_attribute(bytes);
      if (const Location* child = location(bytes)) read.parts.push_back(child);
      break;
    }
    case 15:
      bytes.expect_end("the location");
      return nullptr;
    case 22: {  // a range: where it begins is enough
      read.kind = Location::Kind::kFile;
      read.name = text_attribute(bytes);
      const size_t count = bytes.count("the numbers of a range of lines");
      for (size_t i = 0; i < count; ++i) {
        const int value = number("a line or column");
        if (i < 2) (i == 0 ? read.line : read.column) = value;
      }
      break;
    }
    default:
      at.fail("expected a location, found the builtin attribute with the code " + std::to_string(code));
  }
  bytes.expect_end("the location");
  return module_->add(std::move(read));
}

}  // namespace ingot::stablehlo
