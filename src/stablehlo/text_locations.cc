// Locations in text: loc("file.py":3:7), loc("scope"(...)), loc(callsite(... at ...)), loc(fused[...]),
// loc(#loc3). Their aliases stand at the end of a text, behind all uses, so that a use makes an empty
// location that the definition fills.
#include <algorithm>
#include <vector>

#include "ingot/error.h"
#include "stablehlo/text_reader.h"

namespace ingot::stablehlo {

const Location* TextReader::optional_location() {
  if (!scanner_.sees_word("loc")) return nullptr;
  scanner_.accept_word("loc");
  scanner_.expect("(", "of the location");
  const Location* read = location();
  scanner_.expect(")", "after the location");
  return read;
}

const Location* TextReader::location() {
  if (scanner_.peek() == '#') {
    const size_t at = scanner_.position();
    return location_alias(scanner_.name('#', "a location"), at);
  }
  return module_->add(location_itself());
}

Location TextReader::location_itself() {
  const Level level(*this);
  Location read;
  if (scanner_.accept_word("unknown")) return read;
  if (scanner_.peek() == '#' || scanner_.sees_word("loc")) {
    read.kind = Location::Kind::kFused;
    if (scanner_.accept_word("loc")) {  // as an attribute may have it: fused[loc("x")]
      scanner_.expect("(", "of the location");
      read.parts.push_back(location());
      scanner_.expect(")", "after the location");
    } else {
      read.parts.push_back(location());
    }
    return read;
  }
  if (scanner_.accept_word("callsite")) {
    read.kind = Location::Kind::kCallSite;
    scanner_.expect("(", "of the call site");
    read.parts.reserve(2);
    read.parts.push_back(location());
    if (!scanner_.accept_word("at")) scanner_.expected("'at' after the location of the callee");
    read.parts.push_back(location());
    scanner_.expect(")", "after the call site");
    return read;
  }
  if (scanner_.accept_word("fused")) {
    read.kind = Location::Kind::kFused;
    if (scanner_.accept("<")) scanner_.balanced('>', "the metadata of the fused location");
    scanner_.expect("[", "of the fused location");
    if (!scanner_.accept("]")) {
      do {
        read.parts.push_back(location());
      } while (scanner_.accept(","));
      scanner_.expect("]", "after the fused locations");
    }
    return read;
  }
  read.name =
      scanner_.string("a location: unknown, \"file\":line:column, \"name\", callsite, fused or #alias");
  if (scanner_.accept(":")) {
    read.kind = Location::Kind::kFile;
    read.line = static_cast<int>(scanner_.integer("a line"));
    scanner_.expect(":", "after the line");
    read.column = static_cast<int>(scanner_.integer("a column"));
    if (scanner_.accept_word("to")) {  // a range: where it begins is enough
      if (scanner_.peek() != ':') scanner_.integer("a line");
      scanner_.expect(":", "before the last column");
      scanner_.integer("a column");
    }
  } else {
    read.kind = Location::Kind::kName;
    if (scanner_.accept("(")) {
      read.parts.push_back(location());
      scanner_.expect(")", "after the location of the name");
    }
  }
  return read;
}

const Location* TextReader::location_alias(std::string_view name, size_t position) {
  const auto [entry, fresh] = location_aliases_.try_emplace(name, LocationAlias{nullptr, position});
  if (fresh) entry->second.location = &module_->locations.emplace_back();
  return entry->second.location;
}

const TextReader::LocationAlias* TextReader::sees_location() {
  if (scanner_.peek() != '#') return nullptr;
  const size_t at = scanner_.position();
  const auto alias = location_aliases_.find(scanner_.name('#', "an alias"));
  scanner_.go_to(at);
  return alias != location_aliases_.end() && alias->second.defined ? &alias->second : nullptr;
}

void TextReader::define_location(std::string_view name, Location location, std::string_view text,
                                 size_t position) {
  location_alias(name, position);
  LocationAlias& alias = location_aliases_.at(name);
  if (alias.defined) scanner_.fail(position, "#" + std::string(name) + " is defined twice");
  alias.defined = true;
  alias.text = text;
  const bool of_itself = location.parts.size() == 1 && location.parts.front() == alias.location;
  if (of_itself) scanner_.fail(position, "#" + std::string(name) + " is a part of itself");
  *alias.location = std::move(location);
}

// Locations are walked by recursion: that none is a part of itself, and none too deep, is known from here on.
void TextReader::check_locations() {
  for (const auto& [name, alias] : location_aliases_) {
    if (!alias.defined) scanner_.fail(alias.position, "there is no location #" + std::string(name));
  }
  struct Frame {
    const Location* location;
    size_t next = 0;
    int deepest = 0;
  };
  std::vector<Frame> stack;
  for (const Location& root : module_->locations) {
    if (root.depth > 0) continue;
    root.depth = 0;
    stack.push_back({&root});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.location->parts.size()) {
        const int depth = top.deepest + 1;
        if (depth > 2 * kMostNested) throw Error(module_->file + ": locations are nested too deeply");
        top.location->depth = depth;
        stack.pop_back();
        if (!stack.empty()) stack.back().deepest = std::max(stack.back().deepest, depth);
        continue;
      }
      const Location* part = top.location->parts[top.next++];
      if (part->depth < 0) {
        part->depth = 0;
        stack.push_back({part});
      } else if (part->depth == 0) {
        throw Error(module_->file + ": a location is a part of itself");
      } else {
        top.deepest = std::max(top.deepest, part->depth);
      }
    }
  }
}

}  // namespace ingot::stablehlo
