#include <gtest/gtest.h>

#include <set>

#include "ir/op_record.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

TEST(RegistryTest, RecordsAreThereBeforeMainAndFoundByName) {
  std::set<std::string_view> names;
  for (const ir::OpRecord* record : ir::all_records()) {
    EXPECT_EQ(ir::find_record(record->name), record);
    EXPECT_TRUE(names.insert(record->name).second);
    EXPECT_FALSE(record->doc->empty());
  }
  EXPECT_GE(names.size(), 40u);
  EXPECT_EQ(ir::find_record("no_such_operation"), nullptr);
  register_all();  // once more is no harm
  EXPECT_EQ(ir::all_records().size(), names.size());
}

// The names in backquotes, sorted.
std::set<std::string_view> quoted(std::string_view text) {
  std::set<std::string_view> names;
  for (size_t at = text.find('`'); at != text.npos; at = text.find('`', at)) {
    const size_t end = text.find('`', ++at);
    names.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

TEST(RegistryTest, EveryAttributeIsExplainedAndNoOtherOne) {
  for (const ir::OpRecord* record : ir::all_records()) {
    std::set<std::string_view> attributes;
    for (const ir::AttributeSpec& spec : record->attributes->specs()) {
      EXPECT_TRUE(attributes.insert(spec.name).second) << *record->name;
    }
    EXPECT_EQ(quoted(*record->doc), attributes) << *record->name;
  }
}

}  // namespace
}  // namespace ingot::ops
